package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/report/github"
)

const actionPolicy = `cluster:
  nodePools:
  - {name: n, count: {min: 1, max: 1}, zones: [a], allocatable: {cpu: "1", memory: 16Gi, pods: "110"}}
`

// webManifest asks for millicores; the one node has 1000.
func webManifest(millicores int) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, resources: {requests: {cpu: %dm}}}]}
`, millicores)
}

// step is one step of a workflow: a checkout and the runner's environment.
type step struct {
	t   *testing.T
	dir string // of everything
	env map[string]string
	log bytes.Buffer
	// remote is what the comment may take; 0: what it may in earnest.
	remote time.Duration
}

// newStep checks out the merge of a pull request whose head asks for millicores.
func newStep(t *testing.T, millicores int) *step {
	t.Helper()
	s := &step{t: t, dir: t.TempDir()}
	for branch, cpu := range map[string]int{"main": 100, "topic": millicores} {
		s.write(branch+"/.kubesettle.yaml", actionPolicy)
		s.write(branch+"/web.yaml", webManifest(cpu))
	}
	repo := filepath.Join(s.dir, "workspace")
	if err := makeRepo(repo, filepath.Join(s.dir, "main"), filepath.Join(s.dir, "topic")); err != nil {
		t.Fatal(err)
	}
	s.git("checkout", "--quiet", "--detach", "main")
	s.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")
	s.env = map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": repo, "GITHUB_REPOSITORY": "shop/gitops",
		"GITHUB_OUTPUT": filepath.Join(s.dir, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(s.dir, "summary"),
		"GITHUB_RUN_ID": "5", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SERVER_URL": "https://github.example",
		"RUNNER_TEMP": s.dir,
	}
	s.event("pull_request", s.pull("shop/gitops"))
	return s
}

func (s *step) write(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *step) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// git runs in the workspace and gives what it says.
func (s *step) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join(s.dir, "workspace")
	cmd.Env = append(os.Environ(), gitEnv(9)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// pull is the payload of the pull request from a repository.
func (s *step) pull(from string) map[string]any {
	return map[string]any{"pull_request": map[string]any{
		"number": 42,
		"head":   map[string]any{"sha": s.git("rev-parse", "topic"), "ref": "topic", "repo": map[string]string{"full_name": from}},
		// What a payload says of base is stale on a re-run: it must not be looked at.
		"base": map[string]any{"sha": strings.Repeat("d", 40), "ref": "main", "repo": map[string]string{"full_name": "shop/gitops"}},
	}}
}

func (s *step) event(name string, payload any) {
	s.t.Helper()
	b, err := json.Marshal(payload)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("event.json", string(b))
	s.env["GITHUB_EVENT_NAME"], s.env["GITHUB_EVENT_PATH"] = name, filepath.Join(s.dir, "event.json")
}

// run is the action, and its exit code.
func (s *step) run() int {
	s.log.Reset()
	p := &process{
		stdin: strings.NewReader(""), stdout: &s.log, stderr: &s.log,
		getenv: func(k string) string { return s.env[k] }, today: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC),
		remote: s.remote,
	}
	return execute(context.Background(), p, []string{"action"})
}

var outputLine = regexp.MustCompile(`(?m)^([a-z-]+)<<(kubesettle_[0-9a-f]{32})\n(.*)\n(kubesettle_[0-9a-f]{32})$`)

// outputs are the outputs that the step has set.
func (s *step) outputs() map[string]string {
	out := map[string]string{}
	for _, m := range outputLine.FindAllStringSubmatch(s.read("output"), -1) {
		if m[2] != m[4] {
			s.t.Errorf("output %s: delimiters differ", m[1])
		}
		out[m[1]] = m[3]
	}
	return out
}

func (s *step) want(code int) {
	s.t.Helper()
	if got := s.run(); got != code {
		s.t.Fatalf("exit code %d, want %d\n%s", got, code, s.log.String())
	}
}

// shallow makes the workspace a clone of depth 1.
func shallow(s *step) {
	s.t.Helper()
	s.git("update-ref", "refs/pull/42/merge", "HEAD")
	s.git("config", "uploadpack.allowReachableSHA1InWant", "true")
	origin := filepath.Join(s.dir, "workspace")
	bare := filepath.Join(s.dir, "shop", "gitops")
	if err := os.MkdirAll(filepath.Dir(bare), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(origin, bare); err != nil {
		s.t.Fatal(err)
	}
	if err := git(s.dir, 0, "init", "--quiet", origin); err != nil {
		s.t.Fatal(err)
	}
	s.git("fetch", "--quiet", "--depth", "1", "file://"+bare, "refs/pull/42/merge")
	s.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
}

func workflowOf(s *step, getenv func(string) string) *github.Workflow {
	return github.NewWorkflow(&s.log, getenv)
}
