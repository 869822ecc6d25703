package traffic

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Cluster is what the manifests of one version of one cluster say of traffic.
type Cluster struct {
	Policies  *Policies
	Workloads []*Workload
	objects   []*object.Object
	byName    map[objectName]*object.Object // of the kinds that others name
	gone      map[objectName]bool
	inSpace   map[string][]*Workload
	scaled    map[objectName]bool // workloads whose replicas something else sets
	subsets   []*object.Object    // DestinationRules of Istio
}

// objectName is how others name an object, whatever version it has.
type objectName struct{ kind, namespace, name string }

// Workload is one whose pods send requests, or answer them.
type Workload struct {
	Object *object.Object
	Peer   Peer
	Spec   *corev1.PodSpec
	Ends   bool   // its pods come to an end
	Idle   Answer // whether it has no pods, for good
	Daemon bool   // each node has one of its pods
}

// NewCluster reads the objects of one cluster. Gone are those that another version had and that are not there for sure:
// any other named object that is not here may come from elsewhere.
func NewCluster(objects, gone []*object.Object) *Cluster {
	c := &Cluster{Policies: NewPolicies(objects), objects: objects, byName: map[objectName]*object.Object{},
		gone: map[objectName]bool{}, inSpace: map[string][]*Workload{}, scaled: map[objectName]bool{}}
	for _, o := range objects {
		if o.Hook {
			continue
		}
		c.byName[nameOf(o)] = o
		if ref, ok := field(o.Content, "spec", "scaleTargetRef").(map[string]any); ok &&
			o.ID.Kind != "HorizontalPodAutoscaler" {
			c.scaled[objectName{text(ref["kind"]), o.ID.Namespace, text(ref["name"])}] = true
			if text(ref["kind"]) == "" { // as KEDA's defaults to a Deployment
				c.scaled[objectName{"Deployment", o.ID.Namespace, text(ref["name"])}] = true
			}
		}
		if o.ID.Group == "networking.istio.io" && o.ID.Kind == "DestinationRule" {
			c.subsets = append(c.subsets, o)
		}
	}
	for _, o := range gone {
		if _, back := c.byName[nameOf(o)]; !back {
			c.gone[nameOf(o)] = true
		}
	}
	for _, o := range objects {
		if w := c.workload(o); w != nil && !o.Hook {
			c.Workloads = append(c.Workloads, w)
			c.inSpace[o.ID.Namespace] = append(c.inSpace[o.ID.Namespace], w)
		}
	}
	return c
}

func nameOf(o *object.Object) objectName {
	return objectName{o.ID.Kind + groupOf(o.ID), o.ID.Namespace, o.ID.Name}
}

// groupOf tells kinds apart that go by one name.
func groupOf(id object.ID) string {
	switch id.Kind {
	case "Service", "Gateway", "Route":
		return "." + id.Group
	}
	return ""
}

// workload reads an object that runs pods; nil: it is none.
func (c *Cluster) workload(o *object.Object) *Workload {
	m, ok := state.ManifestOf(o.Typed)
	if !ok || m.Template() == nil {
		return nil
	}
	t := m.Template()
	w := &Workload{Object: o, Spec: &t.Spec, Ends: m.Kind().Ends(), Idle: No,
		Peer: Peer{Namespace: o.ID.Namespace, Labels: labels.Set(t.Labels), NodeNetwork: t.Spec.HostNetwork}}
	_, w.Daemon = o.Typed.(*appsv1.DaemonSet)
	for _, list := range [][]corev1.Container{t.Spec.Containers, t.Spec.InitContainers} {
		for i := range list {
			w.Peer.Ports = append(w.Peer.Ports, list[i].Ports...)
		}
	}
	if m.ReplicasField() != nil && m.Replicas() == 0 {
		if w.Idle = Yes; c.scaled[objectName{o.ID.Kind, o.ID.Namespace, o.ID.Name}] {
			w.Idle = Unknown
		}
	}
	return w
}

// Service gives the Service of a name. There is none for sure where the answer is no.
func (c *Cluster) Service(namespace, name string) (*corev1.Service, *object.Object, Answer) {
	key := objectName{"Service.", namespace, name}
	if o := c.byName[key]; o != nil {
		if s, ok := o.Typed.(*corev1.Service); ok {
			return s, o, Yes
		}
	}
	if c.gone[key] {
		return nil, nil, No
	}
	return nil, nil, Unknown
}

// Behind are the workloads whose pods a Service selects, in order; those of Jobs left out.
func (c *Cluster) Behind(s *corev1.Service, namespace string) []*Workload {
	if len(s.Spec.Selector) == 0 {
		return nil
	}
	sel := labels.SelectorFromSet(s.Spec.Selector)
	var out []*Workload
	for _, w := range c.inSpace[namespace] {
		if !w.Ends && matches(sel, w.Peer.Labels, false) != No {
			out = append(out, w)
		}
	}
	return out
}

// Target is the port of a workload's pods that a port of a Service leads to; false where they have none of that name.
//
// Upstream: kubernetes v1.36.3, pkg/api/v1/pod: FindPort.
func (w *Workload) Target(p corev1.ServicePort) (Port, bool) {
	out := Port{Protocol: protocolOf(p.Protocol), Number: p.Port}
	switch {
	case p.TargetPort.StrVal != "":
		i := slices.IndexFunc(w.Peer.Ports, func(c corev1.ContainerPort) bool {
			return c.Name == p.TargetPort.StrVal && protocolOf(c.Protocol) == out.Protocol
		})
		if i < 0 {
			return Port{}, false
		}
		out.Number = w.Peer.Ports[i].ContainerPort
	case p.TargetPort.IntVal != 0:
		out.Number = p.TargetPort.IntVal
	}
	return out, true
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Workload is the one of an identity, whatever its version; nil: there is none.
func (c *Cluster) Workload(id object.ID) *Workload {
	for _, w := range c.inSpace[id.Namespace] {
		if w.Object.ID.Kind == id.Kind && w.Object.ID.Name == id.Name && w.Object.ID.Group == id.Group {
			return w
		}
	}
	return nil
}

// Selects reports whether a Service has the pods of a workload, of this version or another one.
func (c *Cluster) Selects(service *object.Object, w *Workload) bool {
	s, ok := service.Typed.(*corev1.Service)
	return ok && len(s.Spec.Selector) > 0 && service.ID.Namespace == w.Object.ID.Namespace &&
		matches(labels.SelectorFromSet(s.Spec.Selector), w.Peer.Labels, false) != No
}
