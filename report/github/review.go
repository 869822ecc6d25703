package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	api "github.com/google/go-github/v62/github"

	"github.com/kubesettle/kubesettle/report"
)

// ReviewOptions of [Client.Review].
type ReviewOptions struct {
	Repository string // owner/name
	Number     int    // of the pull request
	Head       string // commit of the pull request's head
	Instance   string // as in [report.Marker]
	// Text is a file of the analysed tree; an error leaves its suggestions out.
	Text func(file string) (string, error)
}

// Reviewed says what became of suggestions.
type Reviewed struct {
	Posted, Standing int // made by this run; there already
	// Left says of every other one why it was left out.
	Left []string
}

// Review posts suggestions beside their lines, each after it was checked against the
// pull request's diff; one that stands there already is not posted again.
// Errors: those of the API.
func (c *Client) Review(ctx context.Context, list []report.Suggestion, opt ReviewOptions) (Reviewed, error) {
	owner, name, ok := strings.Cut(opt.Repository, "/")
	if !ok || opt.Number <= 0 || !isSHA(opt.Head) {
		return Reviewed{}, fmt.Errorf("review of %q, pull request %d at %q: no repository, number or commit",
			opt.Repository, opt.Number, opt.Head)
	}
	r := review{c: c, owner: owner, repo: name, opt: opt}
	if len(list) == 0 {
		return r.done, nil
	}
	files, err := r.files(ctx)
	if err != nil {
		return r.done, err
	}
	var fit []report.Suggestion
	for i := range list {
		if err := r.check(&list[i], files[list[i].File]); err != nil {
			r.done.Left = append(r.done.Left, err.Error())
			continue
		}
		fit = append(fit, list[i])
	}
	if len(fit) == 0 {
		return r.done, nil
	}
	standing, err := r.standing(ctx)
	if err != nil {
		return r.done, err
	}
	var fresh []report.Suggestion
	for _, s := range fit {
		if standing[s.Key] {
			r.done.Standing++
			continue
		}
		fresh = append(fresh, s)
	}
	if len(fresh) == 0 {
		return r.done, nil
	}
	return r.done, r.post(ctx, fresh)
}

// review is one call of [Client.Review].
type review struct {
	c           *Client
	owner, repo string
	opt         ReviewOptions
	done        Reviewed
}

// maxFilePages is how many pages of changed files GitHub gives.
const maxFilePages = 30

// files are the changed files of the pull request, by name.
func (r *review) files(ctx context.Context) (map[string]*api.CommitFile, error) {
	out := map[string]*api.CommitFile{}
	opt := &api.ListOptions{PerPage: 100}
	for range maxFilePages {
		list, res, err := r.c.rest.PullRequests.ListFiles(ctx, r.owner, r.repo, r.opt.Number, opt)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			out[f.GetFilename()] = f
		}
		if opt.Page = res.NextPage; opt.Page == 0 {
			break
		}
	}
	return out, nil
}

func (r *review) check(s *report.Suggestion, f *api.CommitFile) error {
	if f == nil || f.GetStatus() == "removed" {
		return fmt.Errorf("%s:%d: %w: the pull request does not change the file", s.File, s.First, ErrNotInDiff)
	}
	text, err := r.opt.Text(s.File)
	if err != nil {
		return fmt.Errorf("%s:%d: %w: %w", s.File, s.First, ErrNotInDiff, err)
	}
	return fits(s, text, f.GetSHA(), f.GetPatch())
}

// standing are the keys of our own suggestions that are not outdated.
func (r *review) standing(ctx context.Context) (map[string]bool, error) {
	me := r.c.whoami(ctx)
	out := map[string]bool{}
	opt := &api.PullRequestListCommentsOptions{ListOptions: api.ListOptions{PerPage: 100}}
	for range maxPages {
		list, res, err := r.c.rest.PullRequests.ListComments(ctx, r.owner, r.repo, r.opt.Number, opt)
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			instance, key, ok := report.ParseSuggestion(one.GetBody())
			if ok && instance == r.opt.Instance && one.GetUser().GetLogin() == me && one.Line != nil {
				out[key] = true
			}
		}
		if opt.Page = res.NextPage; opt.Page == 0 {
			break
		}
	}
	return out, nil
}

// post makes one review of all. GitHub refuses a review as a whole for one comment that
// it does not take; then each is posted alone, while the run may write.
func (r *review) post(ctx context.Context, list []report.Suggestion) error {
	req := &api.PullRequestReviewRequest{
		CommitID: &r.opt.Head, Event: api.String("COMMENT"),
		Body: api.String("Kubesettle suggests " + changes(len(list)) +
			": head was rendered and searched again with each of them."),
	}
	for i := range list {
		req.Comments = append(req.Comments, draft(&list[i]))
	}
	_, _, err := r.c.rest.PullRequests.CreateReview(ctx, r.owner, r.repo, r.opt.Number, req)
	if err == nil {
		r.done.Posted = len(list)
		return nil
	}
	if status(err) != http.StatusUnprocessableEntity || len(list) == 1 {
		return err
	}
	for i := range list {
		d := draft(&list[i])
		_, _, err := r.c.rest.PullRequests.CreateComment(ctx, r.owner, r.repo, r.opt.Number, &api.PullRequestComment{
			Body: d.Body, CommitID: &r.opt.Head, Path: d.Path, Line: d.Line, Side: d.Side, StartLine: d.StartLine,
			StartSide: d.StartSide,
		})
		switch {
		case err == nil:
			r.done.Posted++
		case status(err) == http.StatusUnprocessableEntity:
			r.done.Left = append(r.done.Left, fmt.Sprintf("%s:%d: GitHub rejected it", list[i].File, list[i].First))
		case errors.Is(err, ErrTooManyWrites):
			r.done.Left = append(r.done.Left, fmt.Sprintf("%s:%d: the run has used up its writes", list[i].File, list[i].First))
		default:
			return err
		}
	}
	return nil
}

func changes(n int) string {
	if n == 1 {
		return "1 change"
	}
	return fmt.Sprint(n, " changes")
}

// draft is a suggestion as the API takes it; one line has no start.
func draft(s *report.Suggestion) *api.DraftReviewComment {
	d := &api.DraftReviewComment{Path: &s.File, Body: &s.Body, Line: &s.Last, Side: api.String("RIGHT")}
	if s.First < s.Last {
		d.StartLine, d.StartSide = &s.First, api.String("RIGHT")
	}
	return d
}
