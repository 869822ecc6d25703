package slice

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Some objects act on pods of any release: a namespace's quota, a PodDisruptionBudget, an autoscaler. Releases of one
// cluster lend each other such objects, each as its own release has it, and the slices of the borrower are cut and
// searched as if they were in its own.

// ActingKinds are the kinds of objects that act on workloads of other releases, as they stand in manifests.
func ActingKinds(p *policies.Policy) []string {
	out := []string{"ResourceQuota", "LimitRange", "PriorityClass", "PodDisruptionBudget", "HorizontalPodAutoscaler",
		"VerticalPodAutoscaler", "ScaledObject", "Namespace", "ValidatingAdmissionPolicy",
		"ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
		"ClusterPolicy", "Policy", "PolicyException", "RuntimeClass"}
	if Limited(p) { // the use of a node by one pod affects all others
		out = append(out, "DaemonSet", "StorageClass")
	}
	return out
}

// Loan is what other releases lend to one.
type Loan struct {
	Sure Lent // by releases that run in its cluster
	// Open is Sure with what is lent by releases of which nobody says whether they run in its cluster; the same as Sure
	// where there are none.
	Open Lent
}

// Lent are objects of other releases, by version. The zero value is nothing.
type Lent struct {
	Objects [2][]*object.Object
	Beside  [2][]*object.Object // workloads of the same namespaces, which take of the quotas there
	Daemons [2][]*object.Object // DaemonSets whose room on the nodes changes
	// Open has the releases of those objects of which nobody says that they run in the borrower's cluster.
	Open map[string]bool
	// Kin says which of the objects belong into one slice with workloads of the borrower.
	Kin Kin
}

// Loans are those of all releases that others act on, by ID.
type Loans map[string]*Loan

// Of is the loan of a release; it is empty if nothing acts on the release.
func (l Loans) Of(release string) *Loan {
	if x := l[release]; x != nil {
		return x
	}
	return &Loan{}
}

// Changed are the changes that matter to a release, by ID: its own, and those of objects lent to it, according to of
// for the lender.
func (l Lent) Changed(own map[string]bool, of func(release string) map[string]bool) map[string]bool {
	out := union(own, nil)
	for _, objects := range [][]*object.Object{l.Objects[0], l.Objects[1], l.Daemons[0], l.Daemons[1]} {
		for _, o := range objects {
			if of(o.Release)[o.ID.String()] {
				out[o.ID.String()] = true
			}
		}
	}
	return out
}

// with adds the lent objects to those of a version. The release's own objects stay as they are.
func (l Lent) with(v state.Version, own []*object.Object) []*object.Object {
	if len(l.Objects[v]) == 0 {
		return own
	}
	have := map[string]bool{}
	for _, o := range own {
		have[o.ID.String()] = true
	}
	out := slices.Clone(own)
	for _, o := range l.Objects[v] {
		if !have[o.ID.String()] {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b *object.Object) int { return a.ID.Compare(b.ID) })
	return out
}

// Instead replaces lent objects that the API server refuses by the versions that the cluster keeps.
func (l Lent) Instead(there map[*object.Object]*object.Object) Lent {
	for _, list := range []*[2][]*object.Object{&l.Objects, &l.Beside, &l.Daemons} {
		for v := range list {
			var out []*object.Object
			for _, o := range list[v] {
				if x, other := there[o]; other {
					o = x
				}
				if o != nil {
					out = append(out, o)
				}
			}
			list[v] = out
		}
	}
	return l
}

// Has reports whether an object is lent.
func (l Lent) Has(id string) bool {
	return slices.ContainsFunc(slices.Concat(l.Objects[0], l.Objects[1]),
		func(o *object.Object) bool { return o.ID.String() == id })
}

// Lend finds what the releases of a change lend each other where some of their workloads are searched, and says what
// they may lend to whom if it were known where these run.
func Lend(n *Neighbours, ch *object.Changes, sc Scope) (Loans, []finding.Note) {
	l := &lender{Neighbours: n, loans: map[string]map[string][2]*object.Object{}, hosts: map[string][]string{},
		kin: map[Tie]map[string]*Kin{}}
	for v, rev := range []*object.Revision{ch.Base, ch.Head} {
		l.sides[v] = gathered(rev)
		for _, o := range l.sides[v].acting {
			if Mutates(o) && !slices.Contains(l.mutating, o.Release) {
				l.mutating = append(l.mutating, o.Release)
			}
		}
	}
	l.kinOf(ch, sc)
	for v := range l.sides {
		l.link(v)
	}
	if ch.Base == nil {
		return l.lend(), nil
	}
	return l.lend(), l.unjoined()
}

// lender finds who acts on whom.
type lender struct {
	*Neighbours
	sides [2]world
	loans map[string]map[string][2]*object.Object // by borrower, then lender and ID, of both versions
	at    map[string][]string                     // releases by their cluster; see homes
	hosts map[string][]string                     // by release and workload: who borrows it
	kin   map[Tie]map[string]*Kin                 // by release, see kinAt

	mutating []string // releases with policies that may change pods
}

// world is what the releases of one version have: what acts, and on what.
type world struct {
	acting    []*object.Object
	byID      map[[2]string]*object.Object // of them, by release and ID
	workloads map[string][]*object.Object  // by namespace
	params    params
}

