package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var aims = Analyzer{Name: "aims", Rule: rules.DanglingTarget, Run: dangling,
	Doc: "what selects or names a workload, and misses the pods it was written for"}

// dangling says what of a release misses the pods it was written for, or takes in others.
// elsewhere are the objects of all releases: at those of others it may aim instead.
func dangling(p *Pass) []Remark {
	elsewhere := p.everywhere()
	base, head := p.before(), p.after()
	fresh := newcomers(base, head)
	other := func(o *object.Object) bool { return o.Release != p.ID && p.where().meet(o.Release, p.ID) }
	var out []Remark
	for _, o := range head.objects {
		r := Remark{Rule: rules.DanglingTarget, release: p.ID, Object: o, status: finding.New, paths: aimPaths(o)}
		if o.Hook {
			continue
		}
		b := base.counterpart(o)
		if !Targeting(o) {
			out = append(out, lostTerms(p.ID, o, b, elsewhere)...)
			out = append(out, p.aimless(o, b, elsewhere)...)
			continue
		}
		switch {
		case head.aimed(o, everything) != nil || elsewhere.aimed(o, other) != nil:
			out = append(out, p.changedAim(r, b)...)
		case b == nil:
			if t := head.nearly(o); t != nil {
				r.beside[state.Head] = t
				r.text, r.first = fmt.Sprintf("%s %s", o.ID, misses(o, t)), missedBy(o, t)
				r.remedies = aimAt(o, t, p.Head.Kind == object.Helm)
				out = append(out, r)
			} else if x, ok := inAnother(r, false, head, p.Head); ok {
				out = append(out, x)
			}
		default:
			was := base.aimed(b, everything)
			if was == nil {
				if x, ok := p.missesAnother(r, b, other); ok {
					out = append(out, x)
				}
				continue // else as it was
			}
			if t := fresh.successor(was); t != nil {
				r.beside = [2]*object.Object{was, t}
				r.text, r.first = fmt.Sprintf("%s no longer acts on anything: it %s", o.ID, misses(o, t)), missedBy(o, t)
				r.remedies = aimAt(o, t, p.Head.Kind == object.Helm)
				out = append(out, r)
			} else if x, ok := inAnother(r, true, head, p.Head); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

// missesAnother is a remark on an object that misses a workload of another release that it acts on on base.
func (p *Pass) missesAnother(r Remark, b *object.Object, other func(*object.Object) bool) (Remark, bool) {
	was := p.once().aimed(b, func(t *object.Object) bool { return other(t) && p.where().tie(t, b) != slice.Apart })
	if was == nil || p.Head == nil {
		return r, false
	}
	t := p.everywhere().counterpart(was)
	if t == nil { // by a new name in its own release
		if n := newcomers(p.once(), p.everywhere()).successor(was); n != nil && n.Release == was.Release {
			t = n
		}
	}
	if t == nil || object.Same([]*object.Object{t, r.Object}, []*object.Object{was, b}) {
		return r, false
	}
	r.beside, r.Conditional = [2]*object.Object{was, t}, true
	r.text = fmt.Sprintf("%s no longer acts on anything: it %s", r.Object.ID, misses(r.Object, t))
	r.first = missedBy(r.Object, t)
	if p.where().tie(t, r.Object) != slice.Sure {
		r.with = t.Release
	}
	return r, true
}

// aimPaths are the fields by which an object of one of the kinds that act on workloads
// finds them.
func aimPaths(o *object.Object) []string {
	switch o.Typed.(type) {
	case *policyv1.PodDisruptionBudget, *corev1.Service:
		return []string{"spec.selector"}
	}
	return []string{"spec." + slice.ScaledBy(o)}
}

// arrivals are the objects that base does not have, the first of each kind in each namespace, beside those that both
// have.
type arrivals struct {
	head  *aimIndex
	first map[[3]string]*object.Object // by namespace, group and kind
}

func newcomers(base, head *aimIndex) arrivals {
	out := arrivals{head, map[[3]string]*object.Object{}}
	for _, o := range head.objects {
		k := [3]string{o.ID.Namespace, o.ID.Group, o.ID.Kind}
		if !o.Hook && out.first[k] == nil && base.counterpart(o) == nil {
			out.first[k] = o
		}
	}
	return out
}

// successor is head's replacement for a workload of base: itself, or else one of its kind and namespace that base does
// not have; nil: it was removed.
func (a arrivals) successor(t *object.Object) *object.Object {
	if same := a.head.counterpart(t); same != nil {
		return same
	}
	return a.first[[3]string{t.ID.Namespace, t.ID.Group, t.ID.Kind}]
}

// selectorOf is what an object selects pods by: its labels, and nil for an autoscaler.
func selectorOf(o *object.Object) map[string]string {
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
func podLabels(o *object.Object) map[string]string {
	have, _ := slice.ValueAt(o.Content, "spec", "template", "metadata", "labels").(map[string]any)
	return labelSet(have)
}

// labelSet are labels as the API server's decoder reads them into a map of strings: null is the empty string. Numbers
// and the like, which it refuses, are as they are written.
func labelSet(written map[string]any) labels.Set {
	out := labels.Set{}
	for k, v := range written {
		if out[k] = ""; v != nil {
			out[k] = fmt.Sprint(v)
		}
	}
	return out
}

// identifying are the labels that tell one program from another; the others, such as a tier,
// are shared with programs that are written elsewhere.
var identifying = []string{"app.kubernetes.io/name", "app.kubernetes.io/instance", "app", "k8s-app", "name", "run"}

// alike reports whether pods have every label of a selector, and one that tells the program
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
func misses(o, t *object.Object) string {
	sel := selectorOf(o)
	b, budget := o.Typed.(*policyv1.PodDisruptionBudget)
	_, service := o.Typed.(*corev1.Service)
	switch {
	case service && len(sel) == 0, budget && b.Spec.Selector == nil:
		return "has no selector, and so selects no pods"
	case !budget && sel == nil:
		return fmt.Sprintf("names a target that does not exist, and %s does", t.ID)
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

// missedBy is the very field by which an object misses a workload: among values it has a separate line.
func missedBy(o, t *object.Object) []cause {
	path, pod := "spec."+slice.ScaledBy(o)+".name", podLabels(t)
	for _, k := range slices.Sorted(maps.Keys(selectorOf(o))) {
		if pod[k] != selectorOf(o)[k] {
			path = "spec.selector[" + k + "]"
			if o.ID.Kind == "PodDisruptionBudget" {
				path = "spec.selector.matchLabels[" + k + "]"
			}
			break
		}
	}
	return []cause{{o, []string{path}}}
}

// changedAim reports whether an object that acts on something acted on nothing before, which
// is repaired, or whether its selector was widened to workloads that were there before, in whatever release.
func (p *Pass) changedAim(r Remark, b *object.Object) []Remark {
	if b == nil || selectorOf(b) == nil {
		return p.portless(r, b)
	}
	before, base, head := p.before(), p.once(), p.everywhere()
	was := base.joined(b)
	if len(was) == 0 {
		if t := before.nearly(b); t != nil && p.after().aimed(r.Object, everything) != nil {
			r.Object, r.status = b, finding.Fixed
			r.text = fmt.Sprintf("%s %s", b.ID, misses(b, t))
			return []Remark{r}
		}
		return nil
	}
	if maps.Equal(selectorOf(b), selectorOf(r.Object)) {
		return p.portless(r, b)
	}
	now := head.joined(r.Object)
	for _, t := range now {
		had := base.again(t)
		if had == nil || slices.Contains(was, had) || handsOver(r.Object, was, t) {
			continue
		}
		r.beside, r.with = [2]*object.Object{had, t}, p.where().open(r.Object, t)
		r.text = fmt.Sprintf("%s selects the pods of %s as well: its selector was widened", r.Object.ID, t.ID)
		if len(was) == 1 && !slices.Contains(now, head.again(was[0])) {
			r.text = fmt.Sprintf("%s acts on the pods of %s, and no longer on those of %s", r.Object.ID,
				t.ID, was[0].ID)
			r.with = p.where().open(r.Object, t, was[0])
		}
		return []Remark{r}
	}
	return nil
}

// handsOver reports whether a Service goes from one workload to another one of the same program, as from blue to green.
func handsOver(o *object.Object, was []*object.Object, t *object.Object) bool {
	return o.ID.Kind == "Service" && slices.ContainsFunc(was, func(w *object.Object) bool { return oneProgram(w, t) })
}

// oneProgram reports whether two workloads run the same: the same images behind the same ports or, where no port is
// declared, the same containers.
func oneProgram(a, b *object.Object) bool {
	x, y := served(a), served(b)
	if len(x)+len(y) > 0 {
		return maps.Equal(x, y)
	}
	p, _ := podSpec(a)
	q, _ := podSpec(b)
	return p != nil && q != nil && slices.EqualFunc(p.Containers, q.Containers, func(c, d corev1.Container) bool {
		return untagged(c.Image) == untagged(d.Image) && slices.Equal(c.Command, d.Command) && slices.Equal(c.Args, d.Args)
	})
}

// served are the images of the containers of a workload that have ports, without their version, by these ports.
func served(o *object.Object) map[string]string {
	spec, _ := podSpec(o)
	out := map[string]string{}
	if spec == nil {
		return out
	}
	for _, c := range spec.Containers {
		for _, p := range c.Ports {
			out[fmt.Sprint(p.Name, p.ContainerPort, p.Protocol)] = untagged(c.Image)
		}
	}
	return out
}

// untagged is an image without its version.
func untagged(image string) string {
	name, _, _ := strings.Cut(image, "@")
	if tag := strings.LastIndexByte(name, ':'); tag > strings.LastIndexByte(name, '/') {
		name = name[:tag]
	}
	return name
}

// placed is one selector of a pod template's placement rules.
type placed struct {
	path, kind string
	selector   *metav1.LabelSelector
}

// lostTerms says which placement rules of a workload match no pod, although they matched
// its own on base, have every label of its own with another value, or were meant for them; and which
// matched its own on base, and match others alone.
func lostTerms(release string, o, b *object.Object, all *aimIndex) []Remark {
	now, was := terms(o), terms(b)
	var out []Remark
	for _, t := range now {
		sel, err := metav1.LabelSelectorAsSelector(t.selector)
		if err != nil || sel.Empty() || sel.Matches(labels.Set(podLabels(o))) {
			continue
		}
		others := all.selected(o.ID.Namespace, sel)
		before := b != nil && apart(was, t.kind, podLabels(b))
		same := slices.ContainsFunc(was, func(w placed) bool { // as it was
			s, err := metav1.LabelSelectorAsSelector(w.selector)
			return err == nil && w.kind == t.kind && s.String() == sel.String() && !s.Matches(labels.Set(podLabels(b)))
		})
		if others {
			if before && !same && !apart(now, t.kind, podLabels(o)) {
				out = append(out, Remark{
					Rule: rules.DanglingTarget, release: release, Object: o, status: finding.New,
					paths: []string{t.path, "spec.template.metadata.labels"}, remedies: selectOwn(o, t),
					text: fmt.Sprintf("the selector of %s of %s matches other pods than its own, which are no longer kept apart",
						t.path, o.ID),
				})
			}
			continue
		}
		missed, near := meantOwn(t.selector, podLabels(o))
		if same || !before && !near && !alike(t.selector.MatchLabels, podLabels(o)) {
			continue
		}
		var first []cause
		if missed != "" {
			first = []cause{{o, []string{t.path + missed}}}
		}
		out = append(out, Remark{
			Rule: rules.DanglingTarget, release: release, Object: o, status: finding.New, first: first,
			paths: []string{t.path, "spec.template.metadata.labels"},
			text: fmt.Sprintf("the selector of %s of %s matches no pod, not even its own, so the rule has no effect",
				t.path, o.ID),
			remedies: selectOwn(o, t),
		})
	}
	return out
}

// apart reports whether a rule of a kind selects pods with some labels.
func apart(list []placed, kind string, pod map[string]string) bool {
	return slices.ContainsFunc(list, func(t placed) bool {
		s, err := metav1.LabelSelectorAsSelector(t.selector)
		return err == nil && t.kind == kind && !s.Empty() && s.Matches(labels.Set(pod))
	})
}

// terms are the selectors of a workload's spread constraints and anti-affinity terms that
// look at its own namespace; none for an object without pods.
func terms(o *object.Object) []placed {
	if o == nil {
		return nil
	}
	m, ok := state.ManifestOf(o.Typed)
	if !ok {
		return nil
	}
	var out []placed
	spec := "spec.template.spec."
	if _, nested := slice.ValueAt(o.Content, "spec", "jobTemplate").(map[string]any); nested {
		return nil
	}
	for _, c := range kube.Spreads(m.Pod()) {
		if c.LabelSelector != nil {
			out = append(out, placed{spec + c.Field() + ".labelSelector", "spread", c.LabelSelector})
		}
	}
	for _, t := range kube.Terms(m.Pod()) {
		if t.Anti && t.LabelSelector != nil && len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
			out = append(out, placed{spec + t.Field() + ".labelSelector", "anti-affinity", t.LabelSelector})
		}
	}
	return out
}
