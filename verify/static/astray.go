package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A reference names a part of a pod: a port, or a container.
type reference struct {
	key     string // the same on both sides, whatever it names
	path    string // of the field that names it
	met     bool
	closed  bool // no other writer adds the missing part, such as a webhook with a sidecar
	unready bool // pods are not ready without it
	near    bool // the missing name is a slip of the pen away from an existing one
	text    string
	causes  []cause          // the parts that there are
	name    string           // that it names; "": it is a number
	have    map[string]int32 // the names that there are, each with its port, or its place
	// number is that which it asks in place of a name, and only the one that is declared; 0: there is none, or several.
	number, only int32
}

// meant is the name that a reference means in place of one that is not there: one spelt alike, the one that has the
// port or the place that base's had, or, where that is not known, the only one; "": it is not clear. before is the
// reference on base; nil: it is new.
func (r reference) meant(before *reference) string {
	known := before != nil && before.have[before.name] > 0
	var alike, same, only []string
	for _, have := range slices.Sorted(maps.Keys(r.have)) {
		if slip(have, r.name) {
			alike = append(alike, have)
		}
		if known && before.have[before.name] == r.have[have] {
			same = append(same, have)
		}
		if !known {
			only = append(only, have)
		}
	}
	for _, list := range [][]string{alike, same, only} {
		if len(list) == 1 {
			return list[0]
		}
	}
	return ""
}

// remedies let an object name an existing part.
func (r reference) remedies(o *object.Object, before *reference) []Remedy {
	if r.only != 0 {
		return []Remedy{{Say: fmt.Sprintf("ask %d, which is declared", r.only), Object: o,
			Set: []object.Setting{{Path: r.path, Value: int64(r.only)}}}}
	}
	meant := r.meant(before)
	if meant == "" || meant == r.name || r.number != 0 {
		return nil
	}
	return []Remedy{{Say: "name " + meant + ", which is there", Object: o,
		Set: []object.Setting{{Path: r.path, Value: meant}}}}
}

var parts = Analyzer{Name: "parts", Rule: rules.DanglingTarget, Run: astray,
	Doc: "a port or a container that is named and that the pods do not have"}

// astray says which Services, autoscalers and probes name a port or a container that their pods no longer have, or
// never had and cannot get from elsewhere.
func astray(p *Pass) []Remark {
	base, head := p.once(), p.everywhere()
	was := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		if o.Hook {
			continue
		}
		b := was.counterpart(o)
		now, before := references(o, head), references(b, base)
		for _, r := range now {
			i := slices.IndexFunc(before, func(x reference) bool { return x.key == r.key })
			remark := Remark{Rule: rules.DanglingTarget, release: p.ID, Object: o, status: finding.New,
				paths: []string{r.path},
				text:  r.text, causes: r.causes, unready: r.unready}
			for _, c := range r.causes {
				if remark.with == "" {
					remark.with = p.where().open(o, c.object)
				}
			}
			switch {
			case r.number != 0 && !r.met && (b == nil || p.mentions(r.number, []*object.Object{o})):
			case !r.met && (i < 0 && (r.closed || r.near) || i >= 0 && before[i].met):
				var was *reference
				if i >= 0 {
					was = &before[i]
				}
				remark.remedies = r.remedies(o, was)
				out = append(out, remark)
			case r.met && i >= 0 && !before[i].met && (before[i].closed || before[i].near):
				remark.Object, remark.status = b, finding.Fixed
				remark.paths, remark.text, remark.causes = []string{before[i].path}, before[i].text, nil
				out = append(out, remark)
			}
		}
	}
	return out
}

// references are those of an object, among the objects of its side.
func references(o *object.Object, x *aimIndex) []reference {
	if o == nil {
		return nil
	}
	there := func(t *object.Object) bool { return !x.apart(t, o) }
	switch t := o.Typed.(type) {
	case *corev1.Service:
		return portReferences(o, t, slices.DeleteFunc(x.all(o), func(t *object.Object) bool { return !there(t) }))
	case *autoscalingv2.HorizontalPodAutoscaler:
		if target := x.aimed(o, there); target != nil {
			return containerReferences(o, t, target)
		}
		return nil
	}
	return probeReferences(o)
}

