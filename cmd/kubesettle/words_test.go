package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestWordsOfCases holds what is said of the cases of testdata, one in eleven or all with
// KUBESETTLE_CASES=all, against what is promised of every text; and the same with longer runs, names
// and lists drawn at random.
func TestWordsOfCases(t *testing.T) {
	notUnderRace(t)
	cases, err := filepath.Glob("../../testdata/[fk]*/[cfg][0-9]*/[rv]*ed") // repaired
	if err != nil {
		t.Fatal(err)
	}
	violating, err := filepath.Glob("../../testdata/[fk]*/[cfg][0-9]*/violating")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(16, 60))
	seen := 0
	for i, dir := range slices.Sorted(slices.Values(append(cases, violating...))) {
		if i%11 != 0 && os.Getenv("KUBESETTLE_CASES") != "all" {
			continue
		}
		seen++
		t.Run(strings.TrimPrefix(filepath.ToSlash(dir), "../../testdata/"), func(t *testing.T) {
			b := []byte(writtenOf(t, dir, "json"))
			promised(t, resultOf(t, b))
			for range 10 {
				promised(t, longer(resultOf(t, b), random))
			}
		})
	}
	if seen < 10 {
		t.Errorf("%d cases: that is not testdata", seen)
	}
}

// TestWordsOfKeptResults does the same with the results of a folder, such as
// `make pull-requests OUT=FOLDER` gives.
func TestWordsOfKeptResults(t *testing.T) {
	dir := os.Getenv("KUBESETTLE_RESULTS")
	if dir == "" {
		t.Skip("KUBESETTLE_RESULTS names no folder of JSON results")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no result in %s (%v)", dir, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(f), func(t *testing.T) { promised(t, resultOf(t, b)) })
	}
}

func resultOf(t *testing.T, b []byte) *finding.Result {
	t.Helper()
	r, err := report.ReadResult(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// longer makes what a result lists longer, each of it or not.
func longer(r *finding.Result, random *rand.Rand) *finding.Result {
	often := func() int { return []int{0, 0, 1, 3, 40}[random.IntN(5)] }
	for i := range often() {
		r.Releases = append(r.Releases, finding.ReleaseResult{ID: fmt.Sprintf("apps/release-%d", i), Status: "skipped", Reason: "a dependency is not vendored", Remedy: "commit it"})
	}
	for i := range often() {
		r.Notices = append(r.Notices, finding.Say(finding.ReleaseNote, object.HooksListed).In(fmt.Sprintf("apps/release-%d", i)),
			finding.Say(finding.Quoted, fmt.Sprintf("file-%d.yaml is used by no release, and %s", i, strings.Repeat("so on ", i))))
	}
	for i := range often() {
		r.Assumptions = append(r.Assumptions, finding.Say(finding.BudgetLeftOut, 9).On(fmt.Sprintf("Shop shop/number-%d", i)))
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		steps := f.Interleaving
		for range often() {
			f.Interleaving = append(f.Interleaving, steps[:random.IntN(len(steps)+1)]...)
		}
		f.Message += strings.Repeat(" and more of it", often())
		for k := range often() {
			f.AlsoIn = append(f.AlsoIn, fmt.Sprintf("apps/release-%d", k))
		}
		if f.Fix != nil {
			f.Fix.Text += strings.Repeat(" and what else there is", often())
		}
		if f.Changed != nil && often() > 1 {
			f.Changed.Added = append(f.Changed.Added, strings.Repeat("a: long, ", 40), "another: line")
		}
	}
	for i := range often() {
		if len(r.Findings) > 0 && r.Findings[0].Cause != "" {
			f := r.Findings[0]
			f.Workload = fmt.Sprintf("apps/Deployment default/one-more-%d", i)
			r.Findings = append(r.Findings, f)
		}
	}
	return r
}

// promised holds what a person reads of a result to its sizes: five rows where all is well and three that foresee, a
// screen of 24 for a cause, 60 lines of a comment for one; no row wider than the terminal, and no
// sentence twice.
func promised(t *testing.T, r *finding.Result) {
	t.Helper()
	var fresh []finding.Finding
	for _, f := range r.Findings {
		if f.Status == finding.New || f.Status == finding.Worsened {
			fresh = append(fresh, f)
		}
	}
	missed := false
	for _, rel := range r.Releases {
		missed = missed || rel.Changed && rel.Status != "ok"
	}
	for _, columns := range []int{0, 60, 80, 100} {
		var b bytes.Buffer
		if err := report.Text(&b, r, report.Options{Columns: columns}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if n := strings.Count(text, "\n"); r.Verdict == finding.Pass && len(fresh) == 0 && !missed && n > 5+3 { // three of them foresee
			t.Errorf("%d columns: %d lines where all is well:\n%s", columns, n, text)
		}
		for i, block := range strings.Split(strings.TrimRight(text, "\n"), "\n\n") {
			if n := strings.Count(block, "\n") + 1; i > 0 && columns != 60 && n > 24 {
				t.Errorf("%d columns: a block of %d lines:\n%s", columns, n, block)
			}
			if i > 0 && columns == 80 {
				once(t, block)
			}
		}
		for _, l := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(l); columns > 0 && n > columns && strings.Contains(strings.TrimSpace(l), " ") && !longWord.MatchString(l) {
				t.Errorf("%d columns: a row of %d: %q", columns, n, l)
			}
		}
	}
	comment := report.Comment(r, report.Options{Repository: "https://github.com/acme/shop"})
	limit := 60 * max(len(finding.ByCause(fresh)), 1)
	if len(fresh) == 0 && len(r.Findings) == 0 && r.Verdict == finding.Pass {
		limit = 25
	}
	drawn := regexp.MustCompile("(?s)```mermaid\n.*?```\n\n").ReplaceAllString(comment, "") // a diagram is not read as lines
	if n := strings.Count(drawn, "\n"); n > limit {
		t.Errorf("the comment has %d lines, want at most %d:\n%s", n, limit, comment)
	}
}

// longWord is a row that is one word, beside its name or alone.
var longWord = regexp.MustCompile(`^ *([a-z]+ +)?\S+$`)

// once demands that no sentence of a block stands in it twice.
func once(t *testing.T, block string) {
	t.Helper()
	seen := map[string]bool{}
	for _, s := range sentenceEnd.Split(strings.Join(strings.Fields(block), " "), -1) {
		if s = strings.TrimSpace(s); len(s) > 30 && seen[s] {
			t.Errorf("twice %q in\n%s", s, block)
		}
		seen[s] = true
	}
}

var sentenceEnd = regexp.MustCompile(`[.;] | \d+(-\d+)?\. `)
