package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

// view is the traffic of one cluster on both sides, as far as its releases are known.
type view struct {
	objects [2][]*object.Object
	gone    []*object.Object // of base, that head has no more
	of      [2]*traffic.Cluster
	open    map[string]bool // releases that are not declared to run in it
	changed []object.Change // its differences that matter for traffic
}

// views are the clusters in which something differs for traffic, each seen from a release that does. An image alone
// makes no difference.
func (f *facts) views() []*view {
	if f.traffic != nil {
		return *f.traffic
	}
	out := []*view{}
	f.traffic = &out
	byRelease := map[string][]object.Change{}
	for _, c := range f.ch.Changes {
		if f.ch.Base == nil || f.every || steers(&c) {
			byRelease[c.Release] = append(byRelease[c.Release], c)
		}
	}
	if f.ch.Base == nil {
		for _, r := range f.ch.Head.Releases {
			byRelease[r.ID] = nil
		}
	}
	if len(byRelease) == 0 {
		return nil
	}
	seen := map[string]bool{}
	for _, r := range f.ch.Head.Releases {
		if _, differs := byRelease[r.ID]; !differs || r.Err != nil || r.Switched != "" {
			continue
		}
		in := f.clusterOf(r.ID)
		key := fmt.Sprint(in)
		if !seen[key] {
			seen[key] = true
			out = append(out, f.view(in, byRelease))
		}
	}
	return out
}

// clusterOf says of each release whether it runs in the cluster of one; those that do not are left out.
func (f *facts) clusterOf(release string) map[string]slice.Tie {
	out := map[string]slice.Tie{}
	for _, rev := range []*object.Revision{f.ch.Base, f.ch.Head} {
		if rev == nil {
			continue
		}
		for _, r := range rev.Releases {
			tie := slice.Sure
			if f.ties != nil && r.ID != release {
				tie = f.ties.Around(release, r.ID)
			}
			if tie != slice.Apart && r.Switched == "" {
				out[r.ID] = tie
			}
		}
	}
	return out
}

func (f *facts) view(in map[string]slice.Tie, changes map[string][]object.Change) *view {
	v := &view{open: map[string]bool{}}
	broke := false
	for side, rev := range []*object.Revision{f.ch.Base, f.ch.Head} {
		if rev == nil {
			continue
		}
		for _, r := range rev.Releases {
			switch tie := in[r.ID]; {
			case tie == slice.Apart:
			case r.Err != nil:
				broke = broke || tie == slice.Sure
			case tie == slice.Sure:
				v.objects[side] = append(v.objects[side], r.Objects...)
			default:
				for _, o := range r.Objects {
					if o.ID.Namespace == "" || slice.Places(r, o) {
						v.open[r.ID], v.objects[side] = true, append(v.objects[side], o)
					}
				}
			}
		}
	}
	if !broke { // else nothing is known to be gone
		v.gone = f.goneFrom(v.objects)
	}
	for _, id := range slices.Sorted(maps.Keys(in)) {
		v.changed = append(v.changed, changes[id]...)
	}
	v.of = [2]*traffic.Cluster{traffic.NewCluster(v.objects[state.Base], nil),
		traffic.NewCluster(v.objects[state.Head], v.gone)}
	return v
}

// goneFrom are the objects of base that head deletes.
func (f *facts) goneFrom(objects [2][]*object.Object) []*object.Object {
	there := map[object.ID]bool{}
	for _, o := range objects[state.Head] {
		there[o.ID] = true
	}
	var out []*object.Object
	for _, o := range objects[state.Base] {
		if there[o.ID] || o.Hook || kept(o) {
			continue
		}
		if r := f.where().releaseOf(o); r != nil {
			if yes, known := prunes(r); known && !yes {
				continue
			}
		}
		out = append(out, o)
	}
	return out
}

// steering are the fields of workloads that say whom their pods ask, or by what others find them.
var steering = []string{"labels", "ports", "replicas", "hostNetwork", "env", "args", "command", "dnsPolicy", "selector"}

