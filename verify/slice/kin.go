package slice

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Kin are workloads of several releases of one cluster that one search needs together: their rules look at each other's
// pods, or they share a claim, a budget or a port. The first release of which one is searched borrows those of the
// others, which leave them to it.
type Kin struct {
	// Group numbers the workloads of each slice with such members, by ID.
	Group map[string]int
	// Stirred are those of them that are searched for a reason that their own release may not know.
	Stirred map[string]bool
	// Left are the workloads that another release's slice has.
	Left map[string]bool
}

// mostKin is the most workloads that a slice of several releases has: with more, each release is searched alone, and
// what its pods look for elsewhere is named.
const mostKin = 12

// enter notes one slice of an owner.
func (k *Kin) enter(members []string, stirred map[string]bool) {
	if k.Group == nil {
		*k = Kin{Group: map[string]int{}, Stirred: map[string]bool{}, Left: k.Left}
	}
	n := len(k.Group) + 1
	for _, id := range members {
		k.Group[id], k.Stirred[id] = n, stirred[id]
	}
}

// leave notes a workload that another release's slice has.
func (k *Kin) leave(id string) {
	if k.Left == nil {
		k.Left = map[string]bool{}
	}
	k.Left[id] = true
}

// beside gives the slices of k and those of o that share no workload with them.
func (k Kin) beside(o Kin) Kin {
	none := map[string]bool{}
	out := Kin{
		Group:   union(map[string]int{}, k.Group),
		Stirred: union(union(none, k.Stirred), o.Stirred),
		Left:    union(union(none, k.Left), o.Left),
	}
	taken := map[int]bool{}
	for id := range k.Group {
		taken[o.Group[id]] = true
	}
	for id, n := range o.Group {
		if !taken[n] {
			out.Group[id] = n + len(k.Group) + 1
		}
	}
	return out
}

// together reports whether two workloads belong into one slice of several releases.
func (k *Kin) together(a, b string) bool { return k.Group[a] != 0 && k.Group[a] == k.Group[b] }

// home are the releases of one cluster, and what they have.
type home struct {
	ids      []string
	of       [2]map[string]string // the release of each workload, by version and ID
	sides    [2]side
	changed  map[string]bool
	anew     map[string]bool // releases of which everything is searched
	searched bool            // something of them is
}

// kinOf finds the kin of all releases that surely run in one cluster, and of those that may. Which are searched follows
// from scope.
func (l *lender) kinOf(ch *object.Changes, sc Scope) {
	for _, key := range sortedIDs(l.homes()) {
		h := l.homes()[key]
		if len(h) > 1 {
			l.kinIn(newHome(h, ch, sc, nil), sc, Sure)
		}
	}
	var all []string
	for _, id := range sortedIDs(l.releases) {
		if r := l.releases[id]; r.Switched == "" && r.Err == nil && len(r.Objects) > 0 {
			all = append(all, id)
		}
	}
	if of := l.homes(); len(all) > 1 && !(len(of) == 1 && len(of[sortedIDs(of)[0]]) >= len(all)) {
		l.kinIn(newHome(all, ch, sc, l.twice(ch)), sc, Open)
	}
}

// twice are the workloads that several releases of one version have, by ID: it is open which of them others meet.
func (l *lender) twice(ch *object.Changes) map[string]bool {
	out := map[string]bool{}
	for _, rev := range []*object.Revision{ch.Base, ch.Head} {
		of := map[string]string{}
		if rev == nil {
			continue
		}
		for _, r := range rev.Releases {
			for _, o := range r.Objects {
				if _, runs := state.ManifestOf(o.Typed); runs {
					id := o.ID.String()
					out[id] = out[id] || of[id] != "" && of[id] != r.ID
					of[id] = r.ID
				}
			}
		}
	}
	return out
}

