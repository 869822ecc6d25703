package report

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

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestNoteKinds: each kind of note is made somewhere and has words, and what is open has the one thing to do about it.
func TestNoteKinds(t *testing.T) {
	kinds := kindsIn[finding.Kind](t, "../verify/finding/note_kinds.go")
	used := map[string]bool{}
	name := regexp.MustCompile(`\bfinding\.([A-Z]\w+)`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || d.Name() == "note_words.go" {
			return nil
		}
		b, err := os.ReadFile(path)
		for _, m := range name.FindAllSubmatch(b, -1) {
			used[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile(`\{[^}]*\}`)
	for name, k := range kinds {
		if !used[name] {
			t.Errorf("%s: nothing makes such a note", name)
		}
		n := finding.Say(k, 1, 2, 3, 4).In("rel").On("obj").At("f.yaml", 7).With("a", "b", "c")
		text := NoteText(n)
		if w, ok := wordsOf[k]; !ok || text == "" || place.MatchString(text+doAbout(n)+noteFill(w.unchecked, n)) {
			t.Errorf("%s: the words are %q, to do %q, unchecked %q", name, text, doAbout(n), w.unchecked)
		}
		if open := k.Effect() == finding.Open; open != (doAbout(n) != "") {
			t.Errorf("%s: open is %t, and to do is %q", name, open, doAbout(n))
		}
	}
	if len(kinds) != len(wordsOf) {
		t.Errorf("%d kinds, and words for %d", len(kinds), len(wordsOf))
	}
}

// TestRenderedKinds: each kind of note that rendering has has words, which name all that it has.
func TestRenderedKinds(t *testing.T) {
	kinds := kindsIn[object.NoteKind](t, "../render/object/note.go")
	for name, k := range kinds {
		n := object.Say(k, 1, 2, 3).On(object.ID{Kind: "K", Name: "n"}).At(object.Location{File: "f.yaml", StartLine: 7})
		if text := RenderedNote(n); text == n.String() || strings.ContainsAny(text, "{}") {
			t.Errorf("%s: the words are %q", name, text)
		}
	}
	if len(kinds) != len(renderedWords) {
		t.Errorf("%d kinds, and words for %d", len(kinds), len(renderedWords))
	}
	n := object.Say(object.MadeTwice, "a", "{0}").On(object.ID{Kind: "K", Name: "n"})
	want := "rel: " + RenderedNote(n)
	if got := NoteText(finding.Note{Kind: finding.ReleaseNote, About: finding.About{Release: "rel", Object: n.Object},
		Args: append([]string{string(n.Kind)}, n.Args...)}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// kindsIn are the constants of kinds in a file, by name.
func kindsIn[K ~string](t *testing.T, file string) map[string]K {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out, seen := map[string]K{}, map[K]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			if lit, ok := v.Values[0].(*ast.BasicLit); ok {
				s, _ := strconv.Unquote(lit.Value)
				if out[v.Names[0].Name] = K(s); seen[K(s)] {
					t.Errorf("%s is two kinds", s)
				}
				seen[K(s)] = true
			}
		}
		return true
	})
	return out
}

// TestNoteHasNoTemplates: what comes from a repository is shown, whatever it looks like.
func TestNoteHasNoTemplates(t *testing.T) {
	n := finding.Say(finding.ReleaseNote, object.PartUnknown, "{release} {0} {names}").In("{0}")
	if got, want := NoteText(n), "{0}: {release} {0} {names}: rendered without it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
