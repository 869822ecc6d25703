package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/report/ci"
	"github.com/kubesettle/kubesettle/report/gitlab"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// noting holds the flags of the note on a merge request.
type noting struct{ when, id string }

func newCI(p *process) *cobra.Command {
	var f runFlags
	var n noting
	repo := "."
	cmd := &cobra.Command{
		Use:   "ci [PATH...]",
		Short: "Check the change of a CI job: GitLab, Gitea, Forgejo, Bitbucket, Azure, Jenkins and others",
		Long: `Ci finds base and head in the variables that the CI system sets, checks the change as check
does, and on GitLab keeps one note on the merge request up to date. A job without a pull
request compares with the previous commit, or verifies its commit alone if there is none. Nothing is
fetched for a fork. It knows GitLab, Gitea, Forgejo, Bitbucket, Azure Pipelines, Jenkins, CircleCI, Woodpecker, Drone
and Buildkite. A note that cannot be written never changes the verdict.`,
		Example: `  kubesettle ci --output text --output codequality=gl-code-quality-report.json
  kubesettle ci --output text --output junit=kubesettle.xml --output markdown=kubesettle.md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.rendering.paths = args
			list, err := f.outputs.list()
			if err != nil {
				return err
			}
			if err := n.valid(); err != nil {
				return err
			}
			change, err := ci.Detect(p.getenv)
			if err != nil {
				return usage("%w", err)
			}
			if change.Fork {
				f.rendering.disconnect()
			}
			done, err := f.compare(cmd, p, repo, change)
			if err != nil {
				return err
			}
			if err := f.write(p, list, done); err != nil {
				return err
			}
			code := done.result.ExitCode(done.gate)
			ctx, cancel := done.spent.posting(cmd.Context(), p, code)
			defer cancel()
			n.post(ctx, p, change, done)
			p.deadline.clear()
			return ended(code)
		},
	}
	cmd.Flags().StringVar(&repo, "repo", repo, "git repository; read from its objects, the work tree is never touched")
	cmd.Flags().StringVar(&n.when, "note", "auto", "on GitLab: the note on the merge request, with the token KUBESETTLE_GITLAB_TOKEN or the job's; auto (once there is something to say), always or never")
	cmd.Flags().StringVar(&n.id, "note-id", "default", "distinguishes the notes of several jobs on one merge request")
	f.rendering.flags(cmd)
	f.gating.flags(cmd)
	f.searching.flags(cmd)
	f.outputs.flags(cmd, report.SurfaceNames(true)...)
	return cmd
}

// compare checks head with the first base that the clone has, or verifies head alone where the
// system names none.
func (f *runFlags) compare(cmd *cobra.Command, p *process, repo string, change ci.Change) (*finished, error) {
	at, err := tree.Git(repo, change.Head)
	if err != nil {
		return nil, analysis(err)
	}
	var missing error
	for _, rev := range change.Bases {
		base, head, notices, err := (&sides{repo: repo, base: rev, head: change.Head, mergeBase: true}).trees(p, cmd)
		if errors.Is(err, tree.ErrNoRevision) {
			if missing == nil {
				missing = err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		done, err := f.check(cmd.Context(), p, base, head)
		if err == nil {
			done.result.Notices = append(notices, done.result.Notices...)
		}
		return done, err
	}
	if missing != nil {
		return nil, &exit{exitAnalysis, fmt.Errorf("%w: %s", missing, change.Fetch)}
	}
	return f.verify(cmd.Context(), p, at)
}

func (n *noting) valid() error {
	switch n.when {
	case "auto", "always", "never":
		return nil
	}
	return usage("--note is %q: give auto, always or never", n.when)
}

// post brings the note up to date; what keeps it from that is said on standard error.
func (n *noting) post(ctx context.Context, p *process, change ci.Change, done *finished) {
	api, project := p.getenv("CI_API_V4_URL"), p.getenv("CI_MERGE_REQUEST_PROJECT_ID")
	if n.when == "never" || change.Number == "" || api == "" || project == "" {
		return
	}
	say := func(text string) { fmt.Fprintf(p.stderr, "kubesettle: %s\n", printable(text)) }
	client := &gitlab.Client{API: api, Project: project, Token: p.getenv("KUBESETTLE_GITLAB_TOKEN")}
	if client.Token == "" {
		client.Token, client.Job = p.getenv("CI_JOB_TOKEN"), true
		if change.Fork {
			say("note skipped: a fork's job has no token for the merge request; the reports have it all")
			return
		}
	}
	if client.Token == "" {
		say("note skipped: there is no token")
		return
	}
	links := done.options()
	links.Repository, links.Run = change.Repository, change.Run
	links.Marker = report.Marker{Instance: n.id, Head: done.result.Head.Commit, Attempt: 1}
	_, _ = fmt.Sscan(p.getenv("CI_JOB_ID"), &links.Marker.RunID) // which grows with time
	r := done.result
	body, news := report.Comment(r, links), len(r.Findings) > 0 || r.Verdict != finding.Pass
	if !news && n.when == "auto" {
		body = report.Resolved(r, links)
	}
	posted, err := client.Note(ctx, body,
		gitlab.NoteOptions{MergeRequest: change.Number, Create: news || n.when == "always"})
	if err != nil {
		say(strings.ReplaceAll(gitlab.WhyNotPosted(err), client.Token, "***"))
		return
	}
	say("note: " + posted.Done)
}
