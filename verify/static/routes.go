package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

// unled gathers what the backends of one object miss.
type unled struct {
	pair        slice.Pair
	where       *whereabouts
	once, now   *aimIndex // of all releases
	o, b        *object.Object
	old         []traffic.Backend
	found       []Remark
	by          map[string]int // places in found, by what is missed
	broke, open bool           // a release is not rendered on head, and was on base; or on any side
}

var routed = Analyzer{Name: "routes", Rule: rules.DanglingTarget, Run: routes,
	Doc: "an Ingress or a route that leads to no Service, or to no port of one"}

// routes says which Ingresses and routes of a release lead to a Service, or a port of one, that the change takes away
// or renames, that it misspells, or that the Service does not have.
func routes(p *Pass) []Remark {
	where, once, now := p.where(), p.once(), p.everywhere()
	before := p.before()
	broke, open := where.unrendered()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		list := backends(o)
		if len(list) == 0 {
			continue
		}
		b := where.was(before, o)
		u := &unled{pair: p.Pair, where: where, once: once, now: now, o: o, b: b, old: backends(b), by: map[string]int{},
			broke: broke, open: open}
		for _, x := range list {
			u.ask(x)
		}
		for i := range u.found {
			if r := &u.found[i]; r.more > 0 {
				r.text += fmt.Sprintf(" (and %s more)", english.Plural(r.more, "reference", ""))
			}
		}
		out = append(out, u.found...)
	}
	return out
}

// unrendered reports whether a release of head was not rendered though it was on base, or has none there, and whether
// any was not: what is missing may come from it.
func (w *whereabouts) unrendered() (broke, any bool) {
	was := map[string]bool{}
	if w.ch.Base != nil {
		for _, r := range w.ch.Base.Releases {
			was[r.ID] = r.Err != nil
		}
	}
	for _, r := range w.ch.Head.Releases {
		if r.Err != nil {
			any = true
			broke = broke || !was[r.ID] || r.Changed
		}
	}
	return broke, any
}

// ask enters a backend that is not there.
func (u *unled) ask(x traffic.Backend) {
	lack, service := u.now.lacks(u.o, x)
	i := slices.IndexFunc(u.old, func(o traffic.Backend) bool { return o.Key == x.Key })
	switch {
	case lack == lacksNothing && i >= 0:
		u.mended(u.old[i])
		return
	case lack == lacksNothing || slices.ContainsFunc(u.old, func(o traffic.Backend) bool {
		was, _ := u.once.lacks(u.b, o)
		return o.Service == x.Service && was == lack && (lack == lacksObject || o.Port == x.Port)
	}):
		return // it is there, or is missing as it was
	case lack == lacksKey:
		u.portless(x, service)
		return
	}
	switch had := u.once.services(u.o, x.Service); {
	case len(had) > 0:
		u.removed(x, had[0])
	case i >= 0:
		u.edited(x, u.old[i])
	default:
		if near := u.nearly(x); near != nil {
			u.misses(x, near, fmt.Sprintf("which is not there, and %s is", shortID(near)))
		}
	}
}

// repaired enters what a backend of base missed in the place of one that is there.
func (u *unled) mended(old traffic.Backend) {
	lack, _ := u.once.lacks(u.b, old)
	there := u.now.services(u.o, old.Service)
	var text, path string
	switch {
	case lack == lacksKey:
		text, path = fmt.Sprintf("port %s of Service %s, which has no such port", old.Port.String(), old.Service), old.PortAt
	case lack == lacksObject && (near(u.once, u.b, old.Service) != nil ||
		len(there) > 0 && slices.ContainsFunc(u.where.ch.Changes, func(c object.Change) bool {
			return c.Head == there[0] && c.Base != nil
		})):
		text, path = fmt.Sprintf("Service %s, which is not there", old.Service), old.NameAt
	default:
		return
	}
	u.enter("fixed "+old.Service, Remark{Object: u.b, status: finding.Fixed, paths: []string{path},
		text: fmt.Sprintf("%s leads to %s", u.b.ID, text)})
}

// removed enters a backend that the change takes away.
func (u *unled) removed(x traffic.Backend, had *object.Object) {
	if yes, known := prunes(u.pair.Head); u.broke || kept(had) || known && !yes || u.operated(x.Service) {
		return
	}
	how, next := "which the change removes", u.successor(had)
	switch {
	case next != nil && slices.ContainsFunc(u.where.ch.Changes,
		func(c object.Change) bool { return c.Base == had && c.Head == next }):
		how = became(had, next)
	case next != nil:
		how = "in whose place there is " + next.ID.Name
	}
	u.misses(x, next, how, cause{object: had})
}

