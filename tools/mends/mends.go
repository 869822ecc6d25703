// Package mends makes mistakes again that real projects made and fixed, and shows each to
// Kubesettle as a pull request: base is the fixing commit, head the same without what
// fixed it, or both are those of the commit that brought it. A mistake is found where a rule of its row is found as new, at warning or above.
//
// A list has one row a mistake, with tabs between its columns and - for an empty one:
//
//	repository  owner/name of the clone: a folder owner+name (or owner/name, or name) of DIR
//	commit      the fixing commit; CAME..FIXED where history shows which commit brought the mistake: that one is shown
//	kind        one word for the mistake
//	files       what is undone of a fixing commit, between commas; FILE#1+3 for some hunks of the reversed diff; - for all
//	paths       what is checked, between commas; - for all
//	releases    the policy's releases as a YAML flow list: the values with which a chart has the mistake
//	policy      further keys of the policy as YAML on one line: facts of the cluster that the mistake needs
//	rules       the rules that would tell it, between commas
//	mechanism   one line
//
// Each row is run with nothing declared, then with its releases, then with its policy.
package mends

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// measure is where clones lie and what runs on them.
type measure struct {
	corpus.Binary
	folder, work string
	forward, all bool
	repos        map[string]*corpus.Repository
}

// An outcome is a row with the findings in each mode; a mode that a row has no columns for repeats the one before it.
type outcome struct {
	row
	nothing, values, policy corpus.Result
	mended                  *corpus.Result
}

// Run prints the table as it comes, the sums, and what else was found.
func Run(args []string) (int, error) {
	set, b := corpus.Flags("mends", "DIR\nDIR is a folder of clones; the list has one row a mistake, with nine columns between tabs. Exit code 1 where a row could not be run.", 2*time.Minute)
	list := set.String("list", "testdata/mends/history.tsv", "the mistakes")
	kinds := set.String("kind", "", "only rows of these kinds, between commas")
	commits := set.String("commit", "", "only rows whose commit begins so")
	forward := set.Bool("forward", false, "also the fix itself, which must add no error and should say fixed")
	all := set.Bool("v", false, "list every new finding, not only those of rows that are not found")
	rest, err := b.Parse(set, args, 1)
	if err != nil {
		return 2, err
	}
	rows, err := read(*list)
	if err != nil {
		return 2, err
	}
	work, _, err := corpus.Scratch("mends")
	if err != nil {
		return 2, err
	}
	defer os.RemoveAll(work)
	m := measure{Binary: *b, folder: rest[0], work: work, forward: *forward, all: *all, repos: map[string]*corpus.Repository{}}
	corpus.Head(os.Stdout, "row", "repository", "commit", "kind", "nothing declared", "values", "policy", "fix", "seconds")
	var outcomes []outcome
	code := 0
	for _, r := range rows {
		if *kinds != "" && !slices.Contains(strings.Split(*kinds, ","), r.kind) || !strings.HasPrefix(r.commit, *commits) {
			continue
		}
		o, err := m.one(r)
		if err != nil {
			corpus.Row(os.Stdout, r.line, r.repository, r.short(), r.kind, "not run", "", "", "", "")
			fmt.Fprintf(os.Stderr, "row %d: %v\n", r.line, err)
			code = 1
			continue
		}
		o.print()
		outcomes = append(outcomes, o)
	}
	sums(outcomes)
	m.details(outcomes)
	return code, nil
}

// one runs a row in its modes.
func (m *measure) one(r row) (outcome, error) {
	o := outcome{row: r}
	repo := m.repos[r.repository]
	if repo == nil {
		var err error
		if repo, err = corpus.Open(m.folder, r.repository, m.work); err != nil {
			return o, err
		}
		m.repos[r.repository] = repo
	}
	mistake, fix, err := pairs(repo, r)
	if err != nil {
		return o, err
	}
	check := func(of pair, releases, policy string) (corpus.Result, error) {
		text := corpus.EmptyPolicy
		if releases != "" {
			text += "releases: " + releases + "\n"
		}
		// Keys are separated by " ;; ", so that a row stays one line.
		text += strings.ReplaceAll(policy, " ;; ", "\n") + "\n"
		file := filepath.Join(m.work, "policy.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return corpus.Result{}, err
		}
		return m.Check(repo, of.base, of.head, file, r.paths...)
	}
	if o.nothing, err = check(mistake, "", ""); err != nil {
		return o, err
	}
	o.values = o.nothing
	if r.releases != "" {
		if o.values, err = check(mistake, r.releases, ""); err != nil {
			return o, err
		}
	}
	o.policy = o.values
	if r.policy != "" {
		if o.policy, err = check(mistake, r.releases, r.policy); err != nil {
			return o, err
		}
	}
	if m.forward {
		mended, err := check(fix, r.releases, r.policy)
		if err != nil {
			return o, err
		}
		o.mended = &mended
	}
	return o, nil
}
