package render

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	corpusDir  = flag.String("corpus", "", "folder of checkouts or bare repositories to render")
	corpusLong = flag.Bool("corpus-reasons", false, "list every release that did not render")
)

// TestCorpus renders every repository of a folder and prints a table. It fails where a
// renderer breaks; whether objects are right is what the comparison with the helm and
// kustomize commands says.
//
//	go test ./render -run TestCorpus -v -corpus DIR
func TestCorpus(t *testing.T) {
	if *corpusDir == "" {
		t.Skip("no -corpus folder given")
	}
	entries, err := os.ReadDir(*corpusDir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%-45s %6s %6s %6s %6s %8s %8s", "repository", "roots", "ok", "skip", "fail", "objects", "seconds")
	for _, e := range entries {
		survey(t, filepath.Join(*corpusDir, e.Name()))
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err == nil {
		t.Logf("peak memory %d MiB", usage.Maxrss>>10)
	}
}

func survey(t *testing.T, dir string) {
	tree, err := GitTree(dir, "HEAD")
	if err != nil {
		if tree, err = DirTree(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
			return
		}
	}
	start := time.Now()
	rev, err := Render(context.Background(), tree, Options{Workers: runtime.GOMAXPROCS(0)})
	if err != nil {
		t.Errorf("%s: %v", dir, err)
		return
	}
	elapsed := time.Since(start)
	var ok, skipped, failed, objects int
	reasons := map[string]int{}
	for _, r := range rev.Releases {
		switch {
		case r.Err == nil:
			ok++
			objects += len(r.Objects)
			continue
		case r.Err.Skipped:
			skipped++
		default:
			failed++
		}
		if strings.Contains(r.Err.Reason, "the renderer broke") {
			t.Errorf("%s: %s: %s", dir, r.ID, r.Err.Reason)
		}
		reason := r.Err.Reason
		if *corpusLong {
			reason = r.ID + ": " + reason
		}
		reasons[fmt.Sprintf("skipped=%t %s", r.Err.Skipped, shorten(reason, 200))]++
	}
	t.Logf("%-45s %6d %6d %6d %6d %8d %8.1f", filepath.Base(dir), len(rev.Releases), ok, skipped, failed, objects, elapsed.Seconds())
	list := make([]string, 0, len(reasons))
	for r := range reasons {
		list = append(list, r)
	}
	sort.Strings(list)
	for _, r := range list {
		t.Logf("    %4d %s", reasons[r], r)
	}
}
