package github

import (
	"context"
	"fmt"
	"strings"

	api "github.com/google/go-github/v62/github"
)

// OpenPull finds the open pull request whose head is the commit of a workflow_run event;
// 0 where there is none or it has moved on. A fork's payload does not name it, and an
// artifact must not.
// Errors: those of the API.
func (c *Client) OpenPull(ctx context.Context, e *Event) (int, error) {
	owner, name, ok := strings.Cut(e.Repository, "/")
	if !ok || !isSHA(e.HeadSHA) || e.HeadOwner == "" || e.HeadRef == "" {
		return 0, fmt.Errorf("%w: no head to look for a pull request of", ErrEvent)
	}
	list, _, err := c.rest.PullRequests.List(ctx, owner, name, &api.PullRequestListOptions{
		State: "open", Head: e.HeadOwner + ":" + e.HeadRef, ListOptions: api.ListOptions{PerPage: 100},
	})
	if err != nil {
		return 0, err
	}
	for _, pr := range list {
		if pr.GetHead().GetSHA() == e.HeadSHA && strings.EqualFold(pr.GetBase().GetRepo().GetFullName(), e.Repository) {
			return pr.GetNumber(), nil
		}
	}
	return 0, nil
}
