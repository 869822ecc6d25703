package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

func sarifOf(t *testing.T, r *finding.Result, opt Options) (string, sarifLog) {
	t.Helper()
	if opt.Rules == nil {
		opt.Rules = testRules
	}
	var b bytes.Buffer
	if err := SARIF(&b, r, opt); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	return b.String(), log
}

// sarifLog is what the tests read of a file, with types of its own: it must not share
// a mistake with the library that writes it.
type sarifLog struct {
	Schema  string `json:"$schema"`
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name, Version, SemanticVersion string
				Rules                          []struct {
					ID, Name                                string
					ShortDescription, FullDescription, Help struct{ Text, Markdown string }
					Properties                              map[string]any
				}
			}
		}
		AutomationDetails struct{ ID string }
		Results           []sarifOne
		Invocations       []struct {
			ExecutionSuccessful        *bool
			ToolExecutionNotifications []struct {
				Level   string
				Message struct{ Text string }
			}
		}
	}
}

type sarifOne struct {
	RuleID              string
	RuleIndex           *int
	Level               string
	BaselineState       string
	Message             struct{ Text string }
	Locations           []sarifPlace
	RelatedLocations    []sarifPlace
	PartialFingerprints map[string]string
	Suppressions        []struct{ Kind, Status, Justification string }
	CodeFlows           []struct {
		ThreadFlows []struct {
			Locations []struct{ Location sarifPlace }
		}
	}
	Properties map[string]any
}

type sarifPlace struct {
	ID               int
	Message          struct{ Text string }
	PhysicalLocation struct {
		ArtifactLocation struct{ URI string }
		Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
	}
}

func (p sarifPlace) check() error {
	g := p.PhysicalLocation.Region
	uri := p.PhysicalLocation.ArtifactLocation.URI
	switch {
	case uri == "" || strings.HasPrefix(uri, "/") || strings.Contains(uri, "..") || strings.Contains(uri, ":") || strings.Contains(uri, "\\"):
		return fmt.Errorf("uri %q", uri)
	case g.StartLine < 1 || g.StartColumn < 1 || g.EndLine < g.StartLine || g.EndColumn < 1,
		g.StartLine == g.EndLine && g.EndColumn <= g.StartColumn:
		return fmt.Errorf("region %+v", g)
	}
	return nil
}

// What code scanning asks of a file and the schema does not.
func checkSARIF(t *testing.T, doc string, log sarifLog) {
	t.Helper()
	if strings.Contains(doc, "null") && jsonHas(t, doc, func(v any) bool { return v == nil }) {
		t.Error("a null")
	}
	if jsonHas(t, doc, func(v any) bool { return v == "" }) {
		t.Error("an empty string")
	}
	if log.Version != "2.1.0" || log.Schema == "" || len(log.Runs) != 1 || log.Runs[0].Results == nil {
		t.Fatal("version, $schema, runs or results are missing")
	}
	run := log.Runs[0]
	if run.AutomationDetails.ID == "" || !strings.HasSuffix(run.AutomationDetails.ID, "/") {
		t.Errorf("automationDetails.id is %q", run.AutomationDetails.ID)
	}
	for _, rule := range run.Tool.Driver.Rules {
		tags, _ := rule.Properties["tags"].([]any)
		if rule.ID == "" || len(rule.Name) > 255 || rule.ShortDescription.Text == "" || rule.FullDescription.Text == "" || rule.Help.Text == "" || rule.Help.Markdown == "" ||
			len(rule.ShortDescription.Text) > 1024 || len(rule.FullDescription.Text) > 1024 || len(tags) > 10 || rule.Properties["security-severity"] != nil {
			t.Errorf("rule %+v", rule)
		}
	}
	for i, res := range run.Results {
		checkResult(t, i, res)
		if res.RuleIndex == nil || run.Tool.Driver.Rules[*res.RuleIndex].ID != res.RuleID {
			t.Errorf("result %d: ruleIndex of %s", i, res.RuleID)
		}
	}
}

