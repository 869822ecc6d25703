package report

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// filled is a result whose every string is one of two words or both; what the schema
// fixes stays.
func filled(a, b string) *finding.Result {
	r := loopResult()
	n := 0
	fillStrings(r, func(string) string { n++; return [...]string{a, b, a + b, b + "\n" + a}[n%4] })
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Status, f.Severity = [...]finding.Status{finding.New, finding.Existing, finding.Fixed, finding.New}[i%4], "error"
		f.Certainty, f.Scenario, f.Timing = finding.Possible, "change", "realistic"
	}
	return r
}

var ownCommand = regexp.MustCompile(`^::(error|warning|notice) [^\n]*$`)

// FuzzSurfaces: whatever stands in a result, each surface is well-formed, has no markup
// and no command but its own, and shows nothing that a terminal would obey.
func FuzzSurfaces(f *testing.F) {
	for i := range hostile {
		f.Add(hostile[i], hostile[(i*7+3)%len(hostile)])
	}
	doc, err := os.ReadFile("testdata/sarif/sarif-schema-2.1.0.json")
	if err != nil {
		f.Fatal(err)
	}
	schema := compileSchema(f, "sarif-schema-2.1.0.json", doc)
	junit := readXSD(f, "testdata/junit/junit-10.xsd")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 2000 {
			return // budgets have tests of their own
		}
		r := filled(a, b)
		for _, s := range surfaces() {
			text := s.write(t, r)
			if i := strings.IndexFunc(text, hidden); i >= 0 {
				t.Fatalf("%s: rune %q at byte %d", s.name, text[i:i+1], i)
			}
			switch s.name {
			case "comment.md", "summary.md":
				checkMarkdown(t, text, SummaryBytes)
				checkOwnMarkup(t, text)
			case "junit.xml":
				if err := obeys(junit, text); err != nil {
					t.Fatal(err)
				}
			case "json", "codequality":
				if !json.Valid([]byte(text)) {
					t.Fatal("the JSON report is none")
				}
			case "annotations":
				for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
					if !ownCommand.MatchString(l) && !strings.HasSuffix(l, "left out") {
						t.Fatalf("annotation %q", l)
					}
				}
			case "txt":
				for _, l := range strings.Split(LogText(text), "\n") {
					if strings.HasPrefix(strings.TrimSpace(l), "::") || strings.HasPrefix(strings.TrimSpace(l), "##[") {
						t.Fatalf("the log has the command %q", l)
					}
				}
			}
		}
		sarif, log := sarifOf(t, r, Options{Repository: "https://github.com/acme/shop"})
		validate(t, schema, sarif)
		checkSARIF(t, sarif, log)
		page, _ := pageOf(t, r)
		checkPage(t, page)
	})
}
