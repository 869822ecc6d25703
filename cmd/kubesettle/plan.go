package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/run"
)

// A leg renders all again before it searches its part: that takes [forComparing] of the budget, and the rest is worth a
// leg only if it has something to search.
const (
	// statesPerSecond is what one leg visits on a runner of two processors.
	statesPerSecond = 30_000
	// mostLegs is the most that GitHub takes in one matrix.
	mostLegs = 256
)

func newPlan(p *process) *cobra.Command {
	var f runFlags
	most := 0
	cmd := &cobra.Command{
		Use:   "plan [--base REV [--head REV] | --base-dir A --head-dir B] [PATH...]",
		Short: "Print the matrix of shards for a workflow",
		Long: `Plan renders base and head, cuts the change into slices as check does, and estimates the
searches. The matrix has as many legs as it takes for each to end within --time-budget: one
if a single run is enough. Each leg runs check with --shard i/n; 'kubesettle merge' joins them.`,
		Example: `  kubesettle plan --base origin/main
  echo "matrix=$(kubesettle plan --base origin/main)" >> "$GITHUB_OUTPUT"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.rendering.paths = args
			list, err := f.outputs.list()
			if err != nil {
				return err
			}
			if most < 1 || most > mostLegs {
				return usage("--max-legs is %d: give 1 to %d", most, mostLegs)
			}
			s, err := f.plan(p, cmd)
			if err != nil {
				return err
			}
			m := matrixOf(s, f.searching.budget, most)
			return write(p, list, func(format string, _ bool, w io.Writer) error { return m.write(w, format) })
		},
	}
	f.sides.flags(cmd)
	f.rendering.flags(cmd)
	f.gating.docFlags(cmd)
	cmd.Flags().DurationVar(&f.searching.budget, "time-budget", 120*time.Second, "of each leg, as check has it")
	cmd.Flags().StringSliceVar(&f.searching.rules, "rule", nil, "check this rule only; repeatable")
	cmd.Flags().IntVar(&most, "max-legs", 8, "most legs of the matrix")
	f.outputs.flags(cmd, "json", "text")
	return cmd
}

// plan surveys the change that the flags name.
func (f *runFlags) plan(p *process, cmd *cobra.Command) (*run.Survey, error) {
	base, head, notices, err := f.sides.trees(p, cmd)
	if err != nil {
		return nil, err
	}
	for _, n := range notices {
		fmt.Fprintf(p.stderr, "kubesettle: %s\n", printable(report.NoteText(n)))
	}
	policy, err := f.gating.load(base)
	if err != nil {
		return nil, err
	}
	line := newProgress(p)
	ropt, vopt, err := f.options(p, policy, line)
	line.end()
	if err != nil {
		return nil, err
	}
	changes, err := renderBoth(cmd.Context(), base, head, ropt, func() {})
	if err != nil {
		return nil, err
	}
	if vopt.Scopes, err = f.gating.scopes(base, changes); err != nil {
		return nil, err
	}
	s, err := run.Plan(changes, vopt)
	if err != nil {
		return nil, analysis(withoutSecrets(err, changes.Head))
	}
	return s, nil
}

// matrix is what a workflow's strategy takes by fromJSON.
type matrix struct {
	Shard []string `json:"shard"` // "i/n"

	searches, slices int
	seconds          float64 // of all searches in one leg
}

// matrixOf gives as few legs as let each end within its budget: a leg's searches have the time that rendering and
// comparing leave. Searches are dealt in turn, so that the dearest leg counts.
func matrixOf(s *run.Survey, budget time.Duration, most int) matrix {
	m := matrix{searches: len(s.Searches), slices: len(s.Slices)}
	for _, states := range s.Searches {
		m.seconds += states / statesPerSecond
	}
	has := budget.Seconds() * (1 - forComparing)
	n := 1
	for budget > 0 && n < min(most, len(s.Searches)) && dearest(s.Searches, n)/statesPerSecond > has {
		if dearest(s.Searches, n+1) > 0.95*dearest(s.Searches, n) && dearest(s.Searches, most) > 0.95*dearest(s.Searches, n) {
			break // one search takes it all: no further leg shortens it
		}
		n++
	}
	for i := 1; i <= n; i++ {
		m.Shard = append(m.Shard, fmt.Sprintf("%d/%d", i, n))
	}
	return m
}

// dearest is what the leg with the most states has to visit, of n.
func dearest(searches []float64, n int) float64 {
	legs := make([]float64, n)
	most := 0.0
	for i, states := range searches {
		legs[i%n] += states
		most = max(most, legs[i%n])
	}
	return most
}

func (m *matrix) write(w io.Writer, format string) error {
	if format == "json" {
		data, err := json.Marshal(m)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", data)
		return err
	}
	_, err := fmt.Fprintf(w, "legs: %d, searches: %d, slices: %d, states: about %.0f, seconds in one leg: about %.0f\n",
		len(m.Shard), m.searches, m.slices, m.seconds*statesPerSecond, math.Ceil(m.seconds))
	return err
}