// portReferences are the ports of pods that a Service leads to. One that no pod has leaves it without endpoints there.
//
// Upstream: kubernetes v1.36.3, staging/src/k8s.io/endpointslice: getEndpointPorts; pkg/api/v1/pod: FindPort.
func portReferences(o *object.Object, s *corev1.Service, pods []*object.Object) []reference {
	var have []string           // names of ports
	spoken := map[string]bool{} // with their protocols
	var causes []cause
	numbers := map[string]int32{}
	for _, t := range pods {
		spec, prefix := podSpec(t)
		if spec == nil {
			return nil
		}
		for i, c := range spec.Containers {
			causes = append(causes, cause{t, []string{fmt.Sprintf("%scontainers[%d].ports", prefix, i)}})
			have = append(have, portNames(c)...)
			maps.Copy(numbers, portNumbers(c))
		}
		for _, c := range spec.InitContainers {
			have = append(have, portNames(c)...)
			maps.Copy(numbers, portNumbers(c))
		}
		for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
			for _, p := range c.Ports {
				spoken[p.Name+"/"+string(protocolOf(p.Protocol))] = true
			}
		}
	}
	if len(pods) == 0 {
		return nil
	}
	var out []reference
	for i, port := range s.Spec.Ports {
		r := reference{key: fmt.Sprint("port ", port.Port, port.Protocol),
			path: fmt.Sprintf("spec.ports[%d].targetPort", i),
			met:  true, causes: causes, have: numbers}
		if name := port.TargetPort.StrVal; port.TargetPort.Type == intstr.String && name != "" {
			protocol := string(protocolOf(port.Protocol))
			r.met, r.name = spoken[name+"/"+protocol], name
			r.near = slices.ContainsFunc(have, func(h string) bool { return slip(h, name) })
			r.text = fmt.Sprintf("%s leads to the port %s, but no container of %s has a port of that name (%s)", o.ID,
				name,
				pods[0].ID, listed(have))
			if !r.met && slices.Contains(have, name) {
				r.text = fmt.Sprintf("%s leads to the port %s of %s, but that of %s is of another protocol", o.ID, name,
					protocol, pods[0].ID)
			}
		}
		out = append(out, r)
	}
	return out
}

// containerReferences are the containers whose use an autoscaler measures. It stops where the pods have none of that
// name.
//
// Upstream: kubernetes v1.36.3, pkg/controller/podautoscaler/metrics: getContainerMetrics ("container %s not present in
// metrics for pod").
func containerReferences(o *object.Object, h *autoscalingv2.HorizontalPodAutoscaler,
	target *object.Object) []reference {
	spec, prefix := podSpec(target)
	if spec == nil {
		return nil
	}
	var have, names []string
	places := map[string]int32{}
	for i, c := range spec.Containers {
		places[c.Name] = int32(i + 1)
		have, names = append(have, c.Name), append(names, fmt.Sprintf("%scontainers[%d].name", prefix, i))
	}
	for _, c := range spec.InitContainers {
		have = append(have, c.Name)
	}
	var out []reference
	for i, m := range h.Spec.Metrics {
		if m.ContainerResource == nil {
			continue
		}
		name := m.ContainerResource.Container
		out = append(out, reference{
			key:  fmt.Sprint("container ", m.ContainerResource.Name),
			path: fmt.Sprintf("spec.metrics[%d].containerResource.container", i),
			met:  slices.Contains(have, name), near: slices.ContainsFunc(have, func(h string) bool {
				return slip(h,
					name)
			}),
			text: fmt.Sprintf("%s measures the container %s, but the pods of %s have none of that name (%s)", o.ID,
				name,
				target.ID, listed(have)),
			causes: []cause{{target, names}}, name: name, have: places,
		})
	}
	return out
}

