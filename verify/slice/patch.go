package slice

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/kyverno"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// sentPod is a pod of a template as validating admission gets to see it, and what made it so; before is the pod without
// the policies. A name is drawn once the policies that mutate have run.
//
// Upstream: kubernetes v1.36.3, apiserver, pkg/endpoints/handlers: createHandler; pkg/registry/rest: BeforeCreate.
func (s side) sentPod(template *corev1.PodTemplateSpec, of object.ID) (before *corev1.Pod, out Mutated) {
	before = madeOf(template, of)
	if out.Refused = s.complete(before); out.Refused != nil || s.admission.mutators.None() {
		out.Object = before
		return before, out
	}
	again := func(o runtime.Object) *state.Refusal { return s.complete(o.(*corev1.Pod)) }
	name := before.Name
	if before.GenerateName != "" {
		before.Name = ""
	}
	out = s.admission.mutators.settled(s.request(celpolicy.PodKind, before.Name, of.Namespace, before), again)
	for _, pod := range []*corev1.Pod{before, out.Object.(*corev1.Pod)} {
		if pod.Name == "" {
			pod.Name = name
		}
	}
	if len(out.By) > 0 && out.Refused == nil {
		out.Refused = invalid(out.Object, before, out.By[0])
	}
	if out.Refused != nil && out.Refused.Object == "" && len(out.By) > 0 {
		out.Refused.Object, out.Refused.Field = out.By[0], PatchesOf(out.By[0])
	}
	return before, out
}

// invalid is why the API server refuses what policies made of an object, and not the object.
func invalid(now, before runtime.Object, by string) *state.Refusal {
	was := map[string]bool{}
	for _, e := range validation.Create(before) {
		was[e.Error()] = true
	}
	for _, e := range validation.Create(now) {
		if !was[e.Error()] {
			kind := now.GetObjectKind().GroupVersionKind().Kind
			return &state.Refusal{Text: kind + " is invalid: " + e.Error(), Object: by, Field: PatchesOf(by)}
		}
	}
	return nil
}

// PatchesOf is the field of a policy that has its patches.
func PatchesOf(id string) string {
	if strings.HasPrefix(id, kyverno.Group) {
		return "spec.rules"
	}
	return "spec.mutations"
}

func (s side) request(kind schema.GroupVersionKind, name, namespace string, o runtime.Object) celpolicy.Request {
	return celpolicy.Request{Kind: kind, Namespace: namespace, Name: name, Object: o, Home: s.home(namespace),
		Param: s.param}
}

// treated is a workload under the mutating policies of a version.
type treated struct {
	stored  *object.Object // as the API server keeps it
	sent    *object.Object // stored, with what becomes of its pods
	by      []string
	open    []open
	refused *state.Refusal // of the workload itself
}

// treat has the policies mutate a workload, what its controller makes of it, and its pods. A policy that changes a
// ReplicaSet or a Job on its way to the pods is open: what its owner makes of that is not modeled.
func (s side) treat(o *object.Object) treated {
	out := treated{stored: o, sent: o}
	if s.admission.mutators.None() || o.Typed == nil {
		return out
	}
	if o.ID.Kind != "Pod" {
		kind := schema.GroupVersionKind{Group: o.ID.Group, Version: "v1", Kind: o.ID.Kind}
		if kind.Group == rolloutKind.Group {
			kind = rolloutKind
		}
		x := s.admission.mutators.Mutate(s.request(kind, o.ID.Name, o.ID.Namespace, Runtime(o)))
		if len(x.By) > 0 && x.Refused == nil {
			x.Refused = invalid(x.Object, Runtime(o), x.By[0])
		}
		out.open, out.refused = x.Open, x.Refused
		if len(x.By) > 0 && x.Refused == nil {
			out.stored, out.by = with(o, x.Object), x.By
		}
		if made, kind := between(out.stored); made != nil {
			y := s.admission.mutators.Mutate(s.request(kind, o.ID.Name, o.ID.Namespace, made))
			for _, id := range y.By {
				if !isBinding(id) {
					y.Open = append(y.Open, open{id, fmt.Sprintf("it changes the %s of %s", kind.Kind, o.ID)})
				}
			}
			out.open = append(out.open, y.Open...)
		}
	}
	before, pod := s.sentPod(templateOf(out.stored), o.ID)
	out.open = append(out.open, pod.Open...)
	if out.sent = out.stored; len(pod.By) > 0 && pod.Refused == nil {
		out.by = append(out.by, pod.By...)
		out.sent = spliced(out.stored, before, pod.Object.(*corev1.Pod))
	}
	slices.SortFunc(out.open, func(a, b open) int { return strings.Compare(a.id+a.why, b.id+b.why) })
	out.open = slices.Compact(out.open)
	return out
}

