package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	corehelpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/state"
)

// shortage is what no arrangement of pods can give at the declared size: arithmetic
// decides, and no search is needed. It errs on the side of room: of what takes room, only
// the pods that are counted do, and every node there may ever be is there.
type shortage struct {
	rule     string
	workload int // index in the slice
	loaded   bool
	asked    int64 // pods
	fit      int64 // of them, at most
	what     string
	fields   []actor.Ref
}

// enterShortages enters what does not fit at the declared size. A search at a reduced one,
// or none at all for want of budget, is no reason to be less sure of it.
func (a *analysis) enterShortages(cut []*slice) {
	if a.opt.Policy.Cluster.Assumed || a.opt.Shard.Index > 1 {
		return // nobody declared what there is; it is in the first part
	}
	for _, sl := range cut {
		classes := a.besides.policyOf(sl.release, a.besides.head).NodeClasses(nil)
		before := classes
		if a.besides.compared {
			before = a.besides.policyOf(sl.release, a.besides.base).NodeClasses(nil)
		}
		loads := budgets(a.besides.policyOf(sl.release, a.besides.head), sl.spec.Workloads).LoadChange > 0
		was := sl.shortages(before, state.Base)
		for _, s := range sl.shortages(classes, state.Head) {
			if s.loaded && !loads {
				continue
			}
			status := New
			for _, o := range was {
				switch {
				case !o.like(s):
				case o.asked-o.fit >= s.asked-s.fit:
					status = Existing
				default:
					status = Worsened
				}
			}
			a.enterShortage(sl, s, status)
		}
	}
	a.result.Findings = across(a.result.Findings)
	sortFindings(a.result.Findings)
}

// like says whether two shortages are the same one, at base and at head.
func (s shortage) like(o shortage) bool {
	return s.rule == o.rule && s.workload == o.workload && s.loaded == o.loaded
}

// shortages lists what a version of a slice asks for and cannot get.
func (sl *slice) shortages(classes []state.NodeClass, v state.Version) []shortage {
	if slices.ContainsFunc(classes, func(c state.NodeClass) bool { return c.Elastic }) {
		return nil // their capacity was invented
	}
	var out []shortage
	for i := range sl.spec.Workloads {
		m := &sl.spec.Workloads[i].Manifests[v]
		if !counted(m) || len(sl.spec.Workloads[i].Sizes) > 0 {
			continue
		}
		room, limit := roomFor(classes, m)
		for _, loaded := range []bool{false, true} {
			asked, fields := replicasAsked(&sl.spec.Workloads[i], v, loaded)
			if asked > room {
				out = append(out, shortage{rule: "unschedulable", workload: i, loaded: loaded, asked: asked, fit: room, what: limit, fields: fields})
				break
			}
		}
	}
	if len(out) == 0 {
		out = append(out, sl.crowding(classes, v)...)
	}
	return append(out, sl.overdrawn(v)...)
}

// counted says whether a manifest's pods are as many as it declares, all alike, and placed by
// the scheduler.
func counted(m *state.Manifest) bool {
	return (m.Kind() == state.Deployment || m.Kind() == state.StatefulSet) && !m.Paused() && m.KEDA == nil && m.VPA == nil && m.Pod().NodeName == ""
}

// replicasAsked is how many pods there are to be: what is declared, or what the autoscaler
// keeps and, under load, may go up to.
func replicasAsked(w *state.Workload, v state.Version, loaded bool) (int64, []actor.Ref) {
	m := &w.Manifests[v]
	ref := func(object, field string) []actor.Ref {
		return []actor.Ref{{Object: object, Field: field, Version: v}}
	}
	if m.HPA == nil {
		return int64(m.Replicas()), ref(w.ID, "spec.replicas")
	}
	hpa := "autoscaling/HorizontalPodAutoscaler " + m.HPA.Namespace + "/" + m.HPA.Name
	if loaded {
		return int64(m.HPA.Spec.MaxReplicas), ref(hpa, "spec.maxReplicas")
	}
	if m.HPA.Spec.MinReplicas != nil {
		return int64(*m.HPA.Spec.MinReplicas), ref(hpa, "spec.minReplicas")
	}
	return 1, ref(hpa, "spec")
}

