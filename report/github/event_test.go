package github

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const (
	headSHA  = "1111111111111111111111111111111111111111"
	baseSHA  = "2222222222222222222222222222222222222222"
	mergeSHA = "3333333333333333333333333333333333333333"
	forkSHA  = "4444444444444444444444444444444444444444"
	staleSHA = "dddddddddddddddddddddddddddddddddddddddd"
)

// event reads a payload of testdata/events.
func event(t *testing.T, name, file string) *Event {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join("testdata", "events", file+".json"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseEvent(name, "shop/gitops", payload)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestParseEvent(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		want       Event
	}{
		{"pull_request", "pull_request", Event{Number: 42, HeadSHA: headSHA, HeadRef: "spread", BaseRef: "main"}},
		{"pull_request", "pull_request_fork", Event{Number: 43, HeadSHA: headSHA, HeadRef: "main", BaseRef: "main", Fork: true}},
		{"pull_request", "pull_request_fork_gone", Event{Number: 44, HeadSHA: headSHA, HeadRef: "main", BaseRef: "main", Fork: true}},
		{"pull_request_target", "pull_request", Event{Number: 42, HeadSHA: headSHA, HeadRef: "spread", BaseRef: "main"}},
		{"merge_group", "merge_group", Event{HeadSHA: headSHA, BaseSHA: baseSHA, BaseRef: "main"}},
		{"push", "push", Event{HeadSHA: headSHA, BaseSHA: baseSHA, HeadRef: "main"}},
		{"push", "push_new_branch", Event{HeadSHA: headSHA, HeadRef: "topic"}},
		{"push", "push_deleted", Event{HeadSHA: zeroSHA, BaseSHA: baseSHA, HeadRef: "topic", Gone: true}},
		{"workflow_run", "workflow_run", Event{Number: 42, HeadSHA: headSHA, HeadRef: "spread", BaseRef: "main", HeadOwner: "shop", RunID: 7, Attempt: 2}},
		{"workflow_run", "workflow_run_fork", Event{HeadSHA: headSHA, HeadRef: "main", Fork: true, HeadOwner: "stranger", RunID: 7, Attempt: 2}},
		{"workflow_dispatch", "workflow_dispatch", Event{}},
		{"schedule", "schedule", Event{}},
	} {
		t.Run(tc.name+"/"+tc.file, func(t *testing.T) {
			tc.want.Name, tc.want.Repository = tc.name, "shop/gitops"
			if got := event(t, tc.name, tc.file); !reflect.DeepEqual(*got, tc.want) {
				t.Errorf("got %+v\nwant %+v", *got, tc.want)
			}
		})
	}
}

func TestParseEventRefusesWhatItCannotUse(t *testing.T) {
	for _, tc := range []struct{ name, payload, want string }{
		{"", "{}", "GITHUB_EVENT_NAME"},
		{"pull_request", "", "JSON"},
		{"pull_request", "{}", "pull_request.number"},
		{"pull_request", `{"pull_request":{"number":1,"head":{"sha":"--upload-pack=evil"},"base":{"ref":"main"}}}`, "head.sha"},
		{"pull_request", `{"pull_request":{"number":1,"head":{"sha":"` + headSHA + `"}}}`, "base.ref"},
		{"merge_group", `{"merge_group":{"head_sha":"` + headSHA + `"}}`, "base_sha"},
		{"push", `{"before":"main","after":"` + headSHA + `"}`, "before and after"},
		{"workflow_run", "{}", "head_sha"},
	} {
		_, err := ParseEvent(tc.name, "shop/gitops", []byte(tc.payload))
		if !errors.Is(err, ErrEvent) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %q: got %v, want it to say %q", tc.name, tc.payload, err, tc.want)
		}
	}
}

// A fork's tree is refused under a privileged token, and only there.
func TestGuard(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		allow      bool
		refused    bool
	}{
		{"pull_request", "pull_request_fork", false, false},
		{"pull_request_target", "pull_request", false, false},
		{"pull_request_target", "pull_request_fork", false, true},
		{"pull_request_target", "pull_request_fork_gone", false, true},
		{"pull_request_target", "pull_request_fork", true, false},
		{"workflow_run", "workflow_run", false, false},
		{"workflow_run", "workflow_run_fork", false, true},
		{"workflow_run", "workflow_run_fork", true, false},
		{"push", "push", false, false},
	} {
		err := event(t, tc.name, tc.file).Guard(tc.allow)
		if errors.Is(err, ErrUnsafeEvent) != tc.refused {
			t.Errorf("%s %s, allow %v: got %v, refused should be %v", tc.name, tc.file, tc.allow, err, tc.refused)
		}
	}
}

// chain is a [History] in words: what HEAD is, who a commit's parents are, and where
// two meet.
type chain struct {
	head    string
	refs    map[string]string
	parents map[string][]string
	bases   map[[2]string]string
}

var errNotHere = errors.New("not in this shallow clone")

