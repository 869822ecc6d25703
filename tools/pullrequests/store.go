package pullrequests

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// store is the folder of the results: a record of each run, and beside it the result as
// kubesettle wrote it. It holds those of one binary with one set of flags.
type store struct {
	options
	dir string
}

// openStore makes the folder, or takes up one of the same binary and flags.
func openStore(o options) (*store, error) {
	if o.out == "" {
		dir, err := os.MkdirTemp("", "pullrequests-results")
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(os.Stderr, "results:", dir)
		return &store{options: o, dir: dir}, nil
	}
	dir, err := filepath.Abs(o.out)
	if err != nil {
		return nil, err
	}
	s := &store{options: o, dir: dir}
	if o.summarise {
		return s, nil
	}
	b, err := os.ReadFile(o.Path)
	if err != nil {
		return nil, err
	}
	of := fmt.Sprintf("%x %s %s\n", sha256.Sum256(b), o.Budget, strings.Join(o.extra, " "))
	mark := filepath.Join(s.dir, "of")
	switch have, err := os.ReadFile(mark); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(s.dir, 0o755); err != nil {
			return nil, err
		}
		return s, os.WriteFile(mark, []byte(of), 0o644)
	case err != nil:
		return nil, err
	case string(have) != of:
		return nil, fmt.Errorf("%s: holds results of another binary or of other flags: give another folder", s.dir)
	}
	return s, nil
}

// file is where something of one run is kept.
func (s *store) file(repository, commit, kind string) string {
	return filepath.Join(s.dir, strings.ReplaceAll(repository, "/", "+"), commit[:12]+"."+kind)
}

func (s *store) load(repository string, ch change) (record, bool, error) {
	var r record
	b, err := os.ReadFile(s.file(repository, ch.Commit, "run.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return r, false, err
	}
	return r, true, s.readResult(&r)
}

// save writes a record last of all, so that a run that was interrupted is repeated.
func (s *store) save(r record) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(s.file(r.Repository, r.Commit, "run.json"), append(b, '\n'), 0o644)
}

// readResult reads what kubesettle wrote, where it wrote anything.
func (s *store) readResult(r *record) error {
	b, err := os.ReadFile(s.file(r.Repository, r.Commit, "result.json"))
	if err != nil {
		return nil // the record's Exit and Said tell
	}
	r.Result = &corpus.Result{}
	if err := json.Unmarshal(b, r.Result); err != nil {
		r.Result = nil
		r.Said = "the result is not JSON: " + err.Error()
	}
	return nil
}