// steers reports whether a change may make a difference for traffic.
func steers(c *object.Change) bool {
	for _, o := range []*object.Object{c.Base, c.Head} {
		if o == nil {
			continue
		}
		if traffic.IsPolicy(o) || traffic.IsRoute(o.ID) {
			return true
		}
		switch o.ID.Kind {
		case "Service", "Gateway", "ReferenceGrant", "IngressClass", "DestinationRule", "Namespace", "ValidatingWebhookConfiguration",
			"MutatingWebhookConfiguration", "APIService", "CustomResourceDefinition", "ServiceMonitor", "ConfigMap":
			return true
		}
		if m, ok := state.ManifestOf(o.Typed); ok && m.Template() != nil {
			if c.Base == nil || c.Head == nil || c.Base.ID != c.Head.ID {
				return true
			}
			return slices.ContainsFunc(slices.Concat(c.Fields, c.Noise), func(f object.FieldChange) bool {
				return slices.ContainsFunc(steering, func(s string) bool { return strings.Contains(f.Path, s) })
			})
		}
	}
	return false
}

// without is the cluster of head as it would be if one change were not there.
func (v *view) without(c *object.Change) *traffic.Cluster {
	var objects []*object.Object
	put := false
	for _, o := range v.objects[state.Head] {
		switch {
		case o != c.Head:
			objects = append(objects, o)
		case c.Base != nil:
			objects, put = append(objects, c.Base), true
		}
	}
	gone := v.gone
	if c.Base != nil && !put {
		objects = append(objects, c.Base)
	}
	return traffic.NewCluster(objects, slices.DeleteFunc(slices.Clone(gone),
		func(o *object.Object) bool { return o == c.Base }))
}

// mostBlamed bounds the changes that are tried for one cut.
const mostBlamed = 24

// blames are the changes without which a request would arrive; where there is none, it takes several.
func (v *view) blames(a traffic.Ask) []cause {
	var out []cause
	for i := range v.changed {
		if i == mostBlamed {
			break
		}
		c := &v.changed[i]
		if v.without(c).Reach(v.again(a, c)).Answer != traffic.No {
			out = append(out, causeOf(c))
		}
	}
	return out
}

// again is a request as it would be without a change: with the labels that its caller has then.
func (v *view) again(a traffic.Ask, c *object.Change) traffic.Ask {
	if c.Head == nil || c.Base == nil || a.By.Object != c.Head {
		return a
	}
	for _, b := range v.asks(state.Base) {
		if b.Key == a.Key {
			return b
		}
	}
	return a
}

func causeOf(c *object.Change) cause {
	o := c.Head
	if o == nil {
		return cause{object: c.Base}
	}
	var paths []string
	for _, f := range slices.Concat(c.Fields, c.Noise) {
		paths = append(paths, f.Path)
	}
	return cause{o, paths}
}

// differences are the changes to an object of base; nil: none.
func (v *view) differences(o *object.Object) []cause {
	for i := range v.changed {
		if c := &v.changed[i]; c.Base == o {
			return []cause{causeOf(c)}
		}
	}
	return nil
}

func (v *view) asks(side state.Version) []traffic.Ask { return v.of[side].Asks() }

// stranger is the release of the first object that is not declared to run in the cluster of the first one; "": there is
// none.
func (v *view) stranger(of *object.Object, list ...*object.Object) string {
	for _, o := range list {
		if o != nil && o.Release != of.Release && (v.open[o.Release] || v.open[of.Release]) {
			return o.Release
		}
	}
	return ""
}

// along are the objects that a request meets on its way.
func along(a traffic.Ask, r traffic.Reach) []*object.Object {
	out := []*object.Object{a.By.Object, r.Service}
	for _, f := range r.Because {
		out = append(out, f.Object)
	}
	for _, w := range r.To {
		out = append(out, w.Object)
	}
	return out
}

// protocolPort words a port.
func protocolPort(p traffic.Port) string {
	if p.Protocol == corev1.ProtocolTCP || p.Protocol == "" {
		return itoa(p.Number)
	}
	return itoa(p.Number) + "/" + string(p.Protocol)
}
