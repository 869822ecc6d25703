package helm

import (
	"testing"

	"helm.sh/helm/v3/pkg/chart"
)

// A message keeps the path to the mistake, also where a password has the name of a folder, and no other password.
func TestMessagesKeepPaths(t *testing.T) {
	ch := &chart.Chart{Metadata: &chart.Metadata{Name: "unleash"}, Values: map[string]any{
		"db": map[string]any{"password": "unleash"}, "admin": map[string]any{"password": "correct-horse"}}}
	got := scrub("charts/unleash/templates/a.yaml:8: unleash/templates/a.yaml: correct-horse is no number", ch, "charts/unleash", nil)
	if want := "charts/unleash/templates/a.yaml:8: unleash/templates/a.yaml: <redacted> is no number"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
