package static

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

var strangers = Analyzer{Name: "hosts", Rule: rules.DanglingTarget, Run: misnamed, Compares: true, Whole: true,
	Doc: "a setting that names a Service that is not there, in the place of one that is"}

// misnamed says which settings of containers name a Service that is nowhere, though one of its namespace is spelled
// almost alike, or is what base's setting named. Other hosts may be anything.
func misnamed(p *Pass) []Remark {
	var out []Remark
	for _, v := range p.views() {
		for _, w := range v.of[state.Head].Workloads {
			i := slices.IndexFunc(v.of[state.Base].Workloads, func(b *traffic.Workload) bool {
				return b.Object.ID == w.Object.ID && b.Object.Release == w.Object.Release
			})
			var was []traffic.Stranger
			if i >= 0 {
				was = v.of[state.Base].Strangers(v.of[state.Base].Workloads[i])
			}
			told := map[string]bool{}
			for _, x := range v.of[state.Head].Strangers(w) {
				s, a := x.Setting, x.Host
				name := a.Namespace + "/" + a.Service
				if told[name] || !knewNone(was, a) {
					continue
				}
				near := v.spelledLike(a)
				if near == nil && i >= 0 {
					ns, service := v.of[state.Base].Named(v.of[state.Base].Workloads[i], s.Name)
					if ns == a.Namespace {
						_, near, _ = v.of[state.Head].Service(ns, service)
					}
				}
				own := func(file string) bool { return file == s.At.Object.Source.File }
				if near == nil || p.where().mentioned(a.Service, own) {
					continue
				}
				r := Remark{Object: s.At.Object, release: s.At.Object.Release, Conditional: true, paths: []string{s.At.Path},
					text: fmt.Sprintf("%s names Service %s/%s (%s), which is not there, and %s is", w.Object.ID, a.Namespace,
						a.Service, strings.TrimSpace("setting "+s.Name), near.ID),
					causes: []cause{{near, []string{"metadata.name"}}}}
				if s.In.Object != nil {
					r.causes = append([]cause{{s.In.Object, []string{s.In.Path}}}, r.causes...)
				}
				r.remedies = byHand("name " + near.ID.Name + ", which is there")
				out, told[name] = append(out, r), true
			}
		}
	}
	return out
}

// knewNone reports whether base's settings do not have a host among the unknown ones.
func knewNone(was []traffic.Stranger, a traffic.Ask) bool {
	for _, b := range was {
		if b.Host.Namespace == a.Namespace && b.Host.Service == a.Service {
			return false
		}
	}
	return true
}

// spelledLike is a Service of head that a host misses by a slip of the pen; nil: there is none.
func (v *view) spelledLike(a traffic.Ask) *object.Object {
	for _, o := range v.objects[state.Head] {
		if o.ID.Group == "" && o.ID.Kind == "Service" && o.ID.Namespace == a.Namespace && !o.Hook &&
			slip(o.ID.Name, a.Service) {
			return o
		}
	}
	return nil
}
