package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mergeRequest is a job for a merge request whose head asks for millicores, without its
// merge commit, as most pipelines have it.
func mergeRequest(t *testing.T, millicores int) (*step, map[string]string) {
	t.Helper()
	s := newStep(t, millicores)
	s.git("checkout", "--quiet", "topic")
	return s, map[string]string{
		"GITLAB_CI": "true", "CI_COMMIT_SHA": s.git("rev-parse", "topic"), "CI_MERGE_REQUEST_IID": "7",
		"CI_MERGE_REQUEST_DIFF_BASE_SHA": s.git("merge-base", "main", "topic"), "CI_MERGE_REQUEST_PROJECT_ID": "17", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "17",
		"CI_PROJECT_URL": "https://gitlab.example/shop/gitops", "CI_JOB_URL": "https://gitlab.example/shop/gitops/-/jobs/5", "CI_JOB_ID": "5",
		"CI_JOB_TOKEN": "token-of-the-job", "KUBESETTLE_GITLAB_TOKEN": "token-of-the-project",
	}
}

// inCI runs `kubesettle ci` in a job.
func inCI(t *testing.T, s *step, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &process{stdout: &out, stderr: &errs, getenv: func(name string) string { return env[name] }}
	code = execute(t.Context(), p, append([]string{"ci", "--repo", filepath.Join(s.dir, "workspace"), "--offline"}, args...))
	return code, out.String(), errs.String()
}

