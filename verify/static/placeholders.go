package static

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// OnPods reports whether an object is a workload, or of a kind that acts on pods.
func OnPods(o *object.Object) bool {
	switch o.Typed.(type) {
	case *corev1.ResourceQuota, *corev1.LimitRange, *schedulingv1.PriorityClass, *corev1.PersistentVolumeClaim:
		return true
	}
	_, modeled := state.ManifestOf(o.Typed)
	return modeled || slice.RunsPods(o) || Targeting(o)
}

// Limits reports whether an object acts from beside on a workload: it counts the pods of the namespace, or ranks,
// scales or keeps those of the workload.
func Limits(o, workload *object.Object) bool {
	switch x := o.Typed.(type) {
	case *corev1.ResourceQuota, *corev1.LimitRange:
		return o.ID.Namespace == workload.ID.Namespace
	case *schedulingv1.PriorityClass:
		m, ok := state.ManifestOf(workload.Typed)
		return ok && m.Template().Spec.PriorityClassName == x.Name
	}
	return Targeting(o) && Aims(o, workload)
}

var aboveSpec = regexp.MustCompile(`^spec\.(?:(?:jobTemplate\.spec\.)?template\.spec\.)?`)

// ReachesPods reports whether a field of such an object may matter to where, how many and whether pods are.
func ReachesPods(path string) bool {
	if strings.Contains(path, "annotations") || strings.HasPrefix(path, "status") {
		return false
	}
	in := aboveSpec.FindString(path)
	return !strings.HasSuffix(in, "template.spec.") || kube.PlacesPods(strings.TrimPrefix(path, in))
}

// Placeholders are the texts by which the objects of a release find each other.
type Placeholders struct {
	labels     map[string]map[string]bool // of pods and selectors, by key
	names      map[string]bool
	lost       bool // a reference leads to none of the names
	namespaces map[string]bool
}

// NewPlaceholders reads the objects of a release.
func NewPlaceholders(list []*object.Object) *Placeholders {
	u := &Placeholders{labels: map[string]map[string]bool{}, names: map[string]bool{}, namespaces: map[string]bool{}}
	list = slices.DeleteFunc(slices.Clone(list), func(o *object.Object) bool { return !OnPods(o) })
	if !slices.ContainsFunc(list, func(o *object.Object) bool { return len(o.Unknown) > 0 }) {
		return u
	}
	for _, o := range list {
		u.names[o.ID.Name], u.namespaces[o.ID.Namespace] = true, true
	}
	for _, o := range list {
		fieldpath.Leaves(o.Content, nil, func(p fieldpath.Path, v any) {
			text, _ := v.(string)
			switch key, selects := labelAt(p); {
			case key != "":
				if u.labels[key] == nil {
					u.labels[key] = map[string]bool{}
				}
				u.labels[key][text] = true
			case selects:
				u.labels[text] = map[string]bool{"": true, text: true} // an expression compares it with others
			case isReference(p):
				u.lost = u.lost || !u.names[text]
			}
		})
	}
	return u
}

// labelAt is the key of a pod's label, or of one in a selector, that stands at a path, or whether its value is such a
// key.
func labelAt(p fieldpath.Path) (key string, selects bool) {
	n := len(p)
	if n < 3 || p[0].Key == "metadata" {
		return "", false
	}
	switch p[n-2].Key {
	case "labels", "matchLabels", "selector":
		return p[n-1].Key, false
	}
	return "", p[n-1].Key == "key" && p[n-2].Index >= 0 && p[n-3].Key == "matchExpressions"
}

func isReference(p fieldpath.Path) bool {
	n := len(p)
	return n > 1 && p[n-1].Key == "name" && (p[n-2].Key == "scaleTargetRef" || p[n-2].Key == "targetRef")
}

// Matters is the first field of an object that holds a placeholder that decides on the object's effect on pods, or
// theirs on it; "": there is none.
func (u *Placeholders) Matters(o *object.Object) string {
	if len(o.Unknown) == 0 || o.Hook || !OnPods(o) {
		return ""
	}
	_, service := o.Typed.(*corev1.Service)
	_, claim := o.Typed.(*corev1.PersistentVolumeClaim)
	for _, path := range o.Unknown {
		p := fieldpath.Parse(path)
		key, _ := labelAt(p)
		text, _ := p.Get(o.Content)
		switch {
		case path == "metadata.name":
			if u.lost {
				return path
			}
		case path == "metadata.namespace":
			if len(u.namespaces) > 1 {
				return path
			}
		case p[0].Key == "metadata" || claim || !ReachesPods(path):
		case key != "":
			if len(u.labels[key]) > 1 {
				return path
			}
		case service:
		case isReference(p):
			if name, _ := text.(string); !u.names[name] {
				return path
			}
		default:
			return path
		}
	}
	return ""
}
