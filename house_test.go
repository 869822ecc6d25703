package kubesettle_test

import (
	"go/scanner"
	"go/token"
	"os"
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

// TestLongTestsAreRun: what asks for -short is run without it by `make test-full`.
func TestLongTestsAreRun(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(makefile), "\nLONG ")
	line, _, _ = strings.Cut(line, "\n")
	listed := strings.Fields(strings.TrimLeft(line, " ="))
	var found []string
	for _, f := range sources(t) {
		text, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		if dir := "./" + f.dir; f.test && strings.Contains(string(text), "testing."+"Short()") && !slices.Contains(found, dir) {
			found = append(found, dir)
		}
	}
	if slices.Sort(found); !slices.Equal(found, listed) {
		t.Errorf("LONG in the Makefile is %q, packages that ask for -short are %q", listed, found)
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
