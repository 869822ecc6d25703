// Package falsealarms runs Kubesettle on a folder of charts with their default values and lists what it finds, so that a
// person can judge whether each finding is one.
//
// Every chart is looked at three times: as it is (verify), in a pull request that changes every pod template and nothing
// else (check), and in that pull request with two nodes drained one after the other, as in an upgrade (drained). The
// first two have the default policy.
package falsealarms

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// drains is a policy under which two nodes are drained, one after the other.
const drains = corpus.EmptyPolicy + "events: {drain: {budget: 2}}\n"

var ways = []string{"verify", "check", "drained"}

// Run prints the tables; the exit code is 1 where a finding would fail a merge by default.
func Run(args []string) (int, error) {
	set, b := corpus.Flags("false-alarms", "FOLDER\nFOLDER holds one folder a chart; exit code 1 where a finding would fail a merge by default.", time.Minute)
	rest, err := b.Parse(set, args, 1)
	if err != nil {
		return 2, err
	}
	files, err := filepath.Glob(filepath.Join(rest[0], "*", "Chart.yaml"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no folder in it has a Chart.yaml", rest[0])
	}
	if err != nil {
		return 2, err
	}
	work, _, err := corpus.Scratch("falsealarms")
	if err != nil {
		return 2, err
	}
	defer os.RemoveAll(work)
	corpus.Head(os.Stdout, "chart", "version", "checked", "not modeled", "verify", "check", "drained", "states", "seconds")
	code := 0
	var found strings.Builder
	for _, f := range files {
		dir, err := filepath.Abs(filepath.Dir(f))
		if err != nil {
			return 2, err
		}
		results, err := chart(*b, dir, filepath.Join(work, filepath.Base(dir)))
		if err != nil {
			return 2, fmt.Errorf("%s: %w", dir, err)
		}
		row(dir, results)
		if list(&found, filepath.Base(dir), results) {
			code = 1
		}
	}
	fmt.Print(found.String())
	return code, nil
}

// chart runs all there is to run on one chart, in the order of ways.
func chart(b corpus.Binary, dir, work string) ([]corpus.Result, error) {
	rendered, err := b.Run(filepath.Dir(dir), "render", filepath.Base(dir), "--output", "yaml")
	if err != nil || rendered.Exit == 2 {
		return nil, errors.Join(err, errors.New(rendered.Said))
	}
	base, head, policy := filepath.Join(work, "base"), filepath.Join(work, "head"), filepath.Join(work, "policy.yaml")
	if err := errors.Join(write(base, rendered.Output, "1"), write(head, rendered.Output, "2"), os.WriteFile(policy, []byte(drains), 0o644)); err != nil {
		return nil, err
	}
	var out []corpus.Result
	for _, args := range [][]string{
		{"verify", filepath.Base(dir)},
		{"check", "--base-dir", base, "--head-dir", head},
		{"check", "--base-dir", base, "--head-dir", head, "--policy", policy},
	} {
		r, err := b.Result(filepath.Dir(dir), args...)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// write puts rendered objects into one file of a folder, pod templates with the given annotation: for the control loops
// that is the same as a new image. Helm's hooks are left out, as an apply never meets them, and Secrets, whose values
// are not printed.
func write(dir string, rendered []byte, revision string) error {
	var out bytes.Buffer
	to, from := yaml.NewEncoder(&out), yaml.NewDecoder(bytes.NewReader(rendered))
	for {
		var o map[string]any
		if err := from.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if _, hook := below(o, "metadata", "annotations")["helm.sh/hook"]; len(o) == 0 || hook || o["kind"] == "Secret" {
			continue
		}
		if template := below(o, "spec", "template"); template["spec"] != nil {
			meta := below(template, "metadata")
			annotations := below(meta, "annotations") // null where a chart leaves it empty
			annotations["falsealarms/revision"] = revision
			meta["annotations"], template["metadata"] = annotations, meta
		}
		if err := to.Encode(o); err != nil {
			return err
		}
	}
	return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "all.yaml"), out.Bytes(), 0o644))
}

// below is the mapping at a path; an empty one where there is none.
func below(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		next, _ := m[p].(map[string]any)
		if next == nil {
			return map[string]any{}
		}
		m = next
	}
	return m
}

// row prints a chart's line of the table.
func row(dir string, results []corpus.Result) {
	var meta struct{ Version string }
	raw, _ := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
	_ = yaml.Unmarshal(raw, &meta)
	checked, unmodeled, states, took := 0, 0, 0, time.Duration(0)
	for _, w := range results[0].Workloads {
		if w.Unmodeled {
			unmodeled++
		} else {
			checked++
		}
	}
	cells := []any{filepath.Base(dir), meta.Version, checked, unmodeled}
	for _, r := range results {
		cells = append(cells, summary(r))
		states += r.Coverage.States
		took += r.Wall
	}
	corpus.Row(os.Stdout, append(cells, states, fmt.Sprintf("%.1f", took.Seconds()))...)
}

// summary says in a few words what a run found.
func summary(r corpus.Result) string {
	var parts []string
	for _, severity := range corpus.Severities {
		n := 0
		for _, f := range r.Findings {
			if f.Severity == severity {
				n++
			}
		}
		if n > 0 {
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

// list writes every finding with its interleaving; true where one is an error under the default policy.
func list(w io.Writer, chart string, results []corpus.Result) (errs bool) {
	for i, r := range results {
		for _, f := range r.Findings {
			errs = errs || f.Severity == "error" && ways[i] != "drained"
			fmt.Fprintf(w, "\n%s, %s: %s %s (%s, %s, %s) of %s\n  %s\n", chart, ways[i], f.Severity, f.Rule, f.Status, f.Certainty, f.Scenario, f.Workload, f.Message)
			f.Steps(w)
		}
	}
	return errs
}
