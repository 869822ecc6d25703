package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// edge is a change in two folders, and what a check of it says.
type edge struct {
	t   *testing.T
	dir string
}

func newEdge(t *testing.T) *edge { return &edge{t, t.TempDir()} }

func (e *edge) put(name, text string) {
	e.t.Helper()
	file := filepath.Join(e.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
}

func (e *edge) both(name, text string) {
	e.t.Helper()
	e.put("base/"+name, text)
	e.put("head/"+name, text)
}

// kubesettle runs a command of it, such as check, over base and head.
func (e *edge) kubesettle(command string, args ...string) (code int, said string) {
	e.t.Helper()
	cmd := exec.Command("kubesettle", append([]string{command, "--base-dir", "base", "--head-dir", "head"}, args...)...)
	cmd.Dir = e.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if cmd.ProcessState == nil {
		e.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

func (e *edge) want(title string, code, wantCode int, said string, wants ...string) {
	e.t.Helper()
	if code != wantCode {
		e.t.Errorf("%s: exit code %d, want %d:\n%.2000s", title, code, wantCode, said)
	}
	for _, w := range wants {
		not := strings.HasPrefix(w, "!")
		if strings.Contains(said, strings.TrimPrefix(w, "!")) == not {
			e.t.Errorf("%s: %q in:\n%.2000s", title, w, said)
		}
	}
}

const webService = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: default\nspec: {selector: {app: web}, ports: [{port: 80}]}\n"

// Rule 9: a deletion is a change. What acted on the removed workload is named with its line,
// and nothing is placed on a line that is not there.
func TestEdge9DeletionIsAChange(t *testing.T) {
	e := newEdge(t)
	e.put("base/web.yaml", webManifest(100))
	e.both("svc.yaml", webService)
	code, said := e.kubesettle("check", "--verbose")
	e.want("removed", code, exitPass, said, "Service default/web (svc.yaml:4) no longer acts on anything", "apps/Deployment default/web")
	_, sarif := e.kubesettle("check", "--output", "sarif")
	e.want("SARIF", 0, 0, sarif, `!"uri": "web.yaml"`)
}

// Rule 10: what did not render on one side is no mass addition or deletion.
func TestEdge10OneSideThatDoesNotRender(t *testing.T) {
	chart := "apiVersion: v2\nname: c\nversion: 1.0.0\n"
	e := newEdge(t)
	e.both(".kubesettle.yaml", actionPolicy)
	e.both("c/Chart.yaml", chart)
	e.put("base/c/templates/web.yaml", webManifest(100))
	e.put("head/c/templates/web.yaml", webManifest(100)+"{{ fail \"no\" }}\n")
	code, said := e.kubesettle("check")
	e.want("head fails", code, exitAnalysis, said, "c/templates/web.yaml:10", "!removed")
	_, said = e.kubesettle("diff")
	e.want("head fails: diff", 0, 0, said, "!- apps/Deployment", "!removed")

	e.put("base/c/templates/web.yaml", webManifest(100)+"{{ fail \"no\" }}\n")
	e.put("head/c/templates/web.yaml", webManifest(1500))
	code, said = e.kubesettle("check", "--verbose")
	e.want("base fails", code, exitFinding, said, "unschedulable", "base")

	e.put("head/c/templates/web.yaml", webManifest(1500)+"{{ fail \"no\" }}\n")
	code, said = e.kubesettle("check")
	e.want("both fail", code, exitPass, said, "not analysed", "!PASS")
}

// Rule 16: no secret is printed, and that it changed is.
func TestEdge16SecretsAreNotPrinted(t *testing.T) {
	const old, now = "kanarienvogel-1a2b3c", "kanarienvogel-9f8e7d"
	e := newEdge(t)
	for side, value := range map[string]string{"base": old, "head": now} {
		e.put(side+"/s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: default}\nstringData: {key: "+value+"}\n")
		e.put(side+"/web.yaml", strings.Replace(webManifest(100), "image: web,", "image: web, args: [\"--key="+value+"\"], env: [{name: K, value: "+value+"}],", 1))
	}
	for _, c := range [][]string{{"diff"}, {"diff", "--output", "json"}, {"diff", "--output", "markdown"}, {"check", "--verbose"}, {"check", "--output", "json"},
		{"check", "--output", "sarif"}, {"check", "--output", "markdown"}, {"check", "--output", "html"}, {"check", "--output", "summary"}, {"check", "--output", "comment"}} {
		_, said := e.kubesettle(c[0], c[1:]...)
		e.want(strings.Join(c, " "), 0, 0, said, "!"+old, "!"+now, "!kanarienvogel")
		if c[0] == "diff" {
			e.want(strings.Join(c, " "), 0, 0, said, "stringData[key]", "s.yaml")
		}
	}
	code, said := e.kubesettle("check", "--show-secrets")
	e.want("there is no such flag", code, exitUsage, said, "unknown flag")
}

// Rule 18: running out of time is no pass, a violation within the budget stands, and the same
// input gives the same bytes.
func TestEdge18BudgetsAreNoPass(t *testing.T) {
	e := newEdge(t)
	e.both(".kubesettle.yaml", actionPolicy)
	e.put("base/web.yaml", webManifest(100))
	e.put("head/web.yaml", strings.Replace(webManifest(100), "image: web,", "image: other,", 1))
	code, said := e.kubesettle("check", "--time-budget", "1ns")
	e.want("no time", code, exitPass, said, "INCONCLUSIVE", "!PASS")
	code, said = e.kubesettle("check", "--time-budget", "1ns", "--on-inconclusive", "fail")
	e.want("no time, which is to fail", code, exitInconclusive, said, "INCONCLUSIVE")
	e.put("head/web.yaml", webManifest(1500))
	code, said = e.kubesettle("check", "--time-budget", "1ns")
	e.want("no time, and arithmetic", code, exitFinding, said, "unschedulable")
	elapsed := regexp.MustCompile(`"elapsedMs": \d+|in \d[\d.]*\s?m?s|\d[\d.]* m?s\b`)
	for _, format := range []string{"json", "sarif", "markdown", "html", "summary", "text"} {
		_, one := e.kubesettle("check", "--output", format, "--workers", "1")
		_, two := e.kubesettle("check", "--output", format, "--workers", "4")
		if elapsed.ReplaceAllString(one, "") != elapsed.ReplaceAllString(two, "") {
			t.Errorf("%s: not the same bytes:\n%.1000s\n\n%.1000s", format, one, two)
		}
	}
}

// Rule 20: the policy is base's and head's is said to change; what changes beside every
// workload passes; the same finding in several releases is one.
func TestEdge20OneCheckForTheRepository(t *testing.T) {
	e := newEdge(t)
	e.put("base/.kubesettle.yaml", actionPolicy)
	e.put("head/.kubesettle.yaml", actionPolicy+"intents: {unschedulable: {severity: \"off\"}}\n")
	e.put("base/web.yaml", webManifest(100))
	e.put("head/web.yaml", webManifest(1500))
	code, said := e.kubesettle("check", "--verbose")
	e.want("the policy", code, exitFinding, said, "unschedulable", ".kubesettle.yaml")

	e = newEdge(t)
	e.both("web.yaml", webManifest(100))
	e.put("head/README.md", "x")
	code, said = e.kubesettle("check")
	e.want("beside", code, exitPass, said, "PASS", "no workload changed")

	e = newEdge(t)
	e.both(".kubesettle.yaml", actionPolicy)
	for _, env := range []string{"dev", "stage", "prod"} {
		e.both(env+"/kustomization.yaml", "resources: [../app]\n")
	}
	e.both("app/kustomization.yaml", "resources: [web.yaml]\n")
	e.put("base/app/web.yaml", webManifest(100))
	e.put("head/app/web.yaml", webManifest(1500))
	code, said = e.kubesettle("check", "--output", "json")
	e.want("three releases", code, exitFinding, said, `"alsoIn"`)
	if n := strings.Count(said, `"rule": "unschedulable"`); n != 1 {
		t.Errorf("%d findings, want one for three releases:\n%.3000s", n, said)
	}
}
