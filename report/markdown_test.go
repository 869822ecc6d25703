package report

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// checkMarkdown holds what every Markdown surface keeps: the budget, whole runes,
// balanced fences and folds.
func checkMarkdown(t *testing.T, doc string, budget int) {
	t.Helper()
	if len(doc) > budget {
		t.Errorf("%d bytes, the budget is %d", len(doc), budget)
	}
	if !utf8.ValidString(doc) {
		t.Error("a cut rune")
	}
	if err := balanced(doc); err != nil {
		t.Errorf("%v in\n%s", err, clip(doc, 2000))
	}
}

var fenceLine = regexp.MustCompile("^(`{3,})")

// balanced walks the lines as GitHub does: a fence hides everything up to one of at
// least its length; folds open and close outside of fences.
func balanced(doc string) error {
	fence, folds := "", 0
	for i, l := range strings.Split(doc, "\n") {
		m := fenceLine.FindString(l)
		switch {
		case fence != "":
			if len(m) >= len(fence) && strings.Trim(l, "`") == "" {
				fence = ""
			}
		case m != "":
			fence = m
		case l == "<details>":
			folds++
		case l == "</details>":
			if folds--; folds < 0 {
				return fmt.Errorf("line %d closes a fold that is not open", i+1)
			}
		}
	}
	if fence != "" || folds != 0 {
		return fmt.Errorf("%d folds and fence %q are open at the end", folds, fence)
	}
	return nil
}

func TestMarkdownKeepsItsBudget(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for i := range 20 {
		r := bigResult(rnd.IntN(40))
		if i%3 == 0 {
			r = hostileResult(i)
		}
		opt := testMarkdown()
		opt.Bytes = minBudget + rnd.IntN(60_000)
		checkMarkdown(t, Comment(r, opt), opt.Bytes)
		var b strings.Builder
		if err := Summary(&b, r, opt); err != nil {
			t.Fatal(err)
		}
		checkMarkdown(t, b.String(), opt.Bytes)
	}
}

// The largest change set seen in the wild: 7,581 files.
func TestMarkdownOfAHugeChange(t *testing.T) {
	r := bigResult(60)
	ch := &object.Changes{Head: &object.Revision{}}
	for i := range 7581 {
		id := object.ID{Kind: "ConfigMap", Namespace: "漢字", Name: fmt.Sprintf("𝒳-%d", i)}
		ch.Files = append(ch.Files, fmt.Sprintf("overlays/%d/🂡.yaml", i))
		ch.Changes = append(ch.Changes, object.Change{
			Kind: object.Modified, Head: &object.Object{ID: id},
			Fields: []object.FieldChange{{Path: "data[x]", Old: strings.Repeat("𝒴", 200), New: "```\n</details>"}},
		})
	}
	opt := testMarkdown()
	opt.Changes = ch
	comment := Comment(r, opt)
	checkMarkdown(t, comment, CommentBytes)
	if !strings.Contains(comment, "7,581 objects: ") || !strings.Contains(comment, " and 7,578 more") {
		t.Errorf("the comment does not say what it left out:\n%s", clip(comment, 600))
	}
	var b strings.Builder
	if err := Summary(&b, r, opt); err != nil {
		t.Fatal(err)
	}
	checkMarkdown(t, b.String(), SummaryBytes)
	b.Reset()
	if err := DiffMarkdown(&b, ch, DiffOptions{}); err != nil {
		t.Fatal(err)
	}
	checkMarkdown(t, b.String(), DiffBytes)
	if len(b.String()) < DiffBytes*9/10 {
		t.Errorf("only %d bytes of the budget are used", b.Len())
	}
}

