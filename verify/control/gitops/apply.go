package gitops

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Apply models the event that head's manifests are applied to the whole slice.
//
// Upstream: kubernetes v1.36.3, staging/src/k8s.io/kubectl/pkg/cmd/apply (three-way
// strategic merge patch of the last applied, the live and the new manifest),
// staging/src/k8s.io/apimachinery/pkg/util/managedfields and structured-merge-diff
// (field ownership), pkg/apis/apps/v1.SetDefaults_Deployment.
//
// Only .spec.replicas has a second writer in the model, so every other field of a live
// object is the manifest's, and only replicas has to be merged.
type Apply struct {
	serverSide bool
}

func NewApply(b *state.Builder) ([]actor.Actor, error) {
	spec := b.Config().Spec
	if spec.Events.Apply <= 0 {
		return nil, nil
	}
	return []actor.Actor{&Apply{serverSide: spec.Apply == state.ServerSide}}, nil
}

// Traits implements [actor.Declarer].
func (a *Apply) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		Lumps: func(k actor.Likeness) bool { // the only pods that it looks at are Pods in the manifests
			return k.Kind == actor.StoppingAs || !c.Spec.Workloads[c.Pods[k.Class].Workload].Kind().Bare()
		},
		Alone: true, Of: actor.Each, // what becomes of a workload hangs on its own manifests and owners
		Commutes: actor.Resize | actor.Create, Minds: a.minds,
		// Nothing is left to be applied.
		Ends: actor.EndsWhen(func(s state.State) bool { return s.Get(c.Applies)+s.StepsLeft() == 0 }),
	}
}

// minds reports whether something is to be applied: as long as it is, any loop may find its object changed.
func (*Apply) minds(s state.State, _ actor.Early, _ int) bool {
	return s.Get(s.C.Applies) > 0 || s.StepsLeft() > 0
}

// Name implements [actor.Actor].
func (a *Apply) Name() string { return "apply" }

// Latency implements [actor.Actor].
func (a *Apply) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: head is applied, the first time over base, later over head.
func (a *Apply) Step(s state.State, next *actor.Emit) {
	if s.Get(s.C.Applies) == 0 {
		return
	}
	a.switchTo(s, state.Head, next)
}

// switchTo applies a version's manifests over the live ones.
func (a *Apply) switchTo(s state.State, v state.Version, next *actor.Emit) {
	t := next.Copy(s)
	if v == state.Head {
		t.Set(t.C.Applies, s.Get(s.C.Applies)-1)
	} else if s.Get(s.C.Reverts) > 0 {
		t.Set(t.C.Reverts, s.Get(s.C.Reverts)-1)
	}
	t.Set(t.C.Applied, int(v))
	t.ForgetFailures()
	if v != s.Version() {
		if t.C.Steps() > 1 {
			t.Set(t.C.StepsLeft, (t.C.Steps()-1)*int(v))
		}
		for i := range t.C.Spec.Declared {
			if t.C.Spec.Declared[i].Differs {
				t.Notice(i, true)
			}
		}
	}
	a.merge(s, t)
	next.Move(objects.Done)
}

// merge applies to the live objects what the manifests in the API server became of those of s.
func (a *Apply) merge(s, t state.State) {
	for w := range s.C.Spec.Workloads {
		m, v := &s.C.Spec.Workloads[w].Manifests, t.VersionOf(w)
		last, now := &m[s.VersionOf(w)], &m[v]
		switch {
		case !applied(s, t, w):
		case !last.Exists() && now.Exists():
			create(t, w, v)
		case last.Exists() && !now.Exists():
			prune(t, w)
		case now.Exists() && a.serverSide && !now.Replaced:
			mergeOwned(t, w, now)
		case now.Exists():
			mergeThreeWay(t, w, last, now)
		}
		if last.Exists() && now.Kind().Bare() && applied(s, t, w) {
			update(t, w)
		}
	}
}

// applied reports whether what leads from s to t applies workload w: its step has come, and of the later steps of an
// apply only the one that brings it.
func applied(s, t state.State, w int) bool {
	if t.Version() == state.Head && t.VersionOf(w) == state.Base {
		return false
	}
	return !advances(s, t) || s.VersionOf(w) != t.VersionOf(w)
}

// advances reports whether the next step of an apply leads from s to t.
func advances(s, t state.State) bool {
	return s.Version() == state.Head && t.Version() == state.Head && t.StepsLeft() < s.StepsLeft()
}