// gitLabNotes takes notes, and answers each write with a status.
func gitLabNotes(t *testing.T, status int, bodies *[]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/user" && r.Header.Get("PRIVATE-TOKEN") == "token-of-the-project":
			fmt.Fprint(w, `{"id":1}`)
		case r.Method == http.MethodGet && r.URL.Path == "/projects/17/merge_requests/7/notes":
			fmt.Fprint(w, `[]`)
		case r.Method == http.MethodPost:
			var n struct{ Body string }
			_ = json.NewDecoder(r.Body).Decode(&n)
			*bodies = append(*bodies, n.Body)
			w.WriteHeader(status)
			fmt.Fprint(w, `{"id":9}`)
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A merge request that breaks a rule fails its job, with a note, a Code Quality report and test
// results; one that does not passes without a note.
func TestCIOnGitLab(t *testing.T) {
	for _, tc := range []struct {
		millicores, code, notes int
	}{{1500, exitFinding, 1}, {200, exitPass, 0}} {
		s, env := mergeRequest(t, tc.millicores)
		var notes []string
		env["CI_API_V4_URL"] = gitLabNotes(t, http.StatusCreated, &notes)
		quality, junit := filepath.Join(s.dir, "quality.json"), filepath.Join(s.dir, "junit.xml")
		code, stdout, stderr := inCI(t, s, env, "--output", "text", "--output", "codequality="+quality, "--output", "junit="+junit)
		if code != tc.code || len(notes) != tc.notes {
			t.Fatalf("exit code %d, %d notes\n%s%s", code, len(notes), stdout, stderr)
		}
		for _, file := range []string{quality, junit} {
			text, err := os.ReadFile(file)
			if err != nil || strings.Contains(string(text), "unschedulable") != (tc.code == exitFinding) {
				t.Errorf("%s: %s, %v", file, text, err)
			}
		}
		if tc.notes > 0 && (!strings.HasPrefix(notes[0], "<!-- kubesettle instance=default ") ||
			!strings.Contains(notes[0], "https://gitlab.example/shop/gitops/-/blob/"+env["CI_COMMIT_SHA"]+"/web.yaml")) {
			t.Errorf("the note is %s", notes[0])
		}
		if strings.Contains(stdout+stderr, "token-of-the") {
			t.Errorf("a token is shown:\n%s%s", stdout, stderr)
		}
	}
}

// What GitLab answers, a fork, or a token that is not there never change the exit code; each is
// said.
func TestCINoteNeverChangesTheVerdict(t *testing.T) {
	for _, tc := range []struct {
		title string
		set   map[string]string
		want  string
	}{
		{"refused", nil, "project access token"},
		{"no such host", map[string]string{"CI_API_V4_URL": "http://127.0.0.1:1"}, "note skipped"},
		{"the job's token", map[string]string{"KUBESETTLE_GITLAB_TOKEN": ""}, "project access token"},
		{"a fork", map[string]string{"KUBESETTLE_GITLAB_TOKEN": "", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "99"}, "a fork's job"},
		{"no token", map[string]string{"KUBESETTLE_GITLAB_TOKEN": "", "CI_JOB_TOKEN": ""}, "there is no token"},
	} {
		t.Run(tc.title, func(t *testing.T) {
			s, env := mergeRequest(t, 1500)
			var notes []string
			env["CI_API_V4_URL"] = gitLabNotes(t, http.StatusForbidden, &notes)
			for k, v := range tc.set {
				env[k] = v
			}
			code, stdout, stderr := inCI(t, s, env)
			if code != exitFinding || !strings.Contains(stderr, tc.want) || strings.Contains(stdout+stderr, "token-of-the") {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}

// Other systems' variables lead to the same verdict; a clone without base says how to get it, and
// no CI system at all is an error of usage.
func TestCIElsewhere(t *testing.T) {
	s, env := mergeRequest(t, 1500)
	head, base := env["CI_COMMIT_SHA"], env["CI_MERGE_REQUEST_DIFF_BASE_SHA"]
	merge := s.git("commit-tree", "topic^{tree}", "-p", "main", "-p", "topic", "-m", "merge")
	s.git("update-ref", "refs/remotes/origin/main", "main")
	for _, tc := range []struct {
		title string
		env   map[string]string
		code  int
		want  string
	}{
		{"Azure", map[string]string{"TF_BUILD": "True", "BUILD_REASON": "PullRequest", "BUILD_SOURCEVERSION": merge, "SYSTEM_PULLREQUEST_SOURCECOMMITID": head,
			"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"}, exitFinding, "unschedulable"},
		{"Bitbucket", map[string]string{"BITBUCKET_BUILD_NUMBER": "1", "BITBUCKET_COMMIT": head, "BITBUCKET_PR_ID": "3", "BITBUCKET_PR_DESTINATION_COMMIT": base[:12]}, exitFinding, "unschedulable"},
		{"Forgejo", map[string]string{"GITHUB_ACTIONS": "true", "FORGEJO_ACTIONS": "true", "GITHUB_SHA": head, "GITHUB_BASE_REF": "main"}, exitFinding, "unschedulable"},
		{"no base", map[string]string{"TF_BUILD": "True", "BUILD_REASON": "PullRequest", "BUILD_SOURCEVERSION": head, "SYSTEM_PULLREQUEST_SOURCECOMMITID": head,
			"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/gone"}, exitAnalysis, "fetchDepth: 0"},
		{"a first commit", map[string]string{"GITLAB_CI": "true", "CI_COMMIT_SHA": head, "CI_COMMIT_BEFORE_SHA": strings.Repeat("0", 40)}, exitFinding, "unschedulable"},
		{"nowhere", nil, exitUsage, "this is not a job of"},
	} {
		code, stdout, stderr := inCI(t, s, tc.env)
		if code != tc.code || !strings.Contains(stdout+stderr, tc.want) {
			t.Errorf("%s: exit code %d\n%s%s", tc.title, code, stdout, stderr)
		}
	}
}

// A fork's job reads what the searches of others gave, and leaves nothing for theirs.
func TestAForksJobKeepsNothing(t *testing.T) {
	s, env := mergeRequest(t, 1500)
	kept := filepath.Join(s.dir, "kept")
	written := func() int {
		files, err := filepath.Glob(filepath.Join(kept, "*", "v1", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	own := env["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"]
	var said [3]string
	for i, project := range []string{"99", own, "99"} {
		env["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"] = project
		code, stdout, stderr := inCI(t, s, env, "--note", "never", "--cache-dir", kept)
		if code != exitFinding {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		if i == 0 && written() > 0 {
			t.Error("a fork's job wrote what others read")
		}
		if i == 1 && written() == 0 {
			t.Error("nothing was kept")
		}
		said[i] = stderr
		if stdout != "" && i == 2 {
			all, found := 0, 0
			if _, err := fmt.Sscanf(stderr[strings.Index(stderr, "kubesettle: ")+len("kubesettle: "):], "%d of %d", &found, &all); err != nil || found != all || all == 0 {
				t.Errorf("%d of %d found, %v: %s", found, all, err, stderr)
			}
		}
	}
	if strings.Contains(said[0], "had been done") {
		t.Errorf("found in an empty folder: %s", said[0])
	}
}