// roomFor is how many pods of a template the nodes can take if they take nothing else, and
// what bounds them.
func roomFor(classes []state.NodeClass, m *state.Manifest) (room int64, limit string) {
	pod := &corev1.Pod{ObjectMeta: m.Template().ObjectMeta, Spec: *m.Pod()}
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	type pool struct{ room, most, nodes, cap int64 }
	pools := map[string]*pool{}
	bounds := map[string]bool{}
	nodes := int64(0)
	for i := range classes {
		c := &classes[i]
		if !mayRun(pod, c.Node) {
			continue
		}
		n, by := podsOn(c.Node, requests)
		bounds[by] = true
		nodes += int64(c.Max)
		if c.Pool == "" {
			room += n * int64(c.Max)
			continue
		}
		p := pools[c.Pool]
		if p == nil {
			p = &pool{cap: int64(c.PoolMax)}
			pools[c.Pool] = p
		}
		p.room, p.nodes, p.most = p.room+n*int64(c.Max), p.nodes+int64(c.Max), max(p.most, n)
	}
	for _, p := range pools {
		if p.cap > 0 && p.cap < p.nodes {
			nodes -= p.nodes - p.cap
			p.room = min(p.room, p.cap*p.most)
		}
		room += p.room
	}
	var names []string
	for b := range bounds {
		names = append(names, b)
	}
	slices.Sort(names)
	return room, fmt.Sprintf("%s that it may run on %s, by %s", plural(nodes, "node"), verb(nodes), strings.Join(names, " and "))
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "the 1 " + noun
	}
	return fmt.Sprintf("the %d %ss", n, noun)
}

func verb(n int64) string {
	if n == 1 {
		return "takes"
	}
	return "take"
}

// podsOn is how many pods with the same requests a node takes, and which resource says so.
func podsOn(node *corev1.Node, requests corev1.ResourceList) (n int64, by string) {
	n, by = math.MaxInt32, string(corev1.ResourcePods)
	if pods, ok := node.Status.Allocatable[corev1.ResourcePods]; ok {
		n = pods.Value()
	}
	for _, name := range sortedResources(requests) {
		asked := requests[name]
		have, declared := node.Status.Allocatable[name]
		if asked.MilliValue() <= 0 || !declared {
			continue // how much there is of it nobody said
		}
		if fit := have.MilliValue() / asked.MilliValue(); fit < n {
			n, by = fit, string(name)
		}
	}
	return n, by
}

func sortedResources(list corev1.ResourceList) []corev1.ResourceName {
	var out []corev1.ResourceName
	for name := range list {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// mayRun says whether a node's labels and taints let a pod in. What asks for a node by its
// name is let in everywhere: a class stands for nodes of any name.
func mayRun(pod *corev1.Pod, node *corev1.Node) bool {
	if strings.Contains(pod.Spec.String(), corev1.LabelHostname) || pod.Spec.Affinity != nil && strings.Contains(pod.Spec.Affinity.String(), "metadata.name") {
		return true
	}
	if ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err == nil && !ok {
		return false
	}
	_, untolerated := corehelpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}, true)
	return !untolerated
}

// crowding is what the workloads of a slice ask for together and all nodes do not have. It is
// said of the changed one, where none of them can push another aside.
func (sl *slice) crowding(classes []state.NodeClass, v state.Version) []shortage {
	have, ask := map[corev1.ResourceName]float64{}, map[corev1.ResourceName]float64{}
	for i := range classes {
		for name, q := range classes[i].Node.Status.Allocatable {
			have[name] += q.AsApproximateFloat64() * float64(classes[i].Max)
		}
	}
	at, pods, priority := -1, int64(0), ""
	for i := range sl.spec.Workloads {
		m := &sl.spec.Workloads[i].Manifests[v]
		if !counted(m) || len(sl.spec.Workloads[i].Sizes) > 0 {
			continue
		}
		if at >= 0 && m.Pod().PriorityClassName != priority {
			return nil
		}
		if _, changed := sl.changed[i]; at < 0 || changed && sl.changed[at] == "" {
			at = i
		}
		priority = m.Pod().PriorityClassName
		n, _ := replicasAsked(&sl.spec.Workloads[i], v, false)
		pods += n
		for name, q := range resourcehelper.PodRequests(&corev1.Pod{Spec: *m.Pod()}, resourcehelper.PodResourcesOptions{}) {
			ask[name] += q.AsApproximateFloat64() * float64(n)
		}
	}
	if at < 0 || len(sl.spec.Workloads) < 2 {
		return nil
	}
	ask[corev1.ResourcePods] = float64(pods)
	var names []corev1.ResourceName
	for name := range ask {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if have[name] == 0 || ask[name] <= have[name]*(1+1e-9) {
			continue
		}
		_, fields := replicasAsked(&sl.spec.Workloads[at], v, false)
		return []shortage{{
			rule: "unschedulable", workload: at, asked: pods, fit: int64(float64(pods) * have[name] / ask[name]),
			what: fmt.Sprintf("together with what shares its nodes it asks for %.4g of %s, and all nodes have %.4g: they take", ask[name], name, have[name]), fields: fields,
		}}
	}
	return nil
}

// overdrawn is what ResourceQuotas do not allow of the declared replicas.
func (sl *slice) overdrawn(v state.Version) []shortage {
	var out []shortage
	for _, q := range sl.spec.Quotas {
		hard := q.Objects[v]
		if hard == nil || len(hard.Spec.Scopes) > 0 || hard.Spec.ScopeSelector != nil {
			continue
		}
		for i := range sl.spec.Workloads {
			w := &sl.spec.Workloads[i]
			m := &w.Manifests[v]
			if w.Namespace != q.Namespace || !counted(m) || len(w.Sizes) > 0 {
				continue
			}
			if s, ok := overdraft(w, v, hard); ok {
				s.workload = i
				out = append(out, s)
			}
		}
	}
	return out
}

