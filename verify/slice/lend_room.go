package slice

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// crowds enters into the loans of all releases the DaemonSets of others that take other room on head than on base: the
// pods of every workload feel it.
func (l *lender) crowds(loans Loans) {
	sets := map[[2]string][2]*object.Object{}
	borrowers := map[string]bool{}
	for v := range l.sides {
		for _, list := range l.sides[v].workloads {
			for _, o := range list {
				borrowers[o.Release] = true
				if _, ok := o.Typed.(*appsv1.DaemonSet); ok {
					pair := sets[[2]string{o.Release, o.ID.String()}]
					pair[v] = o
					sets[[2]string{o.Release, o.ID.String()}] = pair
				}
			}
		}
	}
	for k, pair := range sets {
		if pair[state.Base] != nil && pair[state.Head] != nil &&
			!takesOther(pair[state.Base].Typed.(*appsv1.DaemonSet), pair[state.Head].Typed.(*appsv1.DaemonSet)) {
			delete(sets, k)
		}
	}
	for _, borrower := range sortedIDs(borrowers) {
		for _, k := range slices.SortedFunc(maps.Keys(sets), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
			tie := l.Tie(k[0], borrower)
			if k[0] == borrower || tie == Apart {
				continue
			}
			if loans[borrower] == nil {
				loans[borrower] = &Loan{}
			}
			x := loans[borrower]
			if tie == Open {
				x.open(k[0])
			}
			for v, o := range sets[k] {
				if o == nil {
					continue
				}
				if x.Open.Daemons[v] = append(x.Open.Daemons[v], o); tie == Sure {
					x.Sure.Daemons[v] = append(x.Sure.Daemons[v], o)
				}
			}
		}
	}
}

// open notes a lender that is not declared to run in the borrower's cluster.
func (x *Loan) open(release string) {
	if x.Open.Open == nil {
		x.Open.Open = map[string]bool{}
	}
	x.Open.Open[release] = true
}

func firstOf(pair [2]*object.Object) *object.Object {
	if pair[state.Head] != nil {
		return pair[state.Head]
	}
	return pair[state.Base]
}

// besides enters into each loan the workloads of others that run in the cluster of the borrower, or may, and take of a
// quota that counts it.
func (l *lender) besides(loans Loans) {
	for v := range l.sides {
		limited := map[string][]*object.Object{} // the quotas of each namespace
		for _, o := range l.sides[v].acting {
			if _, ok := o.Typed.(*corev1.ResourceQuota); ok {
				limited[o.ID.Namespace] = append(limited[o.ID.Namespace], o)
			}
		}
		for ns, quotas := range limited {
			here := l.sides[v].workloads[ns]
			var borrowers []string
			for _, w := range here {
				borrowers = appendNew(borrowers, []string{w.Release})
			}
			for _, borrower := range borrowers {
				if !slices.ContainsFunc(quotas, func(q *object.Object) bool {
					return q.Release == borrower || l.Tie(q.Release, borrower) != Apart
				}) {
					continue
				}
				for _, w := range here {
					tie := l.Tie(w.Release, borrower)
					if w.Release == borrower || tie == Apart || tie == Open && !l.places(w) {
						continue
					}
					if loans[borrower] == nil {
						loans[borrower] = &Loan{}
					}
					x := loans[borrower]
					if x.Open.Beside[v] = append(x.Open.Beside[v], w); tie == Sure {
						x.Sure.Beside[v] = append(x.Sure.Beside[v], w)
					} else {
						x.open(w.Release)
					}
				}
			}
		}
	}
}
