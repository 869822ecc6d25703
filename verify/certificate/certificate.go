// Package certificate checks proofs that a rollout keeps two rules for any number of nodes and replicas. It shares no
// code with the search, nor with the models of the loops: it has the steps of a rollout in counters ([rolling]), and
// linear arithmetic over the rational numbers. Tests hold the steps against those of the models.
//
// A certificate has an invariant, which every step keeps, and a ranking, which every step lowers. Both are checked, not
// believed: a certificate that is wrong in any number is refused, however it came about.
//
// It speaks of one rollout of a Deployment at rest, to another template with as many replicas, by RollingUpdate, where
// every pod finds a node and its pods get ready, and nothing else happens. It refuses to know anything else.
package certificate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Schema is the version of the format.
const Schema = "kubesettle.dev/certificate/v1"

// File is the content of a file of certificates: those of one run.
type File struct {
	Schema       string        `json:"schema"`
	Certificates []Certificate `json:"certificates"`
}

// Certificate is a proof for one workload.
type Certificate struct {
	Workload       string   `json:"workload"` // "apps/Deployment default/web"
	MaxSurge       string   `json:"maxSurge"` // as declared or defaulted: "1", "25%"
	MaxUnavailable string   `json:"maxUnavailable"`
	Claims         []string `json:"claims"` // Claims that it proves
	// Invariant are sums that are at least 0 in every state; Ranking are sums that are, of which every step lowers one and
	// raises none before it.
	Invariant []Sum `json:"invariant"`
	Ranking   []Sum `json:"ranking,omitempty"`
}

// The claims.
const (
	FloorKept   = "floor-kept"   // no fewer pods are ready than replicas less maxUnavailable
	RolloutEnds = "rollout-ends" // every fair run ends with all pods new and ready
)

// ErrRefused says that a certificate proves nothing.
var ErrRefused = errors.New("certificate refused")

// Rolling gives the certificate of a rollout of a workload.
func Rolling(workload, maxSurge, maxUnavailable string) Certificate {
	c := Certificate{Workload: workload, MaxSurge: maxSurge, MaxUnavailable: maxUnavailable,
		Claims: []string{FloorKept, RolloutEnds}}
	for _, name := range counters {
		c.Invariant = append(c.Invariant, sum(0, name))
	}
	missing := sum(0, newSize, "-"+newPending, "-"+newStarting, "-"+newReady)
	surplus := sum(0, oldUnready, oldReady, "-"+oldSize)
	c.Invariant = append(c.Invariant, sum(1, "-"+created), missing, surplus, sum(0, replicas, "-"+newSize), floor(),
		sum(0, oldSize, newReady, "-"+replicas, unavailable))
	c.Ranking = []Sum{
		sum(1, "-"+created), sum(0, replicas, "-"+newSize), sum(0, oldSize), surplus, missing, sum(0, newPending),
		sum(0, newStarting), sum(0, oldUnready), sum(0, stopping),
	}
	return c
}

// Says words the claims of a certificate.
func (c *Certificate) Says() string {
	words := map[string]string{
		FloorKept:   "replicas less maxUnavailable stay ready",
		RolloutEnds: "the rollout ends",
	}
	var out []string
	for _, claim := range c.Claims {
		out = append(out, words[claim])
	}
	return strings.Join(out, "; ")
}

// Check checks all certificates of a file.
func (f *File) Check() error {
	if f.Schema != Schema {
		return fmt.Errorf("%w: schema %q, not %q", ErrRefused, f.Schema, Schema)
	}
	if len(f.Certificates) == 0 {
		return fmt.Errorf("%w: the file has no proof, since no rollout could be proved", ErrRefused)
	}
	for i := range f.Certificates {
		if err := f.Certificates[i].Check(); err != nil {
			return err
		}
	}
	return nil
}

// Check proves the claims of a certificate from its invariant and ranking. Errors wrap [ErrRefused].
func (c *Certificate) Check() error {
	err := c.check()
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrRefused, c.Workload, err)
	}
	return nil
}

