package rules

import "slices"

// Facets classify the violations of a rule for code that chooses searches and fixes: two rules with the same facets are
// alike there. The zero value is careful: a rule without any is judged in the scenarios of a change, with the declared
// facts and no others; its violations are not excused, and fixes are not guessed.
type Facets uint32

const (
	// Stuck: a run ends while something waits for an event that no loop brings.
	Stuck Facets = 1 << iota
	// MidRollout: a run ends with pods of two revisions, or short of the new one.
	MidRollout
	// Unplaced: a pod waits for a node forever.
	Unplaced
	// Unreplaced: a pod that is gone is never created again.
	Unreplaced
	// Unreverted: the state before is not back after base was applied again. Judged there alone.
	Unreverted
	// Undrained: a node that is drained is never empty.
	Undrained
	// Evicted: pods are evicted again and again.
	Evicted
	// Displaced: pods make way for pods of a higher priority.
	Displaced
	// NodesComeAndGo: nodes are added and removed again and again.
	NodesComeAndGo
	// NodesGoDown: nodes, or their kubelets, fail again and again under the pods placed on them.
	NodesGoDown
	// Restless: a workload never comes to rest.
	Restless
	// Swings: the number of replicas goes up and down.
	Swings
	// Surplus: there are more replicas than any load justifies.
	Surplus
	// TakenBack: an apply takes back replicas that another loop set.
	TakenBack
	// Short: fewer pods are ready than was declared.
	Short
	// OneDomain: all pods stand in one domain.
	OneDomain
	// Unspread: pods stand against a spread that was declared.
	Unspread
	// AnyRollout: a rollout that changes only the image may show it as well: old pods are counted until they are
	// gone, and which of the new ones stay depends on the scheduler's ties.
	AnyRollout
)

// Any reports whether any of the given facets is among them.
func (f Facets) Any(of Facets) bool { return f&of != 0 }

// FacetsOf are those of a rule of [All], by its ID; none of another one.
func FacetsOf(id string) Facets {
	all := All()
	if i := slices.IndexFunc(all, func(r Rule) bool { return r.ID == id }); i >= 0 {
		return all[i].Facets
	}
	return 0
}
