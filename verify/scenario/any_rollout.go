package scenario

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// AnyRollout reports whether a violation that a change's rollout leads to comes as easily of a rollout of base, which
// asks for the same: it was there for whichever change comes next, and is none of this one's. Where the budget does not
// last to tell, it is not.
func (c *Checker) AnyRollout(ctx context.Context, found Violation) bool {
	anyMay := found.Bound.Rule.Facets.Any(rules.AnyRollout) ||
		found.Bound.Rule.Facets.Any(rules.MidRollout|rules.Unplaced) && found.claim() != nil
	if !anyMay || found.Scenario != ScenarioChange || !slices.Contains(found.Kinds(), "apply") {
		return false
	}
	if found.Variant.anotherImage() {
		return true // it is one itself
	}
	if c.Expired() {
		return false
	}
	base := found.Variant.Reapply()
	next := base.next()
	next.Spec.Classes, next.Spec.Events = base.Spec.Classes, base.Spec.Events // as full, and as eventful
	if !next.Has(state.Base) || next.repeats() {
		return false
	}
	own := c.Within(premiseStates)
	own.Rules = slices.DeleteFunc(slices.Clone(own.Rules), func(r rules.Rule) bool { return r.ID != found.Bound.Rule.ID })
	r := scenarioRun{Checker: own, topology: found.Topology()}
	if err := r.settled(ctx, ScenarioChange, next, state.Base); err != nil {
		return false
	}
	return slices.ContainsFunc(r.found, func(x Violation) bool { return x.Covers(found) && x.which() == found.which() })
}

// anotherImage reports whether all that a change makes of a variant is another image of pods, or a field that no loop
// and no rule reads: then its effects are those of any rollout of base. Where nodes are known to have images, the
// scheduler looks at them.
func (v Variant) anotherImage() bool {
	if slices.ContainsFunc(v.Spec.Classes, func(c state.NodeClass) bool { return len(c.Node.Status.Images) > 0 }) {
		return false
	}
	was, is := v.Reapply().Spec, v.surrounded(state.Head).Spec // and what runs beside, as it was
	was.Workloads, is.Workloads, was.Events = nil, nil, is.Events
	if !reflect.DeepEqual(was, is) {
		return false
	}
	read, fits := labelsRead(&v.Spec), v.roomForAll()
	return !slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool {
		was, is := w.Manifests[state.Base], w.Manifests[state.Head]
		if fits {
			was, is = unsized(was), unsized(is)
		}
		return !sameButImage(was, is, read)
	})
}

// roomForAll reports whether whatever pods ask for fits on every node, so that it tells no nodes apart, and only
// an autoscaler of pods reads it.
func (v Variant) roomForAll() bool {
	s, e := &v.Spec, &v.Spec.Events
	return s.Descheduler == nil && !s.ClusterAutoscaler && len(s.Quotas) == 0 && len(s.Declared) == 0 &&
		len(s.Admission.LimitRanges[state.Base])+len(s.Admission.LimitRanges[state.Head]) == 0 &&
		e.DiskPressure+e.MemoryPressure+e.NodePanic == 0 &&
		!slices.ContainsFunc(s.Classes, func(c state.NodeClass) bool { return !c.Elastic || c.Beside != nil })
}

// unsized is a manifest without the CPU, memory and disk that its pods ask for, except for what its autoscaler counts.
func unsized(m state.Manifest) state.Manifest {
	if !m.Exists() || m.VPA != nil || m.KEDA != nil || len(m.Rivals) > 0 {
		return m
	}
	m.OwnObject()
	asked := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}
	if m.HPA != nil {
		for _, x := range m.HPA.Spec.Metrics {
			asked = slices.DeleteFunc(asked, func(name corev1.ResourceName) bool {
				return x.Resource != nil && x.Resource.Name == name ||
					x.ContainerResource != nil && x.ContainerResource.Name == name
			})
		}
	}
	pod := m.Pod()
	for _, list := range [][]corev1.Container{pod.Containers, pod.InitContainers} {
		for i := range list {
			for _, name := range asked {
				delete(list[i].Resources.Requests, name)
				delete(list[i].Resources.Limits, name)
			}
			if r := &list[i].Resources; len(r.Requests)+len(r.Limits) == 0 {
				r.Requests, r.Limits = nil, nil
			}
		}
	}
	return m
}

