package github

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/report"
)

func marked(run int64, attempt int, text string) string {
	return report.Marker{Instance: "default", Head: headSHA, RunID: run, Attempt: attempt}.String() + "\n" + text
}

var toPull = StickyOptions{Repository: "shop/gitops", Number: 42, Create: true}

// TestSticky acts out what can stand on a pull request when a run comes to write.
func TestSticky(t *testing.T) {
	other := report.Marker{Instance: "other", Head: headSHA, RunID: 1, Attempt: 1}.String() + "\nold"
	bot := func(body string) fakeComment { return fakeComment{Login: actionsBot, Body: body} }
	for _, tc := range []struct {
		title  string
		there  []fakeComment
		login  string // of the token; "" as the workflow's bot
		create bool
		done   string
		want   []string // the bodies that stand in the end
		writes int
	}{
		{"nothing", nil, actionsBot, true, "created", []string{marked(5, 1, "new")}, 1},
		{"nothing, and nothing to say", nil, actionsBot, false, "none", nil, 0},
		{"an older run's", []fakeComment{bot(marked(4, 1, "old"))}, actionsBot, false, "updated", []string{marked(5, 1, "new")}, 1},
		{"an earlier attempt's", []fakeComment{bot(marked(5, 0, "old"))}, actionsBot, true, "updated", []string{marked(5, 1, "new")}, 1},
		{"the same words", []fakeComment{bot(marked(4, 1, "new\r\n"))}, actionsBot, true, "unchanged", []string{marked(4, 1, "new\r\n")}, 0},
		{"a newer run's", []fakeComment{bot(marked(6, 1, "newer"))}, actionsBot, true, "newer", []string{marked(6, 1, "newer")}, 0},
		{"a later attempt's", []fakeComment{bot(marked(5, 2, "newer"))}, actionsBot, true, "newer", []string{marked(5, 2, "newer")}, 0},
		{"a user's who copied the marker", []fakeComment{{Login: "mallory", Body: marked(4, 1, "old")}}, actionsBot, true, "created",
			[]string{marked(4, 1, "old"), marked(5, 1, "new")}, 1},
		{"a user's who quotes us", []fakeComment{{Login: actionsBot, Body: "> " + marked(4, 1, "old")}}, actionsBot, true, "created",
			[]string{"> " + marked(4, 1, "old"), marked(5, 1, "new")}, 1},
		{"another instance's", []fakeComment{bot(other)}, actionsBot, true, "created", []string{other, marked(5, 1, "new")}, 1},
		{"an app's own", []fakeComment{bot(marked(4, 1, "bot")), {Login: "settle[bot]", Body: marked(4, 1, "old")}}, "settle[bot]", true, "updated",
			[]string{marked(4, 1, "bot"), marked(5, 1, "new")}, 1},
		{"a token that may not ask who it is", []fakeComment{bot(marked(4, 1, "old"))}, "", true, "updated", []string{marked(5, 1, "new")}, 1},
		{"two of an older race", []fakeComment{bot(marked(3, 1, "a")), bot(marked(4, 1, "b"))}, actionsBot, true, "updated", []string{marked(5, 1, "new")}, 2},
	} {
		t.Run(tc.title, func(t *testing.T) {
			f := newFakeGitHub(t)
			f.login = tc.login
			for i, c := range tc.there {
				c.ID = int64(i + 1)
				f.comments = append(f.comments, c)
			}
			c, opt := f.client(nil), toPull
			opt.Create = tc.create
			posted, err := c.Sticky(t.Context(), marked(5, 1, "new"), opt)
			if err != nil {
				t.Fatal(err)
			}
			if posted.Done != tc.done || (posted.URL == "") != (tc.done == "none") {
				t.Errorf("got %+v, want %s", posted, tc.done)
			}
			var got []string
			for _, c := range f.comments {
				got = append(got, c.Body)
			}
			if fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("standing: %q\nwant %q", got, tc.want)
			}
			if c.Writes() != tc.writes {
				t.Errorf("%d writes, want %d: %v", c.Writes(), tc.writes, f.log)
			}
		})
	}
}

// Ours may be the 250th comment.
func TestStickyReadsEveryPage(t *testing.T) {
	f := newFakeGitHub(t)
	for i := range 249 {
		f.comments = append(f.comments, fakeComment{ID: int64(i + 1), Login: "someone", Body: "talk"})
	}
	f.comments = append(f.comments, fakeComment{ID: 250, Login: actionsBot, Body: marked(4, 1, "old")})
	posted, err := f.client(nil).Sticky(t.Context(), marked(5, 1, "new"), toPull)
	if err != nil || posted.Done != "updated" || len(f.comments) != 250 {
		t.Errorf("got %+v, %v; %d comments", posted, err, len(f.comments))
	}
}

