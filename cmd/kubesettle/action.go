package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/report/github"
	"github.com/kubesettle/kubesettle/verify/finding"
)

func newAction(p *process) *cobra.Command {
	return &cobra.Command{
		Use:   "action",
		Short: "The GitHub Action's entry point: event and inputs come from the environment",
		Long: `Action finds base and head of the GitHub Actions event, checks the change and reports
it: job summary, annotations, outputs, SARIF, JSON and one comment. A report that
fails never changes the verdict. Inputs are those of action.yml, as INPUT_* variables.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := github.NewWorkflow(p.stdout, p.getenv)
			return runAction(cmd.Context(), p, w)
		},
	}
}

// workspace is where the repository is checked out.
func workspace(p *process) string {
	if dir := p.getenv("GITHUB_WORKSPACE"); dir != "" {
		return dir
	}
	return "."
}

// runAction is one run. What keeps it from a verdict is said as an annotation, in the
// summary and in the outputs.
func runAction(ctx context.Context, p *process, w *github.Workflow) error {
	a, err := readInputs(w)
	if err != nil {
		return a.fail(w, err)
	}
	w.Mask(a.token)
	event, err := w.Event()
	if err != nil {
		return a.fail(w, usage("%w", err))
	}
	if a.foreign != "" {
		return a.relay(ctx, p, w, event)
	}
	if err := event.Guard(a.allowUnsafe); err != nil {
		return a.fail(w, usage("%w", err))
	}
	if event.Gone {
		w.Notice("the branch was deleted: nothing to check")
		return a.outputs(w, &finding.Result{Verdict: finding.Pass})
	}
	if event.Fork {
		a.flags.rendering.disconnect()
	}
	p.deadline.hear(func(err error) int {
		_ = a.fail(w, err) // the exit code is that of an analysis that failed
		return exitAnalysis
	})
	done, err := a.analyse(ctx, p, event)
	if err != nil {
		return a.fail(w, cause(ctx, err))
	}
	done.spent.reporting(done.result.ExitCode(done.gate))
	defer p.deadline.clear()
	return a.report(ctx, p, w, event, done)
}

// history is the checked-out repository.
type history struct{ dir string }

func (h history) Commit(rev string) (string, error) {
	t, err := tree.Git(h.dir, rev)
	if err != nil {
		return "", err
	}
	return t.Commit(), nil
}
func (h history) Parents(rev string) ([]string, error)  { return tree.Parents(h.dir, rev) }
func (h history) MergeBase(a, b string) (string, error) { return tree.MergeBase(h.dir, a, b) }

// analyse finds base and head and checks them, or verifies the head alone.
func (a *actionRun) analyse(ctx context.Context, p *process, event *github.Event) (*finished, error) {
	dir := workspace(p)
	r, err := event.Range(history{dir}, a.base)
	if err != nil {
		return nil, analysis(err)
	}
	head, err := tree.Git(dir, r.Head)
	if err != nil {
		return nil, analysis(err)
	}
	a.stranger = event.Fork
	done, err := a.compare(ctx, p, r, head)
	if err != nil {
		return nil, err
	}
	if r.Base == "" && event.Name == "push" {
		done.result.Notices = slices.Insert(done.result.Notices, 0, finding.Say(finding.NothingBefore))
	}
	return done, nil
}

// compare checks a range; one without a base is verified alone.
func (a *actionRun) compare(ctx context.Context, p *process, r github.Range, head tree.Tree) (*finished, error) {
	if r.Base == "" {
		return a.flags.verify(ctx, p, head)
	}
	base, err := tree.Git(workspace(p), r.Base)
	if err == nil {
		return a.flags.check(ctx, p, base, head)
	}
	if !errors.Is(err, tree.ErrNoRevision) {
		return nil, analysis(err)
	}
	dir, err := a.fetch(ctx, p, r.Base)
	if err != nil {
		return nil, &exit{exitAnalysis, err}
	}
	defer os.RemoveAll(dir)
	if base, err = tree.Git(dir, r.Base); err != nil {
		return nil, analysis(err)
	}
	done, err := a.flags.check(ctx, p, base, head)
	if err == nil {
		done.result.Notices = append(done.result.Notices,
			finding.Say(finding.BaseFetched, fmt.Sprintf("%.12s", r.Base)))
	}
	return done, err
}

// fetch brings base into a separate folder. A clone of depth 1 has only the merge commit; its first parent is fetched
// with the run's token.
func (a *actionRun) fetch(ctx context.Context, p *process, sha string) (dir string, err error) {
	missing := fmt.Errorf("base %.12s is not in the clone: set 'fetch-depth: 2' for actions/checkout (0 for a push or a merge group)", sha)
	if a.stranger || a.token == "" || repositoryURL(p) == "" { // a run for a fork opens no connection
		return "", missing
	}
	if dir, err = os.MkdirTemp(p.getenv("RUNNER_TEMP"), "kubesettle-base-"); err == nil {
		err = github.FetchCommit(ctx, dir, repositoryURL(p), sha, a.token)
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return "", fmt.Errorf("%w; it could not be fetched either: %w", missing, err)
	}
	return dir, nil
}

// fail reports what kept the run from a verdict.
func (a *actionRun) fail(w *github.Workflow, err error) error {
	err = withoutSecrets(err, nil)
	w.Error("Kubesettle could not decide: " + report.AsInputs(err.Error()))
	if a.summary {
		if err := w.Summary(report.AsInputs(report.Undecided(err))); err != nil {
			w.Notice(err.Error())
		}
	}
	if err := w.Output("verdict", string(finding.Errored)); err != nil {
		w.Notice(err.Error())
	}
	var e *exit
	if errors.As(analysis(err), &e) {
		return ended(e.code) // it was said
	}
	return err
}
