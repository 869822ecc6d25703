package static

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
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
		var was *corev1.PodSpec
		if b := p.before().counterpart(o); b != nil {
			was, _ = podSpec(b)
		}
		for i := range spec.Containers {
			c := &spec.Containers[i]
			at := fmt.Sprintf("%scontainers[%d].resources.", prefix, i)
			before := corev1.ResourceRequirements{}
			if was != nil {
				if k := slices.IndexFunc(was.Containers, func(x corev1.Container) bool { return x.Name == c.Name }); k >= 0 {
					before = was.Containers[k].Resources
				}
			}
			out = append(out, unitsOf(o, c, at+"limits", c.Resources.Limits, before.Limits)...)
			out = append(out, unitsOf(o, c, at+"requests", c.Resources.Requests, before.Requests)...)
		}
	}
	return out
}

// unitsOf are the slips in one list of a container, which base does not have.
func unitsOf(o *object.Object, c *corev1.Container, at string, list, before corev1.ResourceList) []Remark {
	var out []Remark
	limits := strings.HasSuffix(at, "limits")
	add := func(name corev1.ResourceName, q resource.Quantity, r Remark) {
		if was, ok := before[name]; ok && was.Cmp(q) == 0 {
			return
		}
		r.Object, r.paths, r.Conditional = o, []string{at + "." + string(name)}, true
		out = append(out, r)
	}
	memory, has := list[corev1.ResourceMemory]
	switch fraction := memory.MilliValue()%1000 != 0; {
	case !has || memory.IsZero():
	case limits && memory.Value() < leastMemory:
		add(corev1.ResourceMemory, memory, Remark{
			text: fmt.Sprintf("container %s of %s may have %s of memory, %s: none starts with so little", c.Name, o.ID,
				memory.String(), bytesOf(memory)),
			remedies: byHand("give it a limit with a suffix such as Mi")})
	case fraction:
		add(corev1.ResourceMemory, memory, Remark{
			text: fmt.Sprintf("container %s of %s asks for %s of memory, %s: m is a thousandth", c.Name, o.ID, memory.String(),
				bytesOf(memory)),
			remedies: byHand("ask with a suffix such as Mi")})
	}
	cpu, was := list[corev1.ResourceCPU], before[corev1.ResourceCPU]
	more := ""
	switch n := cpu.MilliValue(); {
	case !was.IsZero() && n == 1000*was.MilliValue() && n >= 10_000:
		more = ", a thousand times what base asks for"
	case limits || n < mostCPU:
		return out
	}
	add(corev1.ResourceCPU, cpu, Remark{Rule: rules.Unschedulable,
		text: fmt.Sprintf("pods of %s ask for %s CPUs for container %s%s: few nodes have them", o.ID, cpu.AsDec().String(), c.Name, more),
		remedies: []Remedy{{Say: fmt.Sprintf("ask for %dm", cpu.Value()), Object: o,
			Set: []object.Setting{{Path: at + ".cpu", Value: fmt.Sprintf("%dm", cpu.Value())}}}}})
	return out
}

// bytesOf words an amount of memory, which is small.
func bytesOf(q resource.Quantity) string {
	if n := q.MilliValue(); n < 1000 {
		return "less than a byte"
	}
	return fmt.Sprintf("%d bytes", q.Value())
}
