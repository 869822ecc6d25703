package clones

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/verify/judge"
)

// Kubesettle is the binary that is shown, and how long a run may take.
type Kubesettle struct {
	Binary string
	Budget time.Duration
}

// Result is the part of the published JSON that tables are made of.
type Result struct {
	Verdict   string
	Workloads []struct{ ID, Change, Verdict, Reason string }
	Findings  []Finding
	Releases  []struct{ ID, Status, Reason string }
	Coverage  struct {
		Topologies, States int
		Bound              string
	}
	ExitCode int           `json:"-"`
	Took     time.Duration `json:"-"`
}

// A Finding is one of a result.
type Finding struct {
	Rule, Severity, Status, Certainty, Scenario, Workload, Message string
	Locations                                                      []Location
	Blame                                                          []Blame
	Fix                                                            *Fix
}

// Blame is a field that a finding hangs on; its Location is nil where its line is not known.
type Blame struct {
	Object, Path string // Path is "" for the whole object
	Location     *Location
}

// String is where it stands and what it is, such as "app/values.yaml:12 spec.replicas".
func (b Blame) String() string {
	what := b.Path
	if what == "" {
		what = b.Object
	}
	if b.Location == nil {
		return what
	}
	return fmt.Sprintf("%s:%d %s", b.Location.File, b.Location.StartLine, what)
}

// A Fix is what is offered for a finding.
type Fix struct {
	Text, Replacement          string
	Location                   *Location
	Mechanical, Verified, Back bool
}

// Edit makes a mechanical fix in the text of its file; false where it does not fit there.
func (f Fix) Edit(text string) (string, bool) {
	if !f.Mechanical || f.Location == nil {
		return "", false
	}
	e := judge.Edit{First: f.Location.StartLine, Last: f.Location.EndLine}
	for _, l := range judge.SplitLines(f.Replacement) {
		e.Lines = append(e.Lines, strings.TrimSuffix(l, "\n"))
	}
	return e.Apply(text)
}

// A Location is a region of a file.
type Location struct {
	File               string
	StartLine, EndLine int
	Field              string
	InDiff             bool
	Side               string
}

// Gates says that a finding is the change's and at least a warning.
func (f Finding) Gates() bool { return f.New() && f.Severity != "note" }

// New says that base does not have it, or not so badly.
func (f Finding) New() bool { return f.Status == "new" || f.Status == "worsened" }

// HasFix says that something is offered that holds, and does not take the change back.
func (f Finding) HasFix() bool { return f.Fix != nil && f.Fix.Verified && !f.Fix.Back }

// At says that one of its places, or of what it is blamed on, is on one of the lines of file.
func (f Finding) At(file string, lines []int) bool {
	places := slices.Clone(f.Locations)
	for _, b := range f.Blame {
		if b.Location != nil {
			places = append(places, *b.Location)
		}
	}
	for _, l := range places {
		if l.File != file || l.Side == "base" {
			continue
		}
		if len(lines) == 0 {
			return true
		}
		for _, line := range lines {
			if l.StartLine <= line && line <= l.EndLine {
				return true
			}
		}
	}
	return false
}

// Check compares two commits. Exit codes other than 2 are verdicts.
func (k Kubesettle) Check(r *Repository, base, head string, args ...string) (Result, error) {
	args = append([]string{"check", "--repo", r.scratch, "--base", base, "--head", head, "--merge-base=false",
		"--time-budget", k.Budget.String(), "--output", "json"}, args...)
	ctx, cancel := context.WithTimeout(context.Background(), 3*k.Budget+time.Minute)
	defer cancel()
	start := time.Now()
	cmd := exec.CommandContext(ctx, k.Binary, args...)
	raw, err := cmd.Output()
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("%s: passed its time budget of %s threefold", r.Name, k.Budget)
	}
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if code = exit.ExitCode(); code == 2 {
			return Result{}, fmt.Errorf("%s: kubesettle %s: %s", r.Name, strings.Join(args, " "), exit.Stderr)
		}
	} else if err != nil {
		return Result{}, err
	}
	out := Result{ExitCode: code, Took: time.Since(start)}
	if err := json.Unmarshal(raw, &out); err != nil {
		return Result{}, fmt.Errorf("%s: exit code %d, and no JSON: %w", r.Name, code, err)
	}
	return out, nil
}

// Searched says that a workload of the change set got a verdict from a search.
func (r Result) Searched() bool {
	for _, w := range r.Workloads {
		if w.Verdict == "pass" || w.Verdict == "fail" {
			return true
		}
	}
	return false
}

// Failed gives the releases that head or base does not render, with the first reason.
func (r Result) Failed() (n int, reason string) {
	for _, rel := range r.Releases {
		if rel.Status == "ok" {
			continue
		}
		if n++; reason == "" {
			reason, _, _ = strings.Cut(rel.Reason, "\n")
		}
	}
	return n, reason
}

// A Change is an object that two commits have differently, with the paths of its fields.
type Change struct {
	ID     string
	Fields []struct{ Path string }
}

// Changed gives what differs between two commits, nothing where head fails to render; it is
// not searched.
func (k Kubesettle) Changed(r *Repository, base, head string, args ...string) ([]Change, error) {
	args = append([]string{"diff", "--repo", r.scratch, "--base", base, "--head", head, "--merge-base=false", "--output", "json"}, args...)
	ctx, cancel := context.WithTimeout(context.Background(), 3*k.Budget+time.Minute)
	defer cancel()
	raw, err := exec.CommandContext(ctx, k.Binary, args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: kubesettle %s: %w", r.Name, strings.Join(args, " "), err)
	}
	var out struct{ Changes []Change }
	err = json.Unmarshal(raw, &out)
	return out.Changes, err
}
