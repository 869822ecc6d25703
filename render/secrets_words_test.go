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
)

// What a message says to type is never masked: a Secret for Argo CD has "type: helm" in it, and is no reason to advise
// to run "<redacted> dependency build".
func TestCommandsAreNotMasked(t *testing.T) {
	k := &redact.Known{}
	k.Public(vocabulary...)
	quoted, word := regexp.MustCompile("`[^`]+`"), regexp.MustCompile("[A-Za-z]{4,}")
	seen := map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(name), nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, err := strconv.Unquote(l.Value)
				if err == nil && strings.Contains(text, " ") {
					for _, command := range quoted.FindAllString(text, -1) {
						for _, w := range word.FindAllString(command, -1) {
							seen[w] = true
							k.Add(w)
						}
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
	k.Add("correct-horse-battery")
	k.Seal()
	for w := range seen {
		if got := k.Scrub("run " + w + " now"); got != "run "+w+" now" {
			t.Errorf("%q is masked: it belongs to the vocabulary", w)
		}
	}
	if len(seen) < 20 || !strings.Contains(k.Scrub("a correct-horse-battery b"), redact.Mask) {
		t.Errorf("%d words were tried, and a secret is masked: %v", len(seen), k.Scrub("correct-horse-battery"))
	}
}