// sameButImage reports whether two manifests are the same except for references to other objects' names, and for fields
// of pods that no loop and no rule reads: images, commands, environments, probes, annotations of others, labels that
// are not read. Equal settings that are written differently may count as different.
func sameButImage(was, is state.Manifest, read func(label string) bool) bool {
	if !was.Exists() || was.Kind() != is.Kind() {
		return !was.Exists() && !is.Exists()
	}
	is.OwnObject()
	switch {
	case is.Deployment != nil:
		is.Deployment.ObjectMeta = was.Deployment.ObjectMeta
	case is.StatefulSet != nil:
		is.StatefulSet.ObjectMeta = was.StatefulSet.ObjectMeta
	}
	t, before := is.Template(), was.Template()
	unread := func(key, _ string) bool { return !read(key) }
	maps.DeleteFunc(t.Labels, unread)
	labels := maps.Clone(before.Labels)
	maps.DeleteFunc(labels, unread)
	if !maps.Equal(t.Labels, labels) || !maps.Equal(watched(t.Annotations), watched(before.Annotations)) {
		return false
	}
	t.Labels, t.Annotations = before.Labels, before.Annotations
	is.HPA, is.PDBs = calledLike(is.HPA, was.HPA), slices.Clone(is.PDBs)
	for i := range is.PDBs {
		if i < len(was.PDBs) {
			is.PDBs[i] = is.PDBs[i].DeepCopy()
			is.PDBs[i].Labels, is.PDBs[i].Annotations = was.PDBs[i].Labels, was.PDBs[i].Annotations
		}
	}
	t.Spec = asRun(t.Spec, before.Spec)
	return reflect.DeepEqual(was, is)
}

// labelsRead says of a label of pods whether any selector in a slice may look at it: those of its workloads, budgets
// and placement rules, and every object that selects by its own rules.
func labelsRead(spec *state.Spec) func(label string) bool {
	keys := map[string]bool{}
	selects := func(list ...*metav1.LabelSelector) {
		for _, s := range list {
			if s == nil {
				continue
			}
			for key := range s.MatchLabels {
				keys[key] = true
			}
			for _, e := range s.MatchExpressions {
				keys[e.Key] = true
			}
		}
	}
	for _, w := range spec.Workloads {
		for _, m := range w.Manifests {
			if !m.Exists() {
				continue
			}
			selects(m.Selector())
			for _, b := range m.PDBs {
				selects(b.Spec.Selector)
			}
			for _, c := range kube.Spreads(m.Pod()) {
				selects(c.LabelSelector, labelKeys(c.MatchLabelKeys))
			}
			for _, t := range kube.Terms(m.Pod()) {
				selects(t.LabelSelector, labelKeys(t.MatchLabelKeys), labelKeys(t.MismatchLabelKeys))
			}
		}
	}
	others := spec.Descheduler != nil || len(spec.Declared) > 0 ||
		len(spec.Quotas) > 0 || len(spec.Admission.Webhooks) > 0
	return func(label string) bool { return others || keys[label] || strings.Contains(label, "kueue.x-k8s.io/") }
}

// labelKeys is a selector that looks at some labels.
func labelKeys(keys []string) *metav1.LabelSelector {
	out := &metav1.LabelSelector{}
	for _, key := range keys {
		out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{Key: key})
	}
	return out
}

