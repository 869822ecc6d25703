package redact

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "add the words that are missing to words.txt")

var letters = regexp.MustCompile(`[A-Za-z]{4,}`)

// ownTexts are the words of the program's own texts, each with a file that has it: of every literal with a space in it,
// and the nouns that are counted. Expressions of this package name secrets, and are none.
func ownTexts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (name != "." && strings.HasPrefix(name, ".") || d.Name() == "testdata" ||
			slices.Contains([]string{"verify/conformance", "cmd/release", "tools", "render/redact"}, name)) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", filepath.FromSlash(name)), nil, 0)
		if err != nil {
			return err
		}
		enter := func(n ast.Node, noun bool) {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil && (noun || strings.Contains(text, " ")) {
					for _, w := range letters.FindAllString(text, -1) {
						out[w] = name
					}
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if ok && slices.Contains([]string{"count", "PluralWord"}, called(call)) {
				for _, a := range call.Args {
					enter(a, true)
				}
			}
			enter(n, false)
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// called is the name of the function that a call names.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// No word of the program's own sentences is masked, whatever the Secrets hold: "changes" in a sentence about a change.
// Two of them joined, or one with digits, are nobody's words.
func TestOwnWordsAreNotMasked(t *testing.T) {
	said := ownTexts(t)
	missing := map[string]string{}
	for w, file := range said {
		if !Own(w) {
			missing[w] = file
		}
	}
	if len(missing) > 0 && *rewrite {
		all := slices.AppendSeq(strings.Fields(words), maps.Keys(missing))
		slices.Sort(all)
		if err := os.WriteFile("words.txt", []byte(strings.Join(slices.Compact(all), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(missing) > 0 {
		t.Fatalf("words.txt lacks %d words, such as %v: go test ./render/redact -run OwnWords -rewrite", len(missing), missing)
	}
	if len(said) < 1000 {
		t.Errorf("only %d words were found in the source", len(said))
	}
	k := &Known{}
	for w := range said {
		k.Add(w)
		k.Add(w + w + "-7x3q")
	}
	k.Seal()
	for w := range said {
		if got := k.Scrub("a " + w + ", b"); got != "a "+w+", b" {
			t.Errorf("%q is masked", w)
		}
		if got := k.Scrub("a " + w + w + "-7x3q b"); strings.Contains(got, w+w) {
			t.Errorf("a secret is shown: %s", got)
		}
	}
}

// What a chart is called and where it comes from is public, also where a Secret holds it: one of Argo CD has the same
// address. What only looks like it, with a token in it, is not.
func TestChartsArePublic(t *testing.T) {
	for _, c := range []struct{ name, version, repository, text string }{
		{"keycloak-operator", "1.12.1", "@adfinis", "keycloak-operator"},
		{"keycloak-operator", "1.12.1", "@adfinis", "adfinis"},
		{"a", "2.0.0-rc.1", "", "2.0.0-rc.1"},
		{"a", "1.2.3-build20240107", "", "1.2.3-build20240107"},
		{"a", "", "https://charts.adfinis.com", "https://charts.adfinis.com"},
		{"a", "", "https://charts.adfinis.com/", "https://charts.adfinis.com"},
		{"a", "", "oci://registry.example.org/a/long/folder/of/charts", "oci://registry.example.org/a/long/folder/of/charts"},
		{"a", "", "oci://registry.example.org/a/long/folder/of/charts", "registry.example.org/a/long/folder/of/charts"},
		{"a", "", "https://charts.adfinis.com:8443/stable", "charts.adfinis.com"},
	} {
		k := &Known{}
		k.Add(c.text)
		k.Chart(c.name, c.version, c.repository)
		k.Seal()
		if got := k.Scrub("see " + c.text + " now"); got != "see "+c.text+" now" {
			t.Errorf("%s becomes %s", c.text, got)
		}
	}
	for _, c := range []struct{ name, version, repository, secret string }{
		{"x7Gh2kPq9LmN4rTz", "1", "", "x7Gh2kPq9LmN4rTz"},
		{"a", "1.2.3-9f8e7d6c5b4a39281706f5e4d3c2b1a0", "", "1.2.3-9f8e7d6c5b4a39281706f5e4d3c2b1a0"},
		{"a", "", "https://charts.adfinis.com/T0123AB/x7Gh2kPq9LmN4rTz", "https://charts.adfinis.com/T0123AB/x7Gh2kPq9LmN4rTz"},
		{"a", "", "https://charts.adfinis.com/?key=x7Gh2kPq9LmN", "https://charts.adfinis.com/?key=x7Gh2kPq9LmN"},
		{"a", "", "https://u:x7Gh2kPq9LmN@charts.adfinis.com/", "x7Gh2kPq9LmN"},
	} {
		k := &Known{}
		k.Add(c.secret)
		k.Chart(c.name, c.version, c.repository)
		k.Seal()
		if got := k.Scrub("see " + c.secret + " now"); strings.Contains(got, c.secret) {
			t.Errorf("%s is shown: %s", c.secret, got)
		}
	}
}
