package control_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/state"
)

// TestGatesPage: docs/fidelity.md has the defaults of every gate that the models follow.
func TestGatesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| feature gate | on since | locked since | in the models, where it is on |\n|---|---|---|---|\n")
	since := func(minor int) string {
		if minor == 0 {
			return ""
		}
		return fmt.Sprintf("1.%d", minor)
	}
	for _, g := range state.Gates() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", g.Name, since(g.OnSince), since(g.LockedSince), g.Says)
	}
	const begin, end = "<!-- gates -->\n", "<!-- end of gates -->"
	page, err := os.ReadFile(fidelityPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), begin)
	got, after, ok := strings.Cut(rest, end)
	switch {
	case !ok:
		t.Fatalf("%s: no %q and %q", fidelityPage, begin, end)
	case got == b.String():
	case !rewriteFlag():
		t.Fatalf("%s: not the defaults; run: go test ./verify/control -run GatesPage -rewrite", fidelityPage)
	default:
		if err := os.WriteFile(fidelityPage, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
