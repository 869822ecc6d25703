package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// pull serves the files and the review comments of the pull request.
func (f *fakeGitHub) pull(w http.ResponseWriter, r *http.Request, path string, reply func(int, any)) {
	type one struct {
		Path, Body, Side string
		StartSide        string `json:"start_side"`
		Line             int
		StartLine        int `json:"start_line"`
	}
	var in struct {
		one
		CommitID string `json:"commit_id"`
		Event    string
		Comments []one
	}
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			f.t.Errorf("%s: %v", path, err)
		}
	}
	add := func(c one) {
		f.reviews = append(f.reviews, fakeReview{
			Login: orDefaultLogin(f.login), Path: c.Path, Body: c.Body, StartLine: c.StartLine, Line: c.Line,
			Side: c.Side, StartSide: c.StartSide, SHA: in.CommitID,
		})
	}
	switch r.Method + " " + path {
	case "GET files":
		all := []any{}
		for _, file := range f.files {
			all = append(all, file)
		}
		f.pageOf(w, r, all, reply)
	case "GET comments":
		all := []any{}
		for _, c := range f.reviews {
			entry := map[string]any{"body": c.Body, "path": c.Path, "user": map[string]string{"login": c.Login}, "line": c.Line}
			if c.Outdated {
				entry["line"] = nil
			}
			all = append(all, entry)
		}
		f.pageOf(w, r, all, reply)
	case "POST reviews":
		if in.Event != "COMMENT" {
			f.t.Errorf("event %q: a review must neither approve nor block", in.Event)
		}
		for _, c := range in.Comments {
			add(c)
		}
		reply(http.StatusOK, map[string]any{"id": 1})
	case "POST comments":
		add(in.one)
		reply(http.StatusCreated, map[string]any{"id": 1})
	default:
		f.t.Errorf("unexpected request %s %s", r.Method, path)
		reply(http.StatusNotFound, map[string]string{"message": "Not Found"})
	}
}

// fixable is a result with one finding, whose fix takes the place of line 14.
func fixable() *finding.Result {
	at := &finding.Location{File: spreadFile, StartLine: 14, StartColumn: 11, EndLine: 14, EndColumn: 42, InDiff: true, Side: "head"}
	return &finding.Result{Verdict: finding.Fail, Findings: []finding.Finding{{
		Rule: "unschedulable", Severity: "error", Status: finding.New, Workload: "apps/Deployment default/web",
		Message: "a pod of default/web stays pending: no node satisfies both spread constraints",
		Fix: &finding.Fix{
			Text:     "say ScheduleAnyway for the constraint on kubernetes.io/hostname",
			Location: at, Replacement: "          whenUnsatisfiable: ScheduleAnyway\n", Mechanical: true, Verified: true,
		},
	}}}
}

const spreadFile = "overlays/prod/spread.yaml"

// spreadText is the file that [fixable] is about: line 14 is edited, 12 to 16 are shown.
func spreadText() string {
	var b strings.Builder
	for i := 1; i <= 20; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return strings.Replace(b.String(), "line 14\n", "          whenUnsatisfiable: DoNotSchedule\n", 1)
}

const spreadPatch = "@@ -12,4 +12,5 @@ spec:\n line 12\n line 13\n+          whenUnsatisfiable: DoNotSchedule\n line 15\n line 16"

func changedFile(name, text, patch string) map[string]any {
	return map[string]any{"filename": name, "status": "modified", "sha": blobSHA(text), "patch": patch}
}

func reviewOf(text string) ReviewOptions {
	return ReviewOptions{Repository: "shop/gitops", Number: 42, Head: headSHA, Instance: "prod", Text: func(file string) (string, error) {
		if file != spreadFile {
			return "", errors.New("no such file")
		}
		return text, nil
	}}
}

// fixed is fixable with another fix.
func fixed(first, last int, replacement string) *finding.Result {
	r := fixable()
	l := *r.Findings[0].Fix.Location
	l.StartLine, l.EndLine = first, last
	r.Findings[0].Fix.Location, r.Findings[0].Fix.Replacement = &l, replacement
	return r
}

