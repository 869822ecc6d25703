package scheduler

// Welcomes reports whether every pod finds a node that takes it, whatever else there is, as long as no workload has
// more pods than the problem allows ([state.Config.MaxPods]): which node that is then makes no difference to whether it
// runs. Filters that look at other pods, at volumes or at nodes that come and go may refuse anything; what nodes have
// is added up.
func (k *Compiled) Welcomes() bool {
	if k.moving || k.places {
		return false
	}
	var empty View
	empty.Load(k, k.Cfg.New())
	for p := range k.Classes {
		if !k.easy(p) || !k.lasts(&empty, p) {
			return false
		}
	}
	return true
}

// easy reports whether class p's pods are kept from nodes by nothing but what these are and have.
func (k *Compiled) easy(p int) bool {
	class := &k.Classes[p]
	return class.Pod.Spec.NodeName == "" && !k.Cfg.Pods[p].PerNode && len(k.Cfg.Uses[p]) == 0 &&
		len(class.hard)+len(class.near)+len(class.apart)+len(class.repel)+len(class.conflict) == 0
}

// lasts reports whether the nodes that class p's pods may run on are never all full for one of them. A node refuses it
// for want of one resource, or of a place, of which others have taken all but less than it asks for. The shares that
// they have taken, of all resources, then add up to one a node; there are not enough pods for that.
func (k *Compiled) lasts(empty *View, p int) bool {
	class := &k.Classes[p]
	dims := len(k.Resources)
	least := make([]int64, dims+1) // what others have to take of a node, at least, for it to refuse
	nodes := 0
	for n := range k.Nodes {
		if class.static[n] != reasonNone {
			continue
		}
		nodes++
		for d := range least {
			left := int64(k.Slots(empty, p, n))
			if d < dims {
				if class.Request[d] == 0 || k.Nodes[n].Elastic {
					continue
				}
				left = k.Room(empty, p, n, d) - class.Request[d] + 1
			}
			if left <= 0 {
				return false
			}
			if least[d] == 0 || left < least[d] {
				least[d] = left
			}
		}
	}
	taken := k.mostTaken()
	shares := 0.0
	for d, room := range least {
		if room > 0 {
			shares += float64(taken[d]) / float64(room)
		}
	}
	const rounding = 1e-6
	return nodes > 0 && shares < float64(nodes)-rounding
}

// mostTaken is the most that the pods of all workloads take at once, by resource and, last, their number.
func (k *Compiled) mostTaken() []int64 {
	out := make([]int64, len(k.Resources)+1)
	for _, classes := range k.Cfg.ClassesOf {
		largest := make([]int64, len(out))
		for _, p := range classes {
			for d, r := range k.Classes[p].Request {
				largest[d] = max(largest[d], r)
			}
			largest[len(out)-1] = 1
		}
		for d, r := range largest {
			out[d] += r * int64(k.Cfg.MaxPods)
		}
	}
	return out
}

// Takes lists the nodes that none of some classes' pods is kept from for what they are.
func (k *Compiled) Takes(classes []int) []int {
	var out []int
	for n := range k.Nodes {
		all := true
		for _, p := range classes {
			all = all && k.Classes[p].static[n] == reasonNone
		}
		if all {
			out = append(out, n)
		}
	}
	return out
}
