package pullrequests

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// record is one run.
type record struct {
	Repository string
	change
	Exit      int    // -1 where it was ended from outside
	Said      string // the end of its standard error
	Wall      time.Duration
	Budget    time.Duration // that it was given
	Processor time.Duration // user and system, of all its processes
	Memory    int64         // bytes: the peak of its largest process
	Commands  comparison
	Result    *corpus.Result `json:"-"` // nil where it wrote none
}

// check runs kubesettle on one change.
func (s *store) check(c clone, ch change) (record, error) {
	r := record{Repository: c.Name, change: ch, Budget: s.Budget}
	out := s.file(c.Name, ch.Commit, "result.json")
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return r, err
	}
	if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	args := []string{"check", "--repo", strings.TrimSuffix(c.Clone, "/.git"), "--base", ch.Base, "--head", ch.Commit, "--merge-base=false",
		"--time-budget", s.Budget.String(), "--output", "json=" + out}
	run, err := s.Run(filepath.Dir(out), append(args, s.extra...)...) // no policy of this folder, no work tree
	if err != nil {
		return r, err
	}
	lines := strings.Split(run.Said, "\n")
	r.Exit, r.Said = run.Exit, strings.Join(lines[max(0, len(lines)-5):], "\n")
	r.Wall, r.Processor, r.Memory = run.Wall, run.Processor, run.Memory
	return r, s.readResult(&r)
}

// beyond reports whether a run took more than a tenth longer than its budget.
func (r record) beyond() bool { return r.Budget > 0 && r.Wall > r.Budget+r.Budget/10 }