// Every count that was left out is what is missing from the page.
func TestNoticeCountsWhatIsMissing(t *testing.T) {
	r := bigResult(400)
	for i := range r.Findings { // each with a cause of its own
		r.Findings[i].Locations = []finding.Location{{File: "x.yaml", StartLine: i + 1, Side: "head"}}
		r.Findings[i].Blame, r.Findings[i].Interleaving = nil, nil
	}
	opt := testMarkdown()
	opt.Bytes = minBudget
	doc := Comment(r, opt)
	m := regexp.MustCompile(`Left out: ([0-9,]+) new findings?`).FindStringSubmatch(doc)
	if m == nil {
		t.Fatalf("no notice in\n%s", clip(doc, 600))
	}
	missing := 0
	if _, err := fmt.Sscan(strings.ReplaceAll(m[1], ",", ""), &missing); err != nil {
		t.Fatal(err)
	}
	shown := strings.Count(doc, "\n### Error: ") + strings.Count(doc, "\n### Warning: ") + strings.Count(doc, "\n### Note: ")
	fresh, _, _ := byStatus(r.Findings)
	for i := range fresh { // what has no block has a line
		shown += strings.Count(doc, "\n- `"+fresh[i].Rule+"` `"+fresh[i].Workload+"`: ")
	}
	if want := len(byCause(fresh)); shown+missing != want {
		t.Errorf("%d shown and %d left out of %d", shown, missing, want)
	}
}

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))

// asText renders Markdown and gives the text a reader sees; err names the first node
// that is neither a paragraph, text nor what allowed names.
func asText(source string, allowed ...ast.NodeKind) (string, error) {
	src := []byte(source)
	doc := gfm.Parser().Parse(text.NewReader(src))
	var b strings.Builder
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph:
		case *ast.Text:
			b.Write(n.Segment.Value(src))
			if n.SoftLineBreak() || n.HardLineBreak() {
				return ast.WalkStop, fmt.Errorf("a line break")
			}
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				if s := n.Segments.At(i); !dollar.Match(s.Value(src)) {
					return ast.WalkStop, fmt.Errorf("HTML %q", s.Value(src))
				}
			}
		default:
			for _, k := range allowed {
				if n.Kind() == k {
					return ast.WalkContinue, nil
				}
			}
			return ast.WalkStop, fmt.Errorf("a %s", n.Kind())
		}
		return ast.WalkContinue, nil
	})
	return b.String(), err
}

var dollar = regexp.MustCompile(`^</?span>$`)

// seen is text as a reader sees it: escapes and entities resolved, zero-width spaces
// dropped.
func seen(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\`*_{}[]()#+-.!|~<>@=^$\"%&',/:;?", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return strings.NewReplacer("&#8203;", "", "&lt;", "<", "&amp;", "&", "<span>", "", "</span>", "").Replace(b.String())
}

func checkMDText(t *testing.T, s string) {
	t.Helper()
	got, err := asText(mdText(s))
	if err != nil {
		t.Fatalf("%q is shown as %v: %s", s, err, mdText(s))
	}
	if want := line(s); seen(got) != want {
		t.Fatalf("%q is shown as %q", want, seen(got))
	}
	for _, re := range []string{`@[A-Za-z0-9]`, `#\d`, `(?i)\bgh-\d`, `://`, `(?i)www\.`, `[A-Za-z0-9]@[A-Za-z0-9]`} {
		if m := regexp.MustCompile(re).FindString(strings.NewReplacer("\\", "", zwsp, "\u200b").Replace(mdText(s))); m != "" {
			t.Fatalf("%q keeps the reference %q: %s", s, m, mdText(s))
		}
	}
}

func checkMDCode(t *testing.T, s string) {
	t.Helper()
	got, err := asText("x "+mdCode(s)+" y", ast.KindCodeSpan)
	want := line(s)
	if want == "" {
		want = "–"
	}
	if err != nil || got != "x "+want+" y" {
		t.Fatalf("%q in code is shown as %q, %v", want, got, err)
	}
}

func checkMDFence(t *testing.T, s string) {
	t.Helper()
	src := []byte(mdFence("diff", s) + "\nafter\n")
	doc := gfm.Parser().Parse(text.NewReader(src))
	if n := doc.ChildCount(); n != 2 || doc.FirstChild().Kind() != ast.KindFencedCodeBlock || doc.LastChild().Kind() != ast.KindParagraph {
		t.Fatalf("%q in a fence gives %d blocks:\n%s", s, n, src)
	}
}

