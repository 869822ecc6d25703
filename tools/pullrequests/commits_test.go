package pullrequests

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// history makes a bare repository of commits, each of them files by name; nil removes one.
func history(t *testing.T, commits ...map[string]string) clone {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "--quiet", "--initial-branch=main")
	for i, files := range commits {
		for name, text := range files {
			p := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "--all")
		git("commit", "--quiet", "--message", "commit "+string(rune('0'+i)))
	}
	r, err := corpus.Open(filepath.Dir(dir), filepath.Base(dir), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return clone{r}
}

const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n"

// A commit counts where it touches a chart, a kustomization or a manifest; the first
// commit has nothing before it, prose and other YAML are none of them.
func TestChangesAreThoseThatTouchManifests(t *testing.T) {
	c := history(t,
		map[string]string{"web/Chart.yaml": "name: web\nversion: 1.0.0\n", "web/values.yaml": "a: 1\n", "base/kustomization.yaml": "resources: [web.yaml]\n", "base/web.yaml": deployment},
		map[string]string{"web/README.md": "a chart"},                                     // 1
		map[string]string{"web/values.yaml": "a: 2\n"},                                    // 2
		map[string]string{".github/workflows/ci.yaml": "on: push\n", "docs.yaml": "a: 1"}, // 3
		map[string]string{"base/web.yaml": deployment + "# more\n"},                       // 4
		map[string]string{"plain/web.yaml": deployment},                                   // 5
	)
	changes, err := c.changes(10, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ch := range changes {
		got = append(got, ch.Subject+": "+strings.Join(ch.Files, " "))
	}
	if none, err := c.changes(10, "2001-01-01"); err != nil || len(none) != 0 {
		t.Errorf("before the first commit: %v, %v", none, err)
	}
	want := []string{"commit 5: plain/web.yaml", "commit 4: base/web.yaml", "commit 2: web/values.yaml"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The roots of a changed file are the outermost: what a person would render.
func TestRootsAreThoseThatNoOtherIncludes(t *testing.T) {
	c := history(t,
		map[string]string{
			"web/Chart.yaml": "name: web\nversion: 1.0.0\n", "web/values.yaml": "a: 1\n", "web/values-prod.yaml": "a: 2\n", "web/values-test.yaml": "a: 2\n",
			"web/charts/db/Chart.yaml": "name: db\nversion: 1.0.0\n", "web/charts/db/templates/db.yaml": "",
			"lib/Chart.yaml": "name: lib\nversion: 1.0.0\ntype: library\n", "lib/templates/_a.tpl": "",
			"api/Chart.yaml": "name: api\nversion: 1.0.0\ndependencies: [{name: lib, version: 1.0.0, repository: 'file://../lib'}]\n", "api/ci/small-values.yaml": "a: 1\n",
			"base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator: [{name: a, files: [a=settings.txt]}]\n", "base/web.yaml": deployment, "base/settings.txt": "a",
			"prod/kustomization.yaml": "resources: [../base]\ncomponents: [../part]\n", "part/kustomization.yaml": "kind: Component\n", "plain.yaml": deployment,
		})
	for _, test := range []struct{ file, want string }{
		{"web/charts/db/templates/db.yaml", "helm web with web/values-prod.yaml, helm web with web/values-test.yaml"},
		{"web/values-prod.yaml", "helm web with web/values-prod.yaml"},
		{"lib/templates/_a.tpl", "helm api with api/ci/small-values.yaml"},
		{"base/settings.txt", "kustomize prod"},
		{"part/kustomization.yaml", "kustomize prod"},
		{"plain.yaml", "manifest plain.yaml"},
		{"web/README.md", ""},
	} {
		s, err := newCommands(options{helm: "helm"}, c, t.TempDir()).side("head", "HEAD", []string{test.file})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range s.roots {
			got = append(got, r.String())
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s: roots %q, want %q", test.file, got, test.want)
		}
	}
}

// Reasons that differ in names and numbers only are one group; others are not.
func TestAlikeReasonsAreOneGroup(t *testing.T) {
	a := alike("dependency redis@1.2.0 is not vendored")
	if b := alike("dependency argo-cd@10.2.2 is not vendored"); a != b {
		t.Errorf("%q and %q are two groups", a, b)
	}
	if b := alike("charts/a/templates/b.yaml:2: execution error"); a == b {
		t.Errorf("%q holds two reasons", a)
	}
}

// What two sides print is compared by the spec of their workloads: an added one and a
// changed one are seen, a label of the release is not.
func TestWorkloadsDifferBySpec(t *testing.T) {
	read := func(text string) map[string]any {
		t.Helper()
		w, err := workloads([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	base := read(deployment)
	if got := differing(base, read(strings.Replace(deployment, "name: web", "name: web, labels: {a: b}", 1))); len(got) != 0 {
		t.Errorf("a label changes %q", got)
	}
	for hook, want := range map[string]int{"test": 0, "pre-delete": 0, "pre-install,pre-upgrade": 1} {
		if got := read(strings.Replace(deployment, "name: web", "name: web, annotations: {helm.sh/hook: '"+hook+"'}", 1)); len(got) != want {
			t.Errorf("hook %s: %d workloads, want %d", hook, len(got), want)
		}
	}
	if got := differing(base, read(strings.Replace(deployment, "replicas: 1", "replicas: 2", 1))); !slices.Equal(got, []string{"Deployment default/web"}) {
		t.Errorf("replicas change %q", got)
	}
	if got := differing(base, read(deployment+"---\n"+strings.Replace(deployment, "name: web", "name: db", 1))); !slices.Equal(got, []string{"Deployment default/db"}) {
		t.Errorf("a new workload is %q", got)
	}
}
