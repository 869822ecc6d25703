package verify

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/state"
)

// dangling says what of a release misses the pods it was written for, or takes in others.
// elsewhere are the objects of other releases, at which it may aim instead.
func dangling(p pair, elsewhere []*render.Object) []remark {
	base, head := p.objects(state.Base), p.objects(state.Head)
	var out []remark
	for _, o := range head {
		r := remark{rule: rules.DanglingTarget, release: p.id, object: o, status: New, paths: aimPaths(o)}
		if o.Hook {
			continue
		}
		if !targeting(o) {
			out = append(out, lostTerms(p.id, o, counterpart(base, o), slices.Concat(head, elsewhere))...)
			continue
		}
		b := counterpart(base, o)
		now := aimedAt(o, head)
		switch {
		case len(now) > 0:
			out = append(out, changedAim(r, b, [2][]*render.Object{base, head})...)
		case len(aimedAt(o, elsewhere)) > 0:
		case b == nil:
			if t := nearly(o, head); t != nil {
				r.beside[state.Head] = t
				r.text = fmt.Sprintf("%s %s", o.ID, misses(o, t))
				out = append(out, r)
			}
		default:
			was := aimedAt(b, base)
			if len(was) == 0 {
				continue // as it was
			}
			if t := successor(was[0], base, head); t != nil {
				r.beside = [2]*render.Object{was[0], t}
				r.text = fmt.Sprintf("%s acts on nothing any more: it %s", o.ID, misses(o, t))
				out = append(out, r)
			}
		}
	}
	return out
}

// aimPaths are the fields by which an object of one of the kinds that act on workloads
// finds them.
func aimPaths(o *render.Object) []string {
	switch o.Typed.(type) {
	case *policyv1.PodDisruptionBudget, *corev1.Service:
		return []string{"spec.selector"}
	}
	return []string{"spec.scaleTargetRef"}
}

// aimedAt are the objects that one acts on.
func aimedAt(o *render.Object, list []*render.Object) []*render.Object {
	return slices.DeleteFunc(slices.Clone(list), func(t *render.Object) bool { return !aims(o, t) })
}

// successor is what is on head in the place of a workload: itself, or else one of its kind
// and namespace that base does not have; nil: it was removed.
func successor(t *render.Object, base, head []*render.Object) *render.Object {
	if same := counterpart(head, t); same != nil {
		return same
	}
	i := slices.IndexFunc(head, func(o *render.Object) bool {
		return o.ID.Kind == t.ID.Kind && o.ID.Group == t.ID.Group && o.ID.Namespace == t.ID.Namespace && !o.Hook && counterpart(base, o) == nil
	})
	if i < 0 {
		return nil
	}
	return head[i]
}

// selectorOf is what an object selects pods by: its labels, and nil for an autoscaler.
func selectorOf(o *render.Object) map[string]string {
	switch t := o.Typed.(type) {
	case *policyv1.PodDisruptionBudget:
		if t.Spec.Selector != nil {
			return t.Spec.Selector.MatchLabels
		}
	case *corev1.Service:
		return t.Spec.Selector
	}
	return nil
}

// podLabels are the labels of the pods of a workload of whatever kind; nil: it has none.
func podLabels(o *render.Object) map[string]string {
	have, _ := valueAt(o.Content, "spec", "template", "metadata", "labels").(map[string]any)
	out := map[string]string{}
	for k, v := range have {
		out[k] = fmt.Sprint(v)
	}
	return out
}

// nearly is a workload that an object misses by the value of a label, or by its name; nil:
// there is none, and the object is written for pods from elsewhere.
func nearly(o *render.Object, list []*render.Object) *render.Object {
	for _, t := range list {
		if t.Hook || t.ID.Namespace != o.ID.Namespace {
			continue
		}
		if sel := selectorOf(o); sel != nil && alike(sel, podLabels(t)) {
			return t
		}
	}
	return nil
}

// identifying are the labels that tell one program from another; the others, such as a tier,
// are shared with programs that are written elsewhere.
var identifying = []string{"app.kubernetes.io/name", "app.kubernetes.io/instance", "app", "k8s-app", "name", "run"}

// alike says whether pods have every label of a selector, and one that tells the program
// with its value, so that both were written for the same one.
func alike(sel, pod map[string]string) bool {
	for k := range sel {
		if _, ok := pod[k]; !ok {
			return false
		}
	}
	return slices.ContainsFunc(identifying, func(k string) bool { return sel[k] != "" && sel[k] == pod[k] })
}

// misses says by what an object misses a workload.
func misses(o, t *render.Object) string {
	sel := selectorOf(o)
	if sel == nil {
		return fmt.Sprintf("names a target that is not there, and %s is", t.ID)
	}
	pod := podLabels(t)
	for _, k := range slices.Sorted(maps.Keys(sel)) {
		switch have, ok := pod[k]; {
		case !ok:
			return fmt.Sprintf("selects pods with the label %s=%s, and those of %s have no label %s", k, sel[k], t.ID, k)
		case have != sel[k]:
			return fmt.Sprintf("selects pods with the label %s=%s, and those of %s have %s=%s", k, sel[k], t.ID, k, have)
		}
	}
	return fmt.Sprintf("does not select the pods of %s", t.ID)
}

