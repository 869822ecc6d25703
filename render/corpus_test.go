package render

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

var (
	corpusDir  = flag.String("corpus", "", "folder of checkouts or bare repositories to render")
	helmBinary = flag.String("helm", "", "helm command to compare with")
	kustBinary = flag.String("kustomize", "", "kustomize command to compare with")
)

// TestCorpus renders the charts and kustomizations of every repository of a folder and
// prints a table. It fails where a renderer breaks and, with -helm and -kustomize, where
// the objects of a root are not those that the commands give, random values aside. The
// times are those of all roots at once, in workers, and of the commands one after the
// other; "time" and "processor time" are ratios. Memory is that of this process and its
// workers together.
//
//	make corpus DIR=folder-of-checkouts
func TestCorpus(t *testing.T) {
	if *corpusDir == "" {
		t.Skip("no -corpus folder given")
	}
	entries, err := os.ReadDir(*corpusDir)
	if err != nil {
		t.Fatal(err)
	}
	var rows []*corpusRow
	for _, e := range entries {
		rows = append(rows, newCorpusRow(t, e.Name(), filepath.Join(*corpusDir, e.Name())))
	}
	for _, r := range rows { // first, so that no command's memory is among ours
		r.measure()
	}
	fmt.Println(corpusHeader)
	total := newCorpusRow(t, "all", "")
	for _, r := range rows {
		r.compare()
		if r.roots > 0 {
			fmt.Println(r)
			total.add(r)
		}
	}
	fmt.Println(total)
	fmt.Println()
	for _, r := range rows {
		for _, text := range slices.Sorted(maps.Keys(r.notes)) {
			fmt.Printf("%s: %d %s\n", r.name, r.notes[text], text)
		}
	}
}

// corpusRow is one repository. Each root is equal, different, ours alone (the command
// fails), skipped or failed; of the last two, theirs are those that the command renders.
type corpusRow struct {
	t                              *testing.T
	name, dir, commit              string
	roots, equal, different, alone int
	skipped, failed                map[string]int // by class of the reason
	theirs                         int
	ours, commands                 spent
	memory                         int64 // bytes, of this process and its workers
	notes                          map[string]int
}

func newCorpusRow(t *testing.T, name, dir string) *corpusRow {
	return &corpusRow{t: t, name: name, dir: dir, skipped: map[string]int{}, failed: map[string]int{}, notes: map[string]int{}}
}

const corpusHeader = `| repository | commit | roots | equal | different | ours alone | skipped | failed | theirs alone | ours, s | commands, s | time | processor time | memory, MiB |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|`

func (r *corpusRow) String() string {
	return fmt.Sprintf("| %s | %.9s | %d | %d | %d | %d | %s | %s | %d | %.1f | %.1f | %s | %s | %d |", strings.Replace(r.name, "+", "/", 1), r.commit,
		r.roots, r.equal, r.different, r.alone, classes(r.skipped), classes(r.failed), r.theirs, r.ours.wall.Seconds(), r.commands.wall.Seconds(),
		over(r.ours.wall, r.commands.wall), over(r.ours.processor, r.commands.processor), r.memory>>20)
}

// classes words counts by class, their sum first.
func classes(m map[string]int) string {
	sum := 0
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		sum += m[k]
		list = append(list, fmt.Sprintf("%s %d", k, m[k]))
	}
	if len(list) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d: %s", sum, strings.Join(list, ", "))
}

func (r *corpusRow) add(o *corpusRow) {
	r.roots, r.equal, r.different = r.roots+o.roots, r.equal+o.equal, r.different+o.different
	r.alone, r.theirs = r.alone+o.alone, r.theirs+o.theirs
	for k, n := range o.skipped {
		r.skipped[k] += n
	}
	for k, n := range o.failed {
		r.failed[k] += n
	}
	r.ours.add(o.ours)
	r.commands.add(o.commands)
	r.memory = max(r.memory, o.memory)
}

// reasonClasses tell failures apart by their wording, the first that fits.
var reasonClasses = []struct{ name, words string }{
	{"not vendored", `not vendored`},
	{"remote base", `is remote`},
	{"plugin", `runs a program|is not run`},
	{"no root", `component`},
	{"outside the repository", `leaves the repository|outside`},
	{"missing file", `does not exist|no kustomization file|file does not exist`},
	{"patches nothing", `no matches for Id|no resource matches|does not apply|failed to find unique target`},
	{"Kubernetes version", `the chart wants Kubernetes`},
	{"schema", `schema`},
	{"value required", `execution error at|required|must be set|must provide`},
	{"values' types", `wrong type|nil pointer|can't evaluate|can't give argument|incompatible types|wants a`},
	{"invalid", `invalid|broken|unknown field|conflict|already registered|includes itself`},
}

