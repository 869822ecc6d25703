// Command planted makes mistakes in real charts, overlays and manifests, each as a person
// would: a value, a patch, a line of the manifest, or a new file beside it. It shows each to
// kubesettle as a pull request with nothing declared, and reports whether the mistake was told,
// how gravely, and at the planted line. Then it replays the last changes of the same
// repository, so that somebody can read whether anything is told that should not be.
//
// A mistake that is edited into a repository and changes no object is not planted, and not
// counted: the next way, and the next workload, are tried.
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
	budget := flag.Duration("time-budget", 30*time.Second, "wall time of one run")
	workloads := flag.Int("workloads", 4, "workloads of a repository that a mistake is tried in, each of another release")
	replay := flag.Int("replay", 20, "last changes of the repository that are replayed")
	only := flag.String("kind", "", "only kinds whose name contains this")
	names := flag.String("repositories", "", "only repositories whose name contains one of these, between commas")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: planted [flags] DIR\nDIR is a folder of clones. Exit code 1 where a repository could not be read.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *binary, *names, *only, *budget, *workloads, *replay); err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

// plants is where mistakes are made.
type plants struct {
	work, emptyPolicy string
	kubesettle        clones.Kubesettle
}

func run(dir, binary, names, only string, budget time.Duration, workloads, replay int) error {
	work, err := os.MkdirTemp("", "planted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	binary, err = filepath.Abs(binary)
	if err != nil {
		return err
	}
	p := &plants{work: work, emptyPolicy: filepath.Join(work, "policy.yaml"), kubesettle: clones.Kubesettle{Binary: binary, Budget: budget}}
	if err := os.WriteFile(p.emptyPolicy, []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"), 0o644); err != nil {
		return err
	}
	repos, err := clones.All(dir, work)
	if err != nil {
		return err
	}
	fmt.Println("| repository | kind | told | planted line | fix | as text | where | seconds |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	var done []outcome
	var errs []error
	for _, r := range repos {
		if !named(r.Name, names) {
			continue
		}
		targets, err := p.targets(r, "HEAD", workloads)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for i, k := range kinds {
			if !strings.Contains(k.name, only) {
				continue
			}
			o, err := p.plant(r, targets, i, k)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %s: %w", r.Name, k.name, err))
				continue
			}
			if o.target != "" {
				fmt.Println(o.line())
				done = append(done, o)
			}
		}
		if err := p.replay(r, replay); err != nil {
			errs = append(errs, err)
		}
	}
	sums(done)
	details(done)
	return errors.Join(errs...)
}

func named(name, some string) bool {
	for _, s := range strings.Split(some, ",") {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}
