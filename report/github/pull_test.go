package github

import (
	"errors"
	"testing"
)

// The pull request is the open one whose head is the very commit.
func TestOpenPull(t *testing.T) {
	pull := func(number int, sha, base string) any {
		return map[string]any{"number": number, "head": map[string]string{"sha": sha}, "base": map[string]any{"repo": map[string]string{"full_name": base}}}
	}
	fork := event(t, "workflow_run", "workflow_run_fork")
	for _, tc := range []struct {
		title string
		list  []any
		want  int
	}{
		{"none", []any{}, 0},
		{"it has moved on", []any{pull(3, staleSHA, "shop/gitops")}, 0},
		{"one of several", []any{pull(3, staleSHA, "shop/gitops"), pull(4, headSHA, "shop/gitops")}, 4},
		{"another repository's", []any{pull(5, headSHA, "other/gitops")}, 0},
	} {
		f := newFakeGitHub(t)
		f.pulls = map[string][]any{"stranger:main": tc.list}
		got, err := f.client(nil).OpenPull(t.Context(), fork)
		if err != nil || got != tc.want {
			t.Errorf("%s: got %d, %v; want %d", tc.title, got, err, tc.want)
		}
	}
	if _, err := newFakeGitHub(t).client(nil).OpenPull(t.Context(), &Event{Repository: "shop/gitops"}); !errors.Is(err, ErrEvent) {
		t.Errorf("no head: %v", err)
	}
}
