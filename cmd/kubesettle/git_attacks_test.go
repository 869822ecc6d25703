package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What git makes of a tree when it writes it to disk, or has beside it, hides no workload that is broken: the check reads
// the objects of the commits.
func TestNothingOfGitHidesAWorkload(t *testing.T) {
	for name, attack := range map[string]func(git func(stdin string, args ...string) string, put func(name, text string)){
		"a filter of attributes": func(git func(string, ...string) string, put func(string, string)) {
			git("", "config", "filter.x.smudge", "sed s/1500m/100m/")
			git("", "config", "filter.x.clean", "cat")
			put(".gitattributes", "k/* filter=x\n")
		},
		"ends of lines": func(_ func(string, ...string) string, put func(string, string)) {
			put(".gitattributes", "k/* text eol=crlf ident\n")
		},
		"an encoding of the work tree": func(_ func(string, ...string) string, put func(string, string)) {
			put(".gitattributes", "other/* working-tree-encoding=UTF-16\n")
		},
		"an export that leaves it out": func(_ func(string, ...string) string, put func(string, string)) {
			put(".gitattributes", "k export-ignore\nk/** export-ignore linguist-generated binary -diff\n")
		},
		"a list of ignored files": func(_ func(string, ...string) string, put func(string, string)) {
			put(".gitignore", "nothing\n")
			put("k/.gitignore", "other\n")
		},
		"a submodule of its name": func(_ func(string, ...string) string, put func(string, string)) {
			put(".gitmodules", "[submodule \"k\"]\n\tpath = k\n\turl = https://127.0.0.1:9/k.git\n\tupdate = none\n")
		},
		"a twin in capitals": func(_ func(string, ...string) string, put func(string, string)) {
			put("K/WEB.yaml", thirdConfig)
		},
		"a name of other bytes": func(_ func(string, ...string) string, put func(string, string)) {
			put("k/\xff\xfe.yaml", thirdConfig)
		},
		"a name with a line's end": func(_ func(string, ...string) string, put func(string, string)) {
			put("k/a\nb.yaml", thirdConfig)
		},
	} {
		t.Run(name, func(t *testing.T) { gitAttack(t, attack, nil, "web.yaml") })
	}
	t.Run("a replaced object", func(t *testing.T) {
		gitAttack(t, nil, func(git func(string, ...string) string) {
			git("", "replace", git("", "rev-parse", "HEAD:k/web.yaml"), git("", "rev-parse", "HEAD~:k/web.yaml"))
		}, "web.yaml")
	})
	t.Run("a replaced commit", func(t *testing.T) {
		gitAttack(t, nil, func(git func(string, ...string) string) {
			git("", "replace", git("", "rev-parse", "HEAD"), git("", "rev-parse", "HEAD~"))
		}, "web.yaml")
	})
	t.Run("a graft", func(t *testing.T) {
		gitAttack(t, nil, func(git func(string, ...string) string) {
			file := filepath.Join(git("", "rev-parse", "--absolute-git-dir"), "info", "grafts")
			if err := os.WriteFile(file, []byte(git("", "rev-parse", "HEAD")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "web.yaml")
	})
	t.Run("a file that may run", func(t *testing.T) {
		gitAttack(t, func(git func(string, ...string) string, _ func(string, string)) {
			git("", "add", "-A")
			git("", "update-index", "--chmod=+x", "k/web.yaml")
		}, nil, "web.yaml")
	})
}

// gitAttack checks a commit that breaks web, with what an attack puts beside it and does to the repository after it.
func gitAttack(t *testing.T, before func(func(string, ...string) string, func(string, string)), after func(func(string, ...string) string), file string) {
	t.Helper()
	dir := t.TempDir()
	git := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"}, args...)...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	put := func(name, text string) {
		t.Helper()
		treeFiles{name: text}.put(t, dir)
	}
	git("", "init", "-q")
	put(".kubesettle.yaml", actionPolicy)
	put("k/"+file, webManifest(100))
	git("", "add", "-A")
	git("", "commit", "-qm", "base")
	put("k/"+file, webManifest(1500))
	if before != nil {
		before(git, put)
	}
	git("", "add", "-A")
	git("", "commit", "-qm", "head")
	base, head := git("", "rev-parse", "HEAD~"), git("", "rev-parse", "HEAD")
	if after != nil {
		after(git)
	}
	var out bytes.Buffer
	p := &process{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: func(string) string { return "" }}
	code := execute(context.Background(), p, []string{"check", "--repo", dir, "--base", base, "--head", head, "--offline"})
	if code != exitFinding && code != exitAnalysis || code == exitFinding && !strings.Contains(out.String(), "default/web") {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
}
