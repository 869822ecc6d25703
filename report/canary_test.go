package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

const canary = "hunter2-canary"

// What a change marks as secret, and the content of objects, reach no surface.
func TestSecretsOfChangesAreNotShown(t *testing.T) {
	secret := &object.Object{
		ID:      object.ID{Kind: "Secret", Namespace: "default", Name: "db"},
		Content: map[string]any{"data": map[string]any{"password": canary}, "stringData": canary},
	}
	ch := &object.Changes{
		Base: &object.Revision{Releases: []*object.Rendered{{Objects: []*object.Object{secret}}}},
		Head: &object.Revision{Releases: []*object.Rendered{{Objects: []*object.Object{secret}}}},
		Changes: []object.Change{
			{Kind: object.Added, Head: secret}, {Kind: object.Removed, Base: secret}, {Kind: object.Renamed, Base: secret, Head: secret},
			{Kind: object.Modified, Base: secret, Head: secret, Fields: []object.FieldChange{
				{Path: "data[password]", Old: canary, New: canary + "2", Secret: true},
				{Path: "data[user]", Old: nil, New: map[string]any{"x": canary}, Secret: true},
				{Path: "metadata.labels[app]", Old: "a", New: "b"},
			}},
		},
	}
	opt := testMarkdown()
	opt.Changes = ch
	outputs := map[string]string{
		"comment": Comment(spreadResult(), opt),
		"summary": written(t, func(b *bytes.Buffer) error { return Summary(b, spreadResult(), opt) }),
		"diff":    written(t, func(b *bytes.Buffer) error { return DiffText(b, ch, DiffOptions{}) }),
		"diff.md": written(t, func(b *bytes.Buffer) error { return DiffMarkdown(b, ch, DiffOptions{}) }),
	}
	for name, s := range outputs {
		if strings.Contains(s, canary) {
			t.Errorf("%s shows the secret:\n%s", name, s)
		}
		if name == "comment" { // it names the objects only
			continue
		}
		if !strings.Contains(s, secretValue) || !strings.Contains(s, "metadata.labels[app]") {
			t.Errorf("%s does not say that a secret changed:\n%s", name, s)
		}
	}
}

// A surface has nothing that is not in the result, its options or its own fixed text:
// the same result with other words gives the same text with other words.
func TestSurfacesAddNothing(t *testing.T) {
	t.Setenv("KUBESETTLE_CANARY", canary)
	word := regexp.MustCompile(`(?i)q[a-j]{6}z|"[0-9a-f]{64}"`) // and a digest of such words
	fill := func(offset int) *finding.Result {
		r := loopResult()
		n := offset
		fillStrings(r, func(string) string { n++; return "q" + letters(n) + "z" })
		for i := range r.Findings { // what words and order rest on stays
			f := &r.Findings[i]
			f.Status, f.Severity, f.Certainty, f.Scenario, f.Timing = finding.New, "error", finding.Possible, "change", "realistic"
		}
		return r
	}
	a, b := fill(100_000), fill(400_000)
	for _, s := range surfaces() {
		x, y := word.ReplaceAllString(s.write(t, a), "W"), word.ReplaceAllString(s.write(t, b), "W")
		if x != y {
			t.Errorf("%s: the text rests on more than the result", s.name)
		}
		if strings.Contains(x, canary) {
			t.Errorf("%s: reads the environment", s.name)
		}
	}
}

func letters(n int) string {
	return strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprintf("%06d", n))
}
