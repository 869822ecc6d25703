package pullrequests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	yaml3 "go.yaml.in/yaml/v3"
)

// comparison is what the helm and kustomize commands say of one change: what a person
// who knows the repository would run on what it touches.
type comparison struct {
	Ran       bool
	Roots     int      // touched, on either side
	Rendered  int      // of them, on both sides
	HeadBroke []string // roots that render at base and not at head
	Failed    []string // roots that render on neither side, or only at head, with the reason
	Workloads []string // those whose spec changes, come or go
	Processor time.Duration
	Wall      time.Duration
}

// commands runs them, each side in a separate tree that moves from commit to commit.
type commands struct {
	options
	clone clone
	work  string
	on    bool
	at    map[string]string // the revision that each side's folder is at
}

func newCommands(o options, c clone, work string) *commands {
	return &commands{options: o, clone: c, work: work, on: o.helm != "" || o.kustomize != "", at: map[string]string{}}
}

func (c *commands) close() { _ = os.RemoveAll(c.work) }

// compare renders the touched roots on both sides. Failures are part of the answer.
func (c *commands) compare(ch change) comparison {
	if !c.on {
		return comparison{}
	}
	out := comparison{Ran: true}
	base, err := c.side("base", ch.Base, ch.Files)
	if err == nil {
		var head *side
		if head, err = c.side("head", ch.Commit, ch.Files); err == nil {
			out.pair(base, head)
		}
	}
	if err != nil {
		out.Failed = append(out.Failed, err.Error())
	}
	return out
}

// side is one revision in a folder.
type side struct {
	*commands
	*listing
	dir     string
	roots   []root
	fetched map[string]bool // charts whose dependencies were fetched
}

// root is the folder that one command is given.
type root struct{ kind, path, values string }

func (r root) String() string {
	if r.values != "" {
		return r.kind + " " + r.path + " with " + r.values
	}
	return r.kind + " " + r.path
}

// side checks a revision out and finds the roots that the files are part of.
func (c *commands) side(name, rev string, files []string) (*side, error) {
	s := &side{commands: c, dir: filepath.Join(c.work, name), fetched: map[string]bool{}}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, err
	}
	err := c.move(name, rev)
	if err != nil {
		return nil, err
	}
	if s.listing, err = c.clone.listTree(rev); err != nil {
		return nil, err
	}
	s.findRoots(files)
	return s, nil
}

// move brings a side's folder to a revision. A file that the clone lacks is missing in the folder too: a partial clone
// leaves out large files.
func (c *commands) move(name, rev string) error {
	dir := filepath.Join(c.work, name)
	run := func(stdin string, args ...string) error {
		cmd := exec.Command("git", append([]string{"--git-dir=" + c.clone.Clone, "--work-tree=" + dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+dir+".index") // the clone's own is left alone
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		text, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(string(text), "unable to read sha1 file") {
			return fmt.Errorf("git %s of %s: %w: %s", args[0], rev, err, bytes.TrimSpace(text))
		}
		return nil
	}
	before := c.at[name]
	c.at[name] = "" // where it fails half way
	if before == "" {
		before = emptyTree
	}
	gone, err := c.clone.Ask("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=D", before, rev)
	if err != nil {
		return err
	}
	for _, f := range strings.Split(strings.TrimSuffix(gone, "\x00"), "\x00") {
		if f != "" {
			_ = os.Remove(filepath.Join(dir, f))
		}
	}
	come, err := c.clone.Ask("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=d", before, rev)
	if err != nil {
		return err
	}
	if err := run("", "read-tree", "--reset", rev); err != nil {
		return err
	}
	if err := run(come, "checkout-index", "--force", "-z", "--stdin"); err != nil {
		return err
	}
	c.at[name] = rev
	return nil
}

// emptyTree is git's tree of no files.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// pair compares the two sides' roots, and what the commands give for them.
func (out *comparison) pair(base, head *side) {
	all := map[root]bool{}
	for _, s := range []*side{base, head} {
		for _, r := range s.roots {
			all[r] = true
		}
	}
	changed := map[string]bool{}
	for _, r := range sortedRoots(all) {
		out.Roots++
		before, errBase := base.render(r, out)
		after, errHead := head.render(r, out)
		switch {
		case errBase == nil && errHead == nil:
			out.Rendered++
			for _, id := range lasting(base, head, r, before, after) {
				changed[id] = true
			}
		case errBase == nil:
			out.HeadBroke = append(out.HeadBroke, r.String()+": "+errHead.Error())
		default:
			out.Failed = append(out.Failed, r.String()+": "+errBase.Error())
		}
	}
	for id := range changed {
		out.Workloads = append(out.Workloads, id)
	}
	sort.Strings(out.Workloads)
}

// lasting lists what differs between the sides and does not when one of them is rendered
// twice, as random values and names do.
func lasting(base, head *side, r root, before, after map[string]any) []string {
	ids := differing(before, after)
	for _, one := range []struct {
		side *side
		seen map[string]any
	}{{base, before}, {head, after}} {
		if len(ids) == 0 || r.kind == "manifest" {
			break
		}
		again, err := one.side.render(r, nil)
		if err != nil {
			continue
		}
		random := differing(one.seen, again)
		ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(random, id) })
	}
	return ids
}