func TestHostileTextRendersAsText(t *testing.T) {
	all := append([]string{}, hostile...)
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var b strings.Builder
		for range 1 + rnd.IntN(4) {
			h := hostile[rnd.IntN(len(hostile))]
			if len(h) > 0 {
				from := rnd.IntN(len(h))
				h = h[from : from+rnd.IntN(len(h)-from)+1]
			}
			b.WriteString(h)
		}
		all = append(all, b.String())
	}
	for _, s := range all {
		checkMDText(t, s)
		checkMDCode(t, s)
		checkMDFence(t, s)
	}
}

func FuzzMarkdownEscapes(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkMDText(t, s)
		checkMDCode(t, s)
		checkMDFence(t, s)
	})
}

// A comment full of hostile strings has only the links, headings and HTML that the
// surface itself writes.
func TestHostileComment(t *testing.T) {
	for k := range hostile {
		for _, doc := range []string{Comment(hostileResult(k), testMarkdown()), summaryOf(t, hostileResult(k))} {
			checkMarkdown(t, doc, SummaryBytes)
			checkOwnMarkup(t, doc)
		}
	}
}

func summaryOf(t *testing.T, r *finding.Result) string {
	var b strings.Builder
	if err := Summary(&b, r, testMarkdown()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var ownHTML = regexp.MustCompile(`^\s*(<!-- kubesettle instance=[A-Za-z0-9._%]* head=[0-9a-f]* run=\d+ attempt=\d+ -->|</?details>|<summary>[^<>]*(<code>[^<>]*</code>)?([^<>]|</?span>)*</summary>|</?span>|\s)*$`)

func checkOwnMarkup(t *testing.T, doc string) {
	t.Helper()
	src := []byte(doc)
	pages := []string{DocsURI + "fidelity.md", DocsURI + "policy.md", DocsURI + "policy.md#timing", DocsURI + "rendering.md"} // of assumptions
	for _, rule := range Rules() {
		pages = append(pages, rulePage(rule.ID))
	}
	err := ast.Walk(gfm.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			if d := string(n.Destination); !strings.HasPrefix(d, "https://github.com/acme/shop/") && !slices.Contains(pages, d) {
				return ast.WalkStop, fmt.Errorf("a link to %q", d)
			}
		case *ast.AutoLink, *ast.Image, *east.FootnoteLink, *east.TaskCheckBox, *east.Table, *east.Strikethrough:
			return ast.WalkStop, fmt.Errorf("a %s", n.Kind())
		case *ast.HTMLBlock:
			var b strings.Builder
			for i := range n.Lines().Len() {
				s := n.Lines().At(i)
				b.Write(s.Value(src))
			}
			if !ownHTML.MatchString(b.String()) {
				return ast.WalkStop, fmt.Errorf("HTML %q", b.String())
			}
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				if s := n.Segments.At(i); !dollar.Match(s.Value(src)) {
					return ast.WalkStop, fmt.Errorf("HTML %q", s.Value(src))
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
}

func TestMarkerRoundTrip(t *testing.T) {
	for _, s := range append([]string{"prod", "a-b c/d", "--> <b>", "%41"}, hostile...) {
		m := Marker{Instance: s, Head: "abc", RunID: 1 << 40, Attempt: 3}
		got, ok := ParseMarker(m.String() + "\nbody")
		if !ok || got != m {
			t.Errorf("%q reads back as %+v, %v", s, got, ok)
		}
		if strings.Contains(strings.TrimSuffix(m.String(), "-->"), "--") && strings.Count(m.String(), "--") != 2 {
			t.Errorf("%q can end the comment: %s", s, m)
		}
	}
	for _, body := range []string{"", "x", " " + testMarker.String(), "> " + testMarker.String(), "<!-- kubesettle instance=%4 head= run=1 attempt=1 -->"} {
		if m, ok := ParseMarker(body); ok {
			t.Errorf("%q is taken for ours: %+v", body, m)
		}
	}
}
