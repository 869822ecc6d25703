package gitlab

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/report"
)

const (
	self  = 42 // the token's user
	token = "secret-of-the-job"
)

// fakeGitLab keeps the notes of one merge request, in pages of two.
type fakeGitLab struct {
	t      *testing.T
	job    bool
	notes  []note
	log    []string
	refuse map[string][]int              // statuses that requests of a method get first
	before func(method string, one bool) // what happens right before an answer; one: about a single note
}

func (f *fakeGitLab) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.log = append(f.log, r.Method+" "+r.URL.Path)
	header, other := "PRIVATE-TOKEN", "JOB-TOKEN"
	if f.job {
		header, other = other, header
	}
	if r.Header.Get(header) != token || r.Header.Get(other) != "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if codes := f.refuse[r.Method]; len(codes) > 0 {
		f.refuse[r.Method] = codes[1:]
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Location", "https://elsewhere.example/")
		w.WriteHeader(codes[0])
		return
	}
	const list = "/api/v4/projects/17/merge_requests/7/notes"
	id, _ := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, list+"/"), 10, 64)
	if f.before != nil {
		f.before(r.Method, id > 0)
	}
	var sent struct{ Body string }
	if r.Body != nil {
		_ = json.NewDecoder(r.Body).Decode(&sent)
	}
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/api/v4/user" && !f.job, r.Method == http.MethodGet && r.URL.Path == "/api/v4/job" && f.job:
		fmt.Fprintf(w, `{"id":%d,"user":{"id":%d}}`, self, self)
	case r.Method == http.MethodGet && r.URL.Path == list:
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		from, to := min(2*(page-1), len(f.notes)), min(2*page, len(f.notes))
		if to < len(f.notes) {
			w.Header().Set("X-Next-Page", strconv.Itoa(page+1))
		}
		if err := json.NewEncoder(w).Encode(append([]note{}, f.notes[from:to]...)); err != nil {
			f.t.Error(err)
		}
	case r.Method == http.MethodPost && r.URL.Path == list:
		n := note{ID: int64(100 + len(f.notes)), Body: sent.Body, Author: author{self}}
		f.notes = append(f.notes, n)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(n)
	case r.Method == http.MethodGet && id > 0:
		for i := range f.notes {
			if f.notes[i].ID == id {
				_ = json.NewEncoder(w).Encode(f.notes[i])
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodPut:
		for i := range f.notes {
			if f.notes[i].ID == id {
				f.notes[i].Body = sent.Body
				_ = json.NewEncoder(w).Encode(f.notes[i])
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// start gives a client of the fake that never really waits.
func (f *fakeGitLab) start() *Client {
	server := httptest.NewServer(f)
	f.t.Cleanup(server.Close)
	return &Client{
		API: server.URL + "/api/v4", Project: "17", Token: token, Job: f.job,
		Sleep: func(context.Context, time.Duration) error { return nil },
	}
}

func marked(run int64, text string) string {
	return report.Marker{Instance: "default", Head: "abc", RunID: run, Attempt: 1}.String() + "\n" + text
}

// What can stand on a merge request when a run comes to write.
func TestNote(t *testing.T) {
	other := report.Marker{Instance: "other", Head: "abc", RunID: 1, Attempt: 1}.String() + "\nold"
	own := func(body string) note { return note{Body: body, Author: author{self}} }
	talk := note{Body: "talk", Author: author{1}}
	for _, tc := range []struct {
		title  string
		there  []note
		create bool
		job    bool
		done   string
		want   string // the bodies of the last note
		writes int
	}{
		{"nothing", nil, true, false, "created", marked(5, "new"), 1},
		{"nothing, and nothing to say", nil, false, false, "none", "", 0},
		{"an older run's", []note{own(marked(4, "old"))}, true, false, "updated", marked(5, "new"), 1},
		{"an older run's, by the job's token", []note{own(marked(4, "old"))}, true, true, "updated", marked(5, "new"), 1},
		{"on the third page", []note{talk, talk, talk, talk, own(marked(4, "old"))}, true, false, "updated", marked(5, "new"), 1},
		{"the same words", []note{own(marked(4, "new\r\n"))}, true, false, "unchanged", marked(4, "new\r\n"), 0},
		{"a newer run's", []note{own(marked(6, "newer"))}, true, false, "newer", marked(6, "newer"), 0},
		{"a user's who copied the marker", []note{{Body: marked(4, "old"), Author: author{1}}}, true, false, "created", marked(5, "new"), 1},
		{"a user's who quotes us", []note{own("> " + marked(4, "old"))}, true, false, "created", marked(5, "new"), 1},
		{"another instance's", []note{own(other)}, true, false, "created", marked(5, "new"), 1},
		{"GitLab's own", []note{{Body: marked(4, "old"), Author: author{self}, System: true}}, true, false, "created", marked(5, "new"), 1},
	} {
		t.Run(tc.title, func(t *testing.T) {
			f := &fakeGitLab{t: t, job: tc.job}
			for i, n := range tc.there {
				n.ID = int64(i + 1)
				f.notes = append(f.notes, n)
			}
			got, err := f.start().Note(t.Context(), marked(5, "new"), NoteOptions{MergeRequest: "7", Create: tc.create})
			if err != nil || got.Done != tc.done || (got.ID == 0) != (tc.done == "none") {
				t.Fatalf("%+v, %v", got, err)
			}
			writes := 0
			for _, l := range f.log {
				if !strings.HasPrefix(l, "GET") {
					writes++
				}
			}
			last := ""
			if len(f.notes) > 0 {
				last = f.notes[len(f.notes)-1].Body
			}
			if writes != tc.writes || last != tc.want {
				t.Errorf("%d writes, %q", writes, last)
			}
		})
	}
}

// What is refused is one line that says what to do and never the token; a redirect is not
// followed, and a note that may have been made is not made twice.
func TestNoteRefused(t *testing.T) {
	for _, tc := range []struct {
		method string
		status int
		times  int
		want   string // of the message; "" for none
		tries  int    // of the method
	}{
		{http.MethodPost, 403, 1, "project access token", 1},
		{http.MethodGet, 401, 1, "project access token", 1},
		{http.MethodGet, 302, 1, "GitLab answered 302", 1},
		{http.MethodPost, 500, 1, "GitLab answered 500", 1},
		{http.MethodPost, 429, 1, "", 2},
		{http.MethodGet, 502, 2, "", 4},
		{http.MethodGet, 502, 9, "GitLab answered 502", 3},
	} {
		f := &fakeGitLab{t: t, refuse: map[string][]int{}}
		for range tc.times {
			f.refuse[tc.method] = append(f.refuse[tc.method], tc.status)
		}
		_, err := f.start().Note(t.Context(), marked(5, "new"), NoteOptions{MergeRequest: "7", Create: true})
		tries := 0
		for _, l := range f.log {
			if strings.HasPrefix(l, tc.method) {
				tries++
			}
		}
		if (err == nil) != (tc.want == "") || tries != tc.tries {
			t.Errorf("%s %d: %v after %d", tc.method, tc.status, err, tries)
		}
		if err == nil {
			continue
		}
		if said := WhyNotPosted(err); !strings.Contains(said, tc.want) || !strings.Contains(said, "verdict stands") || strings.Contains(said, token) || strings.Contains(said, "\n") {
			t.Errorf("%s %d: %q", tc.method, tc.status, said)
		}
	}
	if _, err := (&Client{}).Note(t.Context(), "no marker", NoteOptions{}); err == nil {
		t.Error("a body without a marker was taken")
	}
}

// No line of a note is a quick action, wherever it stands; the marker stays at byte 0.
func TestNoQuickActions(t *testing.T) {
	body := marked(5, "/merge\n  /close\r/label ~x\n```\n/approve\n```\ntext /not at the beginning")
	f := &fakeGitLab{t: t}
	if _, err := f.start().Note(t.Context(), body, NoteOptions{MergeRequest: "7", Create: true}); err != nil {
		t.Fatal(err)
	}
	got := f.notes[0].Body
	if _, ok := report.ParseMarker(got); !ok {
		t.Errorf("the marker is gone: %q", got)
	}
	for _, l := range strings.FieldsFunc(got, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if strings.HasPrefix(strings.TrimSpace(l), "/") {
			t.Errorf("%q is an action", l)
		}
	}
}

// Two runs at a time: whichever writes when, the newer one's words stand, and one whose note keeps being written over ends.
func TestTheNewerRunHasTheLastWord(t *testing.T) {
	for _, tc := range []struct {
		title  string
		moment string // at which the other run writes: right before the answer to our n-th such request
		other  int64
		times  int
		done   string
		want   string
		puts   int
	}{
		{"a newer one, before our edit", "GET", 6, 1, "newer", marked(6, "of 6"), 0},
		{"an older one, before our edit", "GET", 3, 1, "updated", marked(5, "new"), 1},
		{"an older one, after our edit", "written", 4, 1, "updated", marked(5, "new"), 2},
		{"a newer one, after our edit", "written", 6, 1, "newer", marked(6, "of 6"), 1},
		{"an older one, again and again", "written", 4, 99, "updated", marked(4, "of 4"), maxEdits},
		{"deleted before our edit", "gone", 0, 1, "created", marked(5, "new"), 0},
	} {
		f := &fakeGitLab{t: t, notes: []note{{ID: 1, Body: marked(2, "old"), Author: author{self}}}}
		puts, did := 0, 0
		f.before = func(method string, one bool) {
			if method == http.MethodPut {
				puts++
			}
			if did == tc.times || !one || method != http.MethodGet || (tc.moment == "written") != (puts > 0) {
				return
			}
			if did++; tc.moment == "gone" {
				f.notes = nil
				return
			}
			f.notes[0].Body = marked(tc.other, fmt.Sprint("of ", tc.other))
		}
		got, err := f.start().Note(t.Context(), marked(5, "new"), NoteOptions{MergeRequest: "7", Create: true})
		if err != nil || got.Done != tc.done || puts != tc.puts || f.notes[len(f.notes)-1].Body != tc.want {
			t.Errorf("%s: %+v, %v; %d edits, %q", tc.title, got, err, puts, f.notes[len(f.notes)-1].Body)
		}
	}
}
