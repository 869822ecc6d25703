package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/report/github"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// report writes every surface, those that are local first. Their failures are notices; the verdict stands.
func (a *actionRun) report(ctx context.Context, p *process, w *github.Workflow, event *github.Event,
	done *finished) error {
	r := done.result
	var log strings.Builder
	links := done.options()
	links.Inputs = true
	_ = report.Text(&log, r, links) // a strings.Builder never fails
	w.Group(fmt.Sprintf("Kubesettle: %s", r.Verdict), log.String())
	links.Marker, links.Repository, links.Run, links.Category = a.marker(p, event,
		r), repositoryURL(p), runURL(p), a.category
	for _, f := range []struct {
		name  *string
		write func(io.Writer) error
	}{
		{&a.reportFile, func(to io.Writer) error { return report.JSON(to, r) }},
		{&a.sarif, func(to io.Writer) error { return report.SARIF(to, r, links) }},
		{&a.html, func(to io.Writer) error { return report.HTML(to, r, links) }},
	} {
		if err := a.file(workspace(p), *f.name, asInputs(f.write)); err != nil {
			w.Warning(err.Error())
			*f.name = "" // an output names no file that a later step would not find
		}
	}
	if a.annotations {
		list, left := report.Annotations(r, report.AnnotationOptions{Level: done.level, Rules: done.rules})
		for _, one := range list {
			one.Message = report.AsInputs(one.Message)
			w.Annotate(one)
		}
		if left > 0 {
			w.Log(fmt.Sprintf("%d more annotations exceed GitHub's limit; the job summary has them all", left))
		}
	}
	if a.summary {
		var b strings.Builder
		if err := errors.Join(report.Summary(&b, r, links), w.Summary(report.AsInputs(b.String()))); err != nil {
			w.Notice(err.Error())
		}
	}
	if err := a.outputs(w, r); err != nil {
		w.Notice(err.Error())
	}
	code := r.ExitCode(done.gate)
	ctx, cancel := done.spent.posting(ctx, p, code)
	defer cancel()
	a.posted(w, a.post(ctx, p, w, event, done, links))
	return ended(code)
}

// asInputs writes what another writer writes, as a workflow has it.
func asInputs(write func(io.Writer) error) func(io.Writer) error {
	return func(to io.Writer) error {
		var b strings.Builder
		if err := write(&b); err != nil {
			return err
		}
		_, err := io.WriteString(to, report.AsInputs(b.String()))
		return err
	}
}

// posted sets the output that is known only when all else is written.
func (a *actionRun) posted(w *github.Workflow, commentURL string) {
	if commentURL == "" {
		return
	}
	if err := w.Output("comment-url", commentURL); err != nil {
		w.Notice(err.Error())
	}
}

// file writes one report into the workspace, never outside of it: the pull request may
// have put a symlink in its place.
func (a *actionRun) file(dir, name string, write func(io.Writer) error) (err error) {
	if name == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer root.Close()
	clean := filepath.FromSlash(path.Clean(name))
	if err := root.MkdirAll(filepath.Dir(clean), 0o755); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_ = root.Remove(clean) // so that a link in its place is replaced, not followed
	f, err := root.Create(clean)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		_ = root.Remove(clean) // half a report is none
		return fmt.Errorf("%s was not written: %w", name, err)
	}
	return nil
}

// outputs sets the outputs of the action, without a comment's address.
func (a *actionRun) outputs(w *github.Workflow, r *finding.Result) error {
	counts := r.Counts()
	values := map[string]string{
		"verdict": string(r.Verdict), "sarif-file": a.sarif, "report-file": a.reportFile, "html-file": a.html,
	}
	for _, o := range finding.Outcomes() {
		if o.Output != "" {
			values[o.Output] = fmt.Sprint(counts[o.Output])
		}
	}
	var errs []error
	for _, name := range actionOutputs {
		errs = append(errs, w.Output(name, values[name]))
	}
	return errors.Join(errs...)
}

// marker identifies this run's comment.
func (a *actionRun) marker(p *process, event *github.Event, r *finding.Result) report.Marker {
	m := report.Marker{Instance: a.commentID, Head: event.HeadSHA}
	if m.Head == "" {
		m.Head = r.Head.Commit
	}
	_, _ = fmt.Sscan(p.getenv("GITHUB_RUN_ID"), &m.RunID)
	_, _ = fmt.Sscan(p.getenv("GITHUB_RUN_ATTEMPT"), &m.Attempt)
	return m
}

func orDefault(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// repositoryURL is the repository's address, for links.
func repositoryURL(p *process) string {
	server, repository := p.getenv("GITHUB_SERVER_URL"), p.getenv("GITHUB_REPOSITORY")
	if server == "" || repository == "" {
		return ""
	}
	return strings.TrimRight(server, "/") + "/" + repository
}

// runURL is the run's address, for links.
func runURL(p *process) string {
	repository, id := repositoryURL(p), p.getenv("GITHUB_RUN_ID")
	if repository == "" || id == "" {
		return ""
	}
	return repository + "/actions/runs/" + id
}
