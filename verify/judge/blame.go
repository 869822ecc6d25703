package judge

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// workloadObject stands for the kind of the workload itself.
const workloadObject = ""

// refusers stands for the kinds of objects by which pods are refused whatever else there is.
const refusers = "refusers"

// mutators stands for the kinds of policies that mutate workloads and pods.
const mutators = "mutators"

// autoscalers stands for all kinds of objects that set the replicas of a workload by metrics: KEDA makes
// HorizontalPodAutoscalers, too.
const autoscalers = "autoscalers"

// The resources of containers are apart from the rest of them: a change of an image or of
// an argument seldom is to blame for where a pod fits.
const (
	containers         = "spec.template.spec.containers"
	containerResources = containers + "[].resources"
)

// culprit is an aspect of one workload whose undoing repairs a violation.
type culprit struct {
	workload int
	aspect   aspect
}

// mostUndone bounds the searches spent on one finding's blame.
const mostUndone = 12

// culprits undoes one changed aspect after the other and searches again. What remains
// of a violation that no single undoing repairs is the conjunction: nothing is returned.
func culprits(ctx context.Context, c *scenario.Checker, v scenario.Variant, of judged) []culprit {
	var out []culprit
	tried := 0
	for w, wl := range v.Spec.Workloads {
		if !wl.Manifests[state.Base].Exists() || !wl.Manifests[state.Head].Exists() {
			continue
		}
		for _, a := range aspects(&wl.Manifests[state.Head]) {
			undone, differed := undo(v, w, a)
			if !differed {
				continue
			}
			if tried++; tried > mostUndone || c.Expired() {
				return blocking(out, v)
			}
			if mends(ctx, c, undone, of) {
				out = append(out, culprit{w, a})
			}
		}
	}
	for _, b := range besides {
		undone, differed := b.undo(v)
		if differed && !c.Expired() && mends(ctx, c, undone, of) {
			out = append(out, culprit{of.Bound.Workload, aspect{kind: b.kind}})
		}
	}
	if v.BaseNamespaces != nil && !c.Expired() {
		undone := v
		undone.Spec.Namespaces = v.BaseNamespaces
		if mends(ctx, c, undone, of) {
			out = append(out, culprit{of.Bound.Workload, aspect{kind: "Namespace", path: "metadata.labels"}})
		}
	}
	return blocking(out, v)
}

// besides lists the objects beside the workloads that can be undone as a whole: head's objects of a kind are put back
// to base's.
var besides = []struct {
	kind string
	undo func(v scenario.Variant) (scenario.Variant, bool)
}{
	{"ResourceQuota", func(v scenario.Variant) (scenario.Variant, bool) {
		differed := false
		v.Spec.Quotas = slices.Clone(v.Spec.Quotas)
		for i := range v.Spec.Quotas {
			q := &v.Spec.Quotas[i]
			differed = differed || !reflect.DeepEqual(q.Objects[state.Head], q.Objects[state.Base])
			q.Objects[state.Head] = q.Objects[state.Base]
		}
		return v, differed
	}},
	{"PriorityClass", func(v scenario.Variant) (scenario.Variant, bool) {
		d := v.Spec.DefaultPriority
		v.Spec.DefaultPriority[state.Head] = d[state.Base]
		return v, d[state.Head] != d[state.Base]
	}},
	{"ClusterQueue", func(v scenario.Variant) (scenario.Variant, bool) {
		differed := false
		v.Spec.Quotas = slices.Clone(v.Spec.Quotas)
		for i := range v.Spec.Quotas {
			q := &v.Spec.Quotas[i]
			differed = differed || !reflect.DeepEqual(q.Queues[state.Head], q.Queues[state.Base])
			q.Queues[state.Head] = q.Queues[state.Base]
		}
		return v, differed
	}},
	{"LimitRange", func(v scenario.Variant) (scenario.Variant, bool) {
		ranges := v.Spec.Admission.LimitRanges
		differed := !reflect.DeepEqual(ranges[state.Head], ranges[state.Base])
		v.Spec.Admission.LimitRanges[state.Head] = ranges[state.Base]
		asFilled(&v.Spec)
		return v, differed
	}},
	{"RuntimeClass", func(v scenario.Variant) (scenario.Variant, bool) {
		differed := slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool {
			m := w.Manifests
			if m[state.Base].Filled == nil || m[state.Base].Filled.Spec.RuntimeClassName == nil {
				return false
			}
			f := &m[state.Base].Filled.Spec
			p := m[state.Head].Pod()
			return !equality.Semantic.DeepEqual(f.Overhead, p.Overhead) ||
				!equality.Semantic.DeepEqual(f.NodeSelector, p.NodeSelector) ||
				!equality.Semantic.DeepEqual(f.Tolerations, p.Tolerations)
		})
		asFilled(&v.Spec)
		return v, differed
	}},
	{"WebhookConfiguration", func(v scenario.Variant) (scenario.Variant, bool) {
		differed := false
		v.Spec.Admission.Webhooks = slices.Clone(v.Spec.Admission.Webhooks)
		for i := range v.Spec.Admission.Webhooks {
			h := &v.Spec.Admission.Webhooks[i]
			differed = differed || !reflect.DeepEqual(h.Guards[state.Head], h.Guards[state.Base])
			h.Guards[state.Head] = h.Guards[state.Base]
		}
		return v, differed
	}},
	{"DaemonSet", func(v scenario.Variant) (scenario.Variant, bool) {
		return v.OnBaseNodes(), len(v.BaseNodes) == len(v.Spec.Classes) && len(v.BaseNodes) > 0
	}},
	{mutators, func(v scenario.Variant) (scenario.Variant, bool) {
		differed := false
		asFilled(&v.Spec)
		for i := range v.Spec.Workloads {
			m := &v.Spec.Workloads[i].Manifests
			differed = differed || m[state.Head].ByBase != nil
			m[state.Head] = m[state.Head].MadeByBase()
		}
		return v, differed
	}},
	{refusers, func(v scenario.Variant) (scenario.Variant, bool) {
		r, c := &v.Spec.Admission.Refused, &v.Spec.Admission.Claims
		differed := !reflect.DeepEqual(r[state.Head], r[state.Base]) || !reflect.DeepEqual(c[state.Head], c[state.Base])
		r[state.Head], c[state.Head] = r[state.Base], c[state.Base]
		return v, differed
	}},
}

