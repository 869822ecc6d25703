package ci

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A pull request is the repository's own where both sides are of the one that the job is for, as the runner's event says;
// whatever else the event is, it may be a fork's.
func TestForksOfGitea(t *testing.T) {
	side := func(id int64, name string, fork bool) string {
		return fmt.Sprintf(`{"label":"x","ref":"x","sha":"x","repo_id":%d,"repo":{"id":%d,"full_name":%q,"fork":%v}}`, id, id, name, fork)
	}
	event := func(head, base string) string {
		return fmt.Sprintf(`{"action":"opened","number":3,"pull_request":{"id":9,"head":%s,"base":%s},"repository":{"id":1,"full_name":"shop/gitops"}}`, head, base)
	}
	own := side(1, "shop/gitops", false)
	for what, tc := range map[string]struct {
		event string
		fork  bool
	}{
		"its own branch":                 {event(own, own), false},
		"of a repository that is a fork": {event(side(1, "shop/gitops", true), side(1, "shop/gitops", true)), false},
		"other case":                     {event(side(1, "Shop/GitOps", false), own), false},
		"a fork":                         {event(side(2, "evil/gitops", true), own), true},
		"a copy that is no fork":         {event(side(2, "evil/gitops", false), own), true},
		"a fork of the same name":        {event(side(2, "shop/gitops", false), own), true},
		"a fork with the same number":    {event(side(1, "evil/gitops", true), own), true},
		"of another repository":          {event(side(4, "other/gitops", false), side(4, "other/gitops", false)), true},
		"a fork that is gone":            {event(`{"repo_id":0,"repo":null}`, own), true},
		"without numbers":                {event(side(0, "shop/gitops", false), side(0, "shop/gitops", false)), true},
		"no pull request":                {`{"ref":"refs/heads/main"}`, true},
		"no JSON":                        {`{"pull_request":`, true},
		"nothing":                        {``, true},
		"too much":                       {event(own, own) + strings.Repeat(" ", mostEvent), true},
	} {
		file := filepath.Join(t.TempDir(), "event.json")
		if err := os.WriteFile(file, []byte(tc.event), 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"GITHUB_ACTIONS": "true", "GITEA_ACTIONS": "true", "GITHUB_SHA": headSHA, "GITHUB_BASE_REF": "main", "GITHUB_REPOSITORY": "shop/gitops", "GITHUB_EVENT_PATH": file}
		got, err := Detect(func(name string) string { return env[name] })
		if err != nil || got.Fork != tc.fork {
			t.Errorf("%s: a fork is %v, %v", what, got.Fork, err)
		}
	}
}
