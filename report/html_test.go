package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// htmlPage is what the tests read of a page.
type htmlPage struct {
	elements map[string]int
	policy   string
	style    string
	scripts  []string // executed ones
	runs     string
	text     *strings.Builder
	links    []string
	ids      []string
}

// htmlAttributes are those that a page may have, by element; "*" for any.
var htmlAttributes = map[string][]string{
	"*": {"class", "id", "aria-label", "aria-hidden", "aria-pressed", "role", "tabindex", "hidden", "data-run", "data-do", "data-loops", "data-turn"},
	"a": {"href", "rel"}, "meta": {"charset", "http-equiv", "content", "name"}, "html": {"lang"}, "button": {"type"},
	"input": {"type", "min", "max", "value"}, "li": {"value"}, "script": {"type"}, "details": {"open"},
	"svg": {"viewbox", "viewBox", "width", "height"}, "path": {"d"}, "text": {"x", "y", "transform"}, "rect": {"x", "y", "width", "height"}, "circle": {"cx", "cy", "r"},
}

func readPage(t *testing.T, doc string) htmlPage {
	t.Helper()
	root, err := html.Parse(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	p := htmlPage{elements: map[string]int{}, text: &strings.Builder{}}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch n.Type {
		case html.ElementNode:
			p.elements[n.Data]++
			p.element(t, n)
		case html.TextNode:
			if n.Parent.Data != "script" && n.Parent.Data != "style" {
				p.text.WriteString(n.Data)
			}
		case html.CommentNode:
			t.Errorf("a comment: %q", n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return p
}

func (p *htmlPage) element(t *testing.T, n *html.Node) {
	t.Helper()
	attr := map[string]string{}
	for _, a := range n.Attr {
		attr[a.Key] = a.Val
		if !slices.Contains(htmlAttributes["*"], a.Key) && !slices.Contains(htmlAttributes[n.Data], a.Key) {
			t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
		}
	}
	inner := ""
	if n.FirstChild != nil {
		inner = n.FirstChild.Data
	}
	switch {
	case n.Data == "meta" && attr["http-equiv"] != "":
		p.policy = attr["content"]
	case n.Data == "style":
		p.style = inner
	case n.Data == "script" && attr["type"] == "application/json":
		p.runs = inner
	case n.Data == "script":
		p.scripts = append(p.scripts, inner)
	case n.Data == "a":
		p.links = append(p.links, attr["href"])
	}
	if id := attr["id"]; id != "" {
		p.ids = append(p.ids, id)
	}
}

var htmlElements = []string{
	"html", "head", "body", "meta", "title", "style", "script", "header", "nav", "main", "footer", "section", "article", "h1", "h2", "h3", "h4", "h5",
	"p", "a", "span", "strong", "code", "pre", "ul", "ol", "li", "dl", "dt", "dd", "div", "details", "summary", "table", "thead", "tbody", "tr", "th", "td",
	"ins", "del", "wbr", "button", "input", "output", "kbd", "svg", "path", "text", "rect", "circle",
}

func pageOf(t *testing.T, r *finding.Result) (htmlPage, string) {
	t.Helper()
	var b strings.Builder
	if err := HTML(&b, r, Options{Rules: testRules, Repository: "https://github.com/acme/shop"}); err != nil {
		t.Fatal(err)
	}
	return readPage(t, b.String()), b.String()
}

func checkPage(t *testing.T, p htmlPage) {
	t.Helper()
	for e := range p.elements {
		if !slices.Contains(htmlElements, e) {
			t.Errorf("an element <%s>", e)
		}
	}
	if p.elements["style"] != 1 || len(p.scripts) != 1 || p.scripts[0] != htmlScript || p.style != htmlStyle {
		t.Errorf("%d styles and %d scripts, or not ours", p.elements["style"], len(p.scripts))
	}
	for _, s := range []string{p.style, p.scripts[0]} {
		if !strings.Contains(p.policy, hashSource(s)) {
			t.Errorf("the policy %q does not allow what the page has", p.policy)
		}
	}
	if !strings.HasPrefix(p.policy, "default-src 'none';") || strings.Contains(p.policy, "unsafe") {
		t.Errorf("policy %q", p.policy)
	}
	for _, l := range p.links {
		if !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "https://github.com/acme/shop/blob/") && !strings.HasPrefix(l, DocsURI) {
			t.Errorf("a link to %q", l)
		}
	}
	for _, l := range p.links {
		if id, ok := strings.CutPrefix(l, "#"); ok && !slices.Contains(p.ids, id) {
			t.Errorf("nothing has the id %q", id)
		}
	}
	slices.Sort(p.ids)
	if len(slices.Compact(slices.Clone(p.ids))) != len(p.ids) {
		t.Errorf("ids stand twice: %q", p.ids)
	}
	var runs [][]*snapshot
	if err := json.Unmarshal([]byte(p.runs), &runs); err != nil {
		t.Errorf("the explorer's data: %v", err)
	}
}

func TestHTMLIsSelfContained(t *testing.T) {
	cases := map[string]*finding.Result{"spread": spreadResult(), "loop": loopResult(), "empty": emptyResult(), "nothing": nothingResult(), "big": bigResult(60)}
	for k := range hostile {
		cases[fmt.Sprintf("hostile-%d", k)] = hostileResult(k)
	}
	for name, r := range cases {
		t.Run(name, func(t *testing.T) {
			p, doc := pageOf(t, r)
			checkPage(t, p)
			for _, s := range []string{"src=", "@import", "url("} {
				if strings.Contains(strings.ReplaceAll(p.style, " ", ""), s) {
					t.Errorf("the style asks for more: %s", s)
				}
			}
			if strings.Contains(doc, "ZgotmplZ") {
				t.Error("the template refused a value")
			}
		})
	}
}

// Hostile text is there to be read, as text.
func TestHTMLShowsHostileTextAsText(t *testing.T) {
	for k := range hostile {
		r := hostileResult(k)
		p, _ := pageOf(t, r)
		text := line(p.text.String())
		for _, s := range append([]string{r.Findings[0].Workload, r.Findings[3].Interleaving[0].Text, r.Releases[1].ID}, noteTexts(r.Notices)...) {
			if !strings.Contains(text, strings.TrimSuffix(strings.TrimLeft(line(s), " "), ".")) && !strings.Contains(text, line(sentence(s))) {
				t.Errorf("hostile-%d: %q is not there to read", k, s)
			}
		}
	}
}

func TestHTMLHasTheInterleaving(t *testing.T) {
	p, _ := pageOf(t, loopResult())
	for _, s := range []string{
		"Steps 2 to 3 repeat forever", "charts/api/values.yaml:3", "no feasible node: 2 fail zone", "overlays/prod/spread.yaml:14",
		"What to change", "Single writer until Q2. Accepted by team-data until 2027-06-30", "Not every interleaving was explored",
	} {
		if !strings.Contains(line(p.text.String()), s) {
			t.Errorf("%q is missing", s)
		}
	}
	var runs [][]*snapshot
	if err := json.Unmarshal([]byte(p.runs), &runs); err != nil {
		t.Fatal(err)
	}
	if n := p.elements["output"]; n != len(runs) || n != 2 { // of one new and one existing; two have no pictures
		t.Errorf("%d explorers for %d runs", n, len(runs))
	}
	if n := p.elements["ol"]; n != 4 {
		t.Errorf("%d lists of steps for 4 runs", n)
	}
	if last := runs[0][len(runs[0])-1]; len(last.Nodes) != 3 || last.Pending[0].Count != 1 || last.Workloads[0].Replicas != 6 {
		t.Errorf("the last picture: %+v", last)
	}
}

// The page in a browser, by keyboard and button:
//
//	CHROMIUM=/usr/bin/chromium go test ./report -run HTMLInABrowser
//
// With SHOTS naming a folder, the screenshots stay there to be looked at.
func TestHTMLInABrowser(t *testing.T) {
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		t.Skip("CHROMIUM does not name a browser")
	}
	dir := shotsDir(t)
	for name, r := range map[string]*finding.Result{
		"spread": spreadResult(), "rollout": rolloutResult(), "empty": emptyResult(), "hostile": hostileResult(1), "big": bigResult(120), "single": singleResult(),
		"many": manyFindings(3000, 3),
	} {
		t.Run(name, func(t *testing.T) {
			_, doc := pageOf(t, r)
			file := filepath.Join(dir, name+".html")
			if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
				t.Fatal(err)
			}
			var seen browserSaw
			browse(t, &seen, "explore.mjs", chromium, file, filepath.Join(dir, name))
			seen.check(t, name)
		})
	}
}