func (c chain) Commit(rev string) (string, error) {
	if rev == "HEAD" {
		return c.head, nil
	}
	if sha, ok := c.refs[rev]; ok {
		return sha, nil
	}
	if isSHA(rev) {
		return rev, nil
	}
	return "", errNotHere
}

func (c chain) Parents(rev string) ([]string, error) { return c.parents[rev], nil }

func (c chain) MergeBase(a, b string) (string, error) {
	if sha, ok := c.bases[[2]string{a, b}]; ok {
		return sha, nil
	}
	return "", errNotHere
}

func TestRange(t *testing.T) {
	merge := chain{head: mergeSHA, parents: map[string][]string{mergeSHA: {baseSHA, headSHA}}}
	plain := chain{
		head: headSHA, parents: map[string][]string{headSHA: {forkSHA}},
		bases: map[[2]string]string{{"refs/remotes/origin/main", headSHA}: forkSHA},
	}
	for _, tc := range []struct {
		title, name, file string
		h                 chain
		override          string
		base, head        string
		err               error // or nil
	}{
		{"the merge that is checked out", "pull_request", "pull_request", merge, "", baseSHA, mergeSHA, nil},
		{"the same of a fork", "pull_request", "pull_request_fork", merge, "", baseSHA, mergeSHA, nil},
		{"the head that is checked out", "pull_request", "pull_request", plain, "", forkSHA, headSHA, nil},
		{"a head that is a merge itself", "pull_request", "pull_request", chain{
			head: headSHA, parents: map[string][]string{headSHA: {baseSHA, staleSHA}},
			bases: map[[2]string]string{{"refs/remotes/origin/main", headSHA}: forkSHA},
		}, "", forkSHA, headSHA, nil},
		{"a re-run whose merge ref has moved", "pull_request", "pull_request", chain{
			head: mergeSHA, parents: map[string][]string{mergeSHA: {baseSHA, staleSHA}},
		}, "", "", "", ErrStaleMerge},
		{"another commit", "pull_request", "pull_request", chain{
			head: staleSHA, parents: map[string][]string{staleSHA: {baseSHA}},
		}, "", "", "", ErrStaleMerge},
		{"the head, without the branch it goes to", "pull_request", "pull_request", chain{
			head: headSHA, parents: map[string][]string{headSHA: {forkSHA}},
		}, "", "", "", errNotHere},
		{"a merge queue", "merge_group", "merge_group", plain, "", baseSHA, headSHA, nil},
		{"a merge queue that checked out main", "merge_group", "merge_group", chain{head: staleSHA}, "", "", "", ErrStaleMerge},
		{"a push", "push", "push", plain, "", baseSHA, headSHA, nil},
		{"a push that made the branch", "push", "push_new_branch", plain, "", "", headSHA, nil},
		{"by hand", "workflow_dispatch", "workflow_dispatch", plain, "", "", headSHA, nil},
		{"by hand, with a base", "workflow_dispatch", "workflow_dispatch", chain{
			head: headSHA, refs: map[string]string{"v1": baseSHA},
			bases: map[[2]string]string{{baseSHA, headSHA}: forkSHA},
		}, "v1", forkSHA, headSHA, nil},
		{"by hand, with a base of another history", "workflow_dispatch", "workflow_dispatch", chain{
			head: headSHA, refs: map[string]string{"v1": baseSHA},
		}, "v1", baseSHA, headSHA, nil},
		{"by hand, with no such base", "workflow_dispatch", "workflow_dispatch", plain, "v9", "", "", errNotHere},
		{"by the clock", "schedule", "schedule", plain, "", "", headSHA, nil},
		{"a workflow that followed", "workflow_run", "workflow_run", plain, "", forkSHA, headSHA, nil},
		{"a target event that checked out base", "pull_request_target", "pull_request", chain{head: baseSHA}, "", "", "", ErrStaleMerge},
	} {
		t.Run(tc.title, func(t *testing.T) {
			r, err := event(t, tc.name, tc.file).Range(tc.h, tc.override)
			if tc.err != nil {
				if !errors.Is(err, tc.err) {
					t.Fatalf("got %v, want %v", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Base != tc.base || r.Head != tc.head {
				t.Errorf("got %s..%s, want %s..%s", r.Base, r.Head, tc.base, tc.head)
			}
		})
	}
}

// The payload's base.sha is stale on a re-run: no event may use it.
func TestRangeNeverUsesThePayloadsBase(t *testing.T) {
	for _, file := range []string{"pull_request", "pull_request_fork"} {
		e := event(t, "pull_request", file)
		if e.BaseSHA != "" {
			t.Errorf("%s: BaseSHA is %s", file, e.BaseSHA)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	files, err := filepath.Glob("testdata/events/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no events", err)
	}
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range []string{"pull_request", "merge_group", "push", "workflow_run"} {
			f.Add(name, payload)
		}
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		e, err := ParseEvent(name, "shop/gitops", payload)
		if err != nil {
			return
		}
		for _, sha := range []string{e.HeadSHA, e.BaseSHA} {
			if sha != "" && !isSHA(sha) {
				t.Errorf("hash %q was taken over", sha)
			}
		}
	})
}