func checkResult(t *testing.T, i int, res sarifOne) {
	t.Helper()
	places := append(append([]sarifPlace{}, res.Locations...), res.RelatedLocations...)
	if len(res.Locations) != 1 || res.Message.Text == "" {
		t.Errorf("result %d: %d locations, message %q", i, len(res.Locations), res.Message.Text)
	}
	if res.PartialFingerprints["primaryLocationLineHash"] != "" {
		t.Errorf("result %d: primaryLocationLineHash belongs to the upload", i)
	}
	for _, r := range res.RelatedLocations {
		if !strings.Contains(res.Message.Text, fmt.Sprintf("](%d)", r.ID)) {
			t.Errorf("result %d: related location %d is not linked from %q", i, r.ID, res.Message.Text)
		}
	}
	if len(res.CodeFlows) > 1 {
		t.Errorf("result %d: %d code flows", i, len(res.CodeFlows))
	}
	for _, c := range res.CodeFlows {
		if len(c.ThreadFlows) != 1 || len(c.ThreadFlows[0].Locations) > sarifSteps || len(c.ThreadFlows[0].Locations) == 0 {
			t.Fatalf("result %d: thread flows", i)
		}
		for _, l := range c.ThreadFlows[0].Locations {
			if l.Location.Message.Text == "" {
				t.Errorf("result %d: a step without text", i)
			}
			places = append(places, l.Location)
		}
	}
	for _, p := range places {
		if err := p.check(); err != nil {
			t.Errorf("result %d: %v", i, err)
		}
	}
}

// jsonHas walks every value of a document.
func jsonHas(t *testing.T, doc string, found func(any) bool) bool {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	var walk func(any) bool
	walk = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for _, x := range v {
				if walk(x) {
					return true
				}
			}
			return false
		case []any:
			for _, x := range v {
				if walk(x) {
					return true
				}
			}
			return false
		}
		return found(v)
	}
	return walk(v)
}

