package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/storage/volume"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var elsewhere = Analyzer{Name: "volumes", Rule: rules.Unschedulable, Run: volumesElsewhere,
	Doc: "pods that may run only where their volumes cannot be"}

// A place is where a volume of a workload can be: some terms of node labels, as an object says that decides it.
type place struct {
	what  string // the claim, or the template that makes one
	terms []corev1.NodeSelectorTerm
	by    *object.Object
	field string
}

// volumesElsewhere says which workloads ask for nodes by a label whose values exclude those of a volume: no node can be
// both, whatever nodes there are. A volume that base has stays where base put it, and a StorageClass that changes
// decides on the next claims alone.
//
// Upstream: kubernetes v1.36.3, pkg/scheduler/framework/plugins/volumebinding: (*volumeBinder).FindPodVolumes.
func volumesElsewhere(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		m, ok := state.ManifestOf(o.Typed)
		if !ok || o.Hook || m.Kind() == state.DaemonSet {
			continue
		}
		asked := nodeTerms(m.Pod())
		b := p.before().counterpart(o)
		then := map[string]place{}
		var askedThen []corev1.NodeSelectorTerm
		if b != nil {
			if was, ok := state.ManifestOf(b.Typed); ok {
				askedThen = nodeTerms(was.Pod())
				for _, x := range p.places(state.Base, b) {
					then[x.what] = x
				}
			}
		}
		for _, x := range p.places(state.Head, o) {
			there, lives := then[x.what]
			switch {
			case lives && disjoint(asked, there.terms):
				if !disjoint(askedThen, there.terms) {
					out = append(out, p.elsewhere(o, there, asked))
				}
			case disjoint(asked, x.terms) && lives:
				r := p.elsewhere(o, x, asked)
				r.searched, r.Conditional, r.remedies = false, true, nil
				r.text = strings.Replace(r.text, "pods of "+o.ID.String()+" stay pending: they ask",
					"the next pod of "+o.ID.String()+" that needs a new claim stays pending: it asks", 1)
				out = append(out, r)
			case disjoint(asked, x.terms):
				out = append(out, p.elsewhere(o, x, asked))
			}
		}
	}
	return out
}

// elsewhere is about one volume.
func (p *Pass) elsewhere(o *object.Object, x place, asked []corev1.NodeSelectorTerm) Remark {
	key, here, there := clash(asked[0], x.terms[0])
	r := Remark{Object: o, status: finding.New, searched: true,
		paths: []string{"spec.template.spec.nodeSelector", "spec.template.spec.affinity.nodeAffinity", "spec.template.spec"},
		text: fmt.Sprintf("pods of %s stay pending: they ask for %s %s, and %s has the volume of %s in %s only", o.ID, key,
			strings.Join(here, " or "), x.by.ID, x.what, strings.Join(there, " or ")),
		causes: []cause{{x.by, []string{x.field, "spec"}}}}
	path := "spec.template.spec.nodeSelector[" + key + "]"
	if _, set := o.At(path); set {
		r.remedies = []Remedy{{Say: "ask for " + there[0] + ", where the volume is", Object: o,
			Set: []object.Setting{{Path: path, Value: there[0]}}}}
	}
	if p.where().tie(x.by, o) != slice.Sure {
		r.with = x.by.Release
	}
	return r
}

// places are where the volumes of a workload of a version can be, as far as something says so by labels of nodes.
func (p *Pass) places(v state.Version, o *object.Object) []place {
	var out []place
	m, _ := state.ManifestOf(o.Typed)
	for _, x := range m.Pod().Volumes {
		if x.PersistentVolumeClaim == nil {
			continue
		}
		id := object.ID{Kind: "PersistentVolumeClaim", Namespace: o.ID.Namespace, Name: x.PersistentVolumeClaim.ClaimName}
		if c := p.find(v, id.String()); c != nil {
			if t, ok := c.Typed.(*corev1.PersistentVolumeClaim); ok {
				out = p.add(out, v, "claim "+t.Name, t)
			}
		}
	}
	if set, ok := o.Typed.(*appsv1.StatefulSet); ok {
		for i := range set.Spec.VolumeClaimTemplates {
			t := &set.Spec.VolumeClaimTemplates[i]
			out = p.add(out, v, "claim template "+t.Name, t)
		}
	}
	return out
}

