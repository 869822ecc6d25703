package render

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"reflect"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// A release that is the same on both sides is rendered where something that differs acts on its pods, or where it acts
// on pods that differ: the quota of a namespace is in one release, and the workloads there in others. Which may is told
// by what stands in the files: kinds, namespaces, and names of PriorityClasses.

var (
	namespaceText = valueText("namespace")
	runningKinds  = []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod", "Rollout"}
	// wideKinds act on all that is in a namespace, or are named; others on what they select or target.
	wideKinds = []string{"ResourceQuota", "LimitRange", classKind}
)

const classKind = "PriorityClass"

// effects is what differs between the sides, as far as it is known without rendering.
type effects struct {
	reach  *reach
	acting map[string]bool // namespaces of objects that act on others
	runs   map[string]bool // namespaces of workloads
	named  [][]byte        // PriorityClasses
	asks   bool            // for a PriorityClass
	all    bool            // something differs that acts on every workload
}

// renderActed renders what an untouched release has where it may act on what differs, or be acted on, and reports
// whether what it declares is acted on as well.
func (r *reach) renderActed(ctx context.Context) (bool, error) {
	base, head := r.base, r.head
	if len(base.opt.Acting) == 0 {
		return false, nil
	}
	e := &effects{reach: r, acting: map[string]bool{}, runs: map[string]bool{}}
	e.compare(base, head)
	e.compare(head, base)
	var both, declaring [][2]int
	for i, rel := range head.releases {
		k, ok := base.byID[rel.ID]
		if !ok || !head.outputs[i].Untouched || !base.outputs[k].Untouched || head.idle(i) || head.failed[i] != nil ||
			r.waits[rel.ID] {
			continue
		}
		on := e.actOn(head.recipes[i])
		if on || e.actedOnBy(head.recipes[i]) {
			both = append(both, [2]int{k, i})
		}
		if on {
			declaring = append(declaring, [2]int{k, i})
		}
	}
	base.src.Dry, head.src.Dry = false, false
	err := parallel(ctx, base.opt.Workers, len(both), func(n int) {
		k, i := both[n][0], both[n][1]
		base.fetchLater(k)
		base.run(k)
		r.share(sidePlace{base, k}, sidePlace{head, i})
	})
	base.src.Dry, head.src.Dry = true, true
	for _, at := range declaring {
		base.awaken(at[0])
		head.awaken(at[1])
		for _, s := range r.sleepers {
			s.woken = s.woken || s.onBase == at[0]
		}
	}
	return len(declaring) > 0, err
}

// compare learns what the releases of a side that differ from the other's say.
func (e *effects) compare(s, other *side) {
	for i, r := range s.releases {
		k, ok := other.byID[r.ID]
		if s.recipes[i] == nil || ok && alike(sidePlace{s, i}, sidePlace{other, k}) {
			continue
		}
		var twin *release.Recipe
		if ok {
			twin = other.recipes[k]
		}
		e.learn(s.recipes[i], twin)
	}
}

// learn reads a release that differs from the other side's, which is nil where that has none.
func (e *effects) learn(j, twin *release.Recipe) {
	differs := func(p string) bool { return twin == nil || !bytes.Equal(twin.Files[p], j.Files[p]) }
	all := twin == nil || j.Release.Kind == object.Helm || !reflect.DeepEqual(j.Release, twin.Release) ||
		!slices.ContainsFunc(j.Reads(), differs)
	for _, p := range j.Reads() {
		all = all || differs(p) && (source.IsKustomizationName(path.Base(p)) || !bytes.Contains(j.Files[p], []byte("kind:")))
	}
	acts, runs := false, j.Release.Kind == object.Helm
	for _, p := range j.Reads() {
		b := j.Files[p]
		if j.Declares[p] || !all && !differs(p) {
			continue
		}
		runs = runs || hasKind(b, runningKinds)
		e.asks = e.asks || bytes.Contains(b, []byte("priorityClassName"))
		acts = acts || e.acts(j, b)
		e.all = e.all || e.reach.marked(b) && differs(p)
		if differs(p) && hasKind(b, []string{classKind}) {
			for _, m := range nameText.FindAllSubmatch(b, -1) {
				e.named = append(e.named, m[1])
			}
			e.all = e.all || bytes.Contains(b, []byte("globalDefault: true"))
		}
	}
	for ns := range namespacesOf(j) {
		e.acting[ns], e.runs[ns] = e.acting[ns] || acts, e.runs[ns] || runs
	}
}