// calledLike is an autoscaler with the labels and annotations of another one.
func calledLike(h, like *autoscalingv2.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscaler {
	if h == nil || like == nil {
		return h
	}
	h = h.DeepCopy()
	h.Labels, h.Annotations = like.Labels, like.Annotations
	return h
}

// watched are the annotations of a pod that a loop may look at: Kubernetes' own and Karpenter's, but not those of
// kubectl.
func watched(annotations map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range annotations {
		domain, _, _ := strings.Cut(key, "/")
		own := strings.HasSuffix(domain, "kubernetes.io") && domain != "kubectl.kubernetes.io"
		if own || strings.HasSuffix(domain, "karpenter.sh") {
			out[key] = value
		}
	}
	return out
}

// asRun is a pod with what only its containers and the kubelet that runs them look at taken from another one.
func asRun(pod, from corev1.PodSpec) corev1.PodSpec {
	pod.Containers = runAs(pod.Containers, from.Containers)
	pod.InitContainers = runAs(pod.InitContainers, from.InitContainers)
	pod.ServiceAccountName, pod.DeprecatedServiceAccount = from.ServiceAccountName, from.DeprecatedServiceAccount
	pod.AutomountServiceAccountToken, pod.ImagePullSecrets = from.AutomountServiceAccountToken, from.ImagePullSecrets
	pod.SecurityContext, pod.EnableServiceLinks = from.SecurityContext, from.EnableServiceLinks
	pod.DNSPolicy, pod.DNSConfig, pod.HostAliases = from.DNSPolicy, from.DNSConfig, from.HostAliases
	pod.TerminationGracePeriodSeconds = from.TerminationGracePeriodSeconds
	return pod
}

// runAs gives containers with what only they themselves and the kubelet look at taken from others at the same place.
func runAs(list, from []corev1.Container) []corev1.Container {
	for i := range list {
		if i >= len(from) {
			break
		}
		c, o := &list[i], &from[i]
		c.Image, c.ImagePullPolicy = o.Image, o.ImagePullPolicy
		c.Command, c.Args, c.WorkingDir = o.Command, o.Args, o.WorkingDir
		c.Env, c.EnvFrom, c.VolumeMounts = o.Env, o.EnvFrom, o.VolumeMounts
		c.LivenessProbe, c.ReadinessProbe, c.StartupProbe = o.LivenessProbe, o.ReadinessProbe, o.StartupProbe
		c.Lifecycle, c.SecurityContext = o.Lifecycle, o.SecurityContext
		c.TerminationMessagePath, c.TerminationMessagePolicy = o.TerminationMessagePath, o.TerminationMessagePolicy
	}
	return list
}

// which names the demand of a manifest that a violation breaks; "" if the rule has only one.
func (v Violation) which() string {
	if v.Bound.Property.Which == nil {
		return ""
	}
	return v.Bound.Property.Which(state.State{C: v.Problem.Cfg, B: v.last()})
}

// InPartStates bounds the search for violations of any rollout, if the change is a rollout like any other. Its findings
// are existing ones, so a cut loses only findings that do not gate.
const InPartStates = 10_000

// inPartFirst searches the rollout of such a change within few states, with all rules. It reports whether that is all
// there is to do: the search came to its end, or only rules that any rollout may break are left. They are dropped
// from the problem otherwise.
func (r *scenarioRun) inPartFirst(ctx context.Context, p *Problem, initial [][]byte) (done bool, err error) {
	latent := map[judgment]bool{}
	for _, b := range p.bounds {
		if b.Rule.Facets.Any(rules.AnyRollout) {
			latent[b.judgment()] = true
		}
	}
	if len(latent) == 0 || r.Budget.States > 0 && r.Budget.States <= r.PartStates {
		return false, nil
	}
	few := r.Budget
	few.States = r.PartStates
	results, err := p.explore(ctx, initial, -1, few)
	if err != nil {
		return false, err
	}
	last := results[len(results)-1]
	if last.Bound != search.StateBound {
		return true, r.enter(ctx, ScenarioChange, p, initial, results)
	}
	seen, part := *p, *last
	part.Bound, part.Violations = search.Complete, slices.DeleteFunc(slices.Clone(last.Violations),
		func(x search.Violation) bool { return !latent[p.bounds[x.Rule].judgment()] })
	results = append(slices.Clone(results[:len(results)-1]), &part)
	if err := r.enter(ctx, ScenarioChange, &seen, initial, results); err != nil {
		return false, err
	}
	r.cov.searchedInPart(latent)
	p.drop(latent)
	return len(p.bounds) == 0, nil
}

// searchedInPart notes the rules that were searched in part.
func (c *Coverage) searchedInPart(rules map[judgment]bool) {
	for j := range rules {
		c.addInPart(map[string]bool{j.rule: true})
	}
}

// addInPart takes over what another one notes.
func (c *Coverage) addInPart(rules map[string]bool) {
	if c.inPart == nil {
		c.inPart = map[string]bool{}
	}
	maps.Copy(c.inPart, rules)
}

// InPart reports whether a rule was searched in part only, as whatever breaks it is existing.
func (c *Coverage) InPart(rule string) bool { return c.inPart[rule] }
