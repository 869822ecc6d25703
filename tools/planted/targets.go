package planted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// A target is a workload of a release, and what stands around it.
type target struct {
	release release
	object  object
	name    string // as the source has it: an overlay may add to it
	// namespace is the one that the source has, which a patch must name.
	namespace string
	replicas  int64
	labels    map[string]string // of the selector
	beside    []object          // the release's other objects
}

type release struct {
	ID, Kind, Path, Status string
	Objects                []object
}

// An object is a rendered one, with the place that it came from.
type object struct {
	ID, File string
	Line     int
	Content  map[string]any
}

func (o object) kind() string { return text(o.Content, "kind") }

// at gives the value at a path of names; nil if there is none.
func at(v any, path ...string) any {
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	return v
}

func text(v any, path ...string) string { s, _ := at(v, path...).(string); return s }

func number(v any, path ...string) (int64, bool) {
	f, ok := at(v, path...).(float64)
	return int64(f), ok
}

func list(v any, path ...string) []any { l, _ := at(v, path...).([]any); return l }

// targets renders a revision and gives the Deployments in which a person could make a
// mistake: at most n, each of another release, spread over the repository.
func (p *plants) targets(r *corpus.Repository, revision string, n int) ([]target, error) {
	dir, err := p.checkout(r, revision)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(p.Path, "render", ".", "--output", "json", "--policy", p.emptyPolicy)
	cmd.Dir = dir
	raw, err := cmd.Output()
	var out struct{ Releases []release }
	if e := json.Unmarshal(raw, &out); e != nil {
		return nil, fmt.Errorf("%s: render: %w (%v)", r.Name, e, err)
	}
	var all []target
	for _, rel := range out.Releases {
		if rel.Status != "ok" || rel.Path == "." && rel.Kind != "helm" && len(out.Releases) > 1 {
			continue
		}
		if t, ok := pick(dir, rel); ok {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b target) int { return cmp.Compare(a.release.Path, b.release.Path) })
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no release renders to a Deployment that a mistake could be made in", r.Name)
	}
	var some []target
	for i := range min(n, len(all)) {
		some = append(some, all[i*len(all)/min(n, len(all))])
	}
	return some, nil
}

// checkout writes the tree of a revision to a folder.
func (p *plants) checkout(r *corpus.Repository, revision string) (string, error) {
	dir := filepath.Join(p.work, "tree")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	tar, err := r.Git("", "archive", "--format=tar", revision)
	if err != nil {
		return "", err
	}
	cmd := exec.Command("tar", "-x", "-C", dir)
	cmd.Stdin = strings.NewReader(tar)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", r.Name, err, out)
	}
	return dir, nil
}

// pick gives a release's first Deployment with a selector of plain labels; those with
// two replicas or more come first.
func pick(dir string, rel release) (target, bool) {
	var found []target
	for _, o := range rel.Objects {
		if o.kind() != "Deployment" || o.File == "" || len(list(o.Content, "spec", "template", "spec", "containers")) == 0 {
			continue
		}
		t := target{release: rel, object: o, replicas: 1, labels: map[string]string{}}
		if n, ok := number(o.Content, "spec", "replicas"); ok {
			t.replicas = n
		}
		labels, _ := at(o.Content, "spec", "selector", "matchLabels").(map[string]any)
		for k, v := range labels {
			t.labels[k], _ = v.(string)
		}
		t.name = text(o.Content, "metadata", "name")
		if rel.Kind == "kustomize" {
			t.name, t.namespace = sourceName(dir, o)
		}
		if t.replicas < 1 || len(t.labels) == 0 || t.name == "" {
			continue
		}
		for _, b := range rel.Objects {
			if b.ID != o.ID {
				t.beside = append(t.beside, b)
			}
		}
		found = append(found, t)
	}
	if len(found) == 0 {
		return target{}, false
	}
	slices.SortStableFunc(found, func(a, b target) int { return cmp.Compare(min(b.replicas, 2), min(a.replicas, 2)) })
	return found[0], true
}

// sourceName is the name, and the namespace, that an object's own file gives it.
func sourceName(dir string, o object) (name, namespace string) {
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(o.File)))
	if err != nil {
		return "", ""
	}
	doc, err := documentAt(string(raw), o.Line)
	if err != nil {
		return "", ""
	}
	return doc.scalar("metadata", "name"), doc.scalar("metadata", "namespace")
}

// autoscaled says that an autoscaler of the release scales the target.
func (t target) autoscaled() bool {
	return slices.ContainsFunc(t.beside, func(o object) bool {
		return (o.kind() == "HorizontalPodAutoscaler" || o.kind() == "ScaledObject") &&
			text(o.Content, "spec", "scaleTargetRef", "name") == text(t.object.Content, "metadata", "name")
	})
}

// service is the name of a Service that selects the target, and the highest number of its ports.
func (t target) service() (name string, port int64) {
	labels := at(t.object.Content, "spec", "template", "metadata", "labels")
	for _, o := range t.beside {
		selector, _ := at(o.Content, "spec", "selector").(map[string]any)
		if o.kind() != "Service" || len(selector) == 0 {
			continue
		}
		all := true
		for k, v := range selector {
			all = all && at(labels, k) == v
		}
		if all {
			for _, p := range list(o.Content, "spec", "ports") {
				n, _ := number(p, "port")
				port = max(port, n)
			}
			return text(o.Content, "metadata", "name"), port
		}
	}
	return "", 0
}

// pods is how many pods the release's workloads of the target's namespace have at rest.
func (t target) pods() int64 {
	n := t.replicas
	for _, o := range t.beside {
		if k := o.kind(); (k == "Deployment" || k == "StatefulSet") && text(o.Content, "metadata", "namespace") == text(t.object.Content, "metadata", "namespace") {
			if r, ok := number(o.Content, "spec", "replicas"); ok {
				n += r
			} else {
				n++
			}
		}
	}
	return n
}

// folder is where a new file of the release goes.
func (t target) folder() string {
	if t.release.Kind == "helm" {
		return path.Join(t.release.Path, "templates")
	}
	if t.release.Kind == "kustomize" {
		return t.release.Path
	}
	return path.Dir(t.object.File)
}