// between is what the controller of a workload makes of it that makes the pods in turn; nil: it makes these itself.
func between(o *object.Object) (runtime.Object, schema.GroupVersionKind) {
	switch t := o.Typed.(type) {
	case *appsv1.Deployment:
		out := &appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Replicas: t.Spec.Replicas, Selector: t.Spec.Selector,
			Template: t.Spec.Template}}
		out.Name, out.Namespace, out.Labels = t.Name+"-xxxxxxxxxx", o.ID.Namespace, t.Spec.Template.Labels
		return out, appsv1.SchemeGroupVersion.WithKind("ReplicaSet")
	case *batchv1.CronJob:
		out := &batchv1.Job{ObjectMeta: *t.Spec.JobTemplate.ObjectMeta.DeepCopy(), Spec: t.Spec.JobTemplate.Spec}
		out.Name, out.Namespace = t.Name+"-00000000", o.ID.Namespace
		return out, batchv1.SchemeGroupVersion.WithKind("Job")
	}
	return nil, schema.GroupVersionKind{}
}

// with is an object in another form: as it is written, and where.
func with(o *object.Object, typed runtime.Object) *object.Object {
	out := *o
	out.Typed = typed
	return &out
}

// spliced is a workload whose template has what policies changed of its pods.
func spliced(o *object.Object, before, after *corev1.Pod) *object.Object {
	out := with(o, o.Typed.DeepCopyObject())
	m, _ := state.ManifestOf(out.Typed)
	t := m.Template()
	was, is := reflect.ValueOf(&before.Spec).Elem(), reflect.ValueOf(&after.Spec).Elem()
	to := reflect.ValueOf(&t.Spec).Elem()
	for i := range was.NumField() {
		if !equality.Semantic.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) {
			to.Field(i).Set(is.Field(i))
		}
	}
	t.Labels = changedText(t.Labels, before.Labels, after.Labels)
	t.Annotations = changedText(t.Annotations, before.Annotations, after.Annotations)
	if pod, ok := out.Typed.(*corev1.Pod); ok {
		pod.Spec, pod.Labels, pod.Annotations = t.Spec, t.Labels, t.Annotations
	}
	return out
}

// changedText is a list with what differs between two others.
func changedText(list, before, after map[string]string) map[string]string {
	out := union(list, nil)
	for k := range before {
		if _, stays := after[k]; !stays {
			delete(out, k)
		}
	}
	for k, v := range after {
		if before[k] != v {
			if out == nil {
				out = map[string]string{}
			}
			out[k] = v
		}
	}
	return out
}

// afterPolicies is a side whose workloads are as the policies leave them.
func afterPolicies(objects []*object.Object, s side) side {
	treats, list := map[string]treated{}, slices.Clone(objects)
	for i, o := range list {
		if s.Workloads[o.ID.String()] == o {
			t := s.treat(o)
			treats[o.ID.String()], list[i] = t, t.sent
		}
	}
	out := newSide(list)
	out.treated, out.written = treats, s.Workloads
	return out
}

// asWritten is a workload before the policies; nil: it is not there.
func (s side) asWritten(id string) *object.Object {
	if o := s.written[id]; o != nil {
		return o
	}
	return s.Workloads[id]
}

// asStored is a workload as the API server keeps it; nil: it is not there.
func (s side) asStored(id string) *object.Object {
	if t, ok := s.treated[id]; ok {
		return t.stored
	}
	return s.Workloads[id]
}

