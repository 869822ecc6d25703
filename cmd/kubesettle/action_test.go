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

func TestActionOnAPullRequest(t *testing.T) {
	s := newStep(t, 1500)
	s.env["INPUT_HTML-FILE"] = "kubesettle.html"
	s.want(exitFinding)
	for name, want := range map[string]string{
		"verdict": "fail", "new-violations": "1", "existing-violations": "0", "waived": "0", "workloads-checked": "1",
		"releases-failed": "0", "sarif-file": "kubesettle.sarif", "report-file": "kubesettle.json",
		"html-file": "kubesettle.html", "comment-url": "",
	} {
		if got, ok := s.outputs()[name]; !ok || got != want {
			t.Errorf("output %s: %q, want %q", name, got, want)
		}
	}
	if len(s.outputs()) != len(actionOutputs) {
		t.Errorf("outputs %v, want %v", s.outputs(), actionOutputs)
	}
	var r struct {
		Base, Head struct{ Commit string }
		Findings   []struct{ Rule string }
	}
	if err := json.Unmarshal([]byte(s.read("workspace/kubesettle.json")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Base.Commit != s.git("rev-parse", "main") || r.Head.Commit != s.git("rev-parse", "HEAD") || r.Findings[0].Rule != "unschedulable" {
		t.Errorf("report: %+v", r)
	}
	for file, want := range map[string]string{
		"summary": "## Kubesettle: fail", "workspace/kubesettle.sarif": `"unschedulable"`,
		"workspace/kubesettle.html": "<!DOCTYPE html>",
	} {
		if !strings.Contains(s.read(file), want) {
			t.Errorf("%s does not have %q", file, want)
		}
	}
	for _, want := range []string{"::group::Kubesettle: fail", "::error file=web.yaml,line=", "::notice::comment skipped: there is no github-token"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log does not have %q:\n%s", want, s.log.String())
		}
	}
}

func TestActionPasses(t *testing.T) {
	s := newStep(t, 200)
	s.want(exitPass)
	if got := s.outputs()["verdict"]; got != "pass" {
		t.Errorf("verdict %q", got)
	}
}

// Whatever the API answers, the verdict and the exit code are the same.
func TestActionVerdictNeverDependsOnTheAPI(t *testing.T) {
	for _, status := range []int{201, 401, 403, 404, 422, 429, 500, 0} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			var posted string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/graphql":
					fmt.Fprint(w, `{"data":{"viewer":{"login":"github-actions[bot]"}}}`)
				case r.Method == http.MethodGet:
					fmt.Fprint(w, "[]")
				case status == 201:
					var in struct{ Body string }
					_ = json.NewDecoder(r.Body).Decode(&in)
					posted = in.Body
					w.WriteHeader(status)
					fmt.Fprint(w, `{"id":1,"html_url":"https://github.example/shop/gitops/pull/42#issuecomment-1"}`)
				default:
					w.Header().Set("Retry-After", "3600") // not to be waited for
					w.WriteHeader(status)
				}
			}))
			defer server.Close()
			s := newStep(t, 1500)
			s.env["INPUT_GITHUB-TOKEN"], s.env["GITHUB_API_URL"], s.env["GITHUB_GRAPHQL_URL"] = "t0ken", server.URL, server.URL+"/graphql"
			if status == 0 {
				server.Close() // no answer at all
				s.env["GITHUB_API_URL"] = "nonsense"
			}
			s.want(exitFinding)
			out := s.outputs()
			if out["verdict"] != "fail" || (out["comment-url"] != "") != (status == 201) {
				t.Errorf("outputs %v", out)
			}
			if status == 201 {
				head := s.git("rev-parse", "topic")
				if want := "<!-- kubesettle instance=default head=" + head + " run=5 attempt=1 -->\n"; !strings.HasPrefix(posted, want) {
					t.Errorf("comment begins with %.120q, want %q", posted, want)
				}
				return
			}
			if !strings.Contains(s.log.String(), "::notice::comment skipped") {
				t.Errorf("nothing was said:\n%s", s.log.String())
			}
			if log := strings.ReplaceAll(s.log.String(), "::add-mask::t0ken", ""); strings.Contains(log, "t0ken") {
				t.Error("the token is in the log")
			}
		})
	}
}

