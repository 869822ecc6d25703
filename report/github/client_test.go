package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeGitHub stands in for the API on loopback. It keeps the comments of one pull
// request and answers as scripted where a script is set.
type fakeGitHub struct {
	t        *testing.T
	server   *httptest.Server
	mu       sync.Mutex
	login    string // who the token is; "" makes GraphQL refuse
	comments []fakeComment
	next     int64
	log      []string // "GET /repos/…", in order
	// script answers the n-th request (from 0) to "METHOD path" in place of the API;
	// status 0 passes it on.
	script map[string][]answer
	// before runs ahead of every request, as another run would.
	before func(f *fakeGitHub, request string)
	seen   map[string]int
	api    *openAPI // GitHub's description of the requests, where it is at hand
	// files are the pull request's, reviews its review comments; tagged says that reads
	// carry an ETag, and fresh counts those that were answered with a body.
	files   []map[string]any
	pulls   map[string][]any // open pull requests, by owner:branch
	reviews []fakeReview
	tagged  bool
	fresh   int
}

// fakeReview is a comment beside a line.
type fakeReview struct {
	Login, Path, Body    string
	StartLine, Line      int
	Outdated             bool
	Side, StartSide, SHA string
}

type fakeComment struct {
	ID    int64
	Login string
	Body  string
}

type answer struct {
	status int
	header map[string]string
	body   string
	// after carries the request out before the error is sent, as a gateway's timeout.
	after bool
}