// successor is head's replacement for a Service of base: the same under another name, or a new one of its selector;
// nil: none.
func (u *unled) successor(had *object.Object) *object.Object {
	for _, c := range u.where.ch.Changes {
		if c.Base == had && c.Head != nil {
			return c.Head
		}
	}
	var found []*object.Object
	for _, t := range u.pair.Objects(state.Head) {
		if t.ID.Group == "" && t.ID.Kind == "Service" && t.ID.Namespace == had.ID.Namespace && !t.Hook &&
			u.once.counterpart(t) == nil && len(selectorOf(t)) > 0 && maps.Equal(selectorOf(t), selectorOf(had)) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return near(u.now, u.o, had.ID.Name)
}

// edited enters a backend in whose place base had another one, which is still there.
func (u *unled) edited(x, old traffic.Backend) {
	if near := u.nearly(x); near != nil {
		u.misses(x, near, fmt.Sprintf("which is not there, and %s is", shortID(near)))
		return
	}
	was := u.now.services(u.o, old.Service)
	if len(was) == 0 || !u.now.joins(was[0], u.o) || u.open || u.operated(x.Service) {
		return
	}
	reads := u.pair.Head.Reads
	if !u.where.mentioned(x.Service, func(f string) bool { return slices.Contains(reads, f) || f == u.o.Source.File }) {
		u.misses(x, was[0], "of which the repository says nothing else")
	}
}

// nearly is the Service of the same cluster that a backend misses by its spelling; nil: there is none, or several.
func (u *unled) nearly(x traffic.Backend) *object.Object {
	if u.operated(x.Service) {
		return nil
	}
	return near(u.now, u.o, x.Service)
}

// near is the one Service of an object's cluster and namespace whose name is a slip of the pen away; nil: there is
// none, or several.
func near(x *aimIndex, o *object.Object, name string) *object.Object {
	var found *object.Object
	for _, t := range x.objects {
		if t.ID.Group != "" || t.ID.Kind != "Service" || t.ID.Namespace != o.ID.Namespace || !x.joins(t, o) ||
			t.Hook || t.ID.Name == name || len(name) < 4 || !slip(t.ID.Name, name) || lettered(t.ID.Name, name) {
			continue
		}
		if found != nil {
			return nil
		}
		found = t
	}
	return found
}

// delivering are the groups of custom resources that make no Service with a new name: those that bring a release, whose
// content is known, and those that lead to Services.
var delivering = []string{"helm.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io", "argoproj.io",
	"monitoring.coreos.com"}

// operated reports whether a custom resource is there whose controller may make a Service of a name: one that names it,
// or is named like it, or whose name it begins with.
func (u *unled) operated(name string) bool {
	return slices.ContainsFunc(u.where.objects[1], func(o *object.Object) bool {
		g := o.ID.Group
		return strings.Contains(g, ".") && !traffic.IsRoute(o.ID) && !traffic.IsPolicy(o) &&
			!strings.HasSuffix(g, ".k8s.io") && !slices.Contains(delivering, g) &&
			(o.ID.Namespace == u.o.ID.Namespace || o.ID.Namespace == "") &&
			(o.ID.Name == name || strings.HasPrefix(name, o.ID.Name+"-") || speaksOf(o.Content, name, true, ""))
	})
}

// misses enters that there is no Service of a name, with one that is meant; nil: there is none.
func (u *unled) misses(x traffic.Backend, meant *object.Object, how string, causes ...cause) {
	r := Remark{Object: u.o, status: finding.New, paths: []string{x.NameAt}, causes: causes,
		text: fmt.Sprintf("%s leads to Service %s, %s: requests there fail", u.o.ID, x.Service, how),
		with: u.where.open(u.o, meant)}
	r.remedies = byHand(fmt.Sprintf("have Service %s stay until nothing leads to it, or take the %s's rule away with it",
		x.Service, u.o.ID.Kind))
	if meant != nil {
		set := []object.Setting{{Path: x.NameAt, Value: meant.ID.Name}}
		for _, b := range backends(u.o) {
			if b.Service == x.Service && b.NameAt != x.NameAt {
				set = append(set, object.Setting{Path: b.NameAt, Value: meant.ID.Name})
			}
		}
		r.remedies = []Remedy{{Say: "name " + shortID(meant) + ", which is there", Object: u.o, Set: set}}
	}
	u.enter("service "+x.Service, r)
}

// portless enters that a Service has no port of a name or number.
func (u *unled) portless(x traffic.Backend, service *object.Object) {
	s := service.Typed.(*corev1.Service)
	var have []string
	for _, p := range s.Spec.Ports {
		number := protocolPort(traffic.Port{Protocol: p.Protocol, Number: p.Port})
		have = append(have, strings.TrimSpace(p.Name+" "+number))
	}
	r := Remark{Object: u.o, status: finding.New, paths: []string{x.PortAt},
		causes: []cause{{service, []string{"spec.ports"}}}, with: u.where.open(u.o, service),
		text: fmt.Sprintf("%s leads to port %s of %s, which has no such port (%s): requests there fail", u.o.ID,
			x.Port.String(), service.ID, listed(have)),
		remedies: inProtocol(service, s, x)}
	if r.remedies == nil {
		r.remedies = namePort(u.o, x, u.meantPort(x, s))
	}
	if r.remedies == nil {
		r.remedies = byHand(fmt.Sprintf("name one of the ports that Service %s has", x.Service))
		same := func(o traffic.Backend) bool { return o.Key == x.Key }
		if len(u.once.services(u.o, x.Service)) > 0 && slices.ContainsFunc(u.old, same) {
			r.remedies = byHand(fmt.Sprintf("have Service %s keep port %s, or take what leads there away with it", x.Service,
				x.Port.String()))
		}
	}
	u.enter("port "+x.Port.String()+" of "+x.Service, r)
}

// meantPort is the port of a Service that a backend means: the one that is spelt alike, that base had under the name or
// number in question, or the only one, as on base; nil: it is not clear.
func (u *unled) meantPort(x traffic.Backend, s *corev1.Service) *corev1.ServicePort {
	for i, p := range s.Spec.Ports {
		if x.Port.Type == intstr.String && slip(p.Name, x.Port.StrVal) {
			return &s.Spec.Ports[i]
		}
	}
	only := len(s.Spec.Ports) == 1
	for _, t := range u.once.services(u.o, x.Service) {
		was, ok := t.Typed.(*corev1.Service)
		if !ok {
			continue
		}
		only = only && len(was.Spec.Ports) == 1
		if i := slices.IndexFunc(was.Spec.Ports, x.Takes); i >= 0 {
			if k := samePort(s.Spec.Ports, was.Spec.Ports[i]); k >= 0 {
				return &s.Spec.Ports[k]
			}
		}
	}
	if only {
		return &s.Spec.Ports[0]
	}
	return nil
}

// samePort is the place of a port of base among those of head, by its name, its number, or where it leads; -1: it is
// not there.
func samePort(list []corev1.ServicePort, was corev1.ServicePort) int {
	for _, same := range []func(p corev1.ServicePort) bool{
		func(p corev1.ServicePort) bool { return p.Name != "" && p.Name == was.Name },
		func(p corev1.ServicePort) bool { return p.Port == was.Port },
		func(p corev1.ServicePort) bool {
			return p.TargetPort == was.TargetPort && p.TargetPort != intstr.IntOrString{}
		},
	} {
		if i := slices.IndexFunc(list, same); i >= 0 {
			return i
		}
	}
	return -1
}

// inProtocol has a Service serve the port that a backend names in the protocol of the route's requests.
func inProtocol(service *object.Object, s *corev1.Service, x traffic.Backend) []Remedy {
	for i, p := range s.Spec.Ports {
		if p.Protocol = x.Protocol; x.Takes(p) {
			return []Remedy{{Say: fmt.Sprintf("have port %d be of %s, as the requests are", p.Port, x.Protocol), Object: service,
				Set: []object.Setting{{Path: fmt.Sprintf("spec.ports[%d].protocol", i), Value: string(x.Protocol)}}}}
		}
	}
	return nil
}

// namePort has a backend lead to a port that is there.
func namePort(o *object.Object, x traffic.Backend, p *corev1.ServicePort) []Remedy {
	if p == nil {
		return nil
	}
	var value any = int64(p.Port)
	if x.Port.Type == intstr.String {
		if value = p.Name; p.Name == "" {
			return nil
		}
	}
	var set []object.Setting
	for _, b := range backends(o) {
		if b.Service == x.Service && b.Port == x.Port {
			set = append(set, object.Setting{Path: b.PortAt, Value: value})
		}
	}
	return []Remedy{{Say: fmt.Sprintf("name port %v, which Service %s has", value, x.Service), Object: o, Set: set}}
}

// enter adds a remark, or counts it where the same is missed already.
func (u *unled) enter(what string, r Remark) {
	if i, ok := u.by[what]; ok {
		u.found[i].more++
		return
	}
	r.Rule, r.release = rules.DanglingTarget, u.pair.ID
	u.by[what] = len(u.found)
	u.found = append(u.found, r)
}