func TestReviewPostsOnce(t *testing.T) {
	f := newFakeGitHub(t)
	for i := range 250 { // ours is on the third page
		f.files = append(f.files, changedFile(fmt.Sprintf("other/%d.yaml", i), "x\n", "@@ -1 +1 @@\n-y\n+x"))
	}
	f.files = append(f.files, changedFile(spreadFile, spreadText(), spreadPatch))
	list := report.Suggestions(fixable(), "prod")
	if len(list) != 1 {
		t.Fatalf("%d suggestions", len(list))
	}
	c := f.client(nil)
	done, err := c.Review(t.Context(), list, reviewOf(spreadText()))
	if err != nil || done.Posted != 1 || len(done.Left) > 0 || c.Writes() != 1 {
		t.Fatalf("got %+v, %v, %d writes", done, err, c.Writes())
	}
	got := f.reviews[0]
	if got.Path != spreadFile || got.Line != 14 || got.StartLine != 0 || got.Side != "RIGHT" || got.SHA != headSHA {
		t.Errorf("got %+v", got)
	}
	if !strings.HasSuffix(got.Body, "\n```suggestion\n          whenUnsatisfiable: ScheduleAnyway\n```\n") {
		t.Errorf("body:\n%s", got.Body)
	}
	if done, err = f.client(nil).Review(t.Context(), list, reviewOf(spreadText())); err != nil || done.Standing != 1 || len(f.reviews) != 1 {
		t.Errorf("a second run: %+v, %v, %d comments", done, err, len(f.reviews))
	}
	f.reviews[0].Outdated = true // the line has changed since, and back
	if done, err = f.client(nil).Review(t.Context(), list, reviewOf(spreadText())); err != nil || done.Posted != 1 || len(f.reviews) != 2 {
		t.Errorf("after it was outdated: %+v, %v, %d comments", done, err, len(f.reviews))
	}
	f.reviews[1].Login = "mallory" // someone copied the marker
	if done, err = f.client(nil).Review(t.Context(), list, reviewOf(spreadText())); err != nil || done.Posted != 1 {
		t.Errorf("beside another's: %+v, %v", done, err)
	}
}

