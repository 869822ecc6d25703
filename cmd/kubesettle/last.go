package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// lastFile is where the result of the last run in a folder is kept, for explain; "" if the user has no folder for
// caches. The folder belongs to the user, so that nothing is written into the repository.
func lastFile(p *process, dir string) string {
	cache := p.getenv("XDG_CACHE_HOME")
	if cache == "" {
		own, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		cache = own
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(cache, "kubesettle", "last", fmt.Sprintf("%x.json", sum[:12]))
}

// keepLast keeps a result for explain. In CI it is not needed. It is a convenience: if it fails, explain says that
// there is no last run.
func keepLast(p *process, r *finding.Result) {
	dir, err := os.Getwd()
	if err != nil || p.getenv("CI") != "" || r.Shard != "" {
		return
	}
	file := lastFile(p, dir)
	var b bytes.Buffer
	if file == "" || report.JSON(&b, r) != nil {
		return
	}
	if os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = replaceFile(file, b.Bytes()) // a convenience, as said above
	}
}

// lastResult is the result of the last run in the working directory, or in the nearest folder above it.
func lastResult(p *process) (*finding.Result, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, usage("%w", err)
	}
	for {
		file := lastFile(p, dir)
		if _, err := os.Stat(file); file != "" && err == nil {
			return readResult(file)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, usage("no run in this folder is known: run kubesettle check or kubesettle verify . first")
		}
		dir = up
	}
}

// numbered is the number of a finding, as explain takes it.
func numbered(arg string) (int, bool) {
	n, err := strconv.Atoi(arg)
	return n, err == nil && n > 0
}

// narrowed is the part of the last result that explain is asked about: a finding by its number, or those of a file.
func narrowed(p *process, arg string) (*finding.Result, error) {
	r, err := lastResult(p)
	if err != nil {
		return nil, err
	}
	if n, ok := numbered(arg); ok {
		one, all := report.Nth(r, n)
		switch {
		case all == 0:
			return nil, usage("the last run has no new finding: %s; kubesettle explain lists the rules", r.Verdict)
		case one == nil:
			return nil, usage("the last run has %d findings: give a number from 1 to %d", all, all)
		}
		return one, nil
	}
	at := report.AtFile(r, filepath.ToSlash(filepath.Clean(arg)))
	if len(at.Findings) == 0 {
		return nil, usage("no finding of the last run is in %s; kubesettle render . lists the file of each object", printable(arg))
	}
	return at, nil
}
