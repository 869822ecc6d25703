package static

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var overfills = Analyzer{Name: "quotas", Rule: rules.ApplyRejected, Run: overfull,
	Doc: "an object for which a ResourceQuota has no room, or a claim that a LimitRange refuses"}

// overfull lists the objects of a release that come, or that take more than before, and are refused for that by a
// LimitRange or a ResourceQuota of their namespace, in whatever release of the cluster it is. What is counted is what
// the releases declare, so that the cluster has at least as much. Pods are the search's.
func overfull(p *Pass) []Remark {
	var out []Remark
	limits := p.limits(state.Head)
	if len(limits) == 0 {
		return nil
	}
	for _, o := range p.Objects(state.Head) {
		if o.Hook || o.Undecodable() || len(limits[o.ID.Namespace]) == 0 {
			continue
		}
		was := p.once().again(o)
		more := p.grows(o, was)
		if len(more) == 0 {
			continue
		}
		for _, by := range limits[o.ID.Namespace] {
			tie := p.where().tie(by, o)
			if tie == slice.Apart {
				continue
			}
			r, with := p.refusedBy(by, o, more)
			if r == nil {
				continue
			}
			if tie == slice.Open {
				with = by.Release
			}
			out = append(out, overfullRemark(o, by, r, with))
			break
		}
	}
	return out
}

// limits are the LimitRanges and ResourceQuotas of a version, by namespace.
func (f *facts) limits(v state.Version) map[string][]*object.Object {
	if f.bounds[v] == nil {
		f.bounds[v] = map[string][]*object.Object{}
		for _, o := range f.where().objects[v] {
			switch o.Typed.(type) {
			case *corev1.LimitRange, *corev1.ResourceQuota:
				if !o.Hook {
					f.bounds[v][o.ID.Namespace] = append(f.bounds[v][o.ID.Namespace], o)
				}
			}
		}
	}
	return f.bounds[v]
}

// grows is what an object takes of quotas beyond what base's took.
func (p *Pass) grows(o, was *object.Object) corev1.ResourceList {
	more := useOf(o)
	if was == nil {
		return more
	}
	before := useOf(was)
	for name, q := range more {
		if q.Sub(before[name]); q.Sign() <= 0 {
			delete(more, name)
			continue
		}
		more[name] = q
	}
	return more
}

// useOf is what an object takes of quotas.
func useOf(o *object.Object) corev1.ResourceList {
	return admission.ObjectUse(schema.GroupKind{Group: o.ID.Group, Kind: o.ID.Kind}, o.Typed)
}

// refusedBy is why a LimitRange or a quota refuses an object that takes more, and a release on which that rests and of
// which nobody says that it runs in the quota's cluster; "": none.
func (p *Pass) refusedBy(by, o *object.Object, more corev1.ResourceList) (*state.Refusal, string) {
	switch t := by.Typed.(type) {
	case *corev1.LimitRange:
		if claim, ok := o.Typed.(*corev1.PersistentVolumeClaim); ok {
			return admission.ClaimRefusal(claim.Spec.Resources.Requests, []*corev1.LimitRange{t}), ""
		}
	case *corev1.ResourceQuota:
		if all, _ := admission.OverQuota(t, more, t.Spec.Hard); all == nil {
			return nil, "" // it counts nothing of this
		}
		sure, open, with := p.taken(by, o)
		if r, _ := admission.OverQuota(t, more, sure); r != nil {
			return r, ""
		}
		if with != "" {
			r, _ := admission.OverQuota(t, more, open)
			return r, with
		}
	}
	return nil, ""
}

// taken is what a quota has given away before an object asks: to what stays of base, and to what comes before the
// object, in the order of names. open counts releases of which nobody says that they run in the quota's cluster, too,
// of which with is one.
func (p *Pass) taken(by, o *object.Object) (sure, open corev1.ResourceList, with string) {
	sure, open = corev1.ResourceList{}, corev1.ResourceList{}
	counted := map[object.ID]bool{}
	list := slices.DeleteFunc(slices.Clone(p.where().objects[state.Head]), func(x *object.Object) bool {
		return x.Hook || x.ID.Namespace != by.ID.Namespace || p.where().tie(x, by) == slice.Apart
	})
	slices.SortStableFunc(list, func(a, b *object.Object) int { // an object that two releases have: the surer one counts
		return cmp.Compare(p.where().tie(b, by), p.where().tie(a, by))
	})
	for _, x := range list {
		if counted[x.ID] {
			continue
		}
		counted[x.ID] = true
		use := useOf(x)
		if x.ID == o.ID || x.ID.Compare(o.ID) > 0 { // as it was, until its turn comes
			was := p.once().again(x)
			if was == nil {
				continue
			}
			use = useOf(was)
		}
		if addTo(open, use); p.where().tie(x, by) == slice.Sure {
			addTo(sure, use)
		} else if with == "" {
			with = x.Release
		}
	}
	return sure, open, with
}

func addTo(sum, list corev1.ResourceList) {
	for name, q := range list {
		have := sum[name]
		have.Add(q)
		sum[name] = have
	}
}

// overfullRemark is about one object.
func overfullRemark(o, by *object.Object, r *state.Refusal, with string) Remark {
	out := Remark{Object: o, paths: []string{"metadata.name"}, with: with, shape: by.ID.String() + " " + r.Field,
		text:   fmt.Sprintf("%s is refused: %s", o.ID, strings.TrimPrefix(r.Text, "forbidden: ")),
		causes: []cause{{by, []string{r.Field, "spec"}}}}
	if o.ID.Kind == "PersistentVolumeClaim" {
		out.paths = []string{"spec.resources.requests[storage]", "spec.resources", "metadata.name"}
	}
	if r.Enough != "" {
		out.remedies = []Remedy{{
			Say:    fmt.Sprintf("set %s of %s %s to %s", r.Field, by.ID.Kind, by.ID.Name, r.Enough),
			Cost:   "the namespace may use more",
			Object: by, Set: []object.Setting{{Path: r.Field, Value: asWritten(by, r.Field, r.Enough)}},
		}}
	}
	return out
}