// singleResult has a finding of one step.
func singleResult() *finding.Result {
	r := spreadResult()
	f := &r.Findings[0]
	f.Interleaving = f.Interleaving[len(f.Interleaving)-1:]
	return r
}

// mostElements of the page of 3,000 findings, which is there within a second.
const mostElements = 30_000

type browserSaw struct {
	Explorers, Total, Overflow int
	Alone                      bool
	Tabs                       []struct {
		What       string
		Seen, Body bool
		Y          int
	}
	Styled, Dark, Tab    string
	First, Second, Link  string
	Linked, Paper        bool
	Ready                int  // ms from the last byte to the end of loading
	Elements             int  // of the page
	Line                 bool // the last of the findings that have a line each is reached by its address
	Complaints, Requests []string
	Steps                map[string]struct {
		Step, Nodes, Pods, Waiting, Moved int
		Output, Caption                   string
	}
}

func (b browserSaw) check(t *testing.T, name string) {
	t.Helper()
	if len(b.Complaints) > 0 || len(b.Requests) > 0 || b.Styled != "999px" || b.Dark != "rgb(13, 17, 23)" || b.Overflow > 0 {
		t.Errorf("%+v", b)
	}
	for i, tab := range b.Tabs {
		if !tab.Seen {
			t.Errorf("the focus on %q cannot be seen", tab.What)
		}
		if i > 0 && !tab.Body && !b.Tabs[i-1].Body && tab.Y < b.Tabs[i-1].Y-40 { // those of one line are not level
			t.Errorf("Tab goes up from %+v to %+v", b.Tabs[i-1], tab)
		}
	}
	if name == "many" && (b.Elements > mostElements || !b.Line) { // what a browser is slow by, as its clock is no test
		t.Errorf("%d elements for 3,000 findings, at most %d; the last one is reached: %v", b.Elements, mostElements, b.Line)
	}
	if name == "single" {
		if !b.Alone {
			t.Error("no picture of the one step, or buttons beside it")
		}
		return
	}
	if b.Explorers == 0 {
		if name != "empty" {
			t.Error("no explorer")
		}
		return
	}
	if b.First != "new-1" || b.Second == "" || !b.Linked || !b.Paper {
		t.Errorf("%+v", b)
	}
	t.Logf("%s: %d explorers at first, %d elements, loaded in %d ms", name, b.Explorers, b.Elements, b.Ready)
	s := b.Steps
	if s["start"].Step != 1 || s["right"].Step != 2 || s["left"].Step != 1 || s["end"].Step != b.Total || s["home"].Step != 1 || s["button"].Step != 2 || s["click"].Step != b.Total || b.Tab != "First step" {
		t.Errorf("%+v", b)
	}
	switch name {
	case "spread": // no loop: the end is the end
		if end := s["end"]; s["opens"].Step != 5 || s["past"].Step != 5 || end.Nodes != 3 || end.Pods != 5 || end.Waiting != 1 || !strings.Contains(end.Caption, "See base/web.yaml:22") {
			t.Errorf("%+v", s)
		}
	case "rollout": // past the end the loop begins again
		if past := s["past"]; s["opens"].Step != 3 || past.Step != 3 || !strings.Contains(past.Output, "round 2") || !strings.HasPrefix(past.Caption, "In the loop.") {
			t.Errorf("%+v", s)
		}
	}
}
