package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/report/github"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// relay makes the comment of a run that had no right to: a fork's. Nothing is checked
// here, and the exit code says only whether the inputs were usable: that run's check is
// the gate.
func (a *actionRun) relay(ctx context.Context, p *process, w *github.Workflow, event *github.Event) error {
	a.sarif, a.reportFile, a.html = "", "", "" // none is written
	if event.Name != "workflow_run" {
		return a.fail(w, usage("input comment-on-result is for workflow_run, and the event is %s: leave it empty to check",
			oneLine(event.Name)))
	}
	r, err := a.foreignResult(workspace(p))
	if err != nil {
		return a.fail(w, usage("input comment-on-result: %w", err))
	}
	if err := a.outputs(w, r); err != nil {
		return err
	}
	if a.token == "" {
		w.Notice("comment skipped: there is no github-token")
		return nil
	}
	client, err := a.client(p)
	if err != nil {
		w.Notice(github.WhyNotPosted(err))
		return nil
	}
	ctx, cancel := (*budget)(nil).posting(ctx, p, exitPass)
	defer cancel()
	event.Number, err = client.OpenPull(ctx, event)
	switch {
	case err != nil:
		w.Notice(github.WhyNotPosted(err))
		return nil
	case event.Number == 0:
		w.Notice(fmt.Sprintf("comment skipped: no open pull request has %.12s as its head", event.HeadSHA))
		return nil
	}
	// The report says which commit it is about; links and marker go by the event.
	r.Head.Commit = event.HeadSHA
	links := report.Options{
		Marker:     report.Marker{Instance: a.commentID, Head: event.HeadSHA, RunID: event.RunID, Attempt: event.Attempt},
		Repository: repositoryURL(p), Run: repositoryURL(p) + fmt.Sprintf("/actions/runs/%d", event.RunID),
	}
	a.posted(w, a.sticky(ctx, w, client, event, &finished{result: r}, links))
	return nil
}

// foreignResult reads the report from the workspace, through no link that leads out.
func (a *actionRun) foreignResult(dir string) (*finding.Result, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(a.foreign)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxResultBytes))
	if err != nil {
		return nil, err
	}
	return report.ReadForeign(data)
}

// client talks to the API of the runner's server.
func (a *actionRun) client(p *process) (*github.Client, error) {
	return github.NewClient(github.ClientOptions{
		APIURL: orDefault(p.getenv("GITHUB_API_URL"), "https://api.github.com"), GraphQLURL: p.getenv("GITHUB_GRAPHQL_URL"),
		Token: a.token, UserAgent: strings.ReplaceAll(tool(), " ", "/"),
	})
}