// homes are the releases that are declared or shown to share a cluster, as far as one word for it is known, see
// [Neighbours.Tie].
func (l *lender) homes() map[string][]string {
	if l.at != nil {
		return l.at
	}
	l.at = map[string][]string{}
	for _, id := range sortedIDs(l.releases) {
		r := l.releases[id]
		in, key := local(r.Cluster), ""
		switch {
		case r.Switched != "" || r.Err != nil:
			continue
		case l.policy.Cluster.Runs(r.ID, r.Path):
			key = bucketName("declared", in)
		case r.Delivery.Tool == "":
			continue
		case in != "":
			key = bucketName("named", in)
		default:
			key = bucketName("from", l.root(r))
		}
		l.at[key] = append(l.at[key], id)
	}
	return l.at
}

// newHome gathers some releases, without the workloads of which that is not wanted.
func newHome(ids []string, ch *object.Changes, sc Scope, but map[string]bool) *home {
	h := &home{ids: ids, changed: map[string]bool{}, anew: map[string]bool{}}
	in := map[string]bool{}
	for _, id := range ids {
		in[id] = true
		h.searched = h.searched || sc.Beside != nil && sc.Beside(id) != "" || sc.Healed != nil && sc.Healed(id) != ""
	}
	for i := range ch.Changes {
		if c := &ch.Changes[i]; in[c.Release] {
			h.changed[c.ID().String()], h.searched = true, true
		}
	}
	for _, p := range Pairs(ch) {
		if h.anew[p.ID] = sc.All || p.Anew(); h.anew[p.ID] && in[p.ID] {
			h.searched = true
		}
	}
	if !h.searched && len(sc.Asked) == 0 {
		return h
	}
	h.searched = true
	for v, rev := range []*object.Revision{ch.Base, ch.Head} {
		var all []*object.Object
		h.of[v] = map[string]string{}
		if rev != nil {
			for _, r := range rev.Releases {
				if in[r.ID] && r.Err == nil {
					all = append(all, h.gather(v, r, sc, but)...)
				}
			}
		}
		h.sides[v] = NewSide(all)
	}
	return h
}

// gather gives the objects of a release, without the workloads that another one of the cluster has too.
func (h *home) gather(v int, r *object.Rendered, sc Scope, but map[string]bool) (out []*object.Object) {
	for _, o := range r.Objects {
		if there, other := sc.Instead[o]; other {
			o = there
		}
		if o == nil {
			continue
		}
		id := o.ID.String()
		if _, runs := state.ManifestOf(o.Typed); runs && !o.Hook {
			if h.of[v][id] != "" || but[id] {
				continue
			}
			h.of[v][id] = r.ID
		}
		out = append(out, o)
	}
	return out
}

// owner is the release of a workload; "" where it moves from one to another.
func (h *home) owner(id string) string {
	base, head := h.of[state.Base][id], h.of[state.Head][id]
	if base != "" && head != "" && base != head {
		return ""
	}
	return max(base, head)
}

// kinIn finds the kin in one cluster, of releases that share it at least as surely as said.
func (l *lender) kinIn(h *home, sc Scope, least Tie) {
	if !h.searched {
		return
	}
	ids := slices.Sorted(maps.Keys(union(h.sides[0].Workloads, h.sides[1].Workloads)))
	cut, between := Cut{Changed: h.changed, Scope: sc}, Cut{Scope: sc}
	cut.All, between.Limited = false, false
	touched := map[string]bool{}
	for _, id := range ids {
		cut.Release = h.owner(id)
		touched[id] = h.anew[cut.Release] || cut.touched(id, h.sides)
	}
	related := func(a, b string) bool {
		x, y := h.owner(a), h.owner(b)
		switch {
		case x == "" || y == "":
			return false
		case x == y:
			return cut.related(h.sides, a, b)
		}
		return (sc.joint(x, a, y, b) || between.related(h.sides, a, b)) && l.Tie(x, y) >= least
	}
	if least == Sure {
		l.lendServices(h, sc)
	}
	l.lendHooks(h, least)
	wanted := func(id string) bool { return touched[id] }
	for _, members := range components(ids, wanted, cut.vicinity(ids, h.sides).near, related) {
		l.enterKin(h, members, touched, least)
	}
}