// create makes the live object of a workload that was absent.
func create(t state.State, w int, v state.Version) {
	m := &t.C.Spec.Workloads[w].Manifests[v]
	t.SetReplicas(w, objects.LiveReplicas(m))
	t.SetCurrent(w, v)
	switch m.Kind() {
	case state.Job:
		t.SetOutstanding(t.C.ByVersion[w][v], m.Completions())
	case state.Pod:
		t.Owe(w)
	}
	if t.C.Spec.Apply == state.ServerSide && m.DeclaresReplicas {
		t.Set(t.C.Workload[w].Owners, int(state.Applier))
	}
}

// prune deletes the live object with its ReplicaSets; their pods outlive them.
func prune(t state.State, w int) {
	t.SetReplicas(w, 0)
	t.Set(t.C.Workload[w].Owners, 0)
	t.ForgetRollout(w)
	if t.C.Spec.Workloads[w].Kind().Bare() {
		remove(t, w)
	}
	for _, p := range t.C.ClassesOf[w] {
		f := &t.C.Class[p]
		t.Set(f.Exists, 0)
		t.Set(f.Size, 0)
		t.Set(f.Desired, 0)
		t.Set(f.Max, 0)
	}
}

// mergeThreeWay is client-side apply: a declared field is set, one that was in the last
// applied manifest and is gone is deleted and defaulted, any other is kept, unless the object is replaced as a whole.
func mergeThreeWay(t state.State, w int, last, now *state.Manifest) {
	if (now.DeclaresReplicas || last.DeclaresReplicas || now.Replaced) && !keepsReplicas(t) {
		t.SetReplicas(w, objects.LiveReplicas(now))
	}
}

// mergeOwned is server-side apply with forced conflicts: a declared field is set and owned; one that is no longer
// declared is removed and defaulted only if it has no other owner.
func mergeOwned(t state.State, w int, now *state.Manifest) {
	if keepsReplicas(t) {
		return
	}
	owners := t.Owners(w)
	switch {
	case now.DeclaresReplicas && objects.LiveReplicas(now) == t.Replicas(w):
		owners |= state.Applier
	case now.DeclaresReplicas:
		t.SetReplicas(w, objects.LiveReplicas(now))
		owners = state.Applier
	case owners == state.Applier:
		t.SetReplicas(w, objects.LiveReplicas(now))
		owners = 0
	default:
		owners &^= state.Applier
	}
	t.Set(t.C.Workload[w].Owners, int(owners))
}

// Describe implements [actor.Actor].
func (a *Apply) Describe(from, to state.State, _ search.Move) actor.Words {
	w := actor.Words{Action: "apply", Object: "the change"}
	parts := a.parts(from, to, &w)
	w.Text = "the change is applied"
	switch {
	case advances(from, to) && from.C.Spec.Straight:
		w.Text = "all else is applied, and objects that are gone from Git are deleted"
	case advances(from, to):
		w.Text = "all so far is healthy, and the next step is applied"
	case from.C.Spec.Events.Next:
		w.Text = "the next new image is rolled out"
	case from.Version() == to.Version():
		w.Text = "the manifests are applied again"
	case to.Version() == state.Base:
		w.Text = "base's manifests are applied again"
	}
	w.Text += ": " + strings.Join(parts, "; ")
	w.Text += rest(to, &w)
	return w
}

