// Package gitlab talks to GitLab for a run: the one note on the merge request. It decides
// nothing and makes no words: those are report's.
package gitlab

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/report"
)

// Limits of one run's requests to GitLab.
const (
	maxAttempts = 3
	maxWait     = 30 * time.Second // for one retry
	maxPages    = 100              // of 100 notes each
	maxBody     = 8 << 20          // bytes of an answer
)

// Client talks to GitLab's REST API, version 4.
type Client struct {
	API     string // CI_API_V4_URL, such as https://gitlab.com/api/v4
	Project string // ID of the merge request's project
	// Token of a project or a person, with the scope api; or, with Job, the job's own.
	Token string
	Job   bool
	// Transport, and Sleep for the waits between retries; nil: the real ones.
	Transport http.RoundTripper
	Sleep     func(context.Context, time.Duration) error
}

// NoteOptions of [Client.Note].
type NoteOptions struct {
	MergeRequest string // IID
	Create       bool   // make a note where there is none
}

// Posted says what became of the note: created, updated, unchanged, newer (another run's stays)
// or none.
type Posted struct {
	ID   int64 // 0: there is none
	Done string
}

// refusal is an answer that is none of success.
type refusal struct{ status int }

func (r *refusal) Error() string { return fmt.Sprintf("GitLab answered %d", r.status) }

type author struct {
	ID int64 `json:"id"`
}

type note struct {
	ID     int64  `json:"id"`
	Body   string `json:"body"`
	System bool   `json:"system"`
	Author author `json:"author"`
}

// Note brings the one note of a run up to date: of this token's own notes the one whose body
// begins with a marker of the same instance. A newer run's note stays; equal text is not written.
// Errors: a body without a marker; the API's.
func (c *Client) Note(ctx context.Context, body string, opt NoteOptions) (Posted, error) {
	marker, ok := report.ParseMarker(body)
	if !ok {
		return Posted{}, errors.New("the note has no marker")
	}
	body = harmless(body)
	self, err := c.self(ctx)
	if err != nil {
		return Posted{}, err
	}
	list := "/projects/" + url.PathEscape(c.Project) + "/merge_requests/" + url.PathEscape(opt.MergeRequest) + "/notes"
	ours, err := c.ours(ctx, list, self, marker.Instance)
	if err != nil {
		return Posted{}, err
	}
	if len(ours) == 0 {
		if !opt.Create {
			return Posted{Done: "none"}, nil
		}
		return c.create(ctx, list, body)
	}
	return c.edit(ctx, list, ours[0], body) // the newest run's
}

func (c *Client) create(ctx context.Context, list, body string) (Posted, error) {
	var made note
	err := c.call(ctx, http.MethodPost, list, map[string]string{"body": body}, &made, nil)
	return Posted{made.ID, "created"}, err
}

// self is the ID of the token's user.
func (c *Client) self(ctx context.Context) (int64, error) {
	if c.Job {
		var job struct{ User author }
		err := c.call(ctx, http.MethodGet, "/job", nil, &job, nil)
		return job.User.ID, err
	}
	var user author
	err := c.call(ctx, http.MethodGet, "/user", nil, &user, nil)
	return user.ID, err
}

// ours are the token's own notes of an instance, the newest run's first, from every page.
func (c *Client) ours(ctx context.Context, list string, self int64, instance string) ([]note, error) {
	var out []note
	for page := "1"; page != ""; {
		var notes []note
		var header http.Header
		if err := c.call(ctx, http.MethodGet, list+"?per_page=100&sort=asc&order_by=created_at&page="+url.QueryEscape(page),
			nil, &notes, &header); err != nil {
			return nil, err
		}
		for _, n := range notes {
			if m, ok := report.ParseMarker(n.Body); ok && !n.System && n.Author.ID == self && m.Instance == instance {
				out = append(out, n)
			}
		}
		next := header.Get("X-Next-Page")
		if n, err := strconv.Atoi(next); next != "" && (err != nil || n > maxPages) {
			break
		}
		page = next
	}
	slices.SortStableFunc(out, func(a, b note) int {
		x, _ := report.ParseMarker(a.Body)
		y, _ := report.ParseMarker(b.Body)
		return compare(y, x)
	})
	return out, nil
}

// compare orders runs by when they began.
func compare(a, b report.Marker) int {
	return cmp.Or(cmp.Compare(a.RunID, b.RunID), cmp.Compare(a.Attempt, b.Attempt))
}

// sameText reports whether two texts are the same, except for the marker, which names the run, and for line ends.
func sameText(a, b string) bool {
	rest := func(s string) string {
		_, after, _ := strings.Cut(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
		return strings.TrimSpace(after)
	}
	return rest(a) == rest(b)
}

// harmless keeps a line from being a quick action, such as /merge: one that begins with a slash
// begins with something that cannot be seen first.
func harmless(body string) string {
	lines := strings.Split(strings.ReplaceAll(body, "\r", "\n"), "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "/") {
			lines[i] = "\u200b" + l
		}
	}
	return strings.Join(lines, "\n")
}

// call asks once, or again where that is safe: a request that may have made a note is not repeated.
func (c *Client) call(ctx context.Context, method, path string, body, into any, header *http.Header) error {
	for attempt := 1; ; attempt++ {
		wait, err := c.once(ctx, method, path, body, into, header)
		if err == nil || attempt == maxAttempts || wait < 0 || wait > maxWait {
			return err
		}
		pause := c.Sleep
		if pause == nil {
			pause = sleep
		}
		if pause(ctx, wait) != nil {
			return err
		}
	}
}

// once makes one request; wait is how long to wait for another, negative for not at all.
func (c *Client) once(ctx context.Context, method, path string, body, into any,
	header *http.Header) (wait time.Duration, err error) {
	var send io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return -1, err
		}
		send = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.API, "/")+path, send)
	if err != nil {
		return -1, errors.New("CI_API_V4_URL is not an address")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Job {
		req.Header.Set("JOB-TOKEN", c.Token)
	} else {
		req.Header.Set("PRIVATE-TOKEN", c.Token)
	}
	// A redirect would take the token to another host.
	client := &http.Client{Transport: c.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		if method == http.MethodPost || ctx.Err() != nil {
			return -1, err
		}
		return time.Second, err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= 500 && method != http.MethodPost:
		wait = time.Second
		if s, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && s >= 0 {
			wait = time.Duration(s) * time.Second
		}
		return wait, &refusal{res.StatusCode}
	case res.StatusCode < 200 || res.StatusCode > 299:
		return -1, &refusal{res.StatusCode}
	}
	if header != nil {
		*header = res.Header
	}
	if into == nil {
		return 0, nil
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxBody)).Decode(into); err != nil {
		return -1, fmt.Errorf("GitLab's answer: %w", err)
	}
	return 0, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// WhyNotPosted words an error of [Client.Note] on one line: the missing permission, and that the verdict stands.
func WhyNotPosted(err error) string {
	const stands = "; the verdict stands without it"
	var r *refusal
	if errors.As(err, &r) {
		switch r.status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
			return "note skipped: this job's token may not write it (set KUBESETTLE_GITLAB_TOKEN to a project access token with the scope api and the role Reporter or higher)" + stands
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "note skipped: GitLab did not answer in time" + stands
	}
	return "note skipped: " + report.Plain(err.Error(), 300) + stands
}
