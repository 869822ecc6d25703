// Command pullrequests replays the history of public repositories as pull requests, and
// lists what kubesettle says of them with nothing declared, so that somebody who knows the
// repository can judge it.
//
// Of every clone in a folder it takes the last first-parent commits that touch a chart, a
// kustomization or a manifest; each is checked against its parent. It uses the built binary
// only, so that it shows what a user sees. What a commit changes is learnt from the helm and
// kustomize commands where they are given, not from the binary that is judged.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.binary, "kubesettle", "bin/kubesettle", "the binary to show")
	flag.StringVar(&o.helm, "helm", "", "helm command, to compare with; none: nothing is compared")
	flag.StringVar(&o.kustomize, "kustomize", "", "kustomize command, to compare with")
	flag.StringVar(&o.out, "out", "", "folder of the results; runs that it holds are not repeated (default: a temporary one)")
	flag.StringVar(&o.only, "repositories", "", "pattern of names of repositories, such as 'grafana*'; all where empty")
	flag.IntVar(&o.commits, "n", 20, "commits of each repository")
	flag.StringVar(&o.before, "before", "", "date after which commits are passed over, such as 2026-06-30: another sample of the same repositories")
	flag.DurationVar(&o.budget, "time-budget", 2*time.Minute, "time budget that a run is given")
	flag.DurationVar(&o.limit, "limit", 10*time.Minute, "wall time after which a run is ended")
	flag.BoolVar(&o.network, "network", false, "let the helm command fetch the dependencies of charts, as 'helm dependency update' does")
	flag.BoolVar(&o.summarise, "summarise", false, "run nothing: print the tables of what the results' folder holds")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, `usage: pullrequests [flags] FOLDER [CHECK FLAG...]
FOLDER holds clones or bare repositories, with their history; flags after it are handed to 'kubesettle check'.
Exit code 1 where a run ended without a result.`)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() < 1 || o.commits < 1 {
		flag.Usage()
		os.Exit(2)
	}
	o.extra = flag.Args()[1:]
	broken, err := run(o, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "pullrequests:", err)
		os.Exit(2)
	}
	if broken > 0 {
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	binary, helm, kustomize string
	out, only, before       string
	commits                 int
	budget, limit           time.Duration
	network, summarise      bool
	extra                   []string // flags of check
}

// run replays every repository, prints the tables, and gives the number of runs that
// ended without a result.
func run(o options, folder string) (int, error) {
	clones, err := findClones(folder, o.only)
	if err != nil {
		return 0, err
	}
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return 0, err
	}
	s, err := openStore(o)
	if err != nil {
		return 0, err
	}
	work, err := os.MkdirTemp("", "pullrequests")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	var all []record
	for _, c := range clones {
		records, err := s.repository(c, work)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c.name, err)
		}
		all = append(all, records...)
	}
	if len(all) == 0 {
		return 0, fmt.Errorf("%s: no commit of its repositories touches a chart, a kustomization or a manifest", folder)
	}
	return printTables(os.Stdout, all), nil
}

// repository replays one clone, or reads what is there of it.
func (s *store) repository(c clone, work string) ([]record, error) {
	changes, err := c.changes(s.commits, s.before)
	if err != nil {
		return nil, err
	}
	commands := newCommands(s.options, c, filepath.Join(work, "trees"))
	defer commands.close()
	var out []record
	for i, ch := range changes {
		r, have, err := s.load(c, ch)
		if err != nil {
			return nil, err
		}
		switch {
		case have:
		case s.summarise:
			continue
		default:
			fmt.Fprintf(os.Stderr, "%s %d/%d %.9s %s\n", c.name, i+1, len(changes), ch.Commit, ch.Subject)
			if r, err = s.check(c, ch); err != nil {
				return nil, err
			}
			r.Commands = commands.compare(ch)
			if err := s.save(r); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	return out, nil
}