func newFakeGitHub(t *testing.T) *fakeGitHub {
	f := &fakeGitHub{t: t, login: actionsBot, next: 1000, script: map[string][]answer{}, seen: map[string]int{}, api: readOpenAPI(t)}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

// client talks to the stand-in; waits are noted, not waited.
func (f *fakeGitHub) client(waits *[]time.Duration) *Client {
	f.t.Helper()
	c, err := NewClient(ClientOptions{
		APIURL: f.server.URL + "/api/v3", GraphQLURL: f.server.URL + "/api/graphql", Token: "t0ken",
		Sleep: func(_ context.Context, d time.Duration) error {
			if waits != nil {
				*waits = append(*waits, d)
			}
			return nil
		},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

func (f *fakeGitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api/v3")
	request := r.Method + " " + path
	if f.before != nil {
		f.before(f, request)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, request)
	if got := r.Header.Get("Authorization"); got != "Bearer t0ken" {
		f.t.Errorf("%s: Authorization is %q", request, got)
	}
	if f.api != nil && path != "/api/graphql" {
		if err := f.api.check(r, path); err != nil {
			f.t.Errorf("%s is not as GitHub documents it: %v", request, err)
		}
	}
	n := f.seen[request]
	f.seen[request]++
	if list := f.script[request]; n < len(list) && list[n].status != 0 {
		a := list[n]
		if a.after {
			f.serve(httptest.NewRecorder(), r, path)
		}
		for k, v := range a.header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
		return
	}
	f.serve(w, r, path)
}

func (f *fakeGitHub) serve(w http.ResponseWriter, r *http.Request, path string) {
	reply := func(status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		if f.tagged && r.Method == http.MethodGet {
			b, _ := json.Marshal(v)
			tag := `"` + blobSHA(string(b)) + `"`
			w.Header().Set("ETag", tag)
			if r.Header.Get("If-None-Match") == tag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			f.fresh++
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	const list, one = "/repos/shop/gitops/issues/42/comments", "/repos/shop/gitops/issues/comments/"
	switch {
	case path == "/api/graphql" && f.login == "":
		reply(http.StatusForbidden, map[string]string{"message": "Resource not accessible by integration"})
	case path == "/api/graphql":
		reply(http.StatusOK, map[string]any{"data": map[string]any{"viewer": map[string]string{"login": f.login}}})
	case path == list && r.Method == http.MethodGet:
		f.page(w, r, reply)
	case path == list && r.Method == http.MethodPost:
		f.next++
		c := fakeComment{ID: f.next, Login: orDefaultLogin(f.login), Body: bodyOf(f.t, r)}
		f.comments = append(f.comments, c)
		reply(http.StatusCreated, f.json(c))
	case path == "/repos/shop/gitops/pulls" && r.Method == http.MethodGet:
		reply(http.StatusOK, f.pulls[r.URL.Query().Get("head")])
	case strings.HasPrefix(path, pullPath):
		f.pull(w, r, strings.TrimPrefix(path, pullPath), reply)
	case strings.HasPrefix(path, one):
		id, _ := strconv.ParseInt(strings.TrimPrefix(path, one), 10, 64)
		i := slices.IndexFunc(f.comments, func(c fakeComment) bool { return c.ID == id })
		switch {
		case i < 0:
			reply(http.StatusNotFound, map[string]string{"message": "Not Found"})
		case r.Method == http.MethodGet:
			reply(http.StatusOK, f.json(f.comments[i]))
		case r.Method == http.MethodPatch:
			f.comments[i].Body = bodyOf(f.t, r)
			reply(http.StatusOK, f.json(f.comments[i]))
		case r.Method == http.MethodDelete:
			f.comments = slices.Delete(f.comments, i, i+1)
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		f.t.Errorf("unexpected request %s %s", r.Method, path)
		reply(http.StatusNotFound, map[string]string{"message": "Not Found"})
	}
}

func orDefaultLogin(s string) string {
	if s == "" {
		return actionsBot
	}
	return s
}

// page serves 100 comments at most, as the API does.
func (f *fakeGitHub) page(w http.ResponseWriter, r *http.Request, reply func(int, any)) {
	all := []any{}
	for _, c := range f.comments {
		all = append(all, f.json(c))
	}
	f.pageOf(w, r, all, reply)
}

func (f *fakeGitHub) pageOf(w http.ResponseWriter, r *http.Request, all []any, reply func(int, any)) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	page = max(page, 1)
	if p := r.URL.Query().Get("per_page"); p != "" && p != "100" {
		f.t.Errorf("per_page is %q", p)
	}
	from, to := min((page-1)*100, len(all)), min(page*100, len(all))
	if to < len(all) {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%d&per_page=100>; rel="next"`, f.server.URL, r.URL.Path, page+1))
	}
	reply(http.StatusOK, all[from:to])
}

func (f *fakeGitHub) json(c fakeComment) any {
	return map[string]any{
		"id": c.ID, "body": c.Body, "user": map[string]string{"login": c.Login},
		"html_url": fmt.Sprintf("https://github.example/shop/gitops/pull/42#issuecomment-%d", c.ID),
	}
}

func bodyOf(t *testing.T, r *http.Request) string {
	var in struct{ Body string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	return in.Body
}

// count says how often a request with this prefix came.
func (f *fakeGitHub) count(prefix string) int {
	n := 0
	for _, l := range f.log {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

const (
	listPath = "/repos/shop/gitops/issues/42/comments"
	pullPath = "/repos/shop/gitops/pulls/42/"
)

func TestClientRetries(t *testing.T) {
	retryIn := func(s string) map[string]string { return map[string]string{"Retry-After": s} }
	for _, tc := range []struct {
		title    string
		answers  []answer
		tries    int
		ok       bool
		min, max time.Duration // of the first wait
	}{
		{"a server error passes", []answer{{status: 502}}, 2, true, time.Second, 2 * time.Second},
		{"twice", []answer{{status: 500}, {status: 503}}, 3, true, time.Second, 2 * time.Second},
		{"it does not pass", []answer{{status: 500}, {status: 500}, {status: 500}, {status: 500}}, 4, false, time.Second, 2 * time.Second},
		{"as long as it says", []answer{{status: 429, header: retryIn("7")}}, 2, true, 7 * time.Second, 8 * time.Second},
		{"a secondary limit", []answer{{status: 403, header: retryIn("3")}}, 2, true, 3 * time.Second, 4 * time.Second},
		{"a secondary limit by its words", []answer{{status: 403, body: `{"message":"You have exceeded a secondary rate limit."}`}}, 2, true, time.Second, 2 * time.Second},
		{"longer than a job should wait", []answer{{status: 429, header: retryIn("3600")}}, 1, false, 0, 0},
		{"a missing permission", []answer{{status: 403, body: `{"message":"Resource not accessible by integration"}`}}, 1, false, 0, 0},
		{"not there", []answer{{status: 404}}, 1, false, 0, 0},
		{"not valid", []answer{{status: 422}}, 1, false, 0, 0},
	} {
		t.Run(tc.title, func(t *testing.T) {
			f := newFakeGitHub(t)
			f.script["GET "+listPath] = tc.answers
			var waits []time.Duration
			_, _, err := f.client(&waits).rest.Issues.ListComments(t.Context(), "shop", "gitops", 42, nil)
			if (err == nil) != tc.ok {
				t.Errorf("error %v, want ok %v", err, tc.ok)
			}
			if got := f.count("GET " + listPath); got != tc.tries {
				t.Errorf("%d tries, want %d", got, tc.tries)
			}
			if tc.max > 0 && (len(waits) == 0 || waits[0] < tc.min || waits[0] > tc.max) {
				t.Errorf("waits %v, want the first in %v..%v", waits, tc.min, tc.max)
			}
		})
	}
}

func TestClientWritesAtMostTen(t *testing.T) {
	f := newFakeGitHub(t)
	c := f.client(nil)
	var err error
	for range maxWrites {
		if _, err = c.rest.Issues.DeleteComment(t.Context(), "shop", "gitops", 1); errors.Is(err, ErrTooManyWrites) {
			t.Fatalf("refused after %d writes", c.Writes())
		}
	}
	if _, err = c.rest.Issues.DeleteComment(t.Context(), "shop", "gitops", 1); !errors.Is(err, ErrTooManyWrites) {
		t.Errorf("write %d: got %v", maxWrites+1, err)
	}
	if got := f.count("DELETE"); got != maxWrites {
		t.Errorf("%d writes arrived, want %d", got, maxWrites)
	}
	if _, _, err := c.rest.Issues.GetComment(t.Context(), "shop", "gitops", 1); errors.Is(err, ErrTooManyWrites) {
		t.Error("reading was refused as well")
	}
}

// The token goes to the API's host only, not where a redirect leads.
func TestClientKeepsTheTokenAtHome(t *testing.T) {
	var leaked string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked = r.Header.Get("Authorization")
		_, _ = io.WriteString(w, "[]")
	}))
	defer other.Close()
	f := newFakeGitHub(t)
	f.script["GET "+listPath] = []answer{{status: 302, header: map[string]string{"Location": other.URL}}}
	if _, _, err := f.client(nil).rest.Issues.ListComments(t.Context(), "shop", "gitops", 42, nil); err != nil {
		t.Fatal(err)
	}
	if leaked != "" {
		t.Errorf("another host got %q", leaked)
	}
}

func TestNewClientRefusesWhatIsNoAddress(t *testing.T) {
	for _, bad := range []string{"", "api.github.com", "ftp://api.github.com", "https://", "http://[::1"} {
		if _, err := NewClient(ClientOptions{APIURL: bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	c, err := NewClient(ClientOptions{APIURL: "https://github.example/api/v3"})
	if err != nil || c.rest.BaseURL.String() != "https://github.example/api/v3/" {
		t.Errorf("GitHub Enterprise Server: %v %v", c, err)
	}
}