func TestSARIFIsValid(t *testing.T) {
	doc, err := os.ReadFile("testdata/sarif/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := compileSchema(t, "sarif-schema-2.1.0.json", doc)
	cases := map[string]*finding.Result{"spread": spreadResult(), "loop": loopResult(), "empty": emptyResult(), "nothing": nothingResult(), "big": bigResult(50)}
	for k := range hostile {
		cases[fmt.Sprintf("hostile-%d", k)] = hostileResult(k)
	}
	for name, r := range cases {
		t.Run(name, func(t *testing.T) {
			doc, log := sarifOf(t, r, Options{Repository: "https://github.com/acme/shop"})
			validate(t, schema, doc)
			checkSARIF(t, doc, log)
		})
	}
}

func TestSARIFLevelsAndStates(t *testing.T) {
	_, log := sarifOf(t, loopResult(), Options{Category: "prod/eu"})
	var got []string
	for _, r := range log.Runs[0].Results {
		got = append(got, fmt.Sprintf("%s %s %s %s suppressed=%v", r.RuleID, r.Level, r.BaselineState, r.Properties["status"], len(r.Suppressions) > 0))
	}
	want := []string{
		"unschedulable error new new suppressed=false",
		"never-settles warning new new suppressed=false",
		"unschedulable note unchanged existing suppressed=false",
		"replicas-reset note new new suppressed=true",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if id := log.Runs[0].AutomationDetails.ID; id != "prod/eu/" {
		t.Errorf("automationDetails.id %q", id)
	}
}

// The alert stands on a line that the change edited, even if another is named first.
func TestSARIFPrimaryLocation(t *testing.T) {
	r := spreadResult()
	f := &r.Findings[0]
	edited := f.Locations[0]
	other := edited
	other.File, other.InDiff = "base/web.yaml", false
	f.Locations = []finding.Location{other, edited}
	primary := func() sarifPlace {
		_, log := sarifOf(t, r, Options{})
		return log.Runs[0].Results[0].Locations[0]
	}
	if got := primary().PhysicalLocation.ArtifactLocation.URI; got != edited.File {
		t.Errorf("an edited line is known, the alert stands in %s", got)
	}
	f.Locations, f.Blame = nil, nil
	if got := primary().PhysicalLocation.ArtifactLocation.URI; got != "base/hpa.yaml" {
		t.Errorf("only steps have places, the alert stands in %s", got)
	}
	f.Interleaving = nil
	if got := primary().PhysicalLocation; got.ArtifactLocation.URI != fallbackFile || got.Region.StartLine != 1 {
		t.Errorf("no place is known: %+v", got)
	}
	gone := edited
	gone.Side, gone.StartLine = "base", 40
	f.Locations = []finding.Location{gone}
	if got := primary().PhysicalLocation; got.ArtifactLocation.URI != gone.File || got.Region.StartLine != 1 {
		t.Errorf("the line was deleted: %+v", got)
	}
}

// Limits drop what matters least, and the file says how much.
func TestSARIFLimits(t *testing.T) {
	r := bigResult(80)
	_, log := sarifOf(t, r, Options{Results: 30})
	run := log.Runs[0]
	if len(run.Results) != 30 || len(run.Invocations) != 1 {
		t.Fatalf("%d results", len(run.Results))
	}
	for _, res := range run.Results {
		if res.BaselineState != "new" {
			t.Errorf("a %s result, while 40 new ones are known", res.BaselineState)
		}
	}
	if n := run.Invocations[0].ToolExecutionNotifications[0]; !strings.Contains(n.Message.Text, "30 results that matter most of 60") || n.Level != "warning" {
		t.Errorf("notification %+v", n)
	}
	for _, limit := range []int{20_000, 8_000} {
		doc, log := sarifOf(t, r, Options{Bytes: limit})
		size, err := gzipSize([]byte(doc))
		if err != nil || size > limit {
			t.Errorf("limit %d: %d bytes, %v", limit, size, err)
		}
		checkSARIF(t, doc, log)
	}
}

func TestSARIFElision(t *testing.T) {
	r := spreadResult()
	f := &r.Findings[0]
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		f.Interleaving = nil
		for range n + 1 {
			s := spreadSteps()[rnd.IntN(6)]
			if rnd.IntN(10) > 0 {
				s.Class = "sync"
			}
			f.Interleaving = append(f.Interleaving, s)
		}
		f.CycleStart = nil
		start := rnd.IntN(n + 1)
		if rnd.IntN(2) == 0 {
			f.CycleStart = &start
		}
		kept := elide(f, sarifSteps)
		checkElision(t, f, kept)
	}
}

func checkElision(t *testing.T, f *finding.Finding, kept []shownStep) {
	t.Helper()
	if len(kept) != min(len(f.Interleaving), sarifSteps) {
		t.Fatalf("%d steps of %d kept", len(kept), len(f.Interleaving))
	}
	next, loop := 0, false
	for _, s := range kept {
		if s.Index != next+s.Gap {
			t.Fatalf("step %d after %d with a gap of %d", s.Index, next, s.Gap)
		}
		next = s.Index + 1
		loop = loop || s.Loops
	}
	if kept[0].Index != 0 || next != len(f.Interleaving) || loop != (f.CycleStart != nil) {
		t.Fatal("the first, the last step or the loop's begin is lost")
	}
}

func TestDropNulls(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":null}`:                             `{}`,
		`{"a":null,"b":null,"c":1}`:              `{"c":1}`,
		`{"a":1,"b":null,"c":[{"d":null},null]}`: `{"a":1,"c":[{},null]}`,
		`{"a":"x\":null,\"b\":null"}`:            `{"a":"x\":null,\"b\":null"}`,
		`{"a":"\\","b":null}`:                    `{"a":"\\"}`,
		`{"a":"b:null,","c":",\"d\":null"}`:      `{"a":"b:null,","c":",\"d\":null"}`,
	} {
		if got := string(dropNulls([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// Microsoft's validator finds nothing to say, as code scanning's rules and as SARIF's.
// `make surfaces` gets it; SARIF_MULTITOOL names its bin.js.
func TestSARIFMultitool(t *testing.T) {
	tool := os.Getenv("SARIF_MULTITOOL")
	if tool == "" {
		t.Skip("SARIF_MULTITOOL does not name the validator: see make surfaces")
	}
	for name, r := range map[string]*finding.Result{
		"findings": spreadResult(), "loop": loopResult(), "none": emptyResult(), "nothing": nothingResult(), "big": bigResult(150), "hostile": hostileResult(3),
	} {
		for _, kind := range []string{"Ghas", "Sarif"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				doc, _ := sarifOf(t, r, Options{Repository: "https://github.com/acme/shop"})
				file := filepath.Join(t.TempDir(), "kubesettle.sarif")
				if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
					t.Fatal(err)
				}
				out, err := exec.Command("node", tool, "validate", file, "--rule-kind", kind, "--max-file-size-in-kb", "200000").CombinedOutput()
				if err != nil || strings.Contains(string(out), ": error ") || strings.Contains(string(out), ": warning ") || !strings.Contains(string(out), "completed successfully") {
					t.Errorf("%v\n%s", err, clip(string(out), 4000))
				}
			})
		}
	}
}
