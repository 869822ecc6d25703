// Package github talks to GitHub for a run: the event that started it and the range of
// commits that it is about, the runner's inputs, log and outputs, the one comment, the
// review of suggestions. It decides nothing and makes no words: those are report's.
package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	api "github.com/google/go-github/v62/github"
)

// ErrTooManyWrites says that a run has used up its writes.
var ErrTooManyWrites = errors.New("write limit of this run reached")

// Limits of one run's requests to GitHub.
const (
	maxWrites   = 10
	maxAttempts = 4
	maxWait     = 30 * time.Second // for one retry; a longer Retry-After gives up
	maxPages    = 100              // of 100 comments each
)

// ClientOptions of [NewClient].
type ClientOptions struct {
	// APIURL is GITHUB_API_URL, such as https://api.github.com or
	// https://github.example/api/v3; GraphQLURL is GITHUB_GRAPHQL_URL.
	APIURL, GraphQLURL string
	Token              string // sent to the API's host only
	UserAgent          string
	// Transport, and Sleep for the waits between retries; nil: the real ones.
	Transport http.RoundTripper
	Sleep     func(context.Context, time.Duration) error
}

// Client talks to GitHub's API with retries, and writes at most ten times.
type Client struct {
	rest    *api.Client
	graphQL string
	pace    *pace
}

// NewClient checks the addresses; it opens no connection.
func NewClient(opt ClientOptions) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(opt.APIURL, "/") + "/")
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, fmt.Errorf("GITHUB_API_URL is %q: want an address such as https://api.github.com", opt.APIURL)
	}
	p := &pace{next: opt.Transport, sleep: opt.Sleep, host: base.Host, token: opt.Token}
	if p.next == nil {
		p.next = http.DefaultTransport
	}
	if p.sleep == nil {
		p.sleep = sleep
	}
	rest := api.NewClient(&http.Client{Transport: p})
	rest.BaseURL = base
	if opt.UserAgent != "" {
		rest.UserAgent = opt.UserAgent
	}
	return &Client{rest: rest, graphQL: opt.GraphQLURL, pace: p}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// pace is a transport that waits and tries again where that is safe, counts writes and
// keeps the token from other hosts.
type pace struct {
	next        http.RoundTripper
	sleep       func(context.Context, time.Duration) error
	host, token string
	mu          sync.Mutex
	writes      int
	known       etags
}

// RoundTrip implements [http.RoundTripper].
func (p *pace) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := p.count(req); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		again, err := p.prepared(req)
		if err != nil {
			return nil, err
		}
		res, err := p.next.RoundTrip(again)
		wait, retry := p.verdict(req, res, err, attempt)
		if !retry || attempt == maxAttempts {
			if err == nil {
				return p.known.answer(req, res)
			}
			return res, err
		}
		if deadline, ok := req.Context().Deadline(); ok && time.Until(deadline) < wait {
			return res, err // the answer says more than a timeout would
		}
		if res != nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
			res.Body.Close()
		}
		if err := p.sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// count refuses the writes past the limit. A GraphQL query is a POST, but reads.
func (p *pace) count(req *http.Request) error {
	if !writes(req) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.writes >= maxWrites {
		return fmt.Errorf("%w: %d", ErrTooManyWrites, maxWrites)
	}
	p.writes++
	return nil
}

func writes(req *http.Request) bool {
	return req.Method != http.MethodGet && req.Method != http.MethodHead && !strings.HasSuffix(req.URL.Path, "/graphql")
}

// prepared is a copy of a request for one attempt.
func (p *pace) prepared(req *http.Request) (*http.Request, error) {
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		again.Body = body
	}
	if p.token != "" && req.URL.Host == p.host {
		again.Header.Set("Authorization", "Bearer "+p.token)
		p.known.ask(again)
	}
	return again, nil
}

// verdict reports whether to try again, and when. A request that may have been carried out is not repeated here: a POST
// that a server error answered may have made its comment.
func (p *pace) verdict(req *http.Request, res *http.Response, err error, attempt int) (time.Duration, bool) {
	repeatable := req.Method != http.MethodPost || !writes(req)
	if err != nil {
		return backoff(attempt), repeatable && req.Context().Err() == nil
	}
	switch {
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode == http.StatusForbidden && secondary(res):
		wait, said := retryAfter(res)
		if !said {
			wait = backoff(attempt)
		}
		return wait, wait <= maxWait
	case res.StatusCode >= 500:
		wait, said := retryAfter(res)
		if !said {
			wait = backoff(attempt)
		}
		return wait, repeatable && wait <= maxWait
	}
	return 0, false
}

// secondary reports whether a 403 is a rate limit and not a missing permission. It leaves
// the body as it was.
func secondary(res *http.Response) bool {
	if res.Header.Get("Retry-After") != "" || res.Header.Get("X-RateLimit-Remaining") == "0" {
		return true
	}
	head, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	rest := res.Body
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), rest), rest}
	return err == nil && bytes.Contains(bytes.ToLower(head), []byte("secondary rate limit"))
}

// retryAfter reads the wait that the server asks for, in seconds or until a reset.
func retryAfter(res *http.Response) (time.Duration, bool) {
	if s, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && s >= 0 {
		return time.Duration(s)*time.Second + jitter(time.Second), true
	}
	if res.Header.Get("X-RateLimit-Remaining") == "0" {
		if at, err := strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			return max(time.Until(time.Unix(at, 0)), 0) + jitter(time.Second), true
		}
	}
	return 0, false
}

// backoff doubles from one second, with as much again at random.
func backoff(attempt int) time.Duration {
	base := time.Second << (attempt - 1)
	return base + jitter(base)
}

func jitter(upTo time.Duration) time.Duration { return rand.N(upTo) }
