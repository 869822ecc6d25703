package static

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

var entered = Analyzer{Name: "entries", Rule: rules.Unreachable, Run: shutOut, Compares: true, Whole: true,
	Doc: "a Service that nothing outside the cluster is led to any more"}

// shutOut says which Services keep their pods and lose the last way in from outside: a route, or their own type. It is
// a note, as it is often intended.
func shutOut(p *Pass) []Remark {
	var out []Remark
	for _, v := range p.views() {
		now := v.entries(state.Head)
		for _, e := range v.entries(state.Base) {
			if e.answer != traffic.Yes || slices.ContainsFunc(now, func(x entry) bool { return x.name == e.name }) ||
				slices.ContainsFunc(out, func(r Remark) bool { return r.Object.ID == e.name }) {
				continue
			}
			by := v.heir(e.by)
			if by != nil && slices.ContainsFunc(now, func(x entry) bool { return x.key == e.key }) {
				continue // it leads elsewhere, as from blue to green
			}
			_, s, there := v.of[state.Head].Service(e.name.Namespace, e.name.Name)
			if there != traffic.Yes || by == nil && !slices.Contains(v.gone, e.by) || len(v.of[state.Head].Reach(
				traffic.Ask{Use: traffic.Declared, Namespace: s.ID.Namespace, Service: s.ID.Name}).To) == 0 || v.led(s) {
				continue
			}
			r := Remark{Object: s, release: s.Release, status: finding.New, Note: true, paths: []string{"spec.type"},
				remedies: byHand("keep a way in, or leave it so where requests come from inside alone")}
			how := "the change removes " + shortID(e.by)
			if by != nil {
				how = "the change takes what leads there out of " + shortID(by)
				r.causes = v.differences(e.by)
			} else {
				r.causes = []cause{{object: e.by}}
			}
			if e.by.ID == e.name {
				how = "it is no longer of type " + string(e.by.Typed.(*corev1.Service).Spec.Type)
			}
			r.text = fmt.Sprintf("nothing that the repository has leads from outside the cluster to %s any more: %s", s.ID, how)
			out = append(out, r)
		}
	}
	return out
}

// entry is a way into the cluster that leads to a Service.
type entry struct {
	name   object.ID // of the Service
	by     *object.Object
	key    string         // of the request; the Service's own for its type
	answer traffic.Answer // whether a request arrives
}

// entries are the ways in of one side: routes and Services of a type that nodes or clouds serve.
func (v *view) entries(side state.Version) []entry {
	var out []entry
	for _, a := range v.asks(side) {
		if a.Use == traffic.Route {
			to := object.ID{Version: "v1", Kind: "Service", Namespace: a.Namespace, Name: a.Service}
			out = append(out, entry{to, a.By.Object, a.Key, v.of[side].Reach(a).Answer})
		}
	}
	for _, o := range v.objects[side] {
		s, ok := o.Typed.(*corev1.Service)
		if ok && !o.Hook && (s.Spec.Type == corev1.ServiceTypeLoadBalancer || s.Spec.Type == corev1.ServiceTypeNodePort) {
			a := traffic.Ask{Use: traffic.Route, By: traffic.Field{Object: o}, From: traffic.Peer{Kind: traffic.Somebody},
				Namespace: o.ID.Namespace, Service: o.ID.Name}
			out = append(out, entry{o.ID, o, o.ID.String(), v.of[side].Reach(a).Answer})
		}
	}
	return out
}

// led reports whether head brings an object of a kind that is not read and that names a Service.
func (v *view) led(s *object.Object) bool {
	return slices.ContainsFunc(v.objects[state.Head], func(o *object.Object) bool {
		return o.Typed == nil && !traffic.IsPolicy(o) && !traffic.IsRoute(o.ID) && o.ID.Namespace == s.ID.Namespace &&
			speaksOf(o.Content, s.ID.Name, true, "") &&
			!slices.ContainsFunc(v.objects[state.Base], func(b *object.Object) bool { return b.ID == o.ID })
	})
}

// heir is what an object of base is on head; nil: it is gone.
func (v *view) heir(o *object.Object) *object.Object {
	for _, x := range v.objects[state.Head] {
		if x.ID == o.ID && !x.Hook {
			return x
		}
	}
	return nil
}