func reasonClass(f *object.Failure) string {
	for _, c := range reasonClasses {
		if regexp.MustCompile(c.words).MatchString(f.Reason) {
			return c.name
		}
	}
	return "other"
}

// measure renders all roots once, as a check does.
func (r *corpusRow) measure() {
	runtime.GC()
	debug.FreeOSMemory() // of the repository before
	self, workers := processorTime()
	m, start := startMeter(), time.Now()
	rev := r.render(Options{Sandbox: sandbox(r.t, 0, 0)})
	r.ours.wall, r.memory = time.Since(start), m.end()
	selfEnd, workersEnd := processorTime()
	if r.ours.processor = selfEnd - self + workersEnd - workers; rev == nil {
		r.ours = spent{}
	}
}

// render renders the roots that discovery finds; what they declare in turn has settings
// that no command line has.
func (r *corpusRow) render(opt Options) *object.Revision {
	files, err := tree.Git(r.dir, "HEAD")
	if err != nil {
		if files, err = tree.Dir(r.dir); err != nil {
			r.t.Errorf("%s: %v", r.name, err)
			return nil
		}
	}
	src, err := source.New(files)
	if err != nil {
		r.t.Errorf("%s: %v", r.name, err)
		return nil
	}
	run := worker.New(context.Background(), opt.Running())
	defer run.Close()
	var roots []release.Release
	d, err := discover.Releases(src, opt.Discovery(), nil)
	if err != nil {
		r.t.Errorf("%s: %v", r.name, err)
		return nil
	}
	for _, rel := range d.Releases {
		if rel.Kind != object.Manifests {
			roots = append(roots, rel)
		}
	}
	r.commit = files.Commit()
	return r.renderRoots(src, roots, opt, run)
}

func (r *corpusRow) renderRoots(src *source.Source, roots []release.Release, opt Options, run worker.Runner) *object.Revision {
	s := side.NewSide(src, opt, run)
	if err := s.Gather(context.Background(), roots, nil); err != nil {
		r.t.Fatal(err)
	}
	if err := side.Parallel(context.Background(), 0, len(roots), s.Run); err != nil {
		r.t.Fatal(err)
	}
	return finish(s, s.Learn(), nil)
}

// compare renders every root with its command from a checkout, and compares.
func (r *corpusRow) compare() {
	rev := r.render(Options{})
	if rev == nil {
		return
	}
	repo := filepath.Join(r.t.TempDir(), "repo")
	r.checkout(rendererOf(rev).tree, repo)
	r.roots = len(rev.Releases)
	for _, rel := range rev.Releases {
		if rel.Err != nil && strings.Contains(rel.Err.Reason, "the renderer broke") {
			r.t.Errorf("%s: %s", r.name, rel.Err.Reason)
		}
		cmd := commandFor(rel, repo)
		if cmd == nil {
			continue
		}
		start := time.Now()
		out, err := cmd.Output()
		r.commands.add(spent{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()})
		r.place(rev, rel, out, err)
	}
	if err := os.RemoveAll(repo); err != nil {
		r.t.Error(err)
	}
}

// place counts one root; err is the command's.
func (r *corpusRow) place(rev *object.Revision, rel *object.Rendered, out []byte, err error) {
	if rel.Err == nil && err == nil {
		r.verdict(rev, rel, out)
		return
	}
	if rel.Err == nil {
		r.alone++
		r.notes["the command fails: "+rel.ID+": "+document.Shorten(stderrOf(err), 200)]++
		return
	}
	class, word := reasonClass(rel.Err), "failed"
	if rel.Err.Skipped {
		word = "skipped"
		r.skipped[class]++
	} else {
		r.failed[class]++
	}
	who := "nor does the command"
	if err == nil {
		r.theirs++
		who = "the command renders it"
	}
	r.notes[fmt.Sprintf("%s: %s (%s): %s: %s", who, word, class, rel.ID, document.Shorten(rel.Err.Reason, 200))]++
}

