package mends

import (
	"slices"
	"strings"
	"testing"
)

// A row names what is undone by file and hunk, and a name that the commit does not change is
// an error rather than a mistake that is never made.
func TestSomeLeavesTheHunksThatAreNamed(t *testing.T) {
	patch := strings.Join([]string{
		"diff --git a/a.yaml b/a.yaml", "--- a/a.yaml", "+++ b/a.yaml", "@@ -1 +1 @@", "-one", "+two", "@@ -9 +9 @@", "-three", "+four",
		"diff --git a/b.yaml b/b.yaml", "--- a/b.yaml", "+++ b/b.yaml", "@@ -1 +1 @@", "-five", "+six", ""}, "\n")
	got, err := some(patch, []undo{{file: "a.yaml", hunks: []int{2}}, {file: "b.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"+two": false, "+four": true, "+six": true, "+++ b/a.yaml": true} {
		if strings.Contains(got, text+"\n") != want {
			t.Errorf("patch contains %q: %t, want %t\n%s", text, !want, want, got)
		}
	}
	for _, files := range [][]undo{{{file: "c.yaml"}}, {{file: "a.yaml", hunks: []int{3}}}} {
		if out, err := some(patch, files); err == nil {
			t.Errorf("%v: no error, but\n%s", files, out)
		}
	}
}

func TestParse(t *testing.T) {
	row, err := parse("o/r\tabc\tpdb\tb.yaml#1+3,c.yaml\t-\t-\t-\tdrain-blocked\twhy")
	if err != nil {
		t.Fatal(err)
	}
	if len(row.files) != 2 || !slices.Equal(row.files[0].hunks, []int{1, 3}) || row.files[1].hunks != nil || len(row.paths) != 0 {
		t.Errorf("files %+v, paths %v", row.files, row.paths)
	}
	for _, bad := range []string{"o/r\tabc\tpdb", "o/r\t-\tpdb\t-\t-\t-\t-\tx\ty", "o/r\tabc\tpdb\ta#x\t-\t-\t-\tx\ty"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
