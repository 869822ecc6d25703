package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	api "github.com/google/go-github/v62/github"

	"github.com/kubesettle/kubesettle/report"
)

// actionsBot writes what a workflow's own token writes.
const actionsBot = "github-actions[bot]"

// StickyOptions of [Client.Sticky].
type StickyOptions struct {
	Repository string // owner/name
	Number     int    // of the pull request
	// Create says that a comment is made where there is none; else only an earlier one is
	// brought up to date.
	Create bool
}

// Posted says what became of a comment.
type Posted struct {
	URL string // of the comment, "" where there is none
	// Done is "created", "updated", "unchanged" (it said the same), "newer" (one of a
	// later run stands there and stays), or "none".
	Done string
}

// Sticky writes the one comment of an instance on a pull request: it brings the earlier
// one up to date, or makes one. A comment is ours if this token's identity wrote it and
// it begins with the instance's marker; no other is ever touched, and none of a later
// run is overwritten.
//
// body begins with a [report.Marker]. Errors: those of the API; then nothing else may be
// assumed of the comment.
func (c *Client) Sticky(ctx context.Context, body string, opt StickyOptions) (Posted, error) {
	owner, name, ok := strings.Cut(opt.Repository, "/")
	marker, marked := report.ParseMarker(body)
	if !ok || !marked || opt.Number <= 0 {
		return Posted{}, fmt.Errorf("comment on %q, pull request %d: no marker, repository or number",
			opt.Repository, opt.Number)
	}
	s := sticky{c: c, owner: owner, repo: name, number: opt.Number, body: body, marker: marker}
	s.me = c.whoami(ctx)
	own, err := s.own(ctx)
	if err != nil {
		return Posted{}, err
	}
	if len(own) == 0 {
		if !opt.Create {
			return Posted{Done: "none"}, nil
		}
		return s.create(ctx)
	}
	done, err := s.update(ctx, own[0])
	if err == nil {
		s.drop(ctx, own[1:]) // duplicates of an older race
	}
	return done, err
}

// sticky is one call of [Client.Sticky].
type sticky struct {
	c           *Client
	owner, repo string
	number      int
	body        string
	marker      report.Marker
	me          string
}

// whoami is the login that this token writes as. A workflow's own token may not ask the
// REST API for it, so that GraphQL is asked; without an answer it is the workflow's bot.
func (c *Client) whoami(ctx context.Context) string {
	if c.graphQL == "" {
		return actionsBot
	}
	var answer struct {
		Data struct{ Viewer struct{ Login string } }
	}
	req, err := c.rest.NewRequest(http.MethodPost, c.graphQL, map[string]string{"query": "query { viewer { login } }"})
	if err != nil {
		return actionsBot
	}
	if _, err := c.rest.Do(ctx, req, &answer); err != nil || answer.Data.Viewer.Login == "" {
		return actionsBot
	}
	return answer.Data.Viewer.Login
}

// own lists the instance's comments, the newest run first.
func (s *sticky) own(ctx context.Context) ([]*api.IssueComment, error) {
	var out []*api.IssueComment
	opt := &api.IssueListCommentsOptions{ListOptions: api.ListOptions{PerPage: 100}}
	for page := 0; page < maxPages; page++ {
		list, res, err := s.c.rest.Issues.ListComments(ctx, s.owner, s.repo, s.number, opt)
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			if s.ours(one) {
				out = append(out, one)
			}
		}
		if opt.Page = res.NextPage; opt.Page == 0 {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b *api.IssueComment) int {
		ma, _ := report.ParseMarker(a.GetBody())
		mb, _ := report.ParseMarker(b.GetBody())
		return compare(mb, ma)
	})
	return out, nil
}

// ours reports whether a comment may be edited: our identity, and our marker at byte 0.
func (s *sticky) ours(one *api.IssueComment) bool {
	m, ok := report.ParseMarker(one.GetBody())
	return ok && m.Instance == s.marker.Instance && one.GetUser().GetLogin() == s.me
}

// compare orders markers by run, then attempt.
func compare(m, o report.Marker) int {
	return cmp.Or(cmp.Compare(m.RunID, o.RunID), cmp.Compare(m.Attempt, o.Attempt))
}

// update edits an earlier comment, which is read again first: another run may have
// written since it was listed.
func (s *sticky) update(ctx context.Context, was *api.IssueComment) (Posted, error) {
	now, _, err := s.c.rest.Issues.GetComment(ctx, s.owner, s.repo, was.GetID())
	if gone(err) {
		return s.create(ctx)
	}
	if err != nil {
		return Posted{}, err
	}
	if m, ok := report.ParseMarker(now.GetBody()); !ok || !s.ours(now) || compare(m, s.marker) > 0 {
		return Posted{URL: now.GetHTMLURL(), Done: "newer"}, nil
	}
	if sameBody(now.GetBody(), s.body) {
		return Posted{URL: now.GetHTMLURL(), Done: "unchanged"}, nil
	}
	edited, _, err := s.c.rest.Issues.EditComment(ctx, s.owner, s.repo, now.GetID(), &api.IssueComment{Body: &s.body})
	if gone(err) {
		return s.create(ctx)
	}
	if err != nil {
		return Posted{}, err
	}
	return Posted{URL: edited.GetHTMLURL(), Done: "updated"}, nil
}

