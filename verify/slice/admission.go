package slice

import (
	"fmt"
	"maps"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
	"github.com/kubesettle/kubesettle/verify/state"
)

// guards are what a version declares that decide on the creation of pods, beside quotas.
type guards struct {
	ranges, hooks []*object.Object
	asked         [][]hook                        // those of each of hooks
	services      map[[2]string][]*corev1.Service // by namespace and name
	policies      []*admissionv1.ValidatingAdmissionPolicy
	bindings      []*admissionv1.ValidatingAdmissionPolicyBinding
	bound         []*celpolicy.Policy       // of them, those that are asked about pods
	runtimes      map[string]*object.Object // RuntimeClasses by name
	mutators      Mutators
}

func (a *guards) add(o *object.Object) {
	a.mutators.add(o)
	switch t := o.Typed.(type) {
	case *corev1.LimitRange:
		a.ranges = append(a.ranges, o)
	case *nodev1.RuntimeClass:
		if a.runtimes == nil {
			a.runtimes = map[string]*object.Object{}
		}
		a.runtimes[o.ID.Name] = o
	case *corev1.Service:
		if a.services == nil {
			a.services = map[[2]string][]*corev1.Service{}
		}
		name := [2]string{o.ID.Namespace, o.ID.Name}
		a.services[name] = append(a.services[name], t)
	case *admissionv1.ValidatingAdmissionPolicy:
		if celpolicy.Sees(t, celpolicy.PodKind) {
			a.policies = append(a.policies, t)
		}
	case *admissionv1.ValidatingAdmissionPolicyBinding:
		a.bindings = append(a.bindings, t)
	case *admissionv1.ValidatingWebhookConfiguration, *admissionv1.MutatingWebhookConfiguration:
		a.hooks = append(a.hooks, o)
		a.asked = append(a.asked, hooksOf(o))
	}
}

// hook is one webhook of a configuration, as far as both kinds have it.
type hook struct {
	object            *object.Object
	index             int
	name              string
	service           *admissionv1.ServiceReference
	namespaces, pods  *metav1.LabelSelector
	rules             []admissionv1.RuleWithOperations
	failurePolicy     *admissionv1.FailurePolicyType
	hasMatchCondition bool
}

// Webhook is one webhook of a configuration that refuses requests when it does not answer, with the Service behind it.
type Webhook struct {
	Index                    int
	Namespace, Service, Name string
}

// Asked are the webhooks of an object that refuse requests when no Service answers.
func Asked(o *object.Object) []Webhook {
	var out []Webhook
	for _, h := range everyHook(o) {
		if h.service != nil && (h.failurePolicy == nil || *h.failurePolicy == admissionv1.Fail) {
			out = append(out, Webhook{h.index, h.service.Namespace, h.service.Name, h.name})
		}
	}
	return out
}

// Webhooks are those of an object that are asked about pods.
func Webhooks(o *object.Object) []Webhook {
	var out []Webhook
	for _, h := range hooksOf(o) {
		out = append(out, Webhook{h.index, h.service.Namespace, h.service.Name, h.name})
	}
	return out
}

func hooksOf(o *object.Object) []hook {
	return slices.DeleteFunc(everyHook(o), func(h hook) bool {
		return h.failurePolicy != nil && *h.failurePolicy != admissionv1.Fail || h.service == nil ||
			h.hasMatchCondition || !h.seesPods()
	})
}

// everyHook lists the webhooks of an object.
func everyHook(o *object.Object) []hook {
	var out []hook
	switch t := o.Typed.(type) {
	case *admissionv1.ValidatingWebhookConfiguration:
		for i, h := range t.Webhooks {
			out = append(out, hook{o, i, h.Name, h.ClientConfig.Service, h.NamespaceSelector, h.ObjectSelector, h.Rules,
				h.FailurePolicy, len(h.MatchConditions) > 0})
		}
	case *admissionv1.MutatingWebhookConfiguration:
		for i, h := range t.Webhooks {
			out = append(out, hook{o, i, h.Name, h.ClientConfig.Service, h.NamespaceSelector, h.ObjectSelector, h.Rules,
				h.FailurePolicy, len(h.MatchConditions) > 0})
		}
	}
	return out
}

