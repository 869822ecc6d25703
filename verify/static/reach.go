package static

import (
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// reach is a selector of an object that runs nothing itself: of pods, or of Services.
type reach struct {
	path       string // of the selector, the same on both sides
	selector   *metav1.LabelSelector
	services   bool
	monitors   bool     // it is a monitor's
	namespaces []string // none: all of them
	does       string   // the effect that is lost without them
	ports      []named
}

// named is a port that the selected objects must have.
type named struct{ path, name string }

// monitors are the kinds that tell Prometheus its targets, with where each has its endpoints.
var monitors = map[string]string{
	"monitoring.coreos.com/ServiceMonitor":    "endpoints",
	"monitoring.coreos.com/PodMonitor":        "podMetricsEndpoints",
	"monitoring.googleapis.com/PodMonitoring": "endpoints",
}

// reaches lists the selectors of NetworkPolicies and of monitors. One that is empty selects everything and misses
// nothing.
//
// Upstream: kubernetes v1.36.3, networking/v1: NetworkPolicySpec, NetworkPolicyPeer (without a namespaceSelector: of
// the policy's own namespace); prometheus-operator v0.85, pkg/prometheus: generateServiceMonitorConfig and
// generatePodMonitorConfig (keep what has the labels and the name of the port; targets of the own namespace unless
// namespaceSelector says otherwise); prometheus-engine v0.15, monitoring/v1: PodMonitoring, of its own namespace.
func reaches(o *object.Object) []reach {
	if o == nil || o.Hook {
		return nil
	}
	if n, ok := o.Typed.(*networkingv1.NetworkPolicy); ok {
		return fences(o, n)
	}
	list := monitors[o.ID.Group+"/"+o.ID.Kind]
	if list == "" {
		return nil
	}
	spec, _ := o.Content["spec"].(map[string]any)
	content, _ := spec["selector"].(map[string]any)
	r := reach{path: "spec.selector", selector: selectorIn(content), monitors: true,
		services:   o.ID.Kind == "ServiceMonitor",
		namespaces: []string{o.ID.Namespace}, does: "nothing is scraped"}
	switch ns, _ := spec["namespaceSelector"].(map[string]any); {
	case ns["any"] == true:
		r.namespaces = nil
	case ns["matchNames"] != nil:
		r.namespaces = nil
		names, _ := ns["matchNames"].([]any)
		for _, n := range names {
			r.namespaces = append(r.namespaces, word(n))
		}
	}
	endpoints, _ := spec[list].([]any)
	for i, e := range endpoints {
		end, _ := e.(map[string]any)
		if name := word(end["port"]); name != "" {
			r.ports = append(r.ports, named{fmt.Sprintf("spec.%s[%d].port", list, i), name})
		}
	}
	if r.selector == nil {
		return nil
	}
	return []reach{r}
}

// selectorIn reads a selector; nil: it is none.
func selectorIn(content map[string]any) *metav1.LabelSelector {
	if len(content) == 0 || content["matchExpressions"] != nil {
		return nil // what a person meant by expressions is not guessed
	}
	match, _ := content["matchLabels"].(map[string]any)
	if len(match) == 0 {
		return nil
	}
	return &metav1.LabelSelector{MatchLabels: labelSet(match)}
}

// fences are the selectors of a NetworkPolicy: whom it is for, and who of its namespace may talk with them.
func fences(o *object.Object, n *networkingv1.NetworkPolicy) []reach {
	var out []reach
	add := func(path, does string, s *metav1.LabelSelector) {
		if s != nil && len(s.MatchLabels) > 0 && len(s.MatchExpressions) == 0 {
			out = append(out, reach{path: path, selector: s, namespaces: []string{o.ID.Namespace}, does: does})
		}
	}
	add("spec.podSelector", "it is in force for no pod", &n.Spec.PodSelector)
	peers := func(path string, list []networkingv1.NetworkPolicyPeer) {
		for j, p := range list {
			if p.NamespaceSelector == nil {
				add(fmt.Sprintf("%s[%d].podSelector", path, j), "it lets no such pod through", p.PodSelector)
			}
		}
	}
	for i, in := range n.Spec.Ingress {
		peers(fmt.Sprintf("spec.ingress[%d].from", i), in.From)
	}
	for i, e := range n.Spec.Egress {
		peers(fmt.Sprintf("spec.egress[%d].to", i), e.To)
	}
	return out
}

// labelsOf are the labels that a reach looks at.
func (r reach) labelsOf(t *object.Object) (labels.Set, bool) {
	if !r.services {
		return selectable(t)
	}
	if t.ID.Group != "" || t.ID.Kind != "Service" {
		return nil, false
	}
	have, _ := slice.ValueAt(t.Content, "metadata", "labels").(map[string]any)
	return labelSet(have), true
}

// among are the objects of an index that a reach can have: of its kind and namespaces, which are there for its object.
func (r reach) among(x *aimIndex, of *object.Object, each func(t *object.Object, set labels.Set)) {
	for _, t := range x.objects {
		if t.Hook || x.apart(t, of) ||
			len(r.namespaces) > 0 && !slices.Contains(r.namespaces, t.ID.Namespace) {
			continue
		}
		if set, ok := r.labelsOf(t); ok {
			each(t, set)
		}
	}
}

// selected are the objects of an index that a reach has.
func (r reach) selected(x *aimIndex, of *object.Object) []*object.Object {
	var out []*object.Object
	sel := labels.SelectorFromSet(r.selector.MatchLabels)
	r.among(x, of, func(t *object.Object, set labels.Set) {
		if sel.Matches(set) {
			out = append(out, t)
		}
	})
	return out
}

// misspelt is the object of the same cluster that a reach misses by the spelling of values; nil: there is none, or
// there are several, of which each has other values.
func (r reach) misspelt(x *aimIndex, of *object.Object) *object.Object {
	var found *object.Object
	var has labels.Set
	apart := false
	r.among(x, of, func(t *object.Object, set labels.Set) {
		if !x.joins(t, of) {
			return
		}
		for k, v := range r.selector.MatchLabels {
			have, ok := set[k]
			if !ok || have != v && (!slip(v, have) || len(v) < 4 || lettered(v, have)) {
				return
			}
		}
		if found == nil {
			found, has = t, set
		}
		apart = apart || !sameUnder(r.selector.MatchLabels, has, set)
	})
	if apart {
		return nil
	}
	return found
}

// word is a value that is a text.
func word(v any) string {
	s, _ := v.(string)
	return s
}