// sameBody reports whether two bodies are the same, apart from the run that wrote it, and line ends, which GitHub may
// change.
func sameBody(a, b string) bool {
	ma, okA := report.ParseMarker(a)
	mb, okB := report.ParseMarker(b)
	if !okA || !okB || ma.Head != mb.Head {
		return false
	}
	rest := func(s string) string {
		_, after, _ := strings.Cut(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
		return strings.TrimSpace(after)
	}
	return rest(a) == rest(b)
}

// create makes the comment, then looks whether another run made one meanwhile: the
// newest stays.
func (s *sticky) create(ctx context.Context) (Posted, error) {
	made, err := s.make(ctx)
	if err != nil {
		return Posted{}, err
	}
	done := Posted{URL: made.GetHTMLURL(), Done: "created"}
	own, err := s.own(ctx)
	if err != nil {
		return done, nil // it is there; a duplicate is dropped by the next run
	}
	i := slices.IndexFunc(own, func(o *api.IssueComment) bool { return o.GetID() == made.GetID() })
	if i > 0 {
		if m, _ := report.ParseMarker(own[0].GetBody()); compare(m, s.marker) > 0 {
			s.drop(ctx, own[i:i+1])
			return Posted{URL: own[0].GetHTMLURL(), Done: "newer"}, nil
		}
	}
	own = slices.DeleteFunc(own, func(o *api.IssueComment) bool { return o.GetID() == made.GetID() })
	s.drop(ctx, own)
	return done, nil
}

// make posts the comment. A server error may come after the comment was made, so that
// it is looked for before it is posted once more.
func (s *sticky) make(ctx context.Context) (*api.IssueComment, error) {
	made, _, err := s.c.rest.Issues.CreateComment(ctx, s.owner, s.repo, s.number, &api.IssueComment{Body: &s.body})
	if err == nil || !unclear(err) {
		return made, err
	}
	if s.c.pace.sleep(ctx, backoff(1)) != nil {
		return nil, err
	}
	own, listed := s.own(ctx)
	if listed != nil {
		return nil, err
	}
	for _, o := range own {
		if m, _ := report.ParseMarker(o.GetBody()); m == s.marker {
			return o, nil
		}
	}
	made, _, err = s.c.rest.Issues.CreateComment(ctx, s.owner, s.repo, s.number, &api.IssueComment{Body: &s.body})
	return made, err
}

// drop deletes own comments of older runs; one that stays is dropped by the next run.
func (s *sticky) drop(ctx context.Context, list []*api.IssueComment) {
	for _, o := range list {
		if m, ok := report.ParseMarker(o.GetBody()); ok && compare(m, s.marker) <= 0 {
			_, _ = s.c.rest.Issues.DeleteComment(ctx, s.owner, s.repo, o.GetID())
		}
	}
}

// gone reports whether a comment that was there is deleted.
func gone(err error) bool { return status(err) == http.StatusNotFound }

// unclear reports whether a request may have been carried out although it failed.
func unclear(err error) bool {
	if errors.Is(err, ErrTooManyWrites) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	code := status(err)
	return code == 0 || code >= 500
}

// status is the HTTP status of an API error, or 0 where there was no answer.
func status(err error) int {
	var limit *api.RateLimitError
	var abuse *api.AbuseRateLimitError
	var api *api.ErrorResponse
	switch {
	case errors.As(err, &limit):
		return limit.Response.StatusCode
	case errors.As(err, &abuse):
		return abuse.Response.StatusCode
	case errors.As(err, &api):
		return api.Response.StatusCode
	}
	return 0
}

// limited reports whether GitHub refused for the number of requests, whose 403 is that of a token
// without the right: by go-github's own kinds, by its status, by its headers or by its words.
func limited(err error) bool {
	var limit *api.RateLimitError
	var abuse *api.AbuseRateLimitError
	var answer *api.ErrorResponse
	switch {
	case errors.As(err, &limit), errors.As(err, &abuse), status(err) == http.StatusTooManyRequests:
		return true
	case status(err) != http.StatusForbidden || !errors.As(err, &answer):
		return false
	}
	header := answer.Response.Header
	return header.Get("Retry-After") != "" || header.Get("X-RateLimit-Remaining") == "0" ||
		strings.Contains(strings.ToLower(answer.Message+" "+answer.DocumentationURL), "rate limit") ||
		strings.Contains(answer.DocumentationURL, "rate-limit")
}

// WhyNotPosted words an error of [Client.Sticky] for a notice: the missing permission, and that the verdict stands.
func WhyNotPosted(err error) string {
	const stands = "; the verdict stands without it"
	switch {
	case limited(err):
		return "comment skipped: GitHub's rate limit was reached" + stands
	case status(err) == http.StatusForbidden, status(err) == http.StatusNotFound, status(err) == http.StatusUnauthorized:
		return "comment skipped: this run's token may not write it (a fork's is read-only; else give the job 'permissions: pull-requests: write')" + stands
	case status(err) == http.StatusUnprocessableEntity:
		return "comment skipped: GitHub rejected it as invalid" + stands
	case status(err) >= 500:
		return fmt.Sprintf("comment skipped: GitHub answered %d", status(err)) + stands
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "comment skipped: GitHub did not answer in time" + stands
	}
	return "comment skipped: " + report.Plain(err.Error(), 300) + stands
}
