package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The second workflow comments on the fork's pull request, which the API finds, and
// checks nothing; what it cannot use or post changes nothing.
func TestActionCommentsOnAForksResult(t *testing.T) {
	s := newStep(t, 1500)
	s.event("pull_request", s.pull("stranger/gitops"))
	s.want(exitFinding) // and leaves kubesettle.json
	head := s.git("rev-parse", "topic")
	var posted, path string
	open := fmt.Sprintf(`[{"number":77,"head":{"sha":%q},"base":{"repo":{"full_name":"shop/gitops"}}}]`, head)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/repos/shop/gitops/pulls":
			fmt.Fprint(w, open)
		case r.Method == http.MethodGet:
			fmt.Fprint(w, "[]")
		default:
			var in struct{ Body string }
			_ = json.NewDecoder(r.Body).Decode(&in)
			posted, path = in.Body, r.URL.Path
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"id":1,"html_url":"https://github.example/1"}`)
		}
	}))
	defer server.Close()
	s.env["INPUT_GITHUB-TOKEN"], s.env["GITHUB_API_URL"], s.env["INPUT_COMMENT-ON-RESULT"] = "t0ken", server.URL, "kubesettle.json"
	run := map[string]any{
		"id": 91, "run_attempt": 2, "head_sha": head, "head_branch": "topic",
		"head_repository": map[string]any{"full_name": "stranger/gitops", "owner": map[string]string{"login": "stranger"}},
	}
	s.event("workflow_run", map[string]any{"workflow_run": run, "repository": map[string]string{"full_name": "shop/gitops"}})
	s.want(exitPass)
	if want := "<!-- kubesettle instance=default head=" + head + " run=91 attempt=2 -->\n"; !strings.HasPrefix(posted, want) {
		t.Errorf("comment begins with %.150q, want %q", posted, want)
	}
	if path != "/repos/shop/gitops/issues/77/comments" || !strings.Contains(posted, "its author can change") || !strings.Contains(posted, "unschedulable") {
		t.Errorf("posted to %s:\n%s", path, posted)
	}
	posted, open = "", "[]"
	s.want(exitPass)
	if posted != "" || !strings.Contains(s.log.String(), "::notice::comment skipped: no open pull request") {
		t.Errorf("a pull request that is gone:\n%s", s.log.String())
	}
	outside := filepath.Join(s.dir, "outside.json")
	if err := os.Symlink(outside, filepath.Join(s.dir, "workspace", "link.json")); err != nil {
		t.Fatal(err)
	}
	s.write("outside.json", s.read("workspace/kubesettle.json"))
	s.write("workspace/broken.json", `{"verdict":"pass"}`)
	for _, file := range []string{"nosuch.json", "broken.json", "link.json", "../outside.json"} {
		s.env["INPUT_COMMENT-ON-RESULT"] = file
		s.want(exitUsage)
	}
	s.env["INPUT_COMMENT-ON-RESULT"] = "kubesettle.json"
	s.event("pull_request", s.pull("shop/gitops"))
	s.want(exitUsage)
	if posted != "" {
		t.Error("something was posted")
	}
}
