package state

import corev1 "k8s.io/api/core/v1"

// Webhook is an admission webhook that is asked before a pod is created, refuses it if it gets no answer
// (failurePolicy: Fail), and is served by pods of the slice.
type Webhook struct {
	Name   string // such as "guard.example.com"
	Object string // ID of its configuration
	Field  string // of the configuration, such as "webhooks[0]"
	// Servers are the workloads, by index, of whose pods one has to answer.
	Servers []int
	// Guards says, by the version that is applied, of which workload's template of which
	// version it guards the pods: [applied][workload][template]. nil: not there.
	Guards [2][][2]bool
}

// Refusal is why the API server refuses to create the pods of a template, whatever else there is.
type Refusal struct {
	Text          string // such as "Pod is invalid: …"
	Object, Field string // of the declaration that makes it so
	With          string // another object that takes part; "": none
	Enough        string // a value of the field that refuses nothing; "": it is not known
	Own           string // field of the workload; "" for its pods
	Claim         string // the claim that cannot be made for the pod, as "namespace/name"; "": the pod itself is refused
}

// Admission is what decides whether pods may be created, beside quotas.
type Admission struct {
	// LimitRanges of the namespaces of the workloads, by version.
	LimitRanges [2][]*corev1.LimitRange
	Webhooks    []Webhook
	// Refused says, by the version that is applied, for which template of which version of each workload the API server
	// makes no pods for another reason: [applied][workload][template]. nil: none.
	Refused [2][][2]*Refusal
	// Claims says, by the version that is applied, which ordinals of each StatefulSet get no pod, as a claim of theirs
	// cannot be made: [applied][workload][ordinal]. nil: none.
	Claims [2][]map[int]*Refusal
}

// Refusal is that of the pods of a class, where a version is applied; nil: there is none.
func (a *Admission) Refusal(v Version, class *PodClass) *Refusal {
	if list := a.Claims[v]; list != nil && list[class.Workload][class.Ordinal] != nil {
		return list[class.Workload][class.Ordinal]
	}
	if a.Refused[v] == nil {
		return nil
	}
	if class.InHead {
		return a.Refused[v][class.Workload][Head]
	}
	return a.Refused[v][class.Workload][Base]
}

// Refuse enters why the pods of class p are refused while version v is applied.
func (c *Config) Refuse(v Version, p int, why *Refusal) {
	if c.Refusals[v] == nil {
		c.Refusals[v] = make([]*Refusal, len(c.Pods))
	}
	c.Refusals[v][p] = why
}

// admits lays out the memory that webhooks need.
func (c *Config) admits(b *Builder) {
	for range c.Spec.Admission.Webhooks {
		c.Armed = append(c.Armed, b.Field(1))
	}
}

// Refused is why the pods of class p cannot be created while the manifests of s are
// applied: a LimitRange, or what [Admission.Refused] names. nil: they can.
func (s State) Refused(p int) *Refusal {
	if list := s.C.Refusals[s.VersionOfClass(p)]; list != nil {
		return list[p]
	}
	return nil
}

// Guard is the webhook that keeps the pods of class p from being created, as nothing answers for it; nil: there is
// none.
func (s State) Guard(p int) *Webhook {
	for i := range s.C.Spec.Admission.Webhooks {
		h := &s.C.Spec.Admission.Webhooks[i]
		if s.Get(s.C.Armed[i]) == 1 && h.guards(s, p) && !s.Answers(h) {
			return h
		}
	}
	return nil
}

// guards reports whether a webhook is asked about pods of class p.
func (h *Webhook) guards(s State, p int) bool {
	by := h.Guards[s.Version()]
	if by == nil {
		return false
	}
	class := &s.C.Pods[p]
	if class.InHead {
		return by[class.Workload][Head]
	}
	return by[class.Workload][Base]
}

// Answers reports whether a pod answers for a webhook: one that is ready, or stops, on a node
// that is up.
func (s State) Answers(h *Webhook) bool {
	for _, w := range h.Servers {
		for _, p := range s.C.ClassesOf[w] {
			for n := range s.C.Nodes {
				if !s.Down(n) && s.ReadyOn(n, p)+s.On(n, p, Terminating) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// Forbidden reports whether the API server refuses to create pods of class p, for other
// reasons than a quota.
func (s State) Forbidden(p int) bool { return s.Refused(p) != nil || s.Guard(p) != nil }

// Admits reports whether anything but a quota decides on the creation of pods in this problem.
func (c *Config) Admits() bool {
	return len(c.Spec.Admission.Webhooks) > 0 || c.Refusals[Base] != nil || c.Refusals[Head] != nil
}