// The comment of a pull request that broke something says so once it is mended, and no
// comment is made where there was nothing to say.
func TestActionResolvesItsComment(t *testing.T) {
	var comment string // that stands on the pull request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := func() map[string]any {
			return map[string]any{"id": 1, "body": comment, "user": map[string]string{"login": "github-actions[bot]"}, "html_url": "https://github.example/1"}
		}
		switch {
		case r.URL.Path == "/graphql":
			fmt.Fprint(w, `{"data":{"viewer":{"login":"github-actions[bot]"}}}`)
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/issues/42/comments"):
			list := []any{}
			if comment != "" {
				list = append(list, one())
			}
			_ = json.NewEncoder(w).Encode(list)
		case r.Method == http.MethodGet:
			_ = json.NewEncoder(w).Encode(one())
		default:
			var in struct{ Body string }
			_ = json.NewDecoder(r.Body).Decode(&in)
			comment = in.Body
			_ = json.NewEncoder(w).Encode(one())
		}
	}))
	defer server.Close()
	for i, tc := range []struct {
		millicores int
		code       int
		want       string // in the comment; "" for no comment
	}{
		{200, exitPass, ""},
		{1500, exitFinding, "## Kubesettle: fail"},
		{200, exitPass, "Kubesettle: resolved in"},
		{1500, exitFinding, "## Kubesettle: fail"},
	} {
		s := newStep(t, tc.millicores)
		s.env["INPUT_GITHUB-TOKEN"], s.env["GITHUB_API_URL"], s.env["GITHUB_GRAPHQL_URL"] = "t0ken", server.URL, server.URL+"/graphql"
		s.env["GITHUB_RUN_ID"] = fmt.Sprint(i + 1)
		s.want(tc.code)
		if tc.want == "" && comment != "" || !strings.Contains(comment, tc.want) {
			t.Errorf("run %d: comment %.200q, want %q", i+1, comment, tc.want)
		}
	}
}

// A fork's pull request has a read-only token: one notice, no request, the same verdict.
func TestActionOnAFork(t *testing.T) {
	s := newStep(t, 1500)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("request %s %s", r.Method, r.URL)
	}))
	defer server.Close()
	s.env["INPUT_GITHUB-TOKEN"], s.env["GITHUB_API_URL"], s.env["GITHUB_GRAPHQL_URL"] = "t0ken", server.URL, server.URL+"/graphql"
	s.event("pull_request", s.pull("stranger/gitops"))
	s.want(exitFinding)
	if n := strings.Count(s.log.String(), "::notice::comment skipped"); n != 1 {
		t.Errorf("%d notices", n)
	}
	s.event("pull_request_target", s.pull("stranger/gitops"))
	s.want(exitUsage)
	if !strings.Contains(s.log.String(), "unsafe event") || s.outputs()["verdict"] != "error" {
		t.Errorf("not refused:\n%s", s.log.String())
	}
	s.env["INPUT_ALLOW-UNTRUSTED-PRIVILEGED"] = "true"
	s.want(exitFinding)
}

// What a fork's head asks for is not fetched, although the input allows it; the same of
// this repository's own head is.
func TestActionFetchesNothingForAFork(t *testing.T) {
	asked := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	s := newStep(t, 200)
	host := strings.TrimPrefix(server.URL, "https://")
	s.git("checkout", "--quiet", "topic")
	s.write("workspace/chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\ndependencies:\n- {name: dep, version: 1.0.0, repository: \"https://"+host+"\"}\n")
	s.git("add", "--all")
	s.git("commit", "--quiet", "-m", "chart")
	s.git("checkout", "--quiet", "--detach", "main")
	s.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")
	s.env["INPUT_OFFLINE"], s.env["INPUT_ALLOW-HOSTS"] = "false", strings.Split(host, ":")[0]
	s.event("pull_request", s.pull("stranger/gitops"))
	s.want(exitPass) // it is named, and takes nothing away that was looked at
	if asked > 0 || !strings.Contains(s.log.String(), "helm dependency") {
		t.Errorf("asked %d times:\n%s", asked, s.log.String())
	}
	forks := s.log.String()
	s.event("pull_request", s.pull("shop/gitops"))
	s.want(exitPass)
	if !strings.Contains(s.log.String(), host) || s.log.String() == forks {
		t.Errorf("the repository's own head was not fetched for:\n%s", s.log.String())
	}
}

func TestActionOnOtherEvents(t *testing.T) {
	s := newStep(t, 1500)
	main, head := s.git("rev-parse", "main"), s.git("rev-parse", "HEAD")
	s.event("merge_group", map[string]any{"merge_group": map[string]string{"base_sha": main, "head_sha": head, "base_ref": "refs/heads/main"}})
	s.want(exitFinding)
	s.event("push", map[string]string{"before": main, "after": head, "ref": "refs/heads/main"})
	s.want(exitFinding)
	s.event("push", map[string]any{"before": main, "after": strings.Repeat("0", 40), "deleted": true})
	s.want(exitPass)
	// No base: the state is verified, and what is there is all there is.
	s.event("schedule", map[string]string{"schedule": "17 3 * * *"})
	s.want(exitFinding)
	s.event("workflow_dispatch", map[string]string{})
	s.env["INPUT_BASE"] = "main"
	s.want(exitFinding)
	if !strings.Contains(s.read("workspace/kubesettle.json"), main) {
		t.Error("the input base was not compared with")
	}
	s.env["INPUT_BASE"] = "nosuch"
	s.want(exitAnalysis)
}