// seesPods reports whether the rules of a webhook match the creation of pods.
//
// Upstream: apiserver/pkg/admission/plugin/webhook/predicates/rules: (*Matcher).Matches.
func (h hook) seesPods() bool {
	has := func(list []string, names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(list, n) })
	}
	return slices.ContainsFunc(h.rules, func(r admissionv1.RuleWithOperations) bool {
		creates := slices.Contains(r.Operations, admissionv1.Create) ||
			slices.Contains(r.Operations, admissionv1.OperationAll)
		scoped := r.Scope == nil || *r.Scope != admissionv1.ClusterScope
		return creates && scoped && has(r.APIGroups, "", "*") && has(r.APIVersions, "v1", "*") &&
			has(r.Resources, "pods", "*", "*/*")
	})
}

// guards reports whether a webhook is asked about the pods of a workload.
func (h hook) guards(o *object.Object, s side) bool {
	set := labels.Set{corev1.LabelMetadataName: o.ID.Namespace}
	maps.Copy(set, s.namespaces[o.ID.Namespace])
	return matchesAll(h.namespaces, set) && matchesAll(h.pods, labels.Set(templateOf(o).Labels))
}

// matchesAll reports whether a selector matches, where an absent one matches everything.
func matchesAll(sel *metav1.LabelSelector, set labels.Set) bool {
	if sel == nil {
		return true
	}
	x, err := metav1.LabelSelectorAsSelector(sel)
	return err == nil && x.Matches(set)
}

// serves reports whether the pods of a workload are behind the Service of a webhook.
func (h hook) serves(o *object.Object, s side) bool {
	if h.service.Namespace != o.ID.Namespace {
		return false
	}
	return slices.ContainsFunc(s.admission.services[[2]string{h.service.Namespace, h.service.Name}],
		func(svc *corev1.Service) bool {
			return len(svc.Spec.Selector) > 0 &&
				labels.SelectorFromSet(svc.Spec.Selector).Matches(labels.Set(templateOf(o).Labels))
		})
}

// of lists what decides on the pods of a workload: the LimitRanges of its namespace, its RuntimeClass, the webhooks
// that guard it and that it serves itself, and those whose servers it guards in turn.
func (a *guards) of(o *object.Object, s side) []*object.Object {
	var out []*object.Object
	for _, r := range a.ranges {
		if r.ID.Namespace == o.ID.Namespace {
			out = append(out, r)
		}
	}
	if class := a.runtimeOf(&templateOf(o).Spec); class != nil {
		out = append(out, class)
	}
	for i, c := range a.hooks {
		if slices.ContainsFunc(a.asked[i], func(h hook) bool {
			return h.guards(o, s) && (h.serves(o, s) || a.guardsServer(o, h, s))
		}) {
			out = append(out, c)
		}
	}
	return out
}

// guardsServer reports whether a webhook that a workload serves guards another one that serves h.
func (a *guards) guardsServer(o *object.Object, h hook, s side) bool {
	for _, list := range a.asked {
		for _, own := range list {
			if !own.serves(o, s) {
				continue
			}
			for _, q := range s.Workloads {
				if q != o && h.serves(q, s) && own.guards(q, s) {
					return true
				}
			}
		}
	}
	return false
}

// guardEachOther reports whether each of two workloads serves a webhook that guards the pods of
// the other.
func guardEachOther(p *object.Object, of side, q *object.Object, in side) bool {
	if len(of.admission.asked)+len(in.admission.asked) == 0 {
		return false
	}
	guarded := func(server *object.Object, s side, other *object.Object, o side) bool {
		for _, list := range s.admission.asked {
			if slices.ContainsFunc(list, func(h hook) bool { return h.serves(server, s) && h.guards(other, o) }) {
				return true
			}
		}
		return false
	}
	return guarded(p, of, q, in) && guarded(q, in, p, of)
}

// admit enters what decides on the pods of the slice. What a LimitRange or RuntimeClass fills in is as
// good as written in the template; where only these changed, pods of both versions
// are taken to have what head's fills in, except for the baseline, see [state.Manifest.AsFilled].
func (sl *Slice) admit(sides [2]side) {
	for v, s := range sides {
		for _, r := range s.admission.ranges {
			if slices.ContainsFunc(sl.Workloads, func(w state.Workload) bool { return w.Namespace == r.ID.Namespace }) {
				t := r.Typed.(*corev1.LimitRange).DeepCopy()
				t.Namespace = r.ID.Namespace
				sl.Spec.Admission.LimitRanges[v] = append(sl.Spec.Admission.LimitRanges[v], t)
				sl.keep(v, r)
			}
		}
		for _, w := range sl.Workloads {
			if o := s.Workloads[w.ID]; o != nil {
				if class := s.admission.runtimeOf(&templateOf(o).Spec); class != nil {
					sl.keep(v, class)
				}
			}
		}
	}
	for i := range sl.Workloads {
		sl.fillIn(&sl.Workloads[i], sides)
	}
	sl.forbid(sides)
	sl.guard(sides)
}