// mutatedOtherwise reports whether the policies of one version make another thing of a workload than those of the
// other.
func mutatedOtherwise(id string, sides [2]side) bool {
	if sides[0].admission.mutators.None() && sides[1].admission.mutators.None() {
		return false
	}
	for _, s := range sides {
		if o := s.asWritten(id); o != nil {
			x, y := sides[0].treat(o), sides[1].treat(o)
			if !sameOutcome(x, y) || policiesDiffer(x.open, sides) || policiesDiffer(y.open, sides) {
				return true
			}
		}
	}
	return false
}

func sameOutcome(x, y treated) bool {
	text := func(r *state.Refusal) string {
		if r == nil {
			return ""
		}
		return r.Text
	}
	return equality.Semantic.DeepEqual(x.sent.Typed, y.sent.Typed) && slices.Equal(x.open, y.open) &&
		text(x.refused) == text(y.refused)
}

// asBaseMakesIt keeps what base's policies would make of head's workload, where that is another thing; the policies
// that act on the workload; and those that cannot be run.
func (sl *Slice) asBaseMakesIt(w *state.Workload, sides [2]side) {
	if sides[0].admission.mutators.None() && sides[1].admission.mutators.None() {
		return
	}
	head := sides[state.Head].asWritten(w.ID)
	differs := mutatedOtherwise(w.ID, sides)
	for v, s := range sides {
		for _, x := range s.treated[w.ID].open {
			if differs && policiesDiffer([]open{x}, sides) {
				sl.Unrun = append(sl.Unrun, Unrun{w.ID, x.id, x.why})
				continue
			}
			sl.Notes = finding.AppendNew(sl.Notes, finding.Say(finding.PatchesUnknown, x.why).On(w.ID).With(x.id))
		}
		sl.keepPolicies(v, s, s.treated[w.ID].by)
		if by := slices.DeleteFunc(slices.Clone(s.treated[w.ID].by), isBinding); v == int(state.Head) && len(by) > 0 {
			slices.Sort(by)
			sl.Notes = append(sl.Notes, finding.Say(finding.Patched).On(w.ID).With(slices.Compact(by)...))
		}
	}
	if head == nil || !w.Manifests[state.Base].Exists() {
		return
	}
	x, y := sides[state.Base].treat(head), sides[state.Head].treat(head)
	if equality.Semantic.DeepEqual(x.sent.Typed, y.sent.Typed) {
		return
	}
	made, _ := state.ManifestOf(x.sent.Typed)
	made.OwnObject()
	_ = sides[state.Head].mutate(made.Pod(), w.Namespace)
	w.Manifests[state.Head].ByBase = &made
	for v, s := range sides {
		sl.keepPolicies(v, s, slices.Concat(x.by, y.by))
	}
}

// keepPolicies keeps policies and bindings, by ID, with the parameters that these name.
func (sl *Slice) keepPolicies(v int, s side, ids []string) {
	for _, id := range ids {
		o := s.byID[id]
		if o == nil {
			continue
		}
		sl.keep(v, o)
		b := celpolicy.MutatingBinding(o.Typed, o.ID.Kind)
		if b == nil || b.Spec.ParamRef == nil {
			continue
		}
		for _, x := range s.byID {
			if ref := b.Spec.ParamRef; x.ID.Name == ref.Name && x.ID.Kind == "ConfigMap" &&
				(ref.Namespace == "" || x.ID.Namespace == ref.Namespace) {
				sl.keep(v, x)
			}
		}
	}
}

// Unrun is a workload that a policy matches, or may, that mutates and cannot be run, and that is not the same in both
// versions.
type Unrun struct{ Workload, Policy, Why string }

// policiesDiffer reports whether one of some policies is not in both versions as it is, with its bindings.
func policiesDiffer(list []open, sides [2]side) bool {
	return slices.ContainsFunc(list, func(x open) bool {
		return !slices.EqualFunc(sides[0].admission.mutators.declared(x.id), sides[1].admission.mutators.declared(x.id),
			func(a, b *object.Object) bool { return object.Same([]*object.Object{a}, []*object.Object{b}) })
	})
}
