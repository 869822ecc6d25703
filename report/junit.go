package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// The elements of a JUnit file, as junit-10.xsd of Jenkins' xUnit plugin has them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Compared []junitNote `xml:"properties>property"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitNote struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string      `xml:"name,attr"`
		Class     string      `xml:"classname,attr"`
		Failure   *junitCause `xml:"failure"`
		Error     *junitCause `xml:"error"`
		Skipped   *junitCause `xml:"skipped"`
		SystemOut string      `xml:"system-out,omitempty"`
	}
	junitCause struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junitBytes bounds the text of one failed test.
const junitBytes = 16_000

// JUnit writes the result as JUnit XML, for systems that show tests: a suite for each release
// with a test for each workload, named so that it is the same test in the next run. What gates
// ([Options].Gates) is a failure, what could not be decided a skipped test, a release that the
// change breaks an error. Other findings are the output of a test that passes.
// Errors: the writer's.
func JUnit(w io.Writer, r *finding.Result, opt Options) error {
	j := &junitWriter{r: drawn(r), gates: opt.Gates, suites: map[string]*junitSuite{}}
	if j.gates == nil {
		j.gates = func(f finding.Finding) bool {
			return (f.Status == finding.New || f.Status == finding.Worsened) && severityRank(f.Severity) == 0
		}
	}
	j.write()
	all := junitSuites{Name: "kubesettle"}
	for _, name := range j.order {
		s := j.suites[name]
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		all.Suites = append(all.Suites, *s)
	}
	b, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, b)
	}
	return err
}

type junitWriter struct {
	r      *finding.Result
	gates  func(finding.Finding) bool
	suites map[string]*junitSuite
	order  []string // of the suites: as the result has the releases
}

func (j *junitWriter) write() {
	for _, rel := range failedReleases(j.r) {
		c := junitCase{Name: "render"}
		cause := &junitCause{Type: "render", Message: Plain(releaseStatus(&rel), 300),
			Text: clip(releaseReason(&rel)+" "+sentence(rel.Remedy), junitBytes)}
		if rel.HoldsUp() {
			c.Error = cause
		} else {
			c.Skipped = cause
		}
		j.add(rel.ID, c)
	}
	told := map[int]bool{}
	for _, w := range j.r.Workloads {
		var mine []finding.Finding
		for i, f := range j.r.Findings {
			if f.Workload == w.ID && (f.Release == w.Release || slices.Contains(f.AlsoIn, w.Release)) {
				mine, told[i] = append(mine, f), true
			}
		}
		j.add(w.Release, j.test(w.ID, mine, &w))
	}
	// A finding may be about an object that is no workload of the change, such as a budget.
	for i, f := range j.r.Findings {
		if !told[i] && f.Status != finding.Fixed {
			name := line(f.Workload)
			if name == "" {
				name = ruleID(&f)
			}
			j.add(f.Release, j.test(name, []finding.Finding{f}, nil))
		}
	}
	if len(j.order) == 0 { // a file without a test is an error to some readers
		c := junitCase{Name: "verdict"}
		if j.r.Verdict == finding.Errored {
			c.Error = &junitCause{Type: "analysis", Message: Plain(verdictSentence(j.r), 600)}
		} else {
			c.Skipped = &junitCause{Message: Plain(verdictSentence(j.r), 600)}
		}
		j.add("", c)
	}
}

// test is one workload with its findings; w is nil for an object that is none.
func (j *junitWriter) test(name string, findings []finding.Finding, w *finding.Workload) junitCase {
	c := junitCase{Name: Plain(name, 500)}
	var failing, rest []finding.Finding
	for _, f := range ordered(findings) {
		switch {
		case f.Status == finding.Fixed:
		case j.gates(f):
			failing = append(failing, f)
		default:
			rest = append(rest, f)
		}
	}
	switch {
	case len(failing) > 0:
		c.Failure = &junitCause{Type: ruleID(&failing[0]), Message: Plain(sentence(title(&failing[0])), 600),
			Text: junitText(failing)}
	case w != nil && w.Verdict == finding.Errored:
		c.Error = &junitCause{Type: "analysis", Message: Plain(sentence(w.Reason), 600)}
	case w != nil && w.Verdict == finding.Inconclusive:
		c.Skipped = &junitCause{Type: "inconclusive", Message: Plain(sentence(w.Reason), 600)}
	}
	if len(rest) > 0 {
		c.SystemOut = junitText(rest)
	}
	return c
}

func (j *junitWriter) add(release string, c junitCase) {
	name := Plain(release, 300)
	if name == "" {
		name = "kubesettle"
	}
	s := j.suites[name]
	if s == nil {
		s = &junitSuite{Name: name,
			Compared: []junitNote{{"compared", revisions(j.r)}, {"verdict", line(string(j.r.Verdict))}}}
		j.suites[name] = s
		j.order = append(j.order, name)
	}
	c.Class = name
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// junitText tells findings in plain text: what, where, the interleaving and the fix.
func junitText(fs []finding.Finding) string {
	var b strings.Builder
	for i := range fs {
		f := &fs[i]
		fmt.Fprintf(&b, "%s (%s, %s): %s\n", ruleID(f), line(f.Severity), line(string(f.Status)), sentence(title(f)))
		if l, rung := primaryLocation(f); rung != "none" {
			fmt.Fprintf(&b, "  at %s\n", where(&l))
		}
		lines := tell(f)
		shown := decisive(f, lines, 12)
		for _, l := range shown {
			who := l.Actor
			if who != "" {
				who += ": "
			}
			fmt.Fprintf(&b, "  %d. %s%s\n", l.First+1, who, Plain(l.Text, 400))
		}
		if n := len(lines) - len(shown); n > 0 {
			fmt.Fprintf(&b, "  (%s left out)\n", count(n, "step"))
		}
		if s := loopText(f); s != "" {
			fmt.Fprintf(&b, "  %s\n", sentence(s))
		}
		if f.Fix != nil {
			fmt.Fprintf(&b, "  fix: %s\n", Plain(fixText(f.Fix), 1000))
		}
	}
	return clip(b.String(), junitBytes)
}
