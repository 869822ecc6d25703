package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/kubesettle/kubesettle/verify/finding"
)

func TestSuggestions(t *testing.T) {
	edit := func(do func(f *finding.Finding)) *finding.Result {
		r := fixed(14, 14, "x: y\n")
		do(&r.Findings[0])
		return r
	}
	for _, tc := range []struct {
		title string
		r     *finding.Result
		want  int
	}{
		{"a fix as text", edit(func(*finding.Finding) {}), 1},
		{"one in words", edit(func(f *finding.Finding) { f.Fix.Mechanical = false }), 0},
		{"one that was not verified", edit(func(f *finding.Finding) { f.Fix.Verified = false }), 0},
		{"none", edit(func(f *finding.Finding) { f.Fix = nil }), 0},
		{"of an existing finding", edit(func(f *finding.Finding) { f.Status = finding.Existing }), 0},
		{"on base", edit(func(f *finding.Finding) { f.Fix.Location.Side = "base" }), 0},
		{"outside of the repository", edit(func(f *finding.Finding) { f.Fix.Location.File = "../x" }), 0},
		{"a name with a line break", edit(func(f *finding.Finding) { f.Fix.Location.File = "a\nb" }), 0},
		{"carriage returns", edit(func(f *finding.Finding) { f.Fix.Replacement = "x: y\r\n" }), 0},
		{"half a line", edit(func(f *finding.Finding) { f.Fix.Replacement = "x: y" }), 0},
		{"too much", edit(func(f *finding.Finding) { f.Fix.Replacement = strings.Repeat("x: y\n", 1000) }), 0},
		{"no line", edit(func(f *finding.Finding) { f.Fix.Location.StartLine = 0 }), 0},
		{"nothing found", emptyResult(), 0},
	} {
		if got := Suggestions(tc.r, "prod"); len(got) != tc.want {
			t.Errorf("%s: %d suggestions, want %d", tc.title, len(got), tc.want)
		}
	}
}

// Lines are suggested once: the same fix names all that it mends, another one of the
// same lines is left out, and no review has more than ten.
func TestSuggestionsDoNotMeet(t *testing.T) {
	r := fixed(14, 16, "x: y\n")
	add := func(first, last int, text, rule string) {
		f := r.Findings[0]
		fix, l := *f.Fix, *f.Fix.Location
		l.StartLine, l.EndLine = first, last
		fix.Location, fix.Replacement = &l, text
		f.Fix, f.Rule, f.Workload = &fix, rule, "w-"+rule
		r.Findings = append(r.Findings, f)
	}
	add(14, 16, "x: y\n", "zz-same")
	add(16, 17, "a: b\n", "zz-meets")
	for i := range 20 {
		add(100+2*i, 100+2*i, "a: b\n", fmt.Sprintf("zzz-%02d", i))
	}
	got := Suggestions(r, "prod")
	if len(got) != maxSuggestions {
		t.Fatalf("%d suggestions", len(got))
	}
	if !strings.Contains(got[0].Body, "`unschedulable`") || !strings.Contains(got[0].Body, "`zz-same`") || strings.Contains(got[0].Body, "`zz-meets`") {
		t.Errorf("body:\n%s", got[0].Body)
	}
	for i, a := range got {
		for _, b := range got[i+1:] {
			if a.File == b.File && a.First <= b.Last && b.First <= a.Last {
				t.Errorf("%d-%d and %d-%d meet", a.First, a.Last, b.First, b.Last)
			}
		}
	}
}

// GitHub commits what stands in the block: it is the replacement, letter by letter.
func checkSuggestionFence(t *testing.T, lines []string) {
	t.Helper()
	src := []byte("before\n\n" + suggestionFence(lines) + "\nafter\n")
	doc := gfm.Parser().Parse(text.NewReader(src))
	block, ok := doc.FirstChild().NextSibling().(*ast.FencedCodeBlock)
	if doc.ChildCount() != 3 || !ok || string(block.Language(src)) != "suggestion" {
		t.Fatalf("%q gives %d blocks:\n%s", lines, doc.ChildCount(), src)
	}
	var got []string
	for i := range block.Lines().Len() {
		s := block.Lines().At(i)
		got = append(got, strings.TrimSuffix(string(s.Value(src)), "\n"))
	}
	if !slices.Equal(got, lines) {
		t.Fatalf("%q is suggested as %q", lines, got)
	}
}

func TestSuggestionFence(t *testing.T) {
	for _, lines := range [][]string{
		nil, {""}, {"a"}, {"", "a", ""}, {"```"}, {"````yaml", "x", "````"}, {"  ```suggestion"}, {"~~~", "a: `b`"}, {"- a", "    b"}, {"\ta"},
	} {
		checkSuggestionFence(t, lines)
	}
}

func FuzzSuggestionFence(f *testing.F) {
	for _, s := range append([]string{"a\nb", "```\nx\n```", "~~~~"}, hostile...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s != Clean(s) {
			t.Skip("a result is cleaned first")
		}
		checkSuggestionFence(t, strings.Split(s, "\n"))
	})
}

// A hostile result may not leave its place in a suggestion's words.
func TestHostileSuggestions(t *testing.T) {
	for k := range hostile {
		r := hostileResult(k)
		for i := range r.Findings {
			f := &r.Findings[i]
			f.Status = finding.New
			f.Fix = &finding.Fix{
				Text: hostile[k], Mechanical: true, Verified: true, Replacement: line(hostile[k]) + "\n",
				Location: &finding.Location{File: "a.yaml", StartLine: 1 + i, EndLine: 1 + i, Side: "head"},
			}
		}
		list := Suggestions(r, hostile[k])
		if len(list) == 0 {
			t.Fatal("nothing is suggested")
		}
		for _, s := range list {
			if !suggestionMarker.MatchString(s.Body) {
				t.Fatalf("no marker: %q", s.Body)
			}
			_, rest, _ := strings.Cut(s.Body, "-->\n")
			checkOwnMarkup(t, rest)
		}
	}
}

// fixed is spreadResult with another fix.
func fixed(first, last int, replacement string) *finding.Result {
	r := spreadResult()
	l := *r.Findings[0].Fix.Location
	l.StartLine, l.EndLine = first, last
	r.Findings[0].Fix.Location, r.Findings[0].Fix.Replacement = &l, replacement
	return r
}
