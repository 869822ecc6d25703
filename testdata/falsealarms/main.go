// Command falsealarms runs kubesettle on a folder of charts with their default values
// and lists what it finds, so that somebody can judge whether each finding is one.
//
// Every chart is looked at three times: as it is (verify), in a pull request that changes
// every pod template and nothing else (check), and in that pull request with two nodes
// drained one after the other, as in an upgrade (drained). The first two have the default
// policy. It uses the built binary only, so that it shows what a user sees.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	binary := flag.String("kubesettle", "bin/kubesettle", "the binary to show")
	budget := flag.Duration("time-budget", time.Minute, "wall time of one run")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: falsealarms [flags] FOLDER\nFOLDER holds one folder a chart; exit code 1 where a finding would fail a merge by default.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	errs, err := run(*binary, flag.Arg(0), *budget)
	if err != nil {
		fmt.Fprintln(os.Stderr, "falsealarms:", err)
		os.Exit(2)
	}
	if errs > 0 {
		os.Exit(1)
	}
}

// run prints the tables and gives the number of findings that are errors under the
// default policy.
func run(binary, folder string, budget time.Duration) (int, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "Chart.yaml"))
	if err != nil {
		return 0, err
	}
	if len(files) == 0 {
		return 0, fmt.Errorf("%s: no folder in it has a Chart.yaml", folder)
	}
	binary, err = filepath.Abs(binary)
	if err != nil {
		return 0, err
	}
	work, err := os.MkdirTemp("", "falsealarms")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	k := kubesettle{binary: binary, work: work, budget: budget}
	fmt.Println("| chart | version | checked | not modeled | verify | check | drained | states | seconds |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	var runs []run1
	for _, f := range files {
		rs, err := k.chart(filepath.Dir(f))
		if err != nil {
			return 0, err
		}
		fmt.Println(row(filepath.Dir(f), rs))
		runs = append(runs, rs...)
	}
	return listFindings(runs), nil
}

// kubesettle is the binary and where its input is put.
type kubesettle struct {
	binary, work string
	budget       time.Duration
}

// run1 is one run on one chart.
type run1 struct {
	chart, how string
	result     result
	took       time.Duration
}

// result is the part of the published JSON that the tables need.
type result struct {
	Verdict   string
	Workloads []struct{ ID, Verdict, Reason string }
	Findings  []finding
	Coverage  struct {
		Topologies, States, MaxNodes, MaxPods int
		Bound                                 string
	}
}

type finding struct {
	Rule, Severity, Certainty, Scenario, Workload, Message, Status string
	Interleaving                                                   []struct{ Actor, Text string }
}

// chart runs all there is to run on one chart.
func (k kubesettle) chart(dir string) ([]run1, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	trees := filepath.Join(k.work, filepath.Base(dir))
	var out []run1
	for _, r := range []struct {
		how  string
		args func() ([]string, error)
	}{
		{"verify", func() ([]string, error) { return []string{"verify", filepath.Base(dir)}, nil }},
		{"check", func() ([]string, error) { return k.change(dir, trees, "") }},
		{"drained", func() ([]string, error) { return k.change(dir, trees, drains) }},
	} {
		args, err := r.args()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		start := time.Now()
		raw, err := k.output(filepath.Dir(dir), append(args, "--time-budget", k.budget.String(), "--output", "json")...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		one := run1{chart: filepath.Base(dir), how: r.how, took: time.Since(start)}
		if err := json.Unmarshal(raw, &one.result); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", dir, r.how, err)
		}
		out = append(out, one)
	}
	return out, nil
}

// output runs the binary; codes 0 to 4 are verdicts, and the output is there.
func (k kubesettle) output(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command(k.binary, args...)
	cmd.Dir = dir
	raw, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() != 2 {
		err = nil
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("kubesettle %s: %w\n%s", strings.Join(args, " "), err, exit.Stderr)
	}
	return raw, err
}

// row is a chart's line of the table.
func row(dir string, runs []run1) string {
	checked, unmodeled, states, took := 0, 0, 0, time.Duration(0)
	for _, w := range runs[0].result.Workloads {
		if strings.HasSuffix(w.Reason, "nothing was verified for it") {
			unmodeled++
		} else {
			checked++
		}
	}
	cells := []string{filepath.Base(dir), version(dir), fmt.Sprint(checked), fmt.Sprint(unmodeled)}
	for _, r := range runs {
		cells = append(cells, summary(r.result))
		states += r.result.Coverage.States
		took += r.took
	}
	cells = append(cells, fmt.Sprint(states), fmt.Sprintf("%.1f", took.Seconds()))
	return "| " + strings.Join(cells, " | ") + " |"
}

// summary says in a few words what a run found.
func summary(r result) string {
	count := map[string]int{}
	for _, f := range r.Findings {
		count[f.Severity]++
	}
	var parts []string
	for _, severity := range []string{"error", "warning", "note"} {
		if n := count[severity]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, severity))
		}
	}
	switch {
	case r.Verdict == "error":
		parts = append(parts, "not analysed")
	case r.Coverage.Bound != "complete":
		parts = append(parts, "cut off ("+r.Coverage.Bound+")")
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// listFindings prints every finding with its interleaving and counts the errors of the
// runs under the default policy.
func listFindings(runs []run1) int {
	errs := 0
	for _, r := range runs {
		for _, f := range r.result.Findings {
			if f.Severity == "error" && r.how != "drained" {
				errs++
			}
			fmt.Printf("\n%s, %s: %s %s (%s, %s, %s) of %s\n  %s\n", r.chart, r.how, f.Severity, f.Rule, f.Status, f.Certainty, f.Scenario, f.Workload, f.Message)
			for i, s := range f.Interleaving {
				fmt.Printf("  %2d. %s\n", i+1, s.Text)
			}
		}
	}
	return errs
}