// A re-run sees a merge ref that has moved on.
func TestActionRefusesAStaleMerge(t *testing.T) {
	s := newStep(t, 1500)
	s.git("checkout", "--quiet", "topic")
	s.git("commit", "--quiet", "--allow-empty", "-m", "newer")
	s.event("pull_request", s.pull("shop/gitops"))
	s.git("checkout", "--quiet", "--detach", "HEAD~1")
	s.git("checkout", "--quiet", "--detach", "main")
	s.git("merge", "--quiet", "--no-ff", "-m", "merge", "topic~1")
	s.want(exitAnalysis)
	if !strings.Contains(s.log.String(), "stale merge ref") || !strings.Contains(s.read("summary"), "stale merge ref") {
		t.Errorf("not said:\n%s", s.log.String())
	}
}

// A clone of depth 1 has the merge commit only. Base is fetched where that is possible;
// else the message says what to add.
func TestActionOnAShallowClone(t *testing.T) {
	s := newStep(t, 1500)
	shallow(s)
	s.want(exitAnalysis)
	if !strings.Contains(s.log.String(), "fetch-depth: 2") {
		t.Errorf("no remedy:\n%s", s.log.String())
	}
	s.env["INPUT_GITHUB-TOKEN"], s.env["INPUT_COMMENT"] = "t0ken", "never"
	s.env["GITHUB_SERVER_URL"] = "file://" + s.dir
	s.want(exitFinding)
	if !strings.Contains(s.log.String(), "was fetched") {
		t.Errorf("not said:\n%s", s.log.String())
	}
}

// The pull request may put a link where a report goes: it is replaced, not followed.
func TestActionWritesInsideTheWorkspaceOnly(t *testing.T) {
	s := newStep(t, 1500)
	s.write("precious", "keep me")
	if err := os.Symlink(filepath.Join(s.dir, "precious"), filepath.Join(s.dir, "workspace", "kubesettle.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.dir, filepath.Join(s.dir, "workspace", "out")); err != nil {
		t.Fatal(err)
	}
	s.env["INPUT_SARIF-FILE"] = "out/escaped.sarif"
	s.want(exitFinding)
	if got := s.read("precious"); got != "keep me" {
		t.Errorf("overwritten: %.80q", got)
	}
	if !strings.Contains(s.read("workspace/kubesettle.json"), `"verdict": "fail"`) {
		t.Error("the report is not in the link's place")
	}
	if _, err := os.Stat(filepath.Join(s.dir, "escaped.sarif")); err == nil {
		t.Error("a report was written outside of the workspace")
	}
	s.env["INPUT_SARIF-FILE"], s.env["INPUT_REPORT-FILE"] = "../escaped.sarif", "none"
	s.want(exitFinding)
	if _, err := os.Stat(filepath.Join(s.dir, "escaped.sarif")); err == nil {
		t.Error("a report was written outside of the workspace")
	}
}

func TestActionRefusesWrongInputs(t *testing.T) {
	for name, value := range map[string]string{
		"INPUT_COMMENT": "sometimes", "INPUT_TIME-BUDGET": "soon", "INPUT_SUMMARY": "perhaps", "INPUT_FAIL-ON": "fatal",
		"INPUT_ON-INCONCLUSIVE": "shrug", "INPUT_RULES": "nosuch", "INPUT_PATHS": "../elsewhere", "GITHUB_EVENT_NAME": "",
	} {
		s := newStep(t, 200)
		s.env[name] = value
		if got := s.run(); got != exitUsage || s.outputs()["verdict"] != "error" || !strings.Contains(s.log.String(), "::error::") {
			t.Errorf("%s=%s: exit code %d\n%s", name, value, got, s.log.String())
		}
	}
}

// Outside of a workflow nothing panics: no output file, no summary, no event.
func TestActionOutsideOfAWorkflow(t *testing.T) {
	s := newStep(t, 200)
	s.env = map[string]string{}
	s.want(exitUsage)
	if !strings.Contains(s.log.String(), "kubesettle check") {
		t.Errorf("no remedy:\n%s", s.log.String())
	}
}