// asFilled gives the workloads of both versions what base's admission fills in.
func asFilled(spec *state.Spec) {
	spec.Workloads = slices.Clone(spec.Workloads)
	for i := range spec.Workloads {
		if m := &spec.Workloads[i].Manifests; m[state.Base].Filled != nil {
			m[state.Head].Filled = m[state.Base].Filled
			m[state.Base], m[state.Head] = m[state.Base].AsFilled(), m[state.Head].AsFilled()
		}
	}
}

// blocking leaves out the images that changed, where something else is to blame as well: a
// new image is the occasion of a rollout, and what stands in its way is the reason.
func blocking(found []culprit, v scenario.Variant) []culprit {
	others := slices.DeleteFunc(slices.Clone(found), func(c culprit) bool {
		return c.aspect.path == containers && imagesOnly(&v.Spec.Workloads[c.workload])
	})
	if len(others) == 0 {
		return found
	}
	return others
}

// imagesOnly reports whether base's and head's containers differ only in images.
func imagesOnly(w *state.Workload) bool {
	head, base := w.Manifests[state.Head].Pod().Containers, w.Manifests[state.Base].Pod().Containers
	return slices.EqualFunc(head, base, func(h, b corev1.Container) bool {
		h.Image, h.Resources = b.Image, b.Resources
		return reflect.DeepEqual(h, b)
	})
}

// repairs reports whether a variant does not have a violation, or, where it is worse than on base,
// not as easily.
func mends(ctx context.Context, c *scenario.Checker, v scenario.Variant, of judged) bool {
	found, cov, err := c.Scenarios(ctx, v.Change(), of.Topology())
	return err == nil && scenario.Complete(cov) && !slices.ContainsFunc(found, func(x scenario.Violation) bool {
		return x.Key() == of.Key() && of.Comparable(x) && (of.status != finding.Worsened || x.Covers(of.Violation))
	})
}

// unprotects reports whether a violation that base's PodDisruptionBudgets prevented is to blame on the change of those
// budgets.
func unprotects(found []culprit) bool {
	return slices.ContainsFunc(found, func(c culprit) bool { return c.aspect.kind == "PodDisruptionBudget" })
}

// undo gives the variant with one aspect of one workload as base has it.
func undo(v scenario.Variant, w int, a aspect) (scenario.Variant, bool) {
	v.Spec.Workloads = slices.Clone(v.Spec.Workloads)
	m := &v.Spec.Workloads[w].Manifests
	head := m[state.Head]
	head.OwnObject()
	if head.HPA != nil {
		head.HPA = head.HPA.DeepCopy()
	}
	head.PDBs = append([]*policyv1.PodDisruptionBudget(nil), head.PDBs...)
	differed := a.undo(&head, &m[state.Base])
	m[state.Head] = head
	return v, differed
}