// changedAim says whether an object that acts on something acted on nothing before, which
// is mended, or whether its selector was widened to workloads that were there before.
func changedAim(r remark, b *render.Object, sides [2][]*render.Object) []remark {
	base, head := sides[state.Base], sides[state.Head]
	if b == nil || selectorOf(b) == nil {
		return nil
	}
	was := aimedAt(b, base)
	if len(was) == 0 {
		if t := nearly(b, base); t != nil {
			r.object, r.status = b, Fixed
			r.text = fmt.Sprintf("%s %s", b.ID, misses(b, t))
			return []remark{r}
		}
		return nil
	}
	if maps.Equal(selectorOf(b), selectorOf(r.object)) {
		return nil
	}
	for _, t := range aimedAt(r.object, head) {
		if counterpart(was, t) == nil && counterpart(base, t) != nil {
			r.beside = [2]*render.Object{counterpart(base, t), t}
			r.text = fmt.Sprintf("%s takes in the pods of %s, which it did not before: its selector was widened", r.object.ID, t.ID)
			if len(was) == 1 && counterpart(aimedAt(r.object, head), was[0]) == nil {
				r.text = fmt.Sprintf("%s acts on the pods of %s, and no longer on those of %s", r.object.ID, t.ID, was[0].ID)
			}
			return []remark{r}
		}
	}
	return nil
}

// placed is one selector of a pod template's placement rules.
type placed struct {
	path, kind string
	selector   *metav1.LabelSelector
}

// lostTerms says which placement rules of a workload match no pod, although they matched
// its own on base, or have every label of its own with another value.
func lostTerms(release string, o, b *render.Object, all []*render.Object) []remark {
	now, was := terms(o), terms(b)
	var out []remark
	for _, t := range now {
		sel, err := metav1.LabelSelectorAsSelector(t.selector)
		if err != nil || sel.Empty() || sel.Matches(labels.Set(podLabels(o))) ||
			slices.ContainsFunc(all, func(x *render.Object) bool { return x.ID.Namespace == o.ID.Namespace && selects(sel, x) }) {
			continue
		}
		before := slices.ContainsFunc(was, func(w placed) bool {
			s, err := metav1.LabelSelectorAsSelector(w.selector)
			return err == nil && w.kind == t.kind && !s.Empty() && s.Matches(labels.Set(podLabels(b)))
		})
		same := slices.ContainsFunc(was, func(w placed) bool { // as it was
			s, err := metav1.LabelSelectorAsSelector(w.selector)
			return err == nil && w.kind == t.kind && s.String() == sel.String() && !s.Matches(labels.Set(podLabels(b)))
		})
		if same || !before && !alike(t.selector.MatchLabels, podLabels(o)) {
			continue
		}
		out = append(out, remark{
			rule: rules.DanglingTarget, release: release, object: o, status: New, paths: []string{t.path, "spec.template.metadata.labels"},
			text: fmt.Sprintf("the selector of %s of %s matches no pod, not even its own, so that the rule does nothing", t.path, o.ID),
		})
	}
	return out
}

// terms are the selectors of a workload's spread constraints and anti-affinity terms that
// look at its own namespace; none for an object without pods.
func terms(o *render.Object) []placed {
	if o == nil {
		return nil
	}
	m, ok := state.ManifestOf(o.Typed)
	if !ok {
		return nil
	}
	var out []placed
	spec := "spec.template.spec."
	if _, nested := valueAt(o.Content, "spec", "jobTemplate").(map[string]any); nested {
		return nil
	}
	for i, c := range m.Pod().TopologySpreadConstraints {
		if c.LabelSelector != nil {
			out = append(out, placed{fmt.Sprintf("%stopologySpreadConstraints[%d].labelSelector", spec, i), "spread", c.LabelSelector})
		}
	}
	if m.Pod().Affinity == nil || m.Pod().Affinity.PodAntiAffinity == nil {
		return out
	}
	anti := m.Pod().Affinity.PodAntiAffinity
	add := func(path string, t corev1.PodAffinityTerm) {
		if t.LabelSelector != nil && len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
			out = append(out, placed{spec + "affinity.podAntiAffinity." + path + ".labelSelector", "anti-affinity", t.LabelSelector})
		}
	}
	for i, t := range anti.RequiredDuringSchedulingIgnoredDuringExecution {
		add(fmt.Sprintf("requiredDuringSchedulingIgnoredDuringExecution[%d]", i), t)
	}
	for i, t := range anti.PreferredDuringSchedulingIgnoredDuringExecution {
		add(fmt.Sprintf("preferredDuringSchedulingIgnoredDuringExecution[%d].podAffinityTerm", i), t.PodAffinityTerm)
	}
	return out
}

// counterpart is the object with the same ID, or nil.
func counterpart(list []*render.Object, o *render.Object) *render.Object {
	i := slices.IndexFunc(list, func(b *render.Object) bool { return b.ID.String() == o.ID.String() && b.Hook == o.Hook })
	if i < 0 {
		return nil
	}
	return list[i]
}
