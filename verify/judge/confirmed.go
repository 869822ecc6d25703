package judge

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// confirmedJSON is written by the replay in verify/conformance, `make replay RECORD=1`.
//
//go:embed confirmed.json
var confirmedJSON []byte

// Confirmation is a counterexample that was seen to happen on a real control plane.
type Confirmation struct {
	// Shape of the finding that was replayed; see [Shape].
	Shape string `json:"shape"`
	Case  string `json:"case"` // its directory in this repository
	// Kubernetes is the version of the control plane.
	Kubernetes string `json:"kubernetes"`
	Seen       string `json:"seen"` // the observation
	// Steps of the counterexample, and how many of them were seen in their order.
	Steps   int `json:"steps"`
	Matched int `json:"matched"`
}

// Confirmations are the replays on record, by shape.
func Confirmations() ([]Confirmation, error) {
	var out []Confirmation
	if err := json.Unmarshal(confirmedJSON, &out); err != nil {
		return nil, fmt.Errorf("confirmed.json: %w", err)
	}
	return out, nil
}

// Shape is the structure of a counterexample: its rule, the events in it and the control loops that take part, each
// once and sorted, and admission where it refuses pods, such as "below-floor: drain + replicaset, scheduler", and,
// after a semicolon, why a pod has no node or no quota, or is evicted or not: a port and anti-affinity are not one
// cause, nor are two plugins. Findings of one shape break in one way.
func Shape(f *finding.Finding) string {
	events, loops := map[string]bool{}, map[string]bool{}
	for _, s := range f.Interleaving {
		loop, _, _ := strings.Cut(s.Actor, "/")
		if s.Action == "admission-refused" { // and not for want of quota
			loops["admission"] = true
		}
		switch s.Class {
		case "event":
			events[loop] = true
		case "kubelet": // pods start and stop in all of them
		default:
			loops[loop] = true
		}
	}
	words := func(m map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }
	shape := strings.TrimSuffix(f.Rule+": "+strings.TrimPrefix(words(events)+" + "+words(loops), " + "), " + ")
	if causes := causesOf(f); len(causes) > 0 {
		shape += "; " + words(causes)
	}
	return shape
}

// counted is how the scheduler's event begins each of its reasons.
var counted = regexp.MustCompile(`(?:^|, )\d+ (?:node\(s\) )?`)

var (
	pluginOf = regexp.MustCompile(`^the descheduler's (\w+) evicts `)
	metricOf = regexp.MustCompile(` \((CPU|memory) `)
	taintOf  = regexp.MustCompile(`\(taint [^ :)]*:(\w+), `)
)

// causesOf are the obstacles of pods at the end, in the words of the scheduler, quotas and budgets, without the number
// of nodes; the causes of evictions, a plugin of the descheduler or the effect of a taint; and the metric by which
// replicas run away.
func causesOf(f *finding.Finding) map[string]bool {
	out := map[string]bool{}
	for _, s := range f.Interleaving {
		switch s.Action {
		case "no-feasible-node":
			_, why, _ := strings.Cut(s.Text, " nodes are available: ")
			for _, reason := range counted.Split(why, -1) {
				if reason != "" {
					out[reason] = true
				}
			}
		case "creation-refused":
			out["exceeded quota"] = true
		case "eviction-refused":
			out["budget"] = true
		case "scale":
			if m := metricOf.FindStringSubmatch(s.Text); m != nil && f.Rule == rules.RunawayScale {
				out[m[1]] = true
			}
		case "evict":
			if m := pluginOf.FindStringSubmatch(s.Text); m != nil {
				out[m[1]] = true
			}
		case "evict-pod":
			if m := taintOf.FindStringSubmatch(s.Text); m != nil {
				out[m[1]+" taint"] = true
			}
		}
	}
	return out
}

// Confirm enters the replays on record into the findings of their shapes.
func Confirm(findings []finding.Finding) error {
	known, err := Confirmations()
	if err != nil {
		return err
	}
	for i := range findings {
		f := &findings[i]
		shape := Shape(f)
		at := slices.IndexFunc(known, func(c Confirmation) bool { return c.Shape == shape })
		if at >= 0 {
			c := known[at]
			f.ConfirmedBy = fmt.Sprintf("%s on Kubernetes %s, %d of %d steps seen", c.Case, c.Kubernetes, c.Matched, c.Steps)
		}
	}
	return nil
}
