// Command mends makes mistakes again that real projects made and mended, and shows each to
// kubesettle as a pull request: base is the mending commit, head the same without what
// mended it. A mistake is told where a rule of its row is found as new, at warning or above.
//
// A list has one row a mistake, with tabs between its columns and - for an empty one:
//
//	repository  owner/name of the clone: a folder owner+name (or owner/name, or name) of DIR
//	commit      the mending commit
//	kind        one word for the mistake
//	files       what is undone, between commas; FILE#1+3 for some hunks of the reversed diff; - for all
//	paths       what is checked, between commas; - for all
//	releases    the policy's releases as a YAML flow list: the values with which a chart has the mistake
//	policy      further keys of the policy as YAML on one line: facts of the cluster that the mistake needs
//	rules       the rules that would tell it, between commas
//	mechanism   one line
//
// Each row is run with nothing declared, then with its releases, then with its policy.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/testdata/clones"
)

func main() {
	binary := flag.String("kubesettle", "bin/kubesettle", "the binary to show")
	list := flag.String("list", "testdata/mends/history.tsv", "the mistakes")
	budget := flag.Duration("time-budget", 2*time.Minute, "wall time of one run")
	kinds := flag.String("kind", "", "only rows of these kinds, between commas")
	commits := flag.String("commit", "", "only rows whose commit begins so")
	forward := flag.Bool("forward", false, "also the mending itself, which must add no error and should say fixed")
	all := flag.Bool("v", false, "list every new finding, not only those of rows that are not told")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: mends [flags] DIR\nDIR is a folder of clones; see the source for the list's format. Exit code 1 where a row could not be run.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	err := func() error {
		work, err := os.MkdirTemp("", "mends")
		if err != nil {
			return err
		}
		defer os.RemoveAll(work)
		rows, err := read(*list)
		if err != nil {
			return err
		}
		path, err := filepath.Abs(*binary)
		if err != nil {
			return err
		}
		m := measure{folder: flag.Arg(0), work: work, kubesettle: clones.Kubesettle{Binary: path, Budget: *budget}, forward: *forward, all: *all}
		return m.run(selected(rows, *kinds, *commits))
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mends:", err)
		os.Exit(1)
	}
}

func selected(rows []row, kinds, commits string) []row {
	var out []row
	for _, r := range rows {
		if kinds != "" && !strings.Contains(","+kinds+",", ","+r.kind+",") {
			continue
		}
		if strings.HasPrefix(r.commit, commits) {
			out = append(out, r)
		}
	}
	return out
}

// measure is where clones lie and what runs on them.
type measure struct {
	folder, work string
	kubesettle   clones.Kubesettle
	forward, all bool
	repos        map[string]*clones.Repository
}

// An outcome is a row with what was found in each mode; a mode that a row has no columns
// for repeats the one before it.
type outcome struct {
	row
	nothing, values, policy clones.Result
	mended                  *clones.Result
}

// run prints the table as it comes, and the sums.
func (m *measure) run(rows []row) error {
	m.repos = map[string]*clones.Repository{}
	fmt.Println("| row | repository | commit | kind | nothing declared | values | policy | fix | seconds |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	var outcomes []outcome
	var errs []error
	for _, r := range rows {
		o, err := m.one(r)
		if err != nil {
			fmt.Printf("| %d | %s | %.10s | %s | not run | | | | |\n", r.line, r.repository, r.commit, r.kind)
			errs = append(errs, fmt.Errorf("row %d: %w", r.line, err))
			continue
		}
		fmt.Println(o.line())
		outcomes = append(outcomes, o)
	}
	sums(outcomes)
	m.details(outcomes)
	return errors.Join(errs...)
}

// one runs a row in its modes.
func (m *measure) one(r row) (outcome, error) {
	o := outcome{row: r}
	repo := m.repos[r.repository]
	if repo == nil {
		var err error
		if repo, err = clones.Open(m.folder, r.repository, m.work); err != nil {
			return o, err
		}
		m.repos[r.repository] = repo
	}
	base, head, err := revisions(repo, r)
	if err != nil {
		return o, err
	}
	check := func(base, head, releases, policy string) (clones.Result, error) {
		args, err := m.declare(releases, policy)
		if err != nil {
			return clones.Result{}, err
		}
		return m.kubesettle.Check(repo, base, head, append(args, r.paths...)...)
	}
	if o.nothing, err = check(base, head, "", ""); err != nil {
		return o, err
	}
	o.values = o.nothing
	if r.releases != "" {
		if o.values, err = check(base, head, r.releases, ""); err != nil {
			return o, err
		}
	}
	o.policy = o.values
	if r.policy != "" {
		if o.policy, err = check(base, head, r.releases, r.policy); err != nil {
			return o, err
		}
	}
	if m.forward {
		mended, err := check(head, base, r.releases, r.policy)
		if err != nil {
			return o, err
		}
		o.mended = &mended
	}
	return o, nil
}

// declare writes what a row declares, and gives the flags for it. A policy of the
// repository's own is not asked for.
func (m *measure) declare(releases, policy string) ([]string, error) {
	text := "apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"
	if releases != "" {
		text += "releases: " + releases + "\n"
	}
	if policy != "" {
		// Keys are separated by " ;; ", so that a row stays one line.
		text += strings.ReplaceAll(policy, " ;; ", "\n") + "\n"
	}
	file := filepath.Join(m.work, "policy.yaml")
	return []string{"--policy", file}, os.WriteFile(file, []byte(text), 0o644)
}
