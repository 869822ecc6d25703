package static

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var unitSlips = Analyzer{Name: "units", Rule: rules.CrashLoop, Run: units,
	Doc: "memory in thousandths of a byte, a thousand times the CPU that base asks for, or hundreds of CPUs"}

// leastMemory is the least limit with which a container can be made, in bytes; runtimes refuse smaller ones.
//
// Upstream: runc v1.2, and containerd's and CRI-O's minimum of 6 and 12 MiB ("set memory limit too low").
const leastMemory = 4 << 20

// mostCPU is more than the general-purpose machines of the large clouds have, in thousandths of a CPU: most have up to
// 192.
const mostCPU = 200_000

// units says which containers come to be given memory in thousandths of a byte, or a limit with which none starts, as a
// quantity that lost or changed its suffix, and which come to ask for a thousand times the CPU, or for more
// than machines have.
//
// Upstream: kubernetes v1.36.3, pkg/api/pod: warningsForPodSpecAndMeta (fractional byte value).
func units(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		spec, prefix := podSpec(o)
		if spec == nil || o.Hook {
			continue
		}
		var old corev1.PodSpec
		was := p.before().counterpart(o)
		if was != nil {
			if spec, _ := podSpec(was); spec != nil {
				old = *spec
			}
		}
		for list, of := range map[string][2][]corev1.Container{"containers": {old.Containers, spec.Containers},
			"initContainers": {old.InitContainers, spec.InitContainers}} {
			for i := range of[1] {
				c, before := &of[1][i], grants{}
				if k := slices.IndexFunc(of[0], func(x corev1.Container) bool { return x.Name == c.Name }); k >= 0 {
					before = p.grants(state.Base, was, &of[0][k], "")
				}
				now := p.grants(state.Head, o, c, fmt.Sprintf("%s%s[%d].resources.", prefix, list, i))
				for _, kind := range kindsOfGrants {
					out = append(out, p.unitsOf(o, c, kind == "limits", now[kind], before[kind])...)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Remark) int { return strings.Compare(a.text, b.text) })
	return out
}

// grants are what a container may have, and what it asks for.
type grants map[string]map[corev1.ResourceName]grant

var kindsOfGrants = []string{"limits", "requests"}

// grant is one of them, with where it stands: in the container's object, or in a LimitRange.
type grant struct {
	resource.Quantity
	at string
	by *object.Object // nil: the container's own
}

// grants are those of a container of an object in a version: its own, and what LimitRanges of its namespace give it
// for what it does not have.
//
// Upstream: kubernetes v1.36.3, plugin/pkg/admission/limitranger: mergeContainerResources; and
// [admission.ApplyLimitRanges].
func (p *Pass) grants(v state.Version, o *object.Object, c *corev1.Container, at string) grants {
	out := grants{"limits": {}, "requests": {}}
	own := map[string]corev1.ResourceList{"limits": c.Resources.Limits, "requests": c.Resources.Requests}
	for kind, list := range own {
		for name, q := range list {
			out[kind][name] = grant{Quantity: q, at: at + kind + "." + string(name)}
		}
	}
	for _, by := range p.limits(v)[o.ID.Namespace] {
		t, ok := by.Typed.(*corev1.LimitRange)
		if !ok || p.where().tie(by, o) == slice.Apart {
			continue
		}
		for i := range t.Spec.Limits {
			l := &t.Spec.Limits[i]
			if l.Type != corev1.LimitTypeContainer {
				continue
			}
			for kind, from := range map[string]corev1.ResourceList{"limits": l.Default, "requests": l.DefaultRequest} {
				for name, q := range from {
					_, has := out[kind][name]
					limit, limited := out["limits"][name]
					if !has && (kind == "limits" || !limited || limit.by != nil) { // a limit of its own is its request
						field := map[string]string{"limits": "default", "requests": "defaultRequest"}[kind]
						out[kind][name] = grant{q, fmt.Sprintf("spec.limits[%d].%s.%s", i, field, name), by}
					}
				}
			}
		}
	}
	return out
}

// unitsOf are the slips in what a container may have, or asks for, which base does not have.
func (p *Pass) unitsOf(o *object.Object, c *corev1.Container, limits bool,
	now, before map[corev1.ResourceName]grant) []Remark {
	var out []Remark
	add := func(name corev1.ResourceName, r Remark) {
		q := now[name]
		if was, ok := before[name]; ok && was.Cmp(q.Quantity) == 0 {
			return
		}
		r.Object, r.paths, r.Conditional = o, []string{q.at}, true
		if q.by != nil {
			r.text = fmt.Sprintf("%s, by %s", r.text, q.by.ID)
			r.shape, r.causes = q.by.ID.String()+" "+q.at, []cause{{q.by, []string{q.at, "spec"}}}
			r.paths, r.with = []string{"metadata.name"}, p.where().open(o, q.by)
			r.first, r.occasion = r.causes, "pod-lost" // those that run stay
		}
		out = append(out, r)
	}
	memory := now[corev1.ResourceMemory]
	switch fraction := memory.MilliValue()%1000 != 0; {
	case memory.IsZero():
	case limits && memory.Value() < leastMemory:
		add(corev1.ResourceMemory, Remark{unready: true,
			text: fmt.Sprintf("container %s of %s may have %s of memory, %s: none starts with so little", c.Name, o.ID,
				memory.String(), bytesOf(memory.Quantity)),
			remedies: byHand("give it a limit with a suffix such as Mi")})
	case fraction:
		add(corev1.ResourceMemory, Remark{
			text: fmt.Sprintf("container %s of %s asks for %s of memory, %s: m is a thousandth", c.Name, o.ID, memory.String(),
				bytesOf(memory.Quantity)),
			remedies: byHand("ask with a suffix such as Mi")})
	}
	cpu, was := now[corev1.ResourceCPU], before[corev1.ResourceCPU]
	more := ""
	switch n := cpu.MilliValue(); {
	case !was.IsZero() && n == 1000*was.MilliValue() && n >= 10_000:
		more = ", a thousand times what base asks for"
	case limits || n < mostCPU:
		return out
	}
	in := o
	if cpu.by != nil {
		in = cpu.by
	}
	add(corev1.ResourceCPU, Remark{Rule: rules.Unschedulable,
		text: fmt.Sprintf("pods of %s ask for %s CPUs for container %s%s: few nodes have them", o.ID, cpu.AsDec().String(), c.Name, more),
		remedies: []Remedy{{Say: fmt.Sprintf("ask for %dm", cpu.Value()), Object: in,
			Set: []object.Setting{{Path: cpu.at, Value: fmt.Sprintf("%dm", cpu.Value())}}}}})
	return out
}

// bytesOf words an amount of memory, which is small.
func bytesOf(q resource.Quantity) string {
	if n := q.MilliValue(); n < 1000 {
		return "less than a byte"
	}
	return fmt.Sprintf("%d bytes", q.Value())
}