func gathered(rev *object.Revision) world {
	w := world{byID: map[[2]string]*object.Object{}, workloads: map[string][]*object.Object{}, params: paramsIn(rev)}
	if rev == nil {
		return w
	}
	for _, rel := range rev.Releases {
		if rel.Err != nil || rel.Switched != "" {
			continue
		}
		for _, o := range rel.Objects {
			switch _, runs := state.ManifestOf(o.Typed); {
			case o.Hook:
			case runs:
				w.workloads[o.ID.Namespace] = append(w.workloads[o.ID.Namespace], o)
			case Acts(o) || o.ID.Kind == "Namespace" && o.ID.Group == "" || w.params.has(o):
				w.acting = append(w.acting, o)
				w.byID[[2]string{o.Release, o.ID.String()}] = o
			}
		}
	}
	return w
}

// link notes who acts on the workloads of others in one version.
func (l *lender) link(v int) {
	here := &l.sides[v]
	for _, o := range here.acting {
		among := here.workloads[o.ID.Namespace]
		if o.ID.Namespace == "" || here.params.has(o) {
			among = nil
			for _, ns := range sortedIDs(here.workloads) {
				among = append(among, here.workloads[ns]...)
			}
		}
		for _, w := range among {
			hosts := l.hosts[bucketName(w.Release, w.ID.String())]
			if w.Release == o.Release && len(hosts) == 0 || !l.actsOn(o, w) && !here.params.has(o) {
				continue
			}
			tie := Sure
			if w.Release != o.Release {
				tie = l.Tie(o.Release, w.Release)
			}
			if tie == Apart || tie == Open && !(l.places(o) && l.places(w)) {
				continue
			}
			for _, borrower := range append([]string{w.Release}, hosts...) {
				for u := range l.sides {
					if x := l.sides[u].byID[[2]string{o.Release, o.ID.String()}]; x != nil {
						l.lendTo(borrower, x, u)
					}
				}
			}
		}
	}
}

// lend makes loans of the links. Where several releases have an object of one name, one of them lends it: that which
// runs in the cluster before one that may, and one that changes it before one that does not.
func (l *lender) lend() Loans {
	out := Loans{}
	for release, k := range l.kin[Sure] {
		out[release] = &Loan{Sure: Lent{Kin: *k}, Open: Lent{Kin: Kin{}.beside(*k)}}
	}
	for release, k := range l.kin[Open] { // what may be joined comes beside what is
		if out[release] == nil {
			out[release] = &Loan{}
		}
		out[release].Open.Kin = k.beside(out[release].Sure.Kin)
	}
	for borrower, links := range l.loans {
		if out[borrower] == nil {
			out[borrower] = &Loan{}
		}
		loan, from, best := out[borrower], map[string]string{}, map[string]int{}
		for _, name := range sortedIDs(links) {
			id, release, _ := strings.Cut(name, "\x00")
			rank := 2 * int(l.Tie(release, borrower))
			if p := links[name]; p[0] == nil || p[1] == nil || !object.Same(p[:1], p[1:]) {
				rank++
			}
			if rank > best[id] {
				from[id], best[id] = release, rank
			}
		}
		for _, id := range sortedIDs(from) {
			loan.add(from[id], links[bucketName(id, from[id])], l.Tie(from[id], borrower) == Sure)
		}
	}
	l.besides(out)
	if Limited(l.policy) {
		l.crowds(out)
	}
	return out
}

// add enters an object of another release.
func (x *Loan) add(release string, pair [2]*object.Object, sure bool) {
	if !sure {
		x.open(release)
	}
	for v, o := range pair {
		if o == nil {
			continue
		}
		if x.Open.Objects[v] = append(x.Open.Objects[v], o); sure {
			x.Sure.Objects[v] = append(x.Sure.Objects[v], o)
		}
	}
}

// sides are both versions of a release with the objects lent to it, and those known from the cluster.
func (l Lent) sides(shot *snapshot.Snapshot, base, head []*object.Object) [2]side {
	base, head = withKnown(shot, l.with(state.Base, base), l.with(state.Head, head))
	out := [2]side{NewSide(base), NewSide(head)}
	for v := range out {
		for _, o := range l.Beside[v] {
			if own := out[v].byID[o.ID.String()]; own == nil || own.Release != o.Release {
				out[v].beside = append(out[v].beside, out[v].treat(o).sent)
			}
		}
		for _, o := range l.Daemons[v] {
			if id := o.ID.String(); out[v].byID[id] == nil {
				out[v].daemons[id], out[v].byID[id] = o.Typed.(*appsv1.DaemonSet), o
			}
		}
	}
	return out
}

// Owner is the release that has an object of the slice.
func (sl *Slice) Owner(id string) string {
	if pair := sl.Objects[id]; pair != nil {
		if o := firstOf(*pair); o != nil && o.Release != "" {
			return o.Release
		}
	}
	return sl.Release
}

// Lent are the objects of a version that other releases lend to the slice's.
func (sl *Slice) Lent(v state.Version) []*object.Object { return sl.lent.Objects[v] }

// OnTrust are the releases of which the slice has objects and that are not declared to run in one cluster with it,
// sorted.
func (sl *Slice) OnTrust() []string {
	seen := map[string]bool{}
	for id := range sl.Objects {
		if r := sl.Owner(id); sl.lent.Open[r] {
			seen[r] = true
		}
	}
	for _, w := range slices.Concat(sl.lent.Beside[state.Base], sl.lent.Beside[state.Head]) {
		if sl.lent.Open[w.Release] && slices.ContainsFunc(sl.Spec.Quotas, func(q state.Quota) bool {
			return q.Namespace == w.ID.Namespace
		}) {
			seen[w.Release] = true
		}
	}
	return sortedIDs(seen)
}