// add adds the place of a claim's volume, if it is known.
func (p *Pass) add(list []place, v state.Version, what string, c *corev1.PersistentVolumeClaim) []place {
	if c.Spec.VolumeName != "" {
		o := p.find(v, object.ID{Kind: "PersistentVolume", Name: c.Spec.VolumeName}.String())
		if o == nil {
			return list
		}
		t, ok := o.Typed.(*corev1.PersistentVolume)
		if !ok || t.Spec.NodeAffinity == nil || t.Spec.NodeAffinity.Required == nil {
			return list
		}
		return append(list, place{what, t.Spec.NodeAffinity.Required.NodeSelectorTerms, o, "spec.nodeAffinity"})
	}
	class := volume.GetPersistentVolumeClaimClass(c)
	if class == "" {
		return list
	}
	o := p.find(v, object.ID{Group: storagev1.GroupName, Kind: "StorageClass", Name: class}.String())
	if o == nil {
		return list
	}
	t, ok := o.Typed.(*storagev1.StorageClass)
	if !ok || len(t.AllowedTopologies) == 0 {
		return list
	}
	x := place{what: what, by: o, field: "allowedTopologies"}
	for _, a := range t.AllowedTopologies {
		var term corev1.NodeSelectorTerm
		for _, e := range a.MatchLabelExpressions {
			term.MatchExpressions = append(term.MatchExpressions,
				corev1.NodeSelectorRequirement{Key: e.Key, Operator: corev1.NodeSelectorOpIn, Values: e.Values})
		}
		x.terms = append(x.terms, term)
	}
	return append(list, x)
}

// nodeTerms are the nodes that a pod requires: one of the terms has to match.
func nodeTerms(spec *corev1.PodSpec) []corev1.NodeSelectorTerm {
	terms := []corev1.NodeSelectorTerm{{}}
	if a := spec.Affinity; a != nil && a.NodeAffinity != nil {
		if hard := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; hard != nil {
			terms = slices.Clone(hard.NodeSelectorTerms)
		}
	}
	for i := range terms {
		list := slices.Clone(terms[i].MatchExpressions)
		for _, key := range slices.Sorted(maps.Keys(spec.NodeSelector)) {
			list = append(list, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn,
				Values: []string{spec.NodeSelector[key]}})
		}
		terms[i].MatchExpressions = list
	}
	return terms
}

// disjoint reports whether no node can match a term of both lists.
func disjoint(a, b []corev1.NodeSelectorTerm) bool {
	for _, x := range a {
		for _, y := range b {
			if key, _, _ := clash(x, y); key == "" {
				return false
			}
		}
	}
	return len(a) > 0 && len(b) > 0
}

// clash is a label of which two terms want other values; "": there is none.
func clash(a, b corev1.NodeSelectorTerm) (key string, here, there []string) {
	for _, x := range a.MatchExpressions {
		for _, y := range b.MatchExpressions {
			in := x.Operator == corev1.NodeSelectorOpIn && y.Operator == corev1.NodeSelectorOpIn
			if in && plainKey(x.Key) == plainKey(y.Key) &&
				!slices.ContainsFunc(x.Values, func(s string) bool { return slices.Contains(y.Values, s) }) {
				return x.Key, x.Values, y.Values
			}
		}
	}
	return "", nil, nil
}

// plainKey is the label that has the same values as one of a driver's own, or of an older Kubernetes.
func plainKey(key string) string {
	switch key {
	case corev1.LabelFailureDomainBetaZone, "topology.ebs.csi.aws.com/zone", "topology.gke.io/zone",
		"topology.disk.csi.azure.com/zone":
		return corev1.LabelTopologyZone
	case corev1.LabelFailureDomainBetaRegion:
		return corev1.LabelTopologyRegion
	}
	return key
}