// overdraft is what one workload alone asks for beyond a quota.
func overdraft(w *state.Workload, v state.Version, quota *corev1.ResourceQuota) (shortage, bool) {
	m := &w.Manifests[v]
	use := admission.QuotaUse(&corev1.Pod{ObjectMeta: m.Template().ObjectMeta, Spec: *m.Pod()})
	for _, loaded := range []bool{false, true} {
		asked, fields := replicasAsked(w, v, loaded)
		for _, name := range sortedResources(quota.Spec.Hard) {
			each, most := use[name], quota.Spec.Hard[name]
			if each.MilliValue() <= 0 || asked <= most.MilliValue()/each.MilliValue() {
				continue
			}
			fields = append(fields, actor.Ref{Object: "ResourceQuota " + quota.Namespace + "/" + quota.Name, Field: "spec.hard[" + string(name) + "]", Version: v})
			return shortage{
				rule: "rollout-stuck", loaded: loaded, asked: asked, fit: most.MilliValue() / each.MilliValue(),
				what: fmt.Sprintf("%s of ResourceQuota %s allows", name, quota.Name), fields: fields,
			}, true
		}
	}
	return shortage{}, false
}

// enterShortage makes a finding of a shortage, or makes sure of the one that is there.
func (a *analysis) enterShortage(sl *slice, s shortage, status Status) {
	w := &sl.spec.Workloads[s.workload]
	rule, on := rules.Rule{}, false
	for _, r := range a.checker.rules {
		if r.ID == s.rule && r.Concerns(w.Namespace+"/"+w.Name) {
			rule, on = r, true
		}
	}
	if !on {
		return
	}
	text := fmt.Sprintf("at the declared size %s asks for %d pods, and %s at most %d", w.Name, s.asked, s.what, s.fit)
	for i := range a.result.Findings {
		f := &a.result.Findings[i]
		if f.Rule == s.rule && f.Workload == w.ID && f.Release == sl.release && f.Status != Fixed {
			if f.Reduced != nil || !f.AtDeclaredScale {
				f.Message += " (" + text + ")"
			}
			f.Severity, f.AtDeclaredScale, f.Reduced = string(rule.Severity), true, nil
			if f.Status == Existing {
				f.Status = status
			}
			return
		}
	}
	f := Finding{
		Rule: rule.ID, Class: string(rule.Class), Severity: string(rule.Severity), Status: status, Certainty: "inevitable",
		Scenario: scenarioChange, Timing: "realistic", Workload: w.ID, Release: sl.release, Message: text,
		Scale: Scale{Classes: map[string]int{}}, AtDeclaredScale: true, Events: []string{"apply"}, Blame: []Blame{},
	}
	if a.places.changes == nil || !sl.spec.Workloads[s.workload].Manifests[state.Base].Exists() {
		f.Scenario = scenarioInstall
	}
	if s.loaded {
		f.Events, f.Certainty = append(f.Events, "load-change"), "possible"
	}
	step := Step{Actor: "scheduler", Class: actor.Sync.String(), Action: "unschedulable", Object: w.ID, Text: text, Because: []Because{}}
	if s.rule != "unschedulable" {
		step.Actor, step.Action = "replicaset", "refused"
	}
	f.Locations, f.Blame = a.places.shortage(sl, s, w.ID, status)
	for _, l := range f.Locations {
		step.Because = append(step.Because, Because{File: l.File, Line: l.StartLine, Field: l.Field})
	}
	f.Interleaving = []Step{step}
	h := sha256.Sum256([]byte(strings.Join([]string{"v1", f.Rule, f.Release, f.Workload, "size"}, "\x00")))
	f.Fingerprint = hex.EncodeToString(h[:16])
	a.result.Findings = append(a.result.Findings, f)
}

// shortage locates what asks for too much: what changed of it first.
func (pl places) shortage(sl *slice, s shortage, workload string, status Status) ([]Location, []Blame) {
	var out []Location
	blame := []Blame{}
	refs := append(slices.Clone(s.fields), actor.Ref{Object: workload, Field: "spec.template.spec.containers"}, actor.Ref{Object: workload, Field: "spec.replicas"})
	for _, ref := range refs {
		for _, c := range pl.changed(sl.release, ref.Object) {
			if !overlap(c.Path, ref.Field) {
				continue
			}
			l := pl.field(c)
			out = append(out, l)
			if status != Existing {
				blame = append(blame, Blame{Object: ref.Object, Path: c.Path, Old: value(c.Old, c.Secret), New: value(c.New, c.Secret), Location: &l})
			}
		}
	}
	for _, ref := range refs {
		if sides := sl.objects[ref.Object]; sides != nil && sides[state.Head] != nil {
			l := pl.location(sides[state.Head].Locate(ref.Field), "head")
			l.Field = ref.Field
			out = append(out, l)
			break
		}
	}
	return inDiffFirst(out), blame
}
