package scenario

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/cockroachdb/datadriven" // has -rewrite

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

const (
	searchPage  = "../README.md"
	probesBegin = "<!-- probes -->\n"
	probesEnd   = "<!-- end of probes -->"
)

// TestProbesPage keeps the table of probes in verify/README.md; go test ./verify/scenario -run ProbesPage -rewrite.
func TestProbesPage(t *testing.T) {
	was, err := os.ReadFile(searchPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(was), probesBegin)
	_, after, ended := strings.Cut(rest, probesEnd)
	if !begun || !ended {
		t.Fatalf("%s: no %q and %q", searchPage, probesBegin, probesEnd)
	}
	var table strings.Builder
	table.WriteString("| probe | from | rules | where |\n|---|---|---|---|\n")
	for _, p := range append(slices.Clone(probes), thisRollout, commonNodes) {
		var asked []string
		for _, r := range about(rules.All(), p.asks) {
			asked = append(asked, "`"+r.ID+"`")
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", p.name, p.begins, strings.Join(asked, ", "), p.where)
	}
	is := before + probesBegin + table.String() + probesEnd + after
	if is == string(was) {
		return
	}
	if flag.Lookup("rewrite").Value.String() != "true" {
		t.Fatalf("%s is not what the probes say: go test ./verify/scenario -run ProbesPage -rewrite", searchPage)
	}
	if err := os.WriteFile(searchPage, []byte(is), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestProbesAreWhole: a probe says all of itself, no other has its name, and some rule answers.
func TestProbesAreWhole(t *testing.T) {
	names := map[string]bool{}
	for _, p := range append(slices.Clone(probes), thisRollout, commonNodes) {
		if p.name == "" || p.begins == "" || p.where == "" || p.scenario == "" || p.of == nil || names[p.name] {
			t.Errorf("%+v", p)
		}
		names[p.name] = true
		if len(about(rules.All(), p.asks)) == 0 {
			t.Errorf("%s: no rule is asked", p.name)
		}
		if p.from == state.Base && p.scenario == ScenarioSteady {
			t.Errorf("%s: head is judged from base", p.name)
		}
	}
}
