package static

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var hasty = Analyzer{Name: "hasty-liveness", Rule: rules.CrashLoop, Run: hastyLiveness,
	Doc: "a liveness probe that kills the only pod as soon as it is not ready"}

// hastySeconds is the most seconds without an answer after which a liveness probe is hasty.
const hastySeconds = 3

// hastyLiveness says which workloads of one replica come to have a liveness probe that asks what the readiness probe
// asks, and gives up after three seconds: what a readiness probe would wait out is a restart.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/prober: (*worker).doProbe; pkg/apis/core/v1: SetDefaults_Probe.
func hastyLiveness(p *Pass) []Remark {
	base := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		if !standing(o) || leastReplicas(p, o) != 1 {
			continue
		}
		had := hastyProbes(base.counterpart(o))
		for _, c := range hastyProbes(o) {
			if slices.ContainsFunc(had, func(x hastyProbe) bool { return x.container == c.container }) {
				continue
			}
			out = append(out, Remark{
				Object: o, Note: true, Conditional: true, occasion: "crash",
				paths: []string{c.at + ".livenessProbe", c.at + ".readinessProbe"},
				text: fmt.Sprintf("the only pod of %s is restarted once it is slow for %d s: the livenessProbe of container %s asks the same as the readinessProbe",
					o.ID, c.seconds, c.container),
				remedies: []Remedy{{Say: "let the livenessProbe fail more often than the readinessProbe", Object: o,
					Set: []object.Setting{{Path: c.at + ".livenessProbe.periodSeconds", Value: int64(10)},
						{Path: c.at + ".livenessProbe.failureThreshold", Value: int64(3)}}}},
			})
		}
	}
	return out
}

type hastyProbe struct {
	container, at string
	seconds       int32 // until it gives up
}

func hastyProbes(o *object.Object) []hastyProbe {
	if o == nil {
		return nil
	}
	spec, prefix := podSpec(o)
	if spec == nil {
		return nil
	}
	var out []hastyProbe
	for i, c := range spec.Containers {
		l, r := c.LivenessProbe, c.ReadinessProbe
		if l == nil || r == nil || !reflect.DeepEqual(l.ProbeHandler, r.ProbeHandler) {
			continue
		}
		s := cmp.Or(l.PeriodSeconds, 10) * cmp.Or(l.FailureThreshold, 3)
		if s <= hastySeconds && cmp.Or(l.TimeoutSeconds, 1) == 1 {
			out = append(out, hastyProbe{c.Name, fmt.Sprintf("%scontainers[%d]", prefix, i), s})
		}
	}
	return out
}