// What does not fit the diff is left out, with the reason, and costs no write.
func TestReviewChecksEveryPlace(t *testing.T) {
	text := spreadText()
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	removed := changedFile(spreadFile, text, spreadPatch)
	removed["status"] = "removed"
	anyway := "          whenUnsatisfiable: ScheduleAnyway\n"
	for _, tc := range []struct {
		title  string
		result *finding.Result
		text   string
		file   map[string]any
		left   string // "" where it is posted
		lines  string // "start-end" of the comment
	}{
		{"one line", fixed(14, 14, anyway), text, changedFile(spreadFile, text, spreadPatch), "", "0-14"},
		{"several lines", fixed(13, 15, anyway), text, changedFile(spreadFile, text, spreadPatch), "", "13-15"},
		{"lines taken out", fixed(14, 14, ""), text, changedFile(spreadFile, text, spreadPatch), "", "0-14"},
		{"an unchanged line of the hunk", fixed(12, 12, anyway), text, changedFile(spreadFile, text, spreadPatch), "", "0-12"},
		{"beyond the hunk", fixed(14, 17, anyway), text, changedFile(spreadFile, text, spreadPatch), "one hunk", ""},
		{"outside of it", fixed(3, 3, anyway), text, changedFile(spreadFile, text, spreadPatch), "one hunk", ""},
		{"over two hunks", fixed(2, 14, anyway), text, changedFile(spreadFile, text, "@@ -1,2 +1,2 @@\n line 1\n-x\n+line 2\n"+spreadPatch), "one hunk", ""},
		{"past the end", fixed(20, 30, anyway), text, changedFile(spreadFile, text, spreadPatch), "fewer lines", ""},
		{"carriage returns", fixed(14, 14, anyway), crlf, changedFile(spreadFile, crlf, spreadPatch), "carriage returns", ""},
		{"no newline at the end", fixed(20, 20, anyway), strings.TrimSuffix(text, "\n"),
			changedFile(spreadFile, strings.TrimSuffix(text, "\n"), "@@ -19,2 +19,2 @@\n line 19\n-line 20\n+line 20\n\\ No newline at end of file"), "", "0-20"},
		{"base has moved on", fixed(14, 14, anyway), text, changedFile(spreadFile, "line 0\n"+text, spreadPatch), "base has moved on", ""},
		{"no patch, as of a large diff", fixed(14, 14, anyway), text, changedFile(spreadFile, text, ""), "no diff", ""},
		{"a patch of another text", fixed(14, 14, anyway), text, changedFile(spreadFile, text, strings.Replace(spreadPatch, "DoNot", "Never", 1)), "other text", ""},
		{"a broken patch", fixed(14, 14, anyway), text, changedFile(spreadFile, text, "@@ nonsense @@\n+x"), "one hunk", ""},
		{"a removed file", fixed(14, 14, anyway), text, removed, "does not change", ""},
		{"another file", fixed(14, 14, anyway), text, changedFile("x.yaml", text, spreadPatch), "does not change", ""},
	} {
		t.Run(tc.title, func(t *testing.T) {
			f := newFakeGitHub(t)
			f.files = []map[string]any{tc.file}
			c := f.client(nil)
			done, err := c.Review(t.Context(), report.Suggestions(tc.result, "prod"), reviewOf(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if tc.left != "" {
				if len(done.Left) != 1 || !strings.Contains(done.Left[0], tc.left) || c.Writes() != 0 {
					t.Errorf("got %+v and %d writes, want it left out: %s", done, c.Writes(), tc.left)
				}
				return
			}
			if done.Posted != 1 || fmt.Sprintf("%d-%d", f.reviews[0].StartLine, f.reviews[0].Line) != tc.lines {
				t.Errorf("got %+v %+v", done, f.reviews)
			}
		})
	}
}

// GitHub refuses a review for one bad entry: the others are posted alone.
func TestReviewOfOneBadEntry(t *testing.T) {
	f := newFakeGitHub(t)
	r := fixable()
	one := r.Findings[0]
	for i := range 3 {
		two := one
		fix := *one.Fix
		l := *one.Fix.Location
		l.StartLine, l.EndLine = 12+i, 12+i
		fix.Location = &l
		two.Fix, two.Workload = &fix, fmt.Sprint("w", i)
		r.Findings = append(r.Findings, two)
	}
	r.Findings = r.Findings[1:]
	f.files = []map[string]any{changedFile(spreadFile, spreadText(), spreadPatch)}
	f.script["POST "+pullPath+"reviews"] = []answer{{status: http.StatusUnprocessableEntity}}
	f.script["POST "+pullPath+"comments"] = []answer{{}, {status: http.StatusUnprocessableEntity}, {}}
	c := f.client(nil)
	done, err := c.Review(t.Context(), report.Suggestions(r, "prod"), reviewOf(spreadText()))
	if err != nil || done.Posted != 2 || len(done.Left) != 1 || c.Writes() != 4 {
		t.Errorf("got %+v, %v, %d writes", done, err, c.Writes())
	}
	for _, refused := range []int{403, 404, 422, 500} {
		f := newFakeGitHub(t)
		f.files = []map[string]any{changedFile(spreadFile, spreadText(), spreadPatch)}
		f.script["POST "+pullPath+"reviews"] = []answer{{status: refused}}
		if _, err := f.client(nil).Review(t.Context(), report.Suggestions(fixable(), "prod"), reviewOf(spreadText())); status(err) != refused {
			t.Errorf("%d: got %v", refused, err)
		}
		if n := f.count("POST " + pullPath); n != 1 {
			t.Errorf("%d: posted %d times: a review that may have been made is not repeated", refused, n)
		}
	}
}

// A read that was answered once costs nothing again, and says what is new.
func TestClientAsksConditionally(t *testing.T) {
	f := newFakeGitHub(t)
	f.tagged = true
	f.comments = []fakeComment{{ID: 1, Login: "someone", Body: "talk"}}
	c := f.client(nil)
	read := func() string {
		t.Helper()
		list, _, err := c.rest.Issues.ListComments(t.Context(), "shop", "gitops", 42, nil)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0].GetBody()
	}
	for range 3 {
		if got := read(); got != "talk" {
			t.Errorf("read %q", got)
		}
	}
	if f.fresh != 1 || f.count("GET") != 3 {
		t.Errorf("%d answers with a body for %d requests, want 1 for 3", f.fresh, f.count("GET"))
	}
	f.comments[0].Body = "other talk"
	if got := read(); got != "other talk" || f.fresh != 2 {
		t.Errorf("read %q, %d answers with a body", got, f.fresh)
	}
}
