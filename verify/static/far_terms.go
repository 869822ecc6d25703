package static

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/kube"
)

// aimless says which placement rules of a workload come to be about no pod: spread constraints without a selector, and
// affinity that its own pods wait for, to pods that no object makes.
//
// Upstream: kubernetes v1.36.3, pkg/scheduler/framework/plugins: podtopologyspread:
// (*PodTopologySpread).filterTopologySpreadConstraints (an absent selector matches nothing); interpodaffinity:
// satisfyPodAffinity (the first of a series need not wait).
func (p *Pass) aimless(o, b *object.Object, all *aimIndex) []Remark {
	spec, prefix := podSpec(o)
	if spec == nil || o.Typed == nil {
		return nil
	}
	old := &corev1.PodSpec{}
	if b != nil {
		if was, _ := podSpec(b); was != nil {
			old = was
		}
	}
	var out []Remark
	add := func(field, text string) *Remark {
		out = append(out, Remark{Rule: rules.DanglingTarget, release: p.ID, Object: o, status: finding.New,
			paths: []string{prefix + field}, text: text})
		return &out[len(out)-1]
	}
	for _, c := range kube.Spreads(spec) {
		if c.LabelSelector == nil && !slices.ContainsFunc(kube.Spreads(old), func(x kube.Spread) bool {
			return x.LabelSelector == nil && x.TopologyKey == c.TopologyKey
		}) {
			add(c.Field(), fmt.Sprintf("%s of %s has no labelSelector: it counts no pod, and has no effect", c.Field(), o.ID))
		}
	}
	for _, t := range kube.Terms(spec) {
		if t.Anti || !t.Required || t.NamespaceSelector != nil || slices.ContainsFunc(kube.Terms(old),
			func(x kube.Term) bool { return equality.Semantic.DeepEqual(x.PodAffinityTerm, t.PodAffinityTerm) }) {
			continue
		}
		sel, err := metav1.LabelSelectorAsSelector(t.LabelSelector)
		spaces := t.Namespaces
		if len(spaces) == 0 {
			spaces = []string{o.ID.Namespace}
		}
		if err != nil || slices.Contains(spaces, o.ID.Namespace) && sel.Matches(labels.Set(podLabels(o))) ||
			slices.ContainsFunc(spaces, func(ns string) bool { return all.selected(ns, sel) }) || p.mayBeMade(sel) {
			continue
		}
		in := ""
		if len(t.Namespaces) > 0 {
			in = " in " + english.WordSeries(spaces, "or")
		}
		r := add(t.Field()+".labelSelector", fmt.Sprintf("the pods of %s wait for pods with %s%s to run near, and no object "+
			"of the repository makes such pods", o.ID, sel, in))
		r.Conditional = true
	}
	return out
}

// mayBeMade reports whether pods that a selector asks for may be of a release that did not render, or be made by the
// controller of a custom resource.
func (p *Pass) mayBeMade(sel labels.Selector) bool {
	where := p.where()
	needs, _ := sel.Requirements()
	says := func(is func(value string) bool) bool {
		return slices.ContainsFunc(needs, func(n labels.Requirement) bool {
			return slices.ContainsFunc(n.ValuesUnsorted(), is)
		})
	}
	return slices.ContainsFunc(where.ch.Head.Releases, func(r *object.Rendered) bool {
		return r.Err != nil || len(r.Holes) > 0 || r.Untouched && says(func(v string) bool {
			return where.mentioned(v, func(file string) bool { return slices.Contains(p.Head.Reads, file) })
		})
	}) || slices.ContainsFunc(where.objects[1], func(x *object.Object) bool {
		return custom(x) && says(func(v string) bool { return x.ID.Name == v || speaksOf(x.Content, v, true, "") })
	})
}
