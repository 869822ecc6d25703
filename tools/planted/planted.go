// Package planted makes mistakes in real charts, overlays and manifests, each as a person would: a value, a patch, a line
// of the manifest, or a new file beside it. It shows each to Kubesettle as a pull request with nothing declared, and says
// whether the mistake was reported, how gravely, and at the planted line.
//
// A mistake that is edited into a repository and changes no object is not planted, and not counted: the next way, and the
// next workload, are tried.
package planted

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// plants is where mistakes are made.
type plants struct {
	corpus.Binary
	work, emptyPolicy string
}

// Run prints the table as it comes, the sums, and what was found where a mistake was not.
func Run(args []string) (int, error) {
	set, b := corpus.Flags("planted", "DIR\nDIR is a folder of clones. Exit code 1 where a repository could not be read.", 30*time.Second)
	workloads := set.Int("workloads", 4, "workloads of a repository that a mistake is tried in, each of another release")
	only := set.String("kind", "", "only kinds whose name contains this")
	names := set.String("repositories", "", "only repositories whose name contains or matches one of these, between commas")
	rest, err := b.Parse(set, args, 1)
	if err != nil {
		return 2, err
	}
	p := &plants{Binary: *b}
	if p.work, p.emptyPolicy, err = corpus.Scratch("planted"); err != nil {
		return 2, err
	}
	defer os.RemoveAll(p.work)
	repos, err := corpus.All(rest[0], p.work, *names)
	if err != nil {
		return 2, err
	}
	corpus.Head(os.Stdout, "repository", "kind", "reported", "planted line", "fix", "as text", "where", "seconds")
	var done []outcome
	code := 0
	failed := func(r *corpus.Repository, err error) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", r.Name, err)
		code = 1
	}
	for _, r := range repos {
		targets, err := p.targets(r, "HEAD", *workloads)
		if err != nil {
			failed(r, err)
			continue
		}
		for i, k := range kinds {
			if !strings.Contains(k.name, *only) {
				continue
			}
			o, err := p.plant(r, targets, i, k)
			if err != nil {
				failed(r, fmt.Errorf("%s: %w", k.name, err))
			} else if o.target != "" {
				o.print()
				done = append(done, o)
			}
		}
	}
	sums(done)
	details(done)
	return code, nil
}