// blame words culprits as the changed fields that make them up, in the order of their
// lines. An element that was added or removed as a whole is one entry.
func (pl Places) blame(sl *slice.Slice, found []culprit) []finding.Blame {
	out := []finding.Blame{}
	for _, c := range found {
		for _, id := range sl.Ids() {
			pair := sl.Objects[id]
			o := cmp.Or(pair[state.Head], pair[state.Base])
			own := id == sl.Workloads[c.workload].ID
			if own != (c.aspect.kind == workloadObject) || !own && !c.aspect.of(o.ID.Kind) {
				continue
			}
			stays := pl.Change(sl.Owner(id), id) // also where one side does not read it
			if c.aspect.path == "" && (pair[state.Head] == nil || pair[state.Base] == nil) &&
				(stays == nil || stays.Base == nil || stays.Head == nil) {
				out = append(out, pl.wholeObject(o, pair[state.Head] == nil))
				continue
			}
			kind := state.KindOf(id)
			for _, f := range whole(kind, pl.FieldChanges(pl.Changed(sl.Owner(id), id))) {
				if c.aspect.covers(kind.Common(f.Path)) {
					out = append(out, finding.Blame{Object: id, Path: f.Path, Old: f.Old, New: f.New, Location: f.Location})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Blame) int {
		return cmp.Or(cmp.Compare(a.Location.File, b.Location.File), a.Location.StartLine-b.Location.StartLine,
			cmp.Compare(a.Object, b.Object), cmp.Compare(a.Path, b.Path))
	})
	return slices.CompactFunc(out, func(a, b finding.Blame) bool { return a.Object == b.Object && a.Path == b.Path })
}

// wholeObject is the blame of an object that came or went.
func (pl Places) wholeObject(o *object.Object, removed bool) finding.Blame {
	side := "head"
	if removed {
		side = "base"
	}
	l := pl.Location(o.Source, side)
	return finding.Blame{Object: o.ID.String(), Location: &l}
}

// whole folds the fields of a list element that only one side has into one change of
// the element, whose value lists its fields and whose region spans their lines.
func whole(kind state.Kind, fields []finding.FieldChange) []finding.FieldChange {
	var out []finding.FieldChange
	for _, f := range fields {
		element := elementOf(kind, f.Path)
		i := slices.IndexFunc(out, func(o finding.FieldChange) bool { return o.Path == element })
		switch {
		case element == "" || (f.Old != "" && f.New != ""):
			out = append(out, f)
		case i < 0:
			l := *f.Location
			out = append(out, finding.FieldChange{
				Path: element, Old: part(element, f, f.Old), New: part(element, f, f.New), Location: &l,
			})
		case (out[i].Old == "") != (f.Old == ""):
			out = append(out, f) // one field added, another removed: the element itself stayed
		default:
			out[i].Old, out[i].New = join(out[i].Old, part(element, f, f.Old)), join(out[i].New, part(element, f, f.New))
			span(kind, out[i].Location, f.Location)
		}
	}
	return out
}

// elementOf is the path of the outermost numbered list element below a pod's spec that a
// field lies in, or "".
func elementOf(kind state.Kind, path string) string {
	const spec = "spec.template.spec."
	rest, ok := strings.CutPrefix(kind.Common(path), spec)
	if !ok {
		return ""
	}
	open, end := strings.IndexByte(rest, '['), strings.IndexByte(rest, ']')
	if open < 0 || end < open || strings.Trim(rest[open+1:end], "0123456789") != "" ||
		strings.HasPrefix(rest, "containers[") {
		return ""
	}
	return kind.Own(spec + rest[:end+1])
}

// part is a field's value with its path within its element; "" for no value.
func part(element string, f finding.FieldChange, value string) string {
	if value == "" {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(f.Path, element), ".") + ": " + value
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// span widens a region to the lines of another of the same file.
func span(kind state.Kind, l, more *finding.Location) {
	if l.File != more.File || l.Side != more.Side {
		return
	}
	if more.StartLine < l.StartLine {
		l.StartLine, l.StartColumn = more.StartLine, more.StartColumn
	}
	if more.EndLine > l.EndLine {
		l.EndLine, l.EndColumn = more.EndLine, more.EndColumn
	}
	l.InDiff = l.InDiff || more.InDiff
	l.Field = elementOf(kind, l.Field)
}
