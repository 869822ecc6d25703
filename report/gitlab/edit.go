package gitlab

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/kubesettle/kubesettle/report"
)

// maxEdits is how often one run writes its note where older ones write over it.
const maxEdits = 3

// edit brings a note up to date. GitLab edits without conditions, so that of two runs at a time the older one could
// have the last word: the note is read again right before an edit, and after it, until it is this run's or a newer
// one's.
func (c *Client) edit(ctx context.Context, list string, was note, body string) (Posted, error) {
	marker, _ := report.ParseMarker(body)
	at := list + "/" + strconv.FormatInt(was.ID, 10)
	done := "unchanged"
	for edits := 0; ; edits++ {
		standing, _ := report.ParseMarker(was.Body)
		switch order := compare(standing, marker); {
		case order > 0:
			return Posted{was.ID, "newer"}, nil
		case order == 0 && done == "updated": // it is there, in whatever spelling GitLab gives it back
			return Posted{was.ID, done}, nil
		case sameText(was.Body, body) && standing.Head == marker.Head, edits == maxEdits:
			return Posted{was.ID, done}, nil
		}
		if edits == 0 { // the list may be some pages old
			now, err := c.again(ctx, at, was)
			switch {
			case gone(err):
				return c.create(ctx, list, body)
			case err != nil:
				return Posted{was.ID, done}, err
			}
			if now != nil && now.Body != was.Body {
				was = *now
				continue
			}
		}
		err := c.call(ctx, http.MethodPut, at, map[string]string{"body": body}, nil, nil)
		if gone(err) { // somebody deleted it meanwhile
			return c.create(ctx, list, body)
		}
		if done = "updated"; err != nil {
			return Posted{was.ID, done}, err
		}
		now, err := c.again(ctx, at, was)
		if err != nil || now == nil {
			return Posted{was.ID, done}, nil // it was written
		}
		was = *now
	}
}

// again reads a note once more; nil: it has become somebody else's, or lost its marker.
func (c *Client) again(ctx context.Context, at string, was note) (*note, error) {
	var now note
	if err := c.call(ctx, http.MethodGet, at, nil, &now, nil); err != nil {
		return nil, err
	}
	if _, ok := report.ParseMarker(now.Body); !ok || now.ID != was.ID || now.Author != was.Author {
		return nil, nil
	}
	return &now, nil
}

// gone reports whether an answer says that the note is not there.
func gone(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.status == http.StatusNotFound
}
