package verify

import (
	"bytes"
	"encoding/json"
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestTracesOfCases holds how the runs of all findings in testdata are shown: a diagram of at most 30 kB, no picture
// like the one before it, and the same steps with the same numbers in the page, in SARIF and in the text, which leaves
// the steps of existing findings out.
func TestTracesOfCases(t *testing.T) {
	notUnderRace(t)
	dirs, err := filepath.Glob("../testdata/*/*/*/policy.yaml")
	if err != nil || len(dirs) < 100 {
		t.Fatalf("%d cases: that is not testdata (%v)", len(dirs), err)
	}
	var sizes []int
	steps, pictures := 0, 0
	for _, file := range dirs {
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../testdata/")
		r := caseIn(t, filepath.Dir(file), asDeclared).own()
		written := func(write func(*bytes.Buffer) error) string {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return b.String()
		}
		page := written(func(b *bytes.Buffer) error { return report.HTML(b, r, report.Options{}) })
		for _, svg := range laneDiagram.FindAllString(page, -1) {
			if sizes = append(sizes, len(svg)); len(svg) > 30_000 {
				t.Errorf("%s: a diagram of %d bytes", name, len(svg))
			}
		}
		var runs [][]json.RawMessage
		if err := json.Unmarshal([]byte(pageRuns.FindStringSubmatch(page)[1]), &runs); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, run := range runs {
			for i := range run {
				if pictures++; i > 0 && string(run[i]) != "null" && bytes.Equal(run[i], run[i-1]) {
					t.Errorf("%s: the picture of step %d is that of the step before: %s", name, i+1, run[i])
				}
			}
		}
		inPage := stepsIn(pageStep, page)
		sarif := written(func(b *bytes.Buffer) error { return report.SARIF(b, r, report.Options{}) })
		text := written(func(b *bytes.Buffer) error { return report.Text(b, r, report.Options{Verbose: true}) })
		inSARIF, inText := flowSteps(t, sarif), stepsIn(textStep, text)
		existing := !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Status != finding.Existing })
		for what, got := range map[string][]string{"SARIF": inSARIF, "text": inText} {
			if !sameSteps(inPage, got) && !(existing && what == "text" && got == nil) {
				t.Errorf("%s: the page has the steps\n%s\n%s has\n%s", name, strings.Join(inPage, "\n"), what, strings.Join(got, "\n"))
			}
		}
		steps += len(inPage)
	}
	if slices.Sort(sizes); len(sizes) < 50 || steps < 300 || pictures < 300 {
		t.Fatalf("%d diagrams, %d steps, %d pictures: the test has lost its teeth", len(sizes), steps, pictures)
	}
	t.Logf("%d diagrams: median %d bytes, at most %d; %d steps", len(sizes), sizes[len(sizes)/2], sizes[len(sizes)-1], steps)
}

var (
	laneDiagram = regexp.MustCompile(`(?s)<svg class="lanes".*?</svg>`)
	pageRuns    = regexp.MustCompile(`(?s)<script type="application/json" id="runs">(.*?)</script>`)
	pageStep    = regexp.MustCompile(`(?s)<li id="[^"]*-step-\d+" value="(\d+)" class="step[^>]*>(?:<span[^>]*>decides</span> )?<strong>[^<]*</strong>: (.*?)(?:<span class="ready">[^<]*</span>)? <a class="here"`)
	textStep    = regexp.MustCompile(`(?m)^  [ |] +(\d+)  \S+: (.*)$`)
)

// stepsIn lists the steps that a surface has, as "number. text".
func stepsIn(of *regexp.Regexp, s string) []string {
	var out []string
	for _, m := range of.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1]+". "+html.UnescapeString(m[2]))
	}
	return out
}

// sameSteps reports whether two surfaces have the same steps; got may say more of one, such as the line that allows it.
func sameSteps(want, got []string) bool {
	left := slices.Clone(want)
	for _, s := range got {
		best := -1
		for i, l := range left {
			if strings.HasPrefix(s, l) && (best < 0 || len(l) > len(left[best])) {
				best = i
			}
		}
		if best < 0 {
			return false
		}
		left = slices.Delete(left, best, best+1)
	}
	return len(left) == 0
}

// flowSteps lists those of SARIF's code flows.
func flowSteps(t *testing.T, doc string) []string {
	t.Helper()
	var log struct {
		Runs []struct {
			Results []struct {
				CodeFlows []struct {
					ThreadFlows []struct {
						Locations []struct {
							Location struct{ Message struct{ Text string } }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(doc), &log); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, run := range log.Runs {
		for _, res := range run.Results {
			for _, flow := range res.CodeFlows {
				for _, l := range flow.ThreadFlows[0].Locations {
					m := flowStep.FindStringSubmatch(l.Location.Message.Text)
					if m == nil {
						t.Fatalf("no step: %q", l.Location.Message.Text)
					}
					out = append(out, m[1]+". "+unescapedSARIF.Replace(m[2]))
				}
			}
		}
	}
	return out
}

var (
	flowStep       = regexp.MustCompile(`^(\d+)/\d+ \S+: (.*)$`)
	unescapedSARIF = strings.NewReplacer(`\\`, `\`, `\[`, `[`, `\]`, `]`, `\{`, `{`, `\}`, `}`, "{{", "{", "}}", "}")
)
