package render

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
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
	helmBinary = flag.String("helm", "", "helm command to compare with")
	kustBinary = flag.String("kustomize", "", "kustomize command to compare with")
	corpusLong = flag.Bool("corpus-reasons", false, "list every release that did not render")
)

// TestCorpus renders every repository of a folder and prints a table. It fails where a
// renderer breaks and, with -helm and -kustomize, where the objects of a release are not
// those that the commands give, random values aside.
//
//	go test ./render -run TestCorpus -v -corpus DIR -helm helm -kustomize kustomize
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
	if *helmBinary != "" || *kustBinary != "" {
		compareWithCommands(t, rev)
	}
	list := make([]string, 0, len(reasons))
	for r := range reasons {
		list = append(list, r)
	}
	sort.Strings(list)
	for _, r := range list {
		t.Logf("    %4d %s", reasons[r], r)
	}
}

// compareWithCommands renders every release with the helm and kustomize commands from a
// checkout and compares object by object.
func compareWithCommands(t *testing.T, rev *Revision) {
	work := t.TempDir()
	writeTree(t, rev.Tree, work+"/repo")
	counts := map[string]int{}
	var spent time.Duration
	for _, r := range rev.Releases {
		cmd := commandFor(r, work+"/repo")
		if cmd == nil {
			continue
		}
		start := time.Now()
		out, err := cmd.Output()
		spent += time.Since(start)
		switch {
		case err != nil && r.Err != nil:
			counts["neither renders"]++
		case err != nil:
			counts["only we render"]++
			t.Logf("    only we render %s: %s", r.ID, shorten(stderrOf(err), 200))
		case r.Err != nil && r.Err.Skipped:
			counts["we skip"]++
			t.Logf("    we skip %s: %s", r.ID, shorten(r.Err.Reason, 200))
		case r.Err != nil:
			counts["we fail"]++
			t.Errorf("    we fail %s: %s", r.ID, shorten(r.Err.Reason, 300))
		default:
			if diffs := compareObjects(t, r, out); len(diffs) > 0 {
				counts["different"]++
				t.Errorf("    %s differs:\n      %s", r.ID, strings.Join(diffs[:min(len(diffs), 5)], "\n      "))
			} else {
				counts["equal"]++
			}
		}
	}
	t.Logf("    compared: %v in %.1f s", counts, spent.Seconds())
}

// writeTree writes what can be read of a tree to a folder, links as copies.
func writeTree(t *testing.T, tree Tree, dir string) {
	t.Helper()
	s, err := newSource(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.below(".") {
		b, err := s.read(f)
		if err != nil {
			continue
		}
		name := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func stderrOf(err error) string {
	if e, ok := err.(*exec.ExitError); ok {
		return strings.Join(strings.Fields(string(e.Stderr)), " ")
	}
	return err.Error()
}

func commandFor(r *Rendered, repo string) *exec.Cmd {
	var cmd *exec.Cmd
	switch {
	case r.By.File != "":
		return nil // its settings are those of an object, not of a command line
	case r.Kind == Helm && *helmBinary != "":
		args := []string{"template", r.Name, filepath.Join(repo, r.Path), "--namespace", "default", "--include-crds", "--kube-version", r.KubeVersion + ".0"}
		for _, v := range servedVersions(36) {
			args = append(args, "--api-versions", v)
		}
		for _, v := range r.Values[min(1, len(r.Values)):] {
			args = append(args, "--values", filepath.Join(repo, v))
		}
		cmd = exec.Command(*helmBinary, args...)
	case r.Kind == Kustomize && *kustBinary != "":
		cmd = exec.Command(*kustBinary, "build", "--load-restrictor", "LoadRestrictionsNone", filepath.Join(repo, r.Path))
	default:
		return nil
	}
	cmd.Env = []string{"HOME=" + repo + "/none", "PATH=" + os.Getenv("PATH"), "HTTPS_PROXY=http://127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1"}
	return cmd
}

// compareObjects lists the objects that are not equal to those of a command's output.
func compareObjects(t *testing.T, r *Rendered, out []byte) []string {
	docs, f := decodeStream("output", out)
	if f != nil {
		return []string{f.Reason}
	}
	want := map[string]map[string]any{}
	for _, d := range expand(docs) {
		meta, _ := d.Content["metadata"].(map[string]any)
		want[fmt.Sprint(gvkOf(d.Content), meta["namespace"], meta["name"], meta["generateName"])] = d.Content
	}
	var diffs []string
	random := map[string]int{} // objects with a random name, by kind
	for _, o := range r.Objects {
		meta, _ := o.Content["metadata"].(map[string]any)
		k := fmt.Sprint(gvkOf(o.Content), meta["namespace"], meta["name"], meta["generateName"])
		theirs, ok := want[k]
		if !ok {
			if !o.isVolatile("metadata.name") {
				diffs = append(diffs, "only ours: "+k)
			}
			random[fmt.Sprint(gvkOf(o.Content))]++
			continue
		}
		delete(want, k)
		for _, v := range o.volatile {
			parsePath(v.Path).set(theirs, v.Mask)
		}
		for _, p := range differing(theirs, o.Content) {
			a, _ := parsePath(p).get(theirs)
			b, _ := parsePath(p).get(o.Content)
			if !sameJSON(a, b) {
				diffs = append(diffs, fmt.Sprintf("%s: %s: %s, want %s", k, p, shorten(jsonText(b), 100), shorten(jsonText(a), 100)))
			}
		}
	}
	for k, content := range want {
		if kind := fmt.Sprint(gvkOf(content)); random[kind] > 0 {
			random[kind]--
			continue
		}
		diffs = append(diffs, "only theirs: "+k)
	}
	sort.Strings(diffs)
	return diffs
}
