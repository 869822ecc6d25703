package main

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// blockManifest is webManifest with the request on a line of its own, the last one.
func blockManifest(millicores int) string {
	head, _, _ := strings.Cut(webManifest(millicores), "    spec: {")
	return head + fmt.Sprintf(`    spec:
      containers:
      - name: web
        image: web
        resources:
          requests:
            cpu: %dm
`, millicores)
}

// suggestStep is a pull request that asks for too much, on a GitHub that answers reviews
// with a status. It gives the reviews that came.
func suggestStep(t *testing.T, status int) (s *step, reviews *[]map[string]any) {
	t.Helper()
	s = newStep(t, 200)
	for branch, cpu := range map[string]int{"main": 100, "topic": 1500} {
		s.git("checkout", "--quiet", branch)
		s.write("workspace/web.yaml", blockManifest(cpu))
		s.git("commit", "--quiet", "--all", "-m", branch)
	}
	s.git("checkout", "--quiet", "--detach", "main")
	s.git("merge", "--quiet", "--no-ff", "-X", "theirs", "-m", "merge", "topic")
	s.event("pull_request", s.pull("shop/gitops"))
	text := s.read("workspace/web.yaml")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := len(lines)
	patch := fmt.Sprintf("@@ -%[1]d,2 +%[1]d,2 @@ spec:\n %[2]s\n-            cpu: 100m\n+            cpu: 1500m", last-1, lines[last-2])
	reviews = new([]map[string]any)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/pulls/42/files"):
			sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
			_ = json.NewEncoder(w).Encode([]any{map[string]string{"filename": "web.yaml", "status": "modified", "sha": fmt.Sprintf("%x", sum), "patch": patch}})
		case r.Method == http.MethodGet:
			fmt.Fprint(w, "[]")
		case strings.HasSuffix(r.URL.Path, "/reviews"):
			var in map[string]any
			_ = json.NewDecoder(r.Body).Decode(&in)
			*reviews = append(*reviews, in)
			w.WriteHeader(status)
			fmt.Fprint(w, "{}")
		default:
			fmt.Fprint(w, `{"id":1}`)
		}
	}))
	t.Cleanup(server.Close)
	s.env["INPUT_GITHUB-TOKEN"], s.env["GITHUB_API_URL"] = "t0ken", server.URL
	return s, reviews
}

// The suggestion is one that heals, on the line that broke it: what the node has room for. Without the input there is
// none.
func TestActionSuggests(t *testing.T) {
	s, reviews := suggestStep(t, http.StatusOK)
	s.want(exitFinding)
	if len(*reviews) > 0 {
		t.Error("a review was made that nobody asked for")
	}
	s.env["INPUT_INLINE-SUGGESTIONS"] = "true"
	s.want(exitFinding)
	if len(*reviews) != 1 {
		t.Fatalf("%d reviews\n%s", len(*reviews), s.log.String())
	}
	review := (*reviews)[0]
	list, _ := review["comments"].([]any)
	if len(list) != 1 || review["commit_id"] != s.git("rev-parse", "topic") {
		t.Fatalf("review %v", review)
	}
	got := list[0].(map[string]any)
	text := strings.Split(s.read("workspace/web.yaml"), "\n")
	line, _ := got["line"].(float64)
	if got["path"] != "web.yaml" || text[int(line)-1] != "            cpu: 1500m" || !strings.Contains(fmt.Sprint(got["body"]), "```suggestion\n            cpu: \"1\"\n```") {
		t.Errorf("suggestion %v", got)
	}
	if !strings.Contains(s.log.String(), "suggestions: 1 posted") {
		t.Errorf("not said:\n%s", s.log.String())
	}
	*reviews = nil
	s.env["INPUT_COMMENT"] = "never"
	s.want(exitFinding)
	if len(*reviews) != 1 {
		t.Errorf("without the comment: %d reviews", len(*reviews))
	}
	s.event("pull_request", s.pull("stranger/gitops"))
	s.want(exitFinding)
	if len(*reviews) != 1 {
		t.Error("a fork's token was used to write")
	}
}

// A review that GitHub refuses changes nothing but one notice.
func TestActionSuggestionsNeverChangeTheVerdict(t *testing.T) {
	for _, status := range []int{403, 404, 422, 500} {
		s, _ := suggestStep(t, status)
		s.env["INPUT_INLINE-SUGGESTIONS"] = "true"
		s.want(exitFinding)
		if out := s.outputs(); out["verdict"] != "fail" {
			t.Errorf("%d: outputs %v", status, out)
		}
		if n := strings.Count(s.log.String(), "::notice::suggestions skipped"); n != 1 {
			t.Errorf("%d: %d notices\n%s", status, n, s.log.String())
		}
	}
}