// verdict compares one root's objects. A chart that asks for API versions is compared
// once more with those that the command assumes: it has no cluster to ask.
func (r *corpusRow) verdict(rev *object.Revision, rel *object.Rendered, out []byte) {
	diffs := compareObjects(rel, out)
	if len(diffs) > 0 && rel.Kind == object.Helm {
		again := side.MadeOf(rel).Release
		again.APIVersions = chartutil.DefaultVersionSet
		src, err := source.New(rendererOf(rev).tree)
		if err != nil {
			r.t.Fatal(err)
		}
		one := r.renderRoots(src, []release.Release{again}, Options{}, worker.New(context.Background(), worker.Options{}))
		if len(compareObjects(one.Releases[0], out)) == 0 {
			r.notes["equal with the API versions that the command assumes: "+rel.ID]++
			diffs = nil
		}
	}
	if len(diffs) == 0 {
		r.equal++
		return
	}
	r.different++
	r.t.Errorf("%s: %s differs:\n      %s", r.name, rel.ID, strings.Join(diffs[:min(len(diffs), 5)], "\n      "))
}

// checkout writes the tree to a folder, with its links; what git lacks is left out.
func (r *corpusRow) checkout(tree tree.Tree, dir string) {
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		name := filepath.Join(dir, p)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(name, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			to, err := tree.(interface{ ReadLink(string) (string, error) }).ReadLink(p)
			return errors.Join(err, os.Symlink(to, name))
		}
		if b, err := fs.ReadFile(tree, p); err == nil { // else it is a submodule or too big
			return os.WriteFile(name, b, 0o644)
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func stderrOf(err error) string {
	if e, ok := err.(*exec.ExitError); ok {
		return strings.Join(strings.Fields(string(e.Stderr)), " ")
	}
	return err.Error()
}

func commandFor(r *object.Rendered, repo string) *exec.Cmd {
	var cmd *exec.Cmd
	switch {
	case r.Kind == object.Helm && *helmBinary != "":
		args := []string{"template", r.Name, filepath.Join(repo, r.Path), "--namespace", "default", "--include-crds", "--kube-version", side.MadeOf(r).KubeVersion + ".0"}
		for _, v := range helm.ServedVersions(36) {
			args = append(args, "--api-versions", v)
		}
		for _, v := range r.Values[min(1, len(r.Values)):] {
			args = append(args, "--values", filepath.Join(repo, v))
		}
		cmd = exec.Command(*helmBinary, args...)
	case r.Kind == object.Kustomize && *kustBinary != "":
		args := []string{"build", filepath.Join(repo, r.Path)}
		if *helmBinary != "" {
			args = append(args, "--enable-helm", "--helm-command", *helmBinary)
		}
		cmd = exec.Command(*kustBinary, args...)
	default:
		return nil
	}
	cmd.Env = []string{"HOME=" + repo + "/none", "PATH=" + os.Getenv("PATH"), "HTTPS_PROXY=http://127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1"}
	return cmd
}

// compareObjects lists the objects that are not equal to those of a command's output.
func compareObjects(r *object.Rendered, out []byte) []string {
	docs, f := document.Decode("output", out)
	if f != nil {
		return []string{f.Reason}
	}
	want := map[string]map[string]any{}
	for _, d := range document.Expand(docs) {
		meta, _ := d.Content["metadata"].(map[string]any)
		want[fmt.Sprint(document.GVK(d.Content), meta["namespace"], meta["name"], meta["generateName"])] = d.Content
	}
	var diffs []string
	random := map[string]int{} // objects with a random name, by kind
	for _, o := range r.Objects {
		meta, _ := o.Content["metadata"].(map[string]any)
		k := fmt.Sprint(document.GVK(o.Content), meta["namespace"], meta["name"], meta["generateName"])
		theirs, ok := want[k]
		if !ok {
			if !o.IsVolatile("metadata.name") {
				diffs = append(diffs, "only ours: "+k)
			}
			random[fmt.Sprint(document.GVK(o.Content))]++
			continue
		}
		delete(want, k)
		for _, v := range release.DocOf(o).Volatile {
			fieldpath.Parse(v.Path).Set(theirs, v.Mask)
		}
		for _, p := range document.Differing(theirs, o.Content) {
			a, _ := fieldpath.Parse(p).Get(theirs)
			b, _ := fieldpath.Parse(p).Get(o.Content)
			if !document.SameJSON(a, b) {
				diffs = append(diffs, fmt.Sprintf("%s: %s: %s, want %s", k, p, document.Shorten(jsonText(b), 100), document.Shorten(jsonText(a), 100)))
			}
		}
	}
	for k, content := range want {
		if kind := fmt.Sprint(document.GVK(content)); random[kind] > 0 {
			random[kind]--
			continue
		}
		diffs = append(diffs, "only theirs: "+k)
	}
	sort.Strings(diffs)
	return diffs
}