func sortedRoots(set map[root]bool) []root {
	var out []root
	for r := range set {
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].String() < out[j].String() })
	return out
}

// render gives the workloads of a root by name, with their spec; none where the side does
// not have the root. The time is added to out, where there is one.
func (s *side) render(r root, out *comparison) (map[string]any, error) {
	if r.kind == "manifest" {
		b, err := os.ReadFile(filepath.Join(s.dir, r.path))
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return workloads(b)
	}
	if !s.has(r) {
		return nil, nil
	}
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	args := []string{s.kustomize, "build", filepath.Join(s.dir, r.path)}
	if s.helm != "" {
		args = append(args, "--enable-helm", "--helm-command", s.helm)
	}
	if r.kind == "helm" {
		args = []string{s.helm, "template", "release", filepath.Join(s.dir, r.path), "--namespace", "default", "--kube-version", "1.36.0"}
		if r.values != "" {
			args = append(args, "--values", filepath.Join(s.dir, r.values))
		}
		s.fetchDependencies(r.path)
	}
	if args[0] == "" {
		return nil, fmt.Errorf("no %s command is given", r.kind)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = s.environment()
	start := time.Now()
	text, err := cmd.Output()
	if out != nil {
		out.Wall += time.Since(start)
		out.Processor += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		said := strings.ReplaceAll(strings.Join(strings.Fields(string(exit.Stderr)), " "), s.dir+"/", "")
		return nil, errors.New(said[:min(len(said), 300)])
	}
	if err != nil {
		return nil, err
	}
	return workloads(text)
}

// environment finds no user's settings, and opens no connection unless that was asked for.
func (s *side) environment() []string {
	env := []string{"HOME=" + filepath.Join(s.work, "none"), "PATH=" + os.Getenv("PATH")}
	if s.network {
		return append(env, "SSL_CERT_FILE="+os.Getenv("SSL_CERT_FILE"))
	}
	return append(env, "HTTPS_PROXY=http://127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1")
}

func (s *side) has(r root) bool {
	if r.kind == "helm" {
		return s.charts[r.path] && (r.values == "" || s.files[r.values])
	}
	return s.kustomizations[r.path] != ""
}

// fetchDependencies puts the charts that a chart depends on into it, as a person does
// before 'helm template'; its time is not counted.
func (s *side) fetchDependencies(chart string) {
	list := s.dependencies(chart)
	for _, d := range list {
		if !s.network && !strings.HasPrefix(d, "file://") {
			return
		}
	}
	if len(list) == 0 || s.fetched[chart] {
		return
	}
	s.fetched[chart] = true
	cmd := exec.Command(s.helm, "dependency", "update", filepath.Join(s.dir, chart))
	if !s.network {
		cmd.Args = append(cmd.Args, "--skip-refresh")
	}
	cmd.Env = s.environment()
	_ = cmd.Run() // 'helm template' says what is missing
}

// dependencies lists the repositories of a chart's dependencies.
func (s *side) dependencies(chart string) []string {
	var meta struct {
		Dependencies []struct{ Repository string }
	}
	b, _ := os.ReadFile(filepath.Join(s.dir, chart, "Chart.yaml"))
	_ = yaml3.Unmarshal(b, &meta)
	var out []string
	for _, d := range meta.Dependencies {
		out = append(out, d.Repository)
	}
	return out
}

var workloadKinds = map[string]bool{
	"Deployment": true, "StatefulSet": true, "DaemonSet": true, "ReplicaSet": true, "Job": true,
	"CronJob": true, "Pod": true, "ReplicationController": true, "Rollout": true,
}

// workloads reads a stream of manifests.
func workloads(stream []byte) (map[string]any, error) {
	out := map[string]any{}
	d := yaml3.NewDecoder(bytes.NewReader(stream))
	for {
		var o map[string]any
		err := d.Decode(&o)
		if o == nil && err != nil {
			if err.Error() == "EOF" {
				return out, nil
			}
			return nil, err
		}
		kind, _ := o["kind"].(string)
		meta, _ := o["metadata"].(map[string]any)
		if workloadKinds[kind] && runs(meta) {
			id := fmt.Sprintf("%s %v/%v", kind, meta["namespace"], meta["name"])
			out[strings.Replace(id, "<nil>", "default", 1)] = o["spec"]
		}
	}
}

// runs reports whether an object takes part in an upgrade: one that is no hook of the chart,
// or a hook of an installation or upgrade.
func runs(meta map[string]any) bool {
	annotations, _ := meta["annotations"].(map[string]any)
	hook, ok := annotations["helm.sh/hook"].(string)
	return !ok || strings.Contains(hook, "install") || strings.Contains(hook, "upgrade")
}

// differing lists the names whose spec is not the same on both sides.
func differing(a, b map[string]any) []string {
	var out []string
	for id, spec := range a {
		if other, ok := b[id]; !ok || !reflect.DeepEqual(spec, other) {
			out = append(out, id)
		}
	}
	for id := range b {
		if _, ok := a[id]; !ok {
			out = append(out, id)
		}
	}
	return out
}
