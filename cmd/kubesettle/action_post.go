package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/report/github"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// post writes the comment and the suggestions where there is a pull request, and gives
// the comment's address. Nothing that fails here changes the verdict.
func (a *actionRun) post(ctx context.Context, p *process, w *github.Workflow, event *github.Event, done *finished,
	links report.Options) string {
	switch {
	case !event.PullRequest() || a.comment == "never" && !a.suggestions:
		return ""
	case a.token == "":
		w.Notice("comment skipped: there is no github-token")
		return ""
	case event.Fork && a.comment != "always":
		w.Notice("comment skipped: a fork's pull request has a read-only token; the job summary has it all")
		return ""
	}
	client, err := a.client(p)
	if err != nil {
		w.Notice(github.WhyNotPosted(err))
		return ""
	}
	url := ""
	if a.comment != "never" {
		url = a.sticky(ctx, w, client, event, done, links)
	}
	if a.suggestions {
		a.suggest(ctx, w, client, event, done)
	}
	return url
}

// sticky brings the one comment up to date.
func (a *actionRun) sticky(ctx context.Context, w *github.Workflow, client *github.Client, event *github.Event,
	done *finished, links report.Options) string {
	body := report.AsInputs(report.Comment(done.result, links))
	news := len(done.result.Findings) > 0 || done.result.Verdict != finding.Pass
	if !news && a.comment == "auto" {
		body = report.Resolved(done.result, links)
	}
	posted, err := client.Sticky(ctx, body, github.StickyOptions{
		Repository: event.Repository, Number: event.Number, Create: news || a.comment == "always",
	})
	if err != nil {
		w.Notice(github.WhyNotPosted(err))
		return ""
	}
	w.Log(fmt.Sprintf("comment: %s %s", posted.Done, posted.URL))
	return posted.URL
}

// suggest puts fixes beside their lines.
func (a *actionRun) suggest(ctx context.Context, w *github.Workflow, client *github.Client,
	event *github.Event, done *finished) {
	list := report.Suggestions(done.result, a.commentID)
	got, err := client.Review(ctx, list, github.ReviewOptions{
		Repository: event.Repository, Number: event.Number, Head: event.HeadSHA, Instance: a.commentID,
		Text: func(file string) (string, error) {
			if done.compared() == nil {
				return "", errors.New("there is no base, and so no diff")
			}
			b, err := fs.ReadFile(done.changes.Head.Tree, file)
			return string(b), err
		},
	})
	for _, why := range got.Left {
		w.Log("suggestion left out: " + why)
	}
	if err != nil {
		w.Notice(strings.Replace(github.WhyNotPosted(err), "comment skipped", "suggestions skipped", 1))
		return
	}
	w.Log(fmt.Sprintf("suggestions: %d posted, %d there already, %d left out", got.Posted, got.Standing, len(got.Left)))
}
