package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	edgeRow  = regexp.MustCompile(`(?m)^\| (\d+) \| (.+) \| (.+) \| (.+) \|$`)
	edgeTest = regexp.MustCompile("`([^` ]+)(?: ([^`]+))?`")
)

// The manual's table of edges has every rule once, in order, and the tests that hold it
// are there.
func TestEdgesNameTheirTests(t *testing.T) {
	root := filepath.Join("..", "..")
	docs, err := os.ReadFile(filepath.Join(root, "docs", "github.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := edgeRow.FindAllStringSubmatch(string(docs), -1)
	if len(rows) != 20 {
		t.Errorf("%d rules, want 20", len(rows))
	}
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) {
			t.Errorf("rule %s stands in the place of %d", row[1], i+1)
		}
		tests := edgeTest.FindAllStringSubmatch(row[4], -1)
		if len(tests) == 0 {
			t.Errorf("rule %s: no test holds it", row[1])
		}
		for _, m := range tests {
			if err := hasTest(root, m[1], m[2]); err != "" {
				t.Errorf("rule %s: %s", row[1], err)
			}
		}
	}
}

// hasTest says what is missing of a story's file, or of a function in a package's tests.
func hasTest(root, path, function string) string {
	if function == "" {
		if info, err := os.Stat(filepath.Join(root, path)); err != nil || info.IsDir() || !strings.Contains(path, "testdata/") {
			return path + " is no story"
		}
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(root, path, "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), "\nfunc "+function+"(") {
			return ""
		}
	}
	return path + " has no " + function
}
