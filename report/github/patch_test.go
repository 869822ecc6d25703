package github

import (
	"strings"
	"testing"
)

func FuzzRightLines(f *testing.F) {
	f.Add(spreadPatch)
	f.Add("@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file")
	f.Add("@@ -1 +1,99999999999999999999 @@\n+x")
	f.Fuzz(func(t *testing.T, patch string) {
		total := 0
		for _, h := range rightLines(patch) {
			total += len(h.lines)
			if h.first < 0 {
				t.Fatalf("line %d", h.first)
			}
		}
		if total > strings.Count(patch, "\n")+1 {
			t.Fatalf("%d lines of %q", total, patch)
		}
	})
}
