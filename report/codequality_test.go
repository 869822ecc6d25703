package report

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// codeQualityOne is what the tests read of an entry, with a type of its own.
type codeQualityOne struct {
	Description, Fingerprint, Severity string
	Check                              string `json:"check_name"`
	Location                           struct {
		Path  string
		Lines struct{ Begin int }
	}
}

func codeQualityOf(t *testing.T, r *finding.Result) []codeQualityOne {
	t.Helper()
	var b bytes.Buffer
	if err := CodeQuality(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("testdata/codequality/codeclimate.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := compileSchema(t, "codeclimate.json", doc)
	var raw []json.RawMessage
	var out []codeQualityOne
	for _, v := range []any{&raw, &out} {
		if err := json.Unmarshal(b.Bytes(), v); err != nil {
			t.Fatal(err)
		}
	}
	if raw == nil {
		t.Fatal("null is not a list")
	}
	for _, one := range raw {
		validate(t, schema, string(one))
	}
	seen := map[string]bool{}
	for _, o := range out {
		if !slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, o.Severity) {
			t.Errorf("severity %q is not one of GitLab's", o.Severity)
		}
		if seen[o.Fingerprint] || o.Fingerprint == "" {
			t.Errorf("fingerprint %q is not this entry's own", o.Fingerprint)
		}
		seen[o.Fingerprint] = true
		if o.Check == "" || o.Description == "" || repositoryPath(o.Location.Path) != o.Location.Path || o.Location.Lines.Begin < 1 {
			t.Errorf("%+v", o)
		}
	}
	return out
}

// What GitLab validates is valid, whatever the result holds.
func TestCodeQualityMatchesGitLabsSchema(t *testing.T) {
	for name, r := range goldenResults() {
		t.Run(name, func(t *testing.T) { codeQualityOf(t, r) })
	}
	codeQualityOf(t, bigResult(200))
	for k := range hostile {
		codeQualityOf(t, hostileResult(k))
	}
}

// A new finding weighs by its severity, what base has too nothing; what is mended or waived
// is no entry, and a release that does not render is the gravest.
func TestCodeQualitySeverities(t *testing.T) {
	r := spreadResult()
	one := r.Findings[0]
	r.Findings, r.Waived = nil, []finding.Waived{{Finding: one}}
	for _, s := range []struct {
		status   finding.Status
		severity string
	}{{finding.New, "error"}, {finding.Worsened, "warning"}, {finding.New, "note"}, {finding.Existing, "error"}, {finding.Fixed, "error"}} {
		f := one
		f.Status, f.Severity = s.status, s.severity
		r.Findings = append(r.Findings, f)
	}
	r.Releases = []finding.ReleaseResult{{ID: "web", Status: "failed-head", Changed: true, Reason: "no such key"}}
	var got []string
	for _, o := range codeQualityOf(t, r) {
		got = append(got, o.Severity)
	}
	if want := []string{"blocker", "critical", "major", "minor", "info"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A fingerprint stays when a finding moves to another line, or another one goes.
func TestCodeQualityFingerprintsStay(t *testing.T) {
	r := bigResult(20)
	before := codeQualityOf(t, r)
	r.Findings = r.Findings[1:]
	for i := range r.Findings {
		for k := range r.Findings[i].Locations {
			r.Findings[i].Locations[k].StartLine += 7
			r.Findings[i].Locations[k].EndLine += 7
		}
	}
	for _, o := range codeQualityOf(t, r) {
		if !slices.ContainsFunc(before, func(b codeQualityOne) bool { return b.Fingerprint == o.Fingerprint }) {
			t.Errorf("%s has another fingerprint", o.Description)
		}
	}
}

// A path stays as the repository has it, and a place outside of it is none.
func TestCodeQualityPlaces(t *testing.T) {
	for _, tc := range []struct {
		at   finding.Location
		path string
		line int
	}{
		{finding.Location{File: "a b/ü.yaml", StartLine: 3}, "a b/ü.yaml", 3},
		{finding.Location{File: "x.yaml"}, "x.yaml", 1},
		{finding.Location{File: "x.yaml", StartLine: 9, Side: "base"}, "x.yaml", 1},
		{finding.Location{File: "../x.yaml", StartLine: 3}, fallbackFile, 1},
		{finding.Location{File: "/etc/passwd", StartLine: 3}, fallbackFile, 1},
		{finding.Location{}, fallbackFile, 1},
	} {
		if got := codeQualityPlace(tc.at); got.Path != tc.path || got.Lines.Begin != tc.line {
			t.Errorf("%+v: got %+v", tc.at, got)
		}
	}
}
