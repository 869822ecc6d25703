package kubesettle_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// A line of code has at most widest columns, a tab being one, but for one on which texts of more than wordy columns
// stand: they are told in one piece, to be found by their words.
const widest, wordy = 120, 60

// TestLinesAreNarrow: a longer line has two thoughts, or one that can be said in fewer words.
func TestLinesAreNarrow(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		text, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		if !slices.ContainsFunc(lines, tooWide) {
			continue
		}
		told := told(text)
		for i, line := range lines {
			if tooWide(line) && told[i+1] <= wordy {
				t.Errorf("%s:%d has %d columns, at most %d", f.path, i+1, utf8.RuneCountInString(line), widest)
			}
		}
	}
}

// TestLongTestsAreRun: what asks for -short is run without it by `make test-full`, and what starts goroutines is run
// under the race detector.
func TestLongTestsAreRun(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	starts := regexp.MustCompile(`\bgo func\(|\berrgroup\.|\bsync\.WaitGroup\b`)
	long, raced := map[string]bool{}, map[string]bool{}
	for _, f := range sources(t) {
		text, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		if f.test && bytes.Contains(text, []byte("testing."+"Short()")) {
			long["./"+f.dir] = true
		}
		if f.dir != "." && starts.Match(text) {
			raced["./"+f.dir] = true
		}
	}
	for name, want := range map[string]map[string]bool{"LONG": long, "RACED": raced} {
		_, line, _ := strings.Cut(string(makefile), "\n"+name+" ")
		line, _, _ = strings.Cut(line, "\n")
		listed := strings.Fields(strings.TrimLeft(line, " ="))
		for _, dir := range slices.Sorted(maps.Keys(want)) {
			if !slices.Contains(listed, dir) {
				t.Errorf("%s in the Makefile lacks %s", name, dir)
			}
		}
	}
}

func tooWide(line string) bool { return utf8.RuneCountInString(line) > widest }

// told says how long the texts are that stand on each line of a file; each line of a text of several counts all of it.
func told(file []byte) map[int]int {
	at := token.NewFileSet().AddFile("", -1, len(file))
	var s scanner.Scanner
	s.Init(at, file, nil, 0)
	out := map[int]int{}
	for {
		pos, kind, lit := s.Scan()
		if kind == token.EOF {
			return out
		}
		if kind != token.STRING && kind != token.CHAR {
			continue
		}
		for k := range strings.Count(lit, "\n") + 1 {
			out[at.Line(pos)+k] += len(lit)
		}
	}
}