// probeReferences are the ports of the probe's own container that it asks. With a name that the container does not
// have, the kubelet never gets a result: a pod does not become ready, or, with a liveness probe, is never restarted.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/prober: prober.probe, worker.doProbe (an error throws the result away);
// pkg/probe: ResolveContainerPort.
func probeReferences(o *object.Object) []reference {
	spec, prefix := podSpec(o)
	if spec == nil {
		return nil
	}
	var out []reference
	for _, list := range []struct {
		field string
		of    []corev1.Container
	}{{"initContainers", spec.InitContainers}, {"containers", spec.Containers}} {
		for i, c := range list.of {
			for _, probe := range []struct {
				field, means string
				of           *corev1.Probe
			}{
				{"startupProbe", "its pods never start", c.StartupProbe},
				{"readinessProbe", "its pods never become ready", c.ReadinessProbe},
				{"livenessProbe", "it never has a result", c.LivenessProbe},
			} {
				field, port := probedPort(probe.of)
				if field == "" {
					continue
				}
				have := portNames(c)
				at := fmt.Sprintf("%s%s[%d].", prefix, list.field, i)
				if port.Type == intstr.Int {
					out = append(out, probedNumber(o, spec, c, at, probe.field, field, port.IntVal))
					continue
				}
				out = append(out, reference{
					key: "probe " + c.Name + " " + probe.field, path: at + probe.field + field, closed: true,
					met: slices.Contains(have, port.StrVal), unready: probe.field != "livenessProbe",
					text: fmt.Sprintf("the %s of container %s of %s asks the port %s, but the container has no port of that name (%s): %s",
						probe.field, c.Name, o.ID, port.StrVal, listed(have), probe.means),
					causes: []cause{{o, []string{at + "ports"}}}, name: port.StrVal, have: portNumbers(c),
				})
			}
		}
	}
	return out
}

// probedNumber is the number of a port that a probe asks. Pods may serve undeclared ports: it is reported if base asks
// a declared one, and no other object names the new one.
func probedNumber(o *object.Object, spec *corev1.PodSpec, c corev1.Container, at, probe, field string,
	n int32) reference {
	var have []string
	met, only := true, int32(0)
	for _, x := range slices.Concat(spec.Containers, spec.InitContainers) {
		for _, p := range x.Ports {
			have = append(have, fmt.Sprint(p.ContainerPort))
			if met, only = false, p.ContainerPort; x.Name != c.Name {
				only = 0
			}
		}
	}
	if have = slices.Compact(slices.Sorted(slices.Values(have))); len(have) > 1 {
		only = 0
	}
	met = met || slices.Contains(have, fmt.Sprint(n))
	return reference{key: "probe " + c.Name + " " + probe, path: at + probe + field, met: met, number: n, only: only,
		text: fmt.Sprintf("the %s of container %s of %s asks the port %d, which no container of its pods declares (%s)",
			probe, c.Name, o.ID, n, listed(have)), causes: []cause{{o, []string{at + "ports"}}}}
}

// probedPort is the port that a probe asks, and the path of its field below the probe; "": it asks none by name.
func probedPort(p *corev1.Probe) (string, intstr.IntOrString) {
	switch {
	case p == nil:
	case p.HTTPGet != nil:
		return ".httpGet.port", p.HTTPGet.Port
	case p.TCPSocket != nil:
		return ".tcpSocket.port", p.TCPSocket.Port
	}
	return "", intstr.IntOrString{}
}

// portNames are those of a container's ports.
func portNames(c corev1.Container) []string {
	var out []string
	for _, p := range c.Ports {
		if p.Name != "" {
			out = append(out, p.Name)
		}
	}
	return out
}

// portNumbers are the numbers of a container's ports by their names.
func portNumbers(c corev1.Container) map[string]int32 {
	out := map[string]int32{}
	for _, p := range c.Ports {
		if p.Name != "" {
			out[p.Name] = p.ContainerPort
		}
	}
	return out
}

// mostListed bounds the names in a text.
const mostListed = 4

// listed words the names that there are.
func listed(names []string) string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	switch {
	case len(names) == 0:
		return "it names none"
	case len(names) > mostListed:
		names = append(names[:mostListed:mostListed], "…")
	}
	return "there is " + strings.Join(names, ", ")
}