// lendServices lends the releases of workloads of which something is asked the Services of others that have their pods.
func (l *lender) lendServices(h *home, sc Scope) {
	for v, s := range h.sides {
		for id, o := range s.Workloads {
			owner := h.owner(id)
			if owner == "" || !sc.Asked[o.ID.Namespace+"/"+o.ID.Name] {
				continue
			}
			for _, i := range s.found.services.candidates(o.ID.Namespace, templateOf(o).Labels) {
				if l.Tie(owner, s.services[i].Release) == Sure {
					l.lendTo(owner, s.services[i], v)
				}
			}
		}
	}
}

// enterKin has the first release of which something is searched borrow the members of others.
func (l *lender) enterKin(h *home, members []string, touched map[string]bool, least Tie) {
	owner, several := "", false
	if least == Open && !l.meetOpenly(h, members) {
		return
	}
	for _, id := range members {
		of := h.owner(id)
		several = several || of != h.owner(members[0])
		if touched[id] && (owner == "" || of < owner) {
			owner = of
		}
	}
	if !several || len(members) > mostKin {
		return
	}
	l.kinAt(owner, least).enter(members, touched)
	for _, id := range members {
		of := h.owner(id)
		if of == owner {
			continue
		}
		l.kinAt(of, least).leave(id)
		l.hosts[bucketName(of, id)] = append(l.hosts[bucketName(of, id)], owner)
		for v := range h.sides {
			if o := h.sides[v].Workloads[id]; o != nil { // its policies act on it there, once
				for _, x := range append(h.sides[v].aidsOf(o), h.sides[v].asWritten(id)) {
					l.lendTo(owner, x, v)
				}
			}
		}
	}
}

// meetOpenly reports whether the releases of some workloads may share a cluster, each with each, and of two of them
// nobody says so, and whether it is known in which namespaces the workloads are.
func (l *lender) meetOpenly(h *home, members []string) bool {
	open := false
	for i, a := range members {
		for _, b := range members[:i] {
			switch l.Tie(h.owner(a), h.owner(b)) {
			case Apart:
				if h.owner(a) != h.owner(b) {
					return false
				}
			case Open:
				open = true
			}
		}
		if o := firstOf([2]*object.Object{h.sides[0].Workloads[a], h.sides[1].Workloads[a]}); !l.places(o) {
			return false
		}
	}
	return open
}

// kinAt is the kin of a release among those that share its cluster at least as surely as said.
func (l *lender) kinAt(release string, least Tie) *Kin {
	if l.kin[least] == nil {
		l.kin[least] = map[string]*Kin{}
	}
	if l.kin[least][release] == nil {
		l.kin[least][release] = &Kin{}
	}
	return l.kin[least][release]
}

// lendTo notes that a release lends an object of a version to another.
func (l *lender) lendTo(borrower string, o *object.Object, v int) {
	if o.Release == borrower {
		return
	}
	of := l.loans[borrower]
	if of == nil {
		of = map[string][2]*object.Object{}
		l.loans[borrower] = of
	}
	pair := of[bucketName(o.ID.String(), o.Release)]
	pair[v] = o
	of[bucketName(o.ID.String(), o.Release)] = pair
}

// aidsOf are the objects that a search of a workload reads and that do not act on it by themselves: its Services,
// claims and queues, and what stands behind them.
func (s side) aidsOf(o *object.Object) []*object.Object {
	out := slices.Concat(s.storage.claimsOf(o), s.queuesOf(o))
	for _, c := range s.storage.claimsOf(o) {
		if pv := s.storage.volumeOf(c.Typed.(*corev1.PersistentVolumeClaim), c.ID.Namespace); pv != nil {
			if x := s.byID[object.ID{Kind: "PersistentVolume", Name: pv.Name}.String()]; x != nil {
				out = append(out, x)
			}
		}
	}
	for _, i := range s.found.services.candidates(o.ID.Namespace, templateOf(o).Labels) {
		out = append(out, s.services[i])
	}
	for i, list := range s.admission.asked {
		if slices.ContainsFunc(list, func(h hook) bool { return h.serves(o, s) }) {
			out = append(out, s.admission.hooks[i])
		}
	}
	return out
}
