package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

func newForesee(p *process) *cobra.Command {
	var f runFlags
	verbose := false
	cmd := &cobra.Command{
		Use:   "foresee [drain NODE | scale WORKLOAD N | load WORKLOAD 3x | lose NODE|ZONE]",
		Short: "Say how a change, a drain, a loss, a load or a scaling will go",
		Long: `Foresee says how many pods stay ready, and how many there are at most, in every order of the
control loops; which pods the likeliest run evicts, preempts or moves; and how long that takes
by the manifests. Nothing gates.

Without a question, it describes the change that check finds. A question without a change (none
of --base, --base-dir, --staged) is about the manifests of the current directory, once they have
settled; with a change, the event falls just after it is applied. A node (for lose also a zone,
class or pool) is one of the policy's cluster or snapshot. A load is none, nominal or, above 1x,
one that needs all replicas that the autoscaler may give.`,
		Example: `  kubesettle foresee --base main
  kubesettle foresee drain node-1 --snapshot cluster.json
  kubesettle foresee scale web 12
  kubesettle foresee load web 3x --base main --output html=foreseen.html`,
		Args: cobra.MaximumNArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := questionOf(args)
			if err != nil {
				return err
			}
			list, err := f.outputs.list()
			if err != nil {
				return err
			}
			base, head, err := f.asked(p, cmd, q)
			if err != nil {
				return err
			}
			r, err := f.foresee(cmd.Context(), p, base, head, q)
			if err != nil {
				return err
			}
			return write(p, list, func(format string, toFile bool, w io.Writer) error {
				opt := report.Options{Verbose: verbose, Color: p.color && !toFile}
				if !toFile {
					opt.Columns = p.screen
				}
				return report.Foresee(w, r, format, opt)
			})
		},
	}
	f.sides.flags(cmd)
	f.rendering.flags(cmd)
	f.gating.docFlags(cmd)
	cmd.Flags().DurationVar(&f.searching.budget, "time-budget", 120*time.Second, "wall time, as check has it")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "text with the likeliest run, step by step")
	f.outputs.flags(cmd, "text", "json", "html")
	return cmd
}

// questionOf reads a question; none is about the change.
func questionOf(args []string) (scenario.Question, error) {
	if len(args) == 0 {
		return scenario.Question{}, nil
	}
	q := scenario.Question{Asked: scenario.Asked(args[0])}
	wants := map[scenario.Asked]int{
		scenario.AskDrain: 2, scenario.AskLose: 2, scenario.AskScale: 3, scenario.AskLoad: 3}[q.Asked]
	if wants == 0 || len(args) != wants {
		return q, usage("foresee %s: ask drain NODE, scale WORKLOAD N, load WORKLOAD 3x or lose NODE|ZONE",
			strings.Join(args, " "))
	}
	q.Of = args[1]
	var err error
	switch q.Asked {
	case scenario.AskScale:
		if q.Number, err = strconv.Atoi(args[2]); err != nil || q.Number < 0 || q.Number > mostReplicas {
			return q, usage("foresee scale %s %s: give 0 to %d replicas", args[1], args[2], mostReplicas)
		}
	case scenario.AskLoad:
		if q.Factor, err = strconv.ParseFloat(strings.TrimSuffix(args[2], "x"), 64); err != nil || !(q.Factor >= 0) {
			return q, usage("foresee load %s %s: give a factor, such as 3x", args[1], args[2])
		}
	}
	return q, nil
}

// mostReplicas is what a question may scale to.
const mostReplicas = 10_000

// asked gives the trees that a question is about; base is nil where there is no change.
func (f *runFlags) asked(p *process, cmd *cobra.Command, q scenario.Question) (base, head *tree.Tree, err error) {
	change := slices.ContainsFunc([]string{"base", "base-dir", "staged"}, func(name string) bool {
		flag := cmd.Flags().Lookup(name)
		return flag != nil && flag.Changed
	})
	if q.Asked != scenario.AskChange && !change {
		t, paths, err := oneTree(p, []string{"."})
		if err != nil {
			return nil, nil, err
		}
		f.rendering.paths = paths
		return nil, &t, nil
	}
	b, h, notices, err := f.sides.trees(p, cmd)
	for _, n := range notices {
		fmt.Fprintf(p.stderr, "kubesettle: %s\n", printable(report.NoteText(n)))
	}
	return &b, &h, err
}

// foresee answers a question about two trees, or one.
func (f *runFlags) foresee(ctx context.Context, p *process, base, head *tree.Tree,
	q scenario.Question) (*finding.Result, error) {
	of := head
	if base != nil {
		of = base
	}
	policy, err := f.gating.load(*of)
	if err != nil {
		return nil, err
	}
	line := newProgress(p)
	defer line.end()
	ropt, vopt, err := f.options(p, policy, line)
	if err != nil {
		return nil, err
	}
	var changes *object.Changes
	if base != nil {
		changes, err = renderBoth(ctx, *base, *head, ropt, func() {})
	} else {
		changes = &object.Changes{}
		changes.Head, err = render.Render(ctx, *head, ropt)
	}
	if err != nil {
		return nil, analysis(err)
	}
	if vopt.Scopes, err = f.gating.scopes(*of, changes); err != nil {
		return nil, err
	}
	r, err := verify.Foresee(ctx, changes, q, vopt)
	var absent *scenario.NotThere
	if errors.As(err, &absent) {
		return nil, usage("foresee %s: %s", q, err)
	}
	if err != nil {
		return nil, analysis(withoutSecrets(err, changes.Head))
	}
	return report.Redacted(r, hider(changes.Head)), nil
}