// acts reports whether a file of a release may be of objects that act on others: what a chart, or a file with workloads
// of its own, has for what it selects is for these.
func (e *effects) acts(j *release.Recipe, b []byte) bool {
	if j.Release.Fetch != nil {
		return false
	}
	own := hasKind(b, runningKinds) || j.Release.Kind == object.Helm && anyFile(j, isWorkload)
	return slices.ContainsFunc(e.reach.base.opt.Acting, func(kind string) bool {
		return kind != classKind && (!own || slices.Contains(wideKinds, kind)) && hasKind(b, []string{kind})
	})
}

// actOn reports whether what differs may act on the pods of a release that does not.
func (e *effects) actOn(j *release.Recipe) bool {
	if j.Release.Kind != object.Helm && !anyFile(j, isWorkload) {
		return false
	}
	if e.all || len(e.named) > 0 && anyFile(j, func(b []byte) bool { return containsAny(b, e.named) }) {
		return true
	}
	if b, err := json.Marshal(&j.Release); err != nil || containsAny(b, e.named) {
		return true
	}
	return meet(e.acting, namespacesOf(j))
}

// actedOnBy reports whether a release that does not differ may act on pods that do.
func (e *effects) actedOnBy(j *release.Recipe) bool {
	return e.asks && anyFile(j, func(b []byte) bool { return hasKind(b, []string{classKind}) }) ||
		anyFile(j, func(b []byte) bool { return e.acts(j, b) }) && meet(e.runs, namespacesOf(j))
}

func meet(a, b map[string]bool) bool {
	for k := range b {
		if a[k] {
			return true
		}
	}
	return false
}

func anyFile(j *release.Recipe, is func(b []byte) bool) bool {
	for p, b := range j.Files {
		if !j.Declares[p] && is(b) {
			return true
		}
	}
	return false
}

// isWorkload reports whether a text may be of objects that run pods, or that have a chart do so.
func isWorkload(b []byte) bool { return hasKind(b, runningKinds) || bytes.Contains(b, helmGroup) }

// hasKind reports whether an object of a kind begins in a text.
func hasKind(b []byte, kinds []string) bool {
	return slices.ContainsFunc(kinds, func(kind string) bool { return begins(b, kind) })
}

func begins(b []byte, kind string) bool {
	for rest := b; ; {
		i := bytes.Index(rest, []byte(kind))
		if i < 0 {
			return false
		}
		line := rest[bytes.LastIndexByte(rest[:i], '\n')+1 : i]
		rest = rest[i+len(kind):]
		whole := len(rest) == 0 || bytes.IndexByte([]byte("\r\n \"'#"), rest[0]) >= 0
		says := bytes.TrimRight(line, " \t\"'")
		plain := bytes.TrimLeft(says, " -")
		if whole && bytes.Equal(plain, []byte("kind:")) && (len(plain) == len(says) || bytes.Contains(b, []byte("List"))) {
			return true
		}
	}
}

// namespacesOf are the namespaces that the objects of a release may be in, by what stands in its files.
func namespacesOf(j *release.Recipe) map[string]bool {
	out := map[string]bool{}
	add := func(ns string) {
		if ns != "" {
			out[ns] = true
		}
	}
	if add(j.Release.Namespace); len(out) > 0 && j.Release.Kind == object.Helm {
		return out
	}
	if o := j.Release.Overlay; o != nil {
		add(o.Namespace)
	}
	for _, p := range j.Reads() {
		for _, m := range namespaceText.FindAllSubmatch(j.Files[p], -1) {
			add(string(m[1]))
		}
	}
	if len(out) == 0 {
		out["default"] = true
	}
	return out
}