// parts words the effect of an apply on each workload and quota, and adds the objects acted on, and the reasons, to
// words.
func (a *Apply) parts(from, to state.State, w *actor.Words) []string {
	var parts []string
	for i := range from.C.Spec.Workloads {
		if part := a.describe(from, to, i, w); part != "" {
			parts = append(parts, part)
		}
	}
	parts = append(parts, describeQuotas(from, to)...)
	if from.Version() != to.Version() {
		parts = append(parts, describePriority(from.C.Spec, to.Version(), w)...)
		var seen []string
		for _, d := range from.C.Spec.Declared {
			if d.Differs && !slices.Contains(seen, d.Watches) {
				seen = append(seen, d.Watches)
				w.Because = append(w.Because, actor.Ref{Object: d.Watches, Version: to.Version(), Field: "data"})
				parts = append(parts, d.Watches+": changed")
			}
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing that is modeled differs"}
	}
	if len(from.C.Spec.Workloads) == 1 {
		w.Object = from.C.Spec.Workloads[0].ID
	}
	return parts
}

// describePriority words that pods get another PriorityClass by default from now on.
func describePriority(spec *state.Spec, v state.Version, w *actor.Words) []string {
	name := spec.DefaultPriority[v]
	switch name {
	case spec.DefaultPriority[1-v]:
		return nil
	case "":
		return []string{"no PriorityClass is the default for new pods any more"}
	}
	w.Because = append(w.Because,
		actor.Ref{Object: "scheduling.k8s.io/PriorityClass " + name, Version: v, Field: "globalDefault"})
	return []string{"PriorityClass " + name + " is the default for new pods"}
}

// describe words the effect of an apply on workload i, and adds its reasons to words.
func (a *Apply) describe(from, to state.State, i int, words *actor.Words) string {
	wl := &from.C.Spec.Workloads[i]
	if !applied(from, to, i) {
		return ""
	}
	last, now := &wl.Manifests[from.VersionOf(i)], &wl.Manifests[to.VersionOf(i)]
	because := func(object string, v state.Version, field string) {
		words.Because = append(words.Because, actor.Ref{Object: object, Version: v, Field: field})
	}
	switch {
	case !last.Exists() && !now.Exists():
		return ""
	case !last.Exists():
		because(wl.ID, to.VersionOf(i), "spec")
		if k := now.Kind(); k == state.DaemonSet || k.Bare() {
			return string(k) + " " + objects.ShortName(wl) + " is created"
		}
		return string(wl.Kind()) + " " + objects.ShortName(wl) + " is created with replicas " + strconv.Itoa(to.Replicas(i))
	case !now.Exists():
		because(wl.ID, from.VersionOf(i), "spec")
		return string(wl.Kind()) + " " + objects.ShortName(wl) + " is deleted"
	}
	if now.Kind().Bare() {
		return describePod(from, to, i, because)
	}
	var parts []string
	if old, live := from.Replicas(i), to.Replicas(i); old != live {
		part := "replicas " + strconv.Itoa(old) + " -> " + strconv.Itoa(live)
		if now.DeclaresReplicas {
			because(wl.ID, to.VersionOf(i), "spec.replicas")
		} else {
			why := " (spec.replicas was removed, the API server defaults it to 1)"
			if now.Replaced && !last.DeclaresReplicas {
				why = " (the object is replaced and declares no spec.replicas, the API server defaults it to 1)"
			}
			because(wl.ID, from.VersionOf(i), "spec.replicas")
			part += why
		}
		parts = append(parts, part)
	}
	if from.NewClass(i) != to.NewClass(i) {
		because(wl.ID, to.VersionOf(i), "spec.template")
		parts = append(parts, "new pod template")
		if last.Stranded {
			parts = append(parts, "and what the old pods read is deleted: one that is replaced does not start")
		}
	}
	parts = append(parts, describeStrategy(wl, last, now, because)...)
	if part := describeHPA(wl, from.VersionOf(i), because); part != "" {
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return string(wl.Kind()) + " " + objects.ShortName(wl) + ": " + strings.Join(parts, ", ")
}

// describeStrategy words what differs in how a workload's pods are replaced.
func describeStrategy(wl *state.Workload, last, now *state.Manifest,
	because func(string, state.Version, string)) []string {
	var parts []string
	for i, a := range last.Aspects() {
		if a.Says != "" && !equality.Semantic.DeepEqual(a.Field, now.Aspects()[i].Field) {
			because(wl.ID, state.Head, a.Path)
			parts = append(parts, a.Says)
		}
	}
	if last.Paused() != now.Paused() {
		because(wl.ID, state.Head, "spec.paused")
		parts = append(parts, map[bool]string{true: "paused", false: "resumed"}[now.Paused()])
	}
	return parts
}

// describeHPA words head's changes to a workload's HPA.
func describeHPA(wl *state.Workload, from state.Version, because func(string, state.Version, string)) string {
	last, now := wl.Manifests[from].HPA, wl.Manifests[state.Head].HPA
	switch {
	case last == nil && now == nil:
		return ""
	case last == nil:
		because(objects.HPAID(wl, state.Head), state.Head, "spec")
		return "new HPA"
	case now == nil:
		because(objects.HPAID(wl, from), from, "spec")
		return "HPA deleted"
	case !equality.Semantic.DeepEqual(last.Spec, now.Spec):
		because(objects.HPAID(wl, state.Head), state.Head, "spec")
		return "HPA changed"
	}
	return ""
}

// Model implements [actor.Actor].
func (a *Apply) Model() *actor.Model {
	m := &actor.Model{
		Upstream: objects.Upstream +
			", kubectl apply (three-way merge), managedfields and structured-merge-diff, SetDefaults_Deployment",
		Exact: []string{"what becomes of spec.replicas when it is declared, removed or never declared"},
		MayInvent: []string{
			"a workload that head lacks is deleted, as with pruning",
		},
		MayHide: []string{
			"what Helm and kubectl apply is one step, and so is each stage of Flux and each wave of Argo CD; hooks are judged on the objects",
			"the ReplicaSets of a deleted Deployment go with it at once",
			"what the API server refuses (apply-rejected) is searched as if accepted or, if invalid, left as it was",
		},
	}
	if a.serverSide {
		m.MayHide = append(m.MayHide, "conflicts are forced, as by GitOps controllers")
	}
	return m
}