func (c *Certificate) check() error {
	for _, share := range []string{c.MaxSurge, c.MaxUnavailable} {
		if !isShare(share) {
			return fmt.Errorf("%q is neither a number nor a percentage", share)
		}
	}
	known := append(slices.Clone(counters), replicas, surge, unavailable, One)
	for _, s := range slices.Concat(c.Invariant, c.Ranking) {
		for name := range s {
			if !slices.Contains(known, name) {
				return fmt.Errorf("%q is no counter", name)
			}
		}
	}
	if err := c.inductive(); err != nil {
		return err
	}
	if len(c.Claims) == 0 {
		return errors.New("it claims nothing")
	}
	for _, claim := range c.Claims {
		var err error
		switch claim {
		case FloorKept:
			if !follows(c.context(), floor()) {
				err = errors.New("the invariant does not keep the floor")
			}
		case RolloutEnds:
			err = c.ends()
		default:
			err = fmt.Errorf("the claim %q is not known", claim)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isShare reports whether a text is a number of pods or a percentage.
func isShare(s string) bool {
	n, err := strconv.ParseInt(strings.TrimSuffix(s, "%"), 10, 32)
	return err == nil && n >= 0
}

// context is what holds in every state of the invariant.
func (c *Certificate) context() []Sum { return slices.Concat(parameters(), c.Invariant) }

// follows reports whether a sum is at least 0 wherever all others are.
func follows(from []Sum, s Sum) bool { return impossible(append(slices.Clone(from), not(s))) }

// inductive checks that the invariant holds at the start, and that every step keeps it.
func (c *Certificate) inductive() error {
	begin := parameters()
	for _, s := range start() {
		begin = append(begin, s, Sum{}.plus(-1, s))
	}
	for i, s := range c.Invariant {
		if !follows(begin, s) {
			return fmt.Errorf("invariant %d does not hold at the start", i+1)
		}
	}
	for _, t := range rolling() {
		from := slices.Concat(c.context(), t.guards, []Sum{{k: 1, One: -1}})
		for i, s := range c.Invariant {
			if !follows(from, s.after(t.effect)) {
				return fmt.Errorf("invariant %d is broken by: %s", i+1, t.name)
			}
		}
	}
	return nil
}

// ends checks that every step lowers the ranking, that no rank is less than 0, and that there is a step to take
// wherever the rollout is not done.
func (c *Certificate) ends() error {
	for i, r := range c.Ranking {
		if !follows(c.context(), r) {
			return fmt.Errorf("rank %d may be less than 0", i+1)
		}
	}
	steps := rolling()
	for _, t := range steps {
		if !c.lowers(t) {
			return fmt.Errorf("the ranking is not lowered by: %s", t.name)
		}
	}
	for _, s := range done() {
		for _, other := range []Sum{s.plus(1, Sum{One: -1}), Sum{One: -1}.plus(-1, s)} { // more than 0, less than 0
			if !stuckNowhere(append(c.context(), other), steps) {
				return errors.New("no step is left to take, and the rollout is not done")
			}
		}
	}
	return nil
}

// lowers reports whether a step lowers a rank, and raises none before it.
func (c *Certificate) lowers(t step) bool {
	from := slices.Concat(c.context(), t.guards, []Sum{{k: 1, One: -1}})
	if impossible(from) {
		return true // it is never taken
	}
	for _, r := range c.Ranking {
		less := r.plus(-1, r.after(t.effect)) // by how much the step lowers it
		if follows(from, less.plus(1, Sum{One: -1})) {
			return true
		}
		if !follows(from, less) {
			return false
		}
	}
	return false
}

// stuckNowhere reports whether no state that is given by sums is one in which none of the steps can be taken.
func stuckNowhere(state []Sum, steps []step) bool {
	if impossible(state) {
		return true
	}
	for len(steps) > 0 && steps[0].can == nil {
		steps = steps[1:]
	}
	if len(steps) == 0 {
		return false
	}
	for _, s := range steps[0].can { // this one is why it cannot be taken
		if !stuckNowhere(append(slices.Clone(state), not(s)), steps[1:]) {
			return false
		}
	}
	return true
}
