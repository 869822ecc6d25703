package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// runFlags holds every flag of a check.
type runFlags struct {
	sides     sides
	rendering rendering
	gating    gating
	searching searching
	outputs   outputs
	// certificate is the file for proofs; "": none is written.
	certificate string
}

func newCheck(p *process) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "check [--base REV [--head REV] | --staged | --worktree] [PATH...]",
		Short: "Gate a change: compare two revisions, or two directories",
		Long: `Check renders base and head, finds the workloads that change and explores every
interleaving of the control loops around them. Findings are new, existing or fixed;
by default only new ones gate. PATHs limit it to the named files and to the releases built
from them. Without --base, head is compared with where it left the default branch.

The policy is read from base, so that a change cannot loosen its own gate; what head's
policy adds is searched, too.`,
		Example: `  kubesettle check
  kubesettle check --base main --head feature --output text --output sarif=out/result.sarif
  kubesettle check --staged
  kubesettle check --worktree
  kubesettle check --base-dir before --head-dir after --nodes nodes.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.rendering.paths = args
			list, err := f.outputs.list()
			if err != nil {
				return err
			}
			base, head, notices, err := f.sides.trees(p, cmd)
			if err != nil {
				return err
			}
			done, err := f.check(cmd.Context(), p, base, head)
			if err != nil {
				return err
			}
			done.result.Notices = append(notices, done.result.Notices...)
			if err := f.certify(done.result); err != nil {
				return err
			}
			return f.finish(p, list, done)
		},
	}
	cmd.Flags().StringVar(&f.certificate, "certificate", "",
		"file to write proofs to that rollouts end and keep their floor for any number of nodes and replicas; 'kubesettle certify' checks it")
	f.sides.flags(cmd)
	f.rendering.flags(cmd)
	f.gating.flags(cmd)
	f.gating.accepting.flags(cmd, "read from base")
	f.searching.flags(cmd)
	f.outputs.flags(cmd, report.SurfaceNames(true)...)
	return cmd
}

func newVerify(p *process) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "verify PATH...",
		Short: "Verify one state of manifests: files, directories, charts, kustomizations or '-'",
		Long: `Verify renders the manifests of the PATHs and explores every interleaving of its control