// Another run writes between our reading and our writing.
func TestStickyRaces(t *testing.T) {
	t.Run("a newer run edits first", func(t *testing.T) {
		f := newFakeGitHub(t)
		f.comments = []fakeComment{{ID: 1, Login: actionsBot, Body: marked(4, 1, "old")}}
		f.before = func(f *fakeGitHub, request string) {
			if strings.HasPrefix(request, "GET /repos/shop/gitops/issues/comments/") {
				f.comments[0].Body = marked(6, 1, "newer")
			}
		}
		posted, err := f.client(nil).Sticky(t.Context(), marked(5, 1, "new"), toPull)
		if err != nil || posted.Done != "newer" || f.comments[0].Body != marked(6, 1, "newer") {
			t.Errorf("got %+v, %v; stands: %q", posted, err, f.comments[0].Body)
		}
	})
	t.Run("someone deletes it", func(t *testing.T) {
		f := newFakeGitHub(t)
		f.comments = []fakeComment{{ID: 1, Login: actionsBot, Body: marked(4, 1, "old")}}
		f.before = func(f *fakeGitHub, request string) {
			if strings.HasPrefix(request, "PATCH") {
				f.comments = nil
			}
		}
		posted, err := f.client(nil).Sticky(t.Context(), marked(5, 1, "new"), toPull)
		if err != nil || posted.Done != "created" || len(f.comments) != 1 {
			t.Errorf("got %+v, %v; %d comments", posted, err, len(f.comments))
		}
	})
	for _, tc := range []struct {
		title     string
		run       int64
		done      string
		remaining string
	}{
		{"an older run creates too", 4, "created", marked(5, 1, "new")},
		{"a newer run creates too", 6, "newer", marked(6, 1, "theirs")},
	} {
		t.Run(tc.title, func(t *testing.T) {
			f := newFakeGitHub(t)
			f.before = func(f *fakeGitHub, request string) {
				if strings.HasPrefix(request, "POST "+listPath) {
					f.comments = append(f.comments, fakeComment{ID: 7, Login: actionsBot, Body: marked(tc.run, 1, "theirs")})
				}
			}
			posted, err := f.client(nil).Sticky(t.Context(), marked(5, 1, "new"), toPull)
			if err != nil || posted.Done != tc.done || len(f.comments) != 1 || f.comments[0].Body != tc.remaining {
				t.Errorf("got %+v, %v; stands: %+v", posted, err, f.comments)
			}
		})
	}
}

// A gateway error may come after the comment was made: it is not made twice.
func TestStickyCreatesOnce(t *testing.T) {
	for _, carriedOut := range []bool{true, false} {
		f := newFakeGitHub(t)
		f.script["POST "+listPath] = []answer{{status: 502, after: carriedOut}}
		posted, err := f.client(nil).Sticky(t.Context(), marked(5, 1, "new"), toPull)
		if err != nil || posted.Done != "created" || len(f.comments) != 1 {
			t.Errorf("carried out %v: got %+v, %v; %d comments", carriedOut, posted, err, len(f.comments))
		}
	}
}

// What GitHub refuses becomes one line that says what to do.
func TestStickyRefused(t *testing.T) {
	all := func(status int) []answer {
		return []answer{{status: status}, {status: status}, {status: status}, {status: status}, {status: status}, {status: status}, {status: status}, {status: status}}
	}
	for _, tc := range []struct {
		status int
		want   string
	}{
		{http.StatusUnauthorized, "may not write"},
		{http.StatusForbidden, "pull-requests: write"},
		{http.StatusNotFound, "pull-requests: write"},
		{http.StatusUnprocessableEntity, "rejected it"},
		{http.StatusTooManyRequests, "rate limit"},
		{http.StatusInternalServerError, "answered 500"},
	} {
		f := newFakeGitHub(t)
		f.script["POST "+listPath] = all(tc.status)
		var waits []time.Duration
		_, err := f.client(&waits).Sticky(t.Context(), marked(5, 1, "new"), toPull)
		if err == nil {
			t.Errorf("%d: no error", tc.status)
			continue
		}
		if said := WhyNotPosted(err); !strings.Contains(said, tc.want) || !strings.Contains(said, "verdict stands") {
			t.Errorf("%d: %q, want it to say %q", tc.status, said, tc.want)
		}
		if n := f.count("POST " + listPath); n > maxAttempts {
			t.Errorf("%d: posted %d times", tc.status, n)
		}
	}
	if _, err := (&Client{}).Sticky(t.Context(), "no marker", toPull); err == nil {
		t.Error("a body without a marker was taken")
	}
	if said := WhyNotPosted(errors.New("dial tcp\n::error::x")); strings.Contains(said, "\n") {
		t.Errorf("two lines: %q", said)
	}
}

// A secondary limit that stays is GitHub's and not the token's, however little of it the
// answer says.
func TestAPermanentSecondaryLimitIsNoMissingRight(t *testing.T) {
	for title, a := range map[string]answer{
		"by its words":      {status: 403, body: `{"message":"You have exceeded a secondary rate limit. Please wait."}`},
		"by its link":       {status: 403, body: `{"message":"Slow down","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`},
		"by Retry-After":    {status: 403, body: `{"message":"Forbidden"}`, header: map[string]string{"Retry-After": "2"}},
		"longer than a job": {status: 403, body: `{"message":"Forbidden"}`, header: map[string]string{"Retry-After": "7200"}},
		"too many requests": {status: 429},
	} {
		t.Run(title, func(t *testing.T) {
			f := newFakeGitHub(t)
			f.script["GET "+listPath] = []answer{a, a, a, a, a, a, a, a}
			_, err := f.client(nil).Sticky(t.Context(), marked(5, 1, "new"), toPull)
			if err == nil {
				t.Fatal("it was posted")
			}
			if said := WhyNotPosted(err); !strings.Contains(said, "GitHub's rate limit was reached") || strings.Contains(said, "token may not") {
				t.Errorf("it said: %s", said)
			}
		})
	}
}
