package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// xsdElement is what the schema says of an element: what may stand in it.
type xsdElement struct {
	children, attributes, required []string
	text                           bool
}

// xsdNode is a schema's element with what stands in it.
type xsdNode struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []xsdNode  `xml:",any"`
}

func (n *xsdNode) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readXSD reads the elements that a schema declares at its top. It knows references,
// anonymous types and simple ones, which is all that junit-10.xsd uses of them.
func readXSD(t testing.TB, file string) map[string]xsdElement {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var root xsdNode
	if err := xml.Unmarshal(b, &root); err != nil {
		t.Fatal(err)
	}
	out := map[string]xsdElement{}
	for _, n := range root.Nodes {
		if n.XMLName.Local != "element" {
			continue
		}
		e := xsdElement{text: n.attr("type") == "xs:string"}
		var walk func([]xsdNode)
		walk = func(nodes []xsdNode) {
			for _, c := range nodes {
				switch c.XMLName.Local {
				case "complexType":
					e.text = c.attr("mixed") == "true"
				case "element":
					e.children = append(e.children, c.attr("ref"))
				case "attribute":
					e.attributes = append(e.attributes, c.attr("name"))
					if c.attr("use") == "required" {
						e.required = append(e.required, c.attr("name"))
					}
				}
				walk(c.Nodes)
			}
		}
		walk(n.Nodes)
		out[n.attr("name")] = e
	}
	return out
}

// obeys says where a document breaks a schema, or nil.
func obeys(schema map[string]xsdElement, doc string) error {
	var stack []string
	for d := xml.NewDecoder(strings.NewReader(doc)); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			name := tok.Name.Local
			e, known := schema[name]
			switch {
			case !known:
				return fmt.Errorf("element %s is not declared", name)
			case len(stack) == 0 && name != "testsuites", len(stack) > 0 && !slices.Contains(schema[stack[len(stack)-1]].children, name):
				return fmt.Errorf("%s in %v", name, stack)
			}
			var has []string
			for _, a := range tok.Attr {
				if has = append(has, a.Name.Local); !slices.Contains(e.attributes, a.Name.Local) {
					return fmt.Errorf("%s has the attribute %s", name, a.Name.Local)
				}
			}
			for _, r := range e.required {
				if !slices.Contains(has, r) {
					return fmt.Errorf("%s lacks the attribute %s", name, r)
				}
			}
			stack = append(stack, name)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 && !schema[stack[len(stack)-1]].text && strings.TrimSpace(string(tok)) != "" {
				return fmt.Errorf("text in %v", stack)
			}
		}
	}
}

type junitRead struct {
	Tests, Failures, Errors int `xml:",attr"`
	Suites                  []struct {
		Name                             string `xml:"name,attr"`
		Tests, Failures, Errors, Skipped int    `xml:",attr"`
		Cases                            []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
			Out     string    `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// junitOf is the surface's file, which the schema takes and whose counts are right.
func junitOf(t *testing.T, r *finding.Result, opt Options) (string, map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := JUnit(&b, r, opt); err != nil {
		t.Fatal(err)
	}
	doc := strings.NewReplacer(" tests=", " Tests=", " failures=", " Failures=", " errors=", " Errors=", " skipped=", " Skipped=").Replace(b.String())
	var read junitRead
	if err := xml.Unmarshal([]byte(doc), &read); err != nil {
		t.Fatal(err)
	}
	tests, failures, errs, states := 0, 0, 0, map[string]string{}
	for _, s := range read.Suites {
		f, e, k := 0, 0, 0
		for _, c := range s.Cases {
			state := "pass"
			switch {
			case c.Failure != nil:
				state, f = "failure", f+1
			case c.Error != nil:
				state, e = "error", e+1
			case c.Skipped != nil:
				state, k = "skipped", k+1
			case c.Out != "":
				state = "output"
			}
			states[s.Name+" "+c.Name] = state
		}
		if s.Tests != len(s.Cases) || s.Failures != f || s.Errors != e || s.Skipped != k {
			t.Errorf("suite %s: counted %d %d %d %d, has %d %d %d %d", s.Name, s.Tests, s.Failures, s.Errors, s.Skipped, len(s.Cases), f, e, k)
		}
		tests, failures, errs = tests+len(s.Cases), failures+f, errs+e
	}
	if tests == 0 || read.Tests != tests || read.Failures != failures || read.Errors != errs {
		t.Errorf("counted %d %d %d, has %d %d %d", read.Tests, read.Failures, read.Errors, tests, failures, errs)
	}
	return b.String(), states
}

// The file obeys the schema, whatever the result holds.
func TestJUnitObeysItsSchema(t *testing.T) {
	const xsd = "testdata/junit/junit-10.xsd"
	schema := readXSD(t, xsd)
	check := func(t *testing.T, r *finding.Result) {
		doc, _ := junitOf(t, r, Options{})
		if err := obeys(schema, doc); err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		if lint, err := exec.LookPath("xmllint"); err == nil {
			file := filepath.Join(t.TempDir(), "junit.xml")
			if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(lint, "--noout", "--schema", xsd, file).CombinedOutput(); err != nil {
				t.Fatalf("xmllint: %v\n%s", err, out)
			}
		}
	}
	for name, r := range goldenResults() {
		t.Run(name, func(t *testing.T) { check(t, r) })
	}
	check(t, bigResult(60))
	for k := range hostile {
		check(t, hostileResult(k))
	}
	// The schema is read, or it would take these.
	for _, wrong := range []string{
		"<testsuites><testcase name='x'/></testsuites>",
		"<testsuites><testsuite name='x' tests='1' failures='0'/></testsuites>",
		"<testsuites><testsuite name='x' tests='1' failures='0' errors='0'>text</testsuite></testsuites>",
		"<testsuites><testsuite name='x' tests='1' failures='0' errors='0'><testcase name='y' line='3'/></testsuite></testsuites>",
	} {
		if obeys(schema, wrong) == nil {
			t.Errorf("taken: %s", wrong)
		}
	}
}

// A test fails where its finding gates, and only there.
func TestJUnitFailsWhatGates(t *testing.T) {
	r := spreadResult()
	f := r.Findings[0]
	name := "shop-prod " + webID
	for _, tc := range []struct {
		status   finding.Status
		severity string
		gates    func(finding.Finding) bool
		want     string
	}{
		{finding.New, "error", nil, "failure"},
		{finding.Worsened, "error", nil, "failure"},
		{finding.New, "warning", nil, "output"},
		{finding.Existing, "error", nil, "output"},
		{finding.Fixed, "error", nil, "pass"},
		{finding.New, "note", func(finding.Finding) bool { return true }, "failure"},
		{finding.New, "error", func(finding.Finding) bool { return false }, "output"},
	} {
		f.Status, f.Severity = tc.status, tc.severity
		r.Findings = []finding.Finding{f}
		if _, got := junitOf(t, r, Options{Gates: tc.gates}); got[name] != tc.want {
			t.Errorf("%s %s: %v, want %s", tc.status, tc.severity, got, tc.want)
		}
	}
	r.Findings = nil
	r.Workloads[0].Verdict, r.Workloads[0].Reason = finding.Inconclusive, "the time budget ran out"
	r.Releases = []finding.ReleaseResult{{ID: "other", Status: "failed-head", Changed: true, Reason: "no such key"}}
	if _, got := junitOf(t, r, Options{}); got[name] != "skipped" || got["other render"] != "error" {
		t.Errorf("%v", got)
	}
}