loops: from an empty cluster, and with events from where it settles. There is no base,
so every finding is new.`,
		Example: `  kubesettle verify charts/web overlays/prod
  helm template web charts/web | kubesettle verify -`,
		Args: somePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := f.outputs.list()
			if err != nil {
				return err
			}
			tree, paths, err := oneTree(p, args)
			if err != nil {
				return err
			}
			f.rendering.paths = paths
			done, err := f.verify(cmd.Context(), p, tree)
			if err != nil {
				return err
			}
			return f.finish(p, list, done)
		},
	}
	f.rendering.flags(cmd)
	f.gating.flags(cmd)
	f.gating.accepting.ours = true
	f.gating.accepting.flags(cmd, "read from disk")
	f.searching.flags(cmd)
	f.outputs.flags(cmd, report.SurfaceNames(false)...)
	return cmd
}

// somePath refuses a command without a path, and says what this folder is called.
func somePath(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage("a path is missing: %s . is for this folder", cmd.CommandPath())
	}
	return nil
}

// finished is a run that ended with a result.
type finished struct {
	result  *finding.Result
	changes *object.Changes // Base is nil where one state was verified
	gate    finding.Gate
	level   string        // lowest severity that is shown, see [level]
	rules   []report.Rule // nil: those of this build
	spent   *budget
}

// check compares two trees.
func (f *runFlags) check(ctx context.Context, p *process, base, head tree.Tree) (*finished, error) {
	if err := f.gating.missing(base, head); err != nil {
		return nil, err
	}
	policy, err := f.gating.load(base)
	if err != nil {
		return nil, err
	}
	accepted, err := f.gating.baselineNotices(policy, base, head)
	if err != nil {
		return nil, err
	}
	line := newProgress(p)
	defer line.end()
	ropt, vopt, err := f.options(p, policy, line)
	if err != nil {
		return nil, err
	}
	both := f.gating.policySides(base, head)
	both.renders(&ropt)
	ropt.Further = f.gating.further(policy, head)
	spent := spend(p, vopt.TimeBudget)
	defer p.deadline.clear()
	ropt.Clock = spent.clock
	return spent.within(func() (*finished, error) {
		line.begin("rendering "+base.Name()+" and "+head.Name(), spent.deadline())
		changes, err := renderBoth(ctx, base, head, ropt, func() {
			spent.upTo(forComparing)
			spent.enter(phaseComparing)
			line.begin("comparing", spent.deadline())
		})
		if err != nil {
			return nil, err
		}
		if vopt.Scopes, err = f.gating.scopes(base, changes); err != nil {
			return nil, err
		}
		var unread []finding.Note
		vopt.PolicyChanges, unread = both.changes(changes, policy, vopt.Scopes)
		vopt.TimeBudget = spent.left()
		spent.enter(phaseSearching)
		result, err := verify.Check(ctx, changes, vopt)
		if err != nil {
			return nil, analysis(withoutSecrets(err, changes.Head))
		}
		f.remembered(p, vopt.Kept)
		result.Notices = slices.Concat(f.gating.notices(policy, base, head), f.gating.scopeNotices(changes), unread,
			accepted, spent.notices(result), result.Notices)
		return f.finished(p, result, changes, policy, vopt.Scopes, spent)
	}, func(why error) (*finished, error) { return f.undecided(ctx, p, base, head, ropt, why) })
}

// undecided is the result of a run that overran its time budget. It shares nothing with the abandoned analysis; base is
// nil where there is none.
func (f *runFlags) undecided(ctx context.Context, p *process, base, head tree.Tree, ropt render.Options, why error) (
	*finished, error) {
	policy, err := f.gating.load(cmp.Or(base, head))
	if err != nil {
		return nil, err
	}
	vopt, err := f.searching.options(p, policy, f.rendering.workers, nil)
	if err != nil {
		return nil, err
	}
	vopt.TimeBudget = 0 // there is nothing to search
	ch := &object.Changes{Head: render.NotLookedAt(head, ropt, why)}
	spent := spend(&process{}, 0)
	spent.watch = p.deadline
	var result *finding.Result
	if base == nil {
		result, err = verify.Verify(ctx, ch.Head, vopt)
	} else if ch, err = render.Diff(render.NotLookedAt(base, ropt, why), ch.Head); err == nil {
		result, err = verify.Check(ctx, ch, vopt)
	}
	if err != nil {
		return nil, analysis(err)
	}
	return f.finished(p, result, ch, policy, nil, spent)
}

// verify looks at one tree.
func (f *runFlags) verify(ctx context.Context, p *process, t tree.Tree) (*finished, error) {
	if err := f.gating.missing(t, t); err != nil {
		return nil, err
	}
	policy, err := f.gating.load(t)
	if err != nil {
		return nil, err
	}
	line := newProgress(p)
	defer line.end()
	ropt, vopt, err := f.options(p, policy, line)
	if err != nil {
		return nil, err
	}
	spent := spend(p, vopt.TimeBudget)
	defer p.deadline.clear()
	ropt.Clock = spent.clock
	return spent.within(func() (*finished, error) {
		line.begin("rendering "+t.Name(), spent.deadline())
		rev, err := render.Render(ctx, t, ropt)
		if err != nil {
			return nil, analysis(err)
		}
		if vopt.Scopes, err = f.gating.scopes(t, &object.Changes{Head: rev}); err != nil {
			return nil, err
		}
		vopt.TimeBudget = spent.left()
		spent.enter(phaseSearching)
		result, err := verify.Verify(ctx, rev, vopt)
		if err != nil {
			return nil, analysis(withoutSecrets(err, rev))
		}
		f.remembered(p, vopt.Kept)
		result.Notices = append(spent.notices(result), result.Notices...)
		return f.finished(p, result, &object.Changes{Head: rev}, policy, vopt.Scopes, spent)
	}, func(why error) (*finished, error) { return f.undecided(ctx, p, nil, t, ropt, why) })
}

// remembered says how many of a check's searches had been done before, and keeps the others.
func (f *runFlags) remembered(p *process, kept *memo.Store) {
	if asked, found := kept.Counts(); found > 0 {
		fmt.Fprintf(p.stderr, "kubesettle: %d of %d searches had been done before\n", found, asked)
	}
	kept.Close()
}

func (f *runFlags) finished(proc *process, r *finding.Result, ch *object.Changes, p *policies.Policy,
	scopes []run.Scope, spent *budget) (*finished, error) {
	rules, err := rulesOf(p, scopes)
	r = report.Redacted(r, hider(ch.Head))
	if g := f.gating.declared; f.searching.shard != "" {
		r.Gate = &g
	}
	done := &finished{r, ch, p.Gate.Gate, lowest(f.gating.reportLevel, p.Gate.Gate, r.Scopes), rules, spent}
	if err != nil {
		return done, err
	}
	return done, f.gating.accepting.write(proc, done, p.Baseline)
}

func (f *runFlags) options(p *process, policy *policies.Policy,
	line *progress) (render.Options, verify.Options, error) {
	ropt, err := f.rendering.options(p, policy)
	if err != nil {
		return ropt, verify.Options{}, err
	}
	ropt.Rendered = line.renderHook()
	if c := &policy.Cluster; len(c.Releases) > 0 || slice.Limited(policy) {
		ropt.Beside = func(r release.Release) bool { // delivered releases run beside others in a cluster of known size
			return c.Runs(r.ID, r.Path) || slice.Limited(policy) && r.Delivery.Tool != ""
		}
	}
	if f.gating.accepting.writeTo != "" && f.searching.shard != "" {
		return ropt, verify.Options{}, usage("--write-baseline and --shard: a shard sees a part of the findings; write the file in one run")
	}
	vopt, err := f.searching.options(p, policy, f.rendering.workers, line)
	vopt.Kept, vopt.Certify = f.rendering.verdicts(), f.certificate != ""
	return ropt, vopt, err
}

// write writes the reports.
func (f *runFlags) write(p *process, list []output, done *finished) error {
	done.spent.reporting(done.result.ExitCode(done.gate))
	defer p.deadline.clear()
	return f.outputs.deliver(p, list, done)
}

// finish writes the reports and gives the gate's exit code.
func (f *runFlags) finish(p *process, list []output, done *finished) error {
	if err := f.write(p, list, done); err != nil {
		return err
	}
	keepLast(p, done.result)
	return ended(done.result.ExitCode(done.gate))
}

// surface writes one report of the result; a file has no color, and the width of no terminal.
func (d *finished) surface(color, verbose bool, columns int) func(format string, toFile bool, w io.Writer) error {
	return func(format string, toFile bool, w io.Writer) error {
		one, ok := report.SurfaceOf(format)
		if !ok {
			return fmt.Errorf("no surface %s", format)
		}
		opt := d.options()
		opt.Color, opt.Verbose = color && !toFile, verbose
		if !toFile {
			opt.Columns = columns
		}
		return one.Write(w, d.result, opt)
	}
}

// options are those that every surface of this run has.
func (d *finished) options() report.Options {
	return report.Options{
		Changes: d.compared(), Level: d.level, Rules: d.rules,
		Gates: func(f finding.Finding) bool { return d.result.Gates(f, d.gate) },
	}
}

// compared is the change set, or nil where there is none.
func (d *finished) compared() *object.Changes {
	if d.changes == nil || d.changes.Base == nil {
		return nil
	}
	return d.changes
}
