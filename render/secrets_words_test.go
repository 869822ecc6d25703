package render

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
)

// advice is what the program's messages say to type: the texts between backticks, and commands between quotes.
func advice(t *testing.T) map[string]bool {
	t.Helper()
	quoted := regexp.MustCompile("`[^`]+`|'(?:git|helm|kubectl|kubesettle|kustomize|docker|argocd|flux) [^']+'")
	out := map[string]bool{}
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (name != "." && strings.HasPrefix(name, ".") || d.Name() == "testdata" || name == "verify/conformance" || name == "cmd/release" || name == "tools") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", filepath.FromSlash(name)), nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil && strings.Contains(text, " ") {
					for _, command := range quoted.FindAllString(text, -1) {
						out[command] = true
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What a message says to type is never masked: a Secret for Argo CD has "type: helm" in it, and is no reason to advise
// to run "<redacted> dependency build". Nor is an option taken for a value of the input.
func TestCommandsAreNotMasked(t *testing.T) {
	k := &redact.Known{}
	word := regexp.MustCompile("[A-Za-z]{4,}")
	all, seen := advice(t), map[string]bool{}
	for command := range all {
		for _, w := range word.FindAllString(command, -1) {
			seen[w] = true
			k.Add(w)
		}
	}
	k.Add("correct-horse-battery")
	k.Seal()
	for w := range seen {
		if got := k.Scrub("run " + w + " now"); got != "run "+w+" now" {
			t.Errorf("%q is masked: it belongs to render/redact/words.txt", w)
		}
	}
	if len(seen) < 100 || !strings.Contains(k.Scrub("a correct-horse-battery b"), redact.Mask) {
		t.Errorf("%d words were tried, and a secret is masked: %v", len(seen), k.Scrub("correct-horse-battery"))
	}
	for _, more := range []string{"git fetch --depth=1 origin", "git fetch --unshallow origin", "git fetch --refetch origin", "git fetch --filter=blob:none origin"} {
		all["`"+more+"`"] = true
	}
	m := message{known: k, recipe: &release.Recipe{}}
	for command := range all {
		if got := m.clean("run " + command + " now"); got != "run "+command+" now" {
			t.Errorf("%s becomes %s", command, got)
		}
	}
	for _, option := range []string{"--hunter2-9x-hunter", "--depth=hunter2-9x", "--unshallow-hunter2-9x", "--filter=blob:hunter2-9x", "--depth=12345-12345"} {
		if got := m.clean("run `git fetch " + option + " origin`"); !strings.Contains(got, "redacted") {
			t.Errorf("%s is shown: %s", option, got)
		}
	}
}

// What the repository calls its charts, and where they come from, is said as it is, also where a Secret holds the same
// word: one for Argo CD has a repository's address, one of an operator its chart's name. Its password is not said.
func TestChartsAreNotMasked(t *testing.T) {
	const words = "keycloak-operator adfinis charts.example.org https://charts.example.org/stable 26.6.4-beta.7 kc"
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  password: x7Gh2kPq9LmN4rTz\n"
	for i, w := range strings.Fields(words) {
		secret += "  k" + strconv.Itoa(i) + ": " + w + "\n"
	}
	chart := "apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n" +
		"- {name: keycloak-operator, alias: kc, version: 26.6.4-beta.7, repository: https://charts.example.org/stable}\n" +
		"- {name: x7Gh2kPq9LmN4rTz, version: 1.0.0, repository: '@adfinis'}\n"
	j := &release.Recipe{Files: map[string][]byte{"app/Chart.yaml": []byte(chart), "s.yaml": []byte(secret)}}
	k := &redact.Known{}
	knowFiles(k, j, map[textOf]bool{})
	k.Seal()
	if got := k.Scrub(words); got != words {
		t.Errorf("%s becomes %s", words, got)
	}
	if got := k.Scrub("x7Gh2kPq9LmN4rTz"); got != redact.Mask {
		t.Errorf("a password is shown: %s", got)
	}
}
