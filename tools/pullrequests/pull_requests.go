// Package pullrequests replays the history of public repositories as pull requests, and
// lists what Kubesettle says of them with nothing declared, so that a person who knows the
// repository can judge it.
//
// Of every clone in a folder it takes the last first-parent commits that touch a chart, a
// kustomization or a manifest; each is checked against its parent. It uses the built binary
// only, so that it shows what a user sees. What a commit changes is learnt from the helm and
// kustomize commands where they are given, not from the binary that is judged.
package pullrequests

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// options are the flags.
type options struct {
	*corpus.Binary
	helm, kustomize    string
	out, before        string
	against            string // folder of another binary's results; "": none
	commits            int
	network, summarise bool
	extra              []string // flags of check
}

// Run replays every repository and prints the tables; the exit code is 1 where a run ended without a result, or
// with another one than a given binary's.
func Run(args []string) (int, error) {
	set, b := corpus.Flags("pull-requests", `FOLDER [CHECK FLAG...]
FOLDER holds clones or bare repositories, with their history; flags after it are handed to 'kubesettle check'.
Exit code 1 where a run ended without a result, or differs from that of --against.`, 2*time.Minute)
	o := options{Binary: b}
	set.StringVar(&o.helm, "helm", "", "helm command, to compare with; none: nothing is compared")
	set.StringVar(&o.kustomize, "kustomize", "", "kustomize command, to compare with")
	set.StringVar(&o.out, "out", "", "folder of the results; runs that it holds are not repeated (default: a temporary one)")
	set.StringVar(&o.against, "against", "", "folder of another binary's results: say where they differ")
	only := set.String("repositories", "", "only repositories whose name contains or matches one of these, between commas")
	set.IntVar(&o.commits, "n", 20, "commits of each repository")
	set.StringVar(&o.before, "before", "", "date after which commits are passed over, such as 2026-06-30: another sample of the same repositories")
	set.DurationVar(&o.Limit, "limit", 10*time.Minute, "wall time after which a run is ended")
	set.BoolVar(&o.network, "network", false, "let the helm command fetch the dependencies of charts, as 'helm dependency update' does")
	set.BoolVar(&o.summarise, "summarise", false, "run nothing: print the tables of what the results' folder holds")
	rest, err := b.Parse(set, args, 1)
	if err != nil {
		return 2, err
	}
	o.extra = rest[1:]
	work, _, err := corpus.Scratch("pullrequests")
	if err != nil {
		return 2, err
	}
	defer os.RemoveAll(work)
	clones, err := corpus.All(rest[0], work, *only)
	if err != nil {
		return 2, err
	}
	s, err := openStore(o)
	if err != nil {
		return 2, err
	}
	var all []record
	for _, r := range clones {
		records, err := s.repository(clone{r}, filepath.Join(work, "trees"))
		if err != nil {
			return 2, fmt.Errorf("%s: %w", r.Name, err)
		}
		all = append(all, records...)
	}
	if len(all) == 0 {
		return 2, fmt.Errorf("%s: no commit of its repositories touches a chart, a kustomization or a manifest", rest[0])
	}
	wrong := printTables(os.Stdout, all)
	if o.against != "" {
		differ, err := s.printAgainst(os.Stdout, all)
		if err != nil {
			return 2, err
		}
		wrong += differ
	}
	return min(1, wrong), nil
}

// repository replays one clone, or reads its stored results.
func (s *store) repository(c clone, work string) ([]record, error) {
	changes, err := c.changes(s.commits, s.before)
	if err != nil {
		return nil, err
	}
	commands := newCommands(s.options, c, work)
	defer commands.close()
	var out []record
	for i, ch := range changes {
		r, have, err := s.load(c.Name, ch)
		if err != nil {
			return nil, err
		}
		switch {
		case have:
		case s.summarise:
			continue
		default:
			fmt.Fprintf(os.Stderr, "%s %d/%d %.9s %s\n", c.Name, i+1, len(changes), ch.Commit, ch.Subject)
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
