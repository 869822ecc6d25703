package static

import (
	"fmt"
	"slices"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

var unhosted = Analyzer{Name: "lost-hosts", Rule: rules.Unreachable, Run: hostsGone, Compares: true, Whole: true,
	Doc: "a host name for which no route takes requests any more"}

// hostsGone says for which host names a route takes requests on base, and none of head does. It is a note, as it is
// often intended; a warning where something of head still names the host: a certificate, or a setting. Where a Service
// loses its last way in, [shutOut] says more.
func hostsGone(p *Pass) []Remark {
	var out []Remark
	told := map[string]bool{}
	for _, v := range p.views() {
		if v.takesAnyHost() {
			continue
		}
		now := v.entries(state.Head)
		for _, e := range v.entries(state.Base) {
			lost, path := v.lostHosts(e.by)
			by := v.heir(e.by)
			if e.answer != traffic.Yes || len(lost) == 0 || told[e.by.ID.String()] ||
				by == nil && !slices.Contains(v.gone, e.by) ||
				!slices.ContainsFunc(now, func(x entry) bool { return x.name == e.name }) {
				continue
			}
			told[e.by.ID.String()] = true
			r := Remark{Object: by, status: finding.New, Note: true, paths: []string{path}, causes: v.differences(e.by),
				shape:    strings.Join(lost, " "),
				remedies: byHand("have a route take requests for " + lost[0] + ", or leave it so where nobody asks for it")}
			if by == nil {
				_, r.Object, _ = v.of[state.Head].Service(e.name.Namespace, e.name.Name)
				r.paths, r.causes = []string{"metadata.name"}, []cause{{object: e.by}}
			}
			if r.Object == nil {
				continue
			}
			r.release = r.Object.Release
			r.text = fmt.Sprintf("no route takes requests for %s any more (on base: %s)",
				strings.Join(atMost(lost, 3), ", "), e.by.ID)
			for _, host := range lost {
				if still := v.namesHost(host); still != nil {
					r.Note, r.Conditional = false, true
					r.text += fmt.Sprintf(", and %s still names %s", still.ID, host)
					break
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// takesAnyHost reports whether a route of head takes requests under every name, or under names that are not read.
func (v *view) takesAnyHost() bool {
	return slices.ContainsFunc(v.objects[state.Head], func(o *object.Object) bool {
		names, _, known := traffic.Hosts(o)
		return !o.Hook && traffic.IsRoute(o.ID) && (known && len(names) == 0 || o.ID.Kind == "VirtualService")
	})
}

// lostHosts are the names of a route of base for which no route of head takes requests, and the field that has them.
func (v *view) lostHosts(b *object.Object) (lost []string, path string) {
	names, path, _ := traffic.Hosts(b)
	for _, name := range names {
		if !slices.Contains(lost, name) && !slices.ContainsFunc(v.objects[state.Head], func(o *object.Object) bool {
			have, _, _ := traffic.Hosts(o)
			return !o.Hook && slices.ContainsFunc(have, func(h string) bool { return traffic.HostsMeet(h, name) })
		}) {
			lost = append(lost, name)
		}
	}
	return lost, path
}

// namesHost is an object of head that wants requests for a name: a certificate is for it, or a setting has it in an
// address; nil: there is none.
func (v *view) namesHost(host string) *object.Object {
	for _, o := range v.objects[state.Head] {
		if in, ok := o.Typed.(*networkingv1.Ingress); ok && !o.Hook &&
			slices.ContainsFunc(in.Spec.TLS, func(t networkingv1.IngressTLS) bool { return slices.Contains(t.Hosts, host) }) {
			return o
		}
		if names, _ := slice.ValueAt(o.Content, "spec", "dnsNames").([]any); o.ID.Kind == "Certificate" &&
			slices.Contains(names, any(host)) {
			return o
		}
	}
	for _, w := range v.of[state.Head].Workloads {
		if v.of[state.Head].Addresses(w, host) {
			return w.Object
		}
	}
	return nil
}