// fillIn gives the templates of a workload what mutating admission fills in. They have what policies make of them; see
// [afterPolicies].
func (sl *Slice) fillIn(w *state.Workload, sides [2]side) {
	m := &w.Manifests
	both := m[state.Base].Exists() && m[state.Head].Exists()
	alike := both && state.SameTemplate(templateOf(sides[state.Base].asStored(w.ID)),
		templateOf(sides[state.Head].asStored(w.ID)))
	patched := alike && !state.SameTemplate(m[state.Base].Template(), m[state.Head].Template())
	sl.asBaseMakesIt(w, sides)
	for v := range m {
		if !m[v].Exists() {
			continue
		}
		by := v
		if alike {
			by = int(state.Head)
		}
		if !patched && !sides[v].mutates(m[v].Pod(), w.Namespace) && !sides[by].mutates(m[v].Pod(), w.Namespace) {
			continue
		}
		m[v].OwnObject()
		if by != v {
			m[v].Filled = m[v].Template().DeepCopy()
			_ = sides[v].mutate(&m[v].Filled.Spec, w.Namespace) // forbid reports refusals
			sl.labelKeys(&m[v].Filled.Spec)
			if patched {
				*m[v].Template() = *m[by].Template().DeepCopy()
			}
		}
		_ = sides[by].mutate(m[v].Pod(), w.Namespace)
		sl.labelKeys(m[v].Pod())
	}
}

// AsFilled is the slice with what each version's own LimitRanges fill in, see [state.Manifest].
func (sl *Slice) AsFilled() *Slice {
	filled := func(w state.Workload) bool { return w.Manifests[state.Base].Filled != nil }
	if !slices.ContainsFunc(sl.Spec.Workloads, filled) {
		return sl
	}
	out := *sl
	out.Spec.Workloads = slices.Clone(sl.Spec.Workloads)
	for i := range out.Spec.Workloads {
		m := &out.Spec.Workloads[i].Manifests
		m[state.Base] = m[state.Base].AsFilled()
	}
	return &out
}

// guard enters the webhooks that workloads of the slice serve and that guard pods of it.
func (sl *Slice) guard(sides [2]side) {
	at := map[string]int{}
	for v, s := range sides {
		for _, list := range s.admission.asked {
			for _, h := range list {
				sl.guardBy(h, sides, v, at)
			}
		}
	}
	for v, s := range sides { // a configuration that guards no pods in one version has changed there, and is not new
		for _, o := range s.admission.hooks {
			if slices.ContainsFunc(sl.Spec.Admission.Webhooks, func(w state.Webhook) bool { return w.Object == o.ID.String() }) {
				sl.keep(v, o)
			}
		}
	}
}

// guardBy enters a webhook of version v; at is where those are that both versions have.
func (sl *Slice) guardBy(h hook, sides [2]side, v int, at map[string]int) {
	var servers []int
	guards := make([][2]bool, len(sl.Workloads))
	guarded := false
	for i, w := range sl.Workloads {
		for u, s := range sides {
			o := s.Workloads[w.ID]
			if o == nil {
				continue
			}
			if h.serves(o, sides[v]) && !slices.Contains(servers, i) {
				servers = append(servers, i)
			}
			guards[i][u] = h.guards(o, sides[v])
			guarded = guarded || guards[i][u]
		}
	}
	if len(servers) == 0 || !guarded {
		return
	}
	key := fmt.Sprintf("%s %s", h.object.ID, h.name)
	i, known := at[key]
	if !known {
		i = len(sl.Spec.Admission.Webhooks)
		at[key] = i
		sl.Spec.Admission.Webhooks = append(sl.Spec.Admission.Webhooks, state.Webhook{
			Name: h.name, Object: h.object.ID.String(), Field: fmt.Sprintf("webhooks[%d]", h.index),
		})
	}
	w := &sl.Spec.Admission.Webhooks[i]
	w.Servers, w.Guards[v] = servers, guards
}
