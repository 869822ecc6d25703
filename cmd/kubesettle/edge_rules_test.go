package main

import (
	"bytes"
	"fmt"
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
	e.want("base fails", code, exitFinding, said, "unschedulable", "failed to render on base; its findings have no baseline")
	_, said = e.kubesettle("check")
	e.want("base fails: the finding", 0, 0, said, "without a baseline")
	_, said = e.kubesettle("check", "--output", "json")
	e.want("base fails: JSON", 0, 0, said, `"status": "failed-base"`, `"noBaseline": true`)

	e.put("head/c/templates/web.yaml", webManifest(1500)+"{{ fail \"no\" }}\n")
	code, said = e.kubesettle("check")
	e.want("both fail", code, exitPass, said, "not analysed", "!PASS")

	// What declares a release that renders on neither side is a part of it.
	app := "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: c, namespace: argocd}\nspec:\n  project: default\n" +
		"  destination: {server: https://one, namespace: default}\n  source: {repoURL: r, targetRevision: HEAD, path: c"
	e.put("base/c/templates/web.yaml", webManifest(100)+"{{ fail \"no\" }}\n")
	e.put("head/c/templates/web.yaml", webManifest(100)+"{{ fail \"no\" }}\n")
	e.put("base/apps/c.yaml", app+"}\n")
	e.put("head/apps/c.yaml", app+", helm: {parameters: [{name: a, value: b}]}}\n")
	code, said = e.kubesettle("check")
	e.want("both fail, and the Application changes", code, exitPass, said, "not analysed", "!PASS", "!no workload changed")
}

// Rule 15: nothing outside of the tree is read, and what cannot be read is named: where a link leads out of the
// repository, where a submodule or a pointer of Git LFS stands for a file, where values leave it, and past each limit.
func TestEdge15NothingOutsideIsRead(t *testing.T) {
	chart := "apiVersion: v2\nname: c\nversion: 1.0.0\n"
	app := "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: k, namespace: argocd}\nspec:\n  project: default\n" +
		"  destination: {server: https://one, namespace: default}\n  source: {repoURL: r, targetRevision: HEAD, path: c, helm: {valueFiles: ['%s']}}\n"
	const limits, leaves = "limit", "leaves the repository"
	for title, tc := range map[string]struct {
		file, text string
		link       string // the file is a link to this
		wants      []string
	}{
		"an absolute link":       {file: "k/web.yaml", link: "/etc/hostname", wants: []string{"k/web.yaml -> /etc/hostname " + leaves}},
		"a link above":           {file: "k/web.yaml", link: "../../out.yaml", wants: []string{"k/web.yaml -> ../../out.yaml " + leaves}},
		"a link for a folder":    {file: "k", link: "../out", wants: []string{"folder k: a link that leads to no folder of this repository"}},
		"a pointer":              {file: "k/web.yaml", text: "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 9\n", wants: []string{"Git LFS"}},
		"an encrypted file":      {file: "k/web.yaml", text: "\x00GITCRYPT\x00\x01\x02", wants: []string{"k/web.yaml: git-crypt encrypts it"}},
		"values above":           {file: "apps/k.yaml", text: fmt.Sprintf(app, "../../v.yaml"), wants: []string{leaves}},
		"values of a file above": {file: "c/templates/a.yaml", text: "{{ .Files.Get \"../../out.yaml\" | required \"nothing is there\" }}", wants: []string{"nothing is there"}},
		"a base above":           {file: "k/kustomization.yaml", text: "resources: [../../out]\n", wants: []string{"k/kustomization.yaml"}},
		"a large file":           {file: "k/web.yaml", text: webManifest(100) + strings.Repeat("# 234567\n", 6<<20/9), wants: []string{limits, "5 MiB"}},
		"a deep file":            {file: "k/web.yaml", text: webManifest(100) + "x: " + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "\n", wants: []string{"k/web.yaml"}},
		"a bomb":                 {file: "k/web.yaml", text: aliasBomb() + "---\n" + webManifest(100), wants: []string{"k/web.yaml"}},
		"many documents":         {file: "k/web.yaml", text: webManifest(100) + strings.Repeat("---\na: b\n", 11000), wants: []string{"k/web.yaml"}},
	} {
		t.Run(title, func(t *testing.T) {
			e := newEdge(t)
			e.put("out.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: outside-canary}\n")
			e.put("out/kustomization.yaml", "resources: [../out.yaml]\n")
			e.both("c/Chart.yaml", chart)
			e.put("base/k/web.yaml", webManifest(100))
			if tc.link == "" {
				e.put("head/"+tc.file, tc.text)
			} else if err := os.MkdirAll(filepath.Dir(filepath.Join(e.dir, "head", tc.file)), 0o755); err != nil {
				t.Fatal(err)
			} else if err := os.Symlink(tc.link, filepath.Join(e.dir, "head", tc.file)); err != nil {
				t.Fatal(err)
			}
			code, said := e.kubesettle("check", "--offline")
			e.want(title, code, exitAnalysis, said, append(tc.wants, "!outside-canary", "!Ansible")...)
		})
	}
}

// aliasBomb is a document that grows ninefold with each line.
func aliasBomb() string {
	out := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		out += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	return out
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

	// Several clusters: one run, and each finding says on which it stands, those of one after the other.
	e = newEdge(t)
	e.both(".kubesettle.yaml", actionPolicy)
	for i, cluster := range []string{"west", "east", "west", "east"} {
		name := string(rune('a' + i))
		e.put("base/"+name+"/web.yaml", strings.ReplaceAll(webManifest(100), "web", "web-"+name))
		e.put("head/"+name+"/web.yaml", strings.ReplaceAll(webManifest(1500), "web", "web-"+name))
		e.both("apps/"+name+".yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: "+name+", namespace: argocd}\nspec:\n"+
			"  project: default\n  destination: {name: "+cluster+", namespace: default}\n  source: {repoURL: r, targetRevision: HEAD, path: "+name+"}\n")
	}
	code, said = e.kubesettle("check")
	e.want("clusters", code, exitFinding, said, "on cluster east", "on cluster west")
	if east, west := strings.LastIndex(said, "on cluster east"), strings.Index(said, "on cluster west"); east > west {
		t.Errorf("the findings are not grouped by cluster:\n%.3000s", said)
	}
}
