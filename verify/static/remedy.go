package static

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// Remedy is one way to repair an object.
type Remedy struct {
	Say, Cost string         // an order, without a full stop, and what it costs; no cost is nothing
	Object    *object.Object // that it changes; nil: it is a step for a person, which nothing can try
	Set       []object.Setting
	With      []Change // to other objects of its release, which belong to it
	// Before are fields of what base applied, which a step before the change sets otherwise.
	Before []object.Setting
	// First says that it is a separate change, which is applied before this one: Object is base's then, as are those
	// that it changes Also.
	First bool
	Also  []*object.Object
	// Drops says that it leaves out something that the author asked for and nothing else gives: it never counts as a
	// verified fix, however good the rest is.
	Drops bool
	// Stay are objects of base that are left there by a separate change, which is applied before this one.
	Stay []*object.Object
}

// Change are fields of one object, set otherwise.
type Change struct {
	Object      *object.Object
	Set, Before []object.Setting // Before as a [Remedy] has it
}

// Earlier are the changes of which something is set before, on base.
func (r Remedy) Earlier() []Change {
	var out []Change
	for _, c := range append([]Change{{r.Object, r.Set, r.Before}}, r.With...) {
		if c.Before != nil {
			out = append(out, c)
		}
	}
	return out
}

// byHand is an order for a person.
func byHand(say string) []Remedy { return []Remedy{{Say: say}} }

// shortID is an object without its API group.
func shortID(o *object.Object) string { return o.ID.Kind + " " + o.ID.Name }

// comeEarlier has an object come before another one that cannot do without it.
func (s steps) comeEarlier(o, target *object.Object) []Remedy {
	at, _ := s.of(o)
	wave := fmt.Sprint(at.wave - 1)
	notes, cost := map[string]any{}, ""
	switch hooks := hooksOf(o, "helm.sh/hook"); {
	case s.helm && len(hooks) > 0:
		notes["helm.sh/hook"], notes["helm.sh/hook-weight"] = strings.Join(hooks, ","), wave
		cost = "Helm does not remove it with the release"
	case s.argo && len(hooksOf(o, "argocd.argoproj.io/hook")) > 0:
		notes["argocd.argoproj.io/hook"], notes["argocd.argoproj.io/sync-wave"] = strings.Join(hooksOf(o,
			"argocd.argoproj.io/hook"), ","), wave
		cost = "Argo CD creates it again at each sync"
	case s.argo:
		notes["argocd.argoproj.io/sync-wave"] = wave
	default:
		return nil
	}
	return []Remedy{{Say: fmt.Sprintf("apply %s before %s, in a separate hook or wave", shortID(target), shortID(o)),
		Cost: cost, Object: target, Set: []object.Setting{{Path: "metadata.annotations", Value: notes}}}}
}

// Remedies are ways to satisfy the API server.
func (x *Applied) Remedies(errs field.ErrorList) []Remedy {
	if len(x.Back) > 0 || len(errs) == 0 {
		return nil
	}
	if list := asMeant(x.Head); list != nil {
		return list
	}
	var set []object.Setting
	var names []string
	for _, e := range errs {
		if s, name := respelt(x.Head, e.Field); s != nil && !strings.Contains(e.Detail, "it belongs at ") {
			set, names = append(set, s...), append(names, name)
		} else if v := valueMeant(x.Head, e); v != nil {
			set, names = append(set, object.Setting{Path: e.Field, Value: v}), append(names, fmt.Sprintf("%s: %v", e.Field, v))
		}
	}
	if len(names) == len(errs) {
		return []Remedy{{Say: "write " + strings.Join(names, ", "), Object: x.Head, Set: set}}
	}
	if list := rehomed(x.Head, errs); len(list) > 0 {
		return list
	}
	path := errs[0].Field
	switch t := x.Head.Typed.(type) {
	case *policyv1.PodDisruptionBudget:
		if t.Spec.MinAvailable != nil && t.Spec.MaxUnavailable != nil {
			return []Remedy{{Say: "remove minAvailable: a budget has one of the two, and maxUnavailable keeps up with the number of replicas", Object: x.Head,
				Set: []object.Setting{{Path: "spec.minAvailable"}}, Drops: true}}
		}
	case *appsv1.Deployment:
		if path == "spec.strategy.rollingUpdate.maxUnavailable" {
			return []Remedy{{Say: "set maxUnavailable: 1 beside maxSurge: 0: one of them has to let the rollout go on",
				Cost: "one replica fewer during a rollout", Object: x.Head,
				Set: []object.Setting{{Path: path, Value: 1}}}}
		}
		if path == "spec.selector" && x.Base != nil {
			return append(x.selectorKept(), byHand("keep version labels out of spec.selector, which cannot change; to change it once, delete the Deployment without its pods (kubectl delete --cascade=orphan) before the apply")...)
		}
	case *appsv1.DaemonSet:
		if path == "spec.selector" && x.Base != nil {
			return x.selectorKept()
		}
		if path == "spec.updateStrategy.rollingUpdate.maxSurge" && t.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable != nil {
			return []Remedy{{Say: "remove maxSurge: a DaemonSet can use maxSurge or maxUnavailable, not both",
				Object: x.Head, Set: []object.Setting{{Path: path}}, Drops: true}}
		}
	case *appsv1.StatefulSet:
		const anew = "delete the StatefulSet without its pods (kubectl delete --cascade=orphan) before the apply"
		var out []Remedy
		if x.Base != nil && !x.again {
			out = x.anewOverPods(t)
			if was, ok := selected(x.Base); ok && !maps.Equal(was, podSelector(x.Head)) {
				out = append(x.selectorKept(), out...)
			}
		}
		if x.Base != nil && !x.again && resizes(x.Base, t) {
			return append(out, byHand("resize the claims themselves (kubectl edit pvc), then "+anew)...)
		}
		if x.Base != nil && !x.again {
			return append(out, byHand("leave these fields as they are; to change them once, "+anew)...)
		}
	case *batchv1.Job:
		return x.jobAnew(t)
	}
	return nil
}

// asMeant gives an object the kind, or the version, that it was meant to be of.
func asMeant(o *object.Object) []Remedy {
	meant, ok := validation.Meant(o.Content)
	if !ok || o.Typed != nil {
		return nil
	}
	var set []object.Setting
	var words []string
	for _, s := range []object.Setting{
		{Path: "apiVersion", Value: meant.GroupVersion().String()}, {Path: "kind", Value: meant.Kind},
	} {
		if o.Content[s.Path] != s.Value {
			set, words = append(set, s), append(words, fmt.Sprintf("%s: %s", s.Path, s.Value))
		}
	}
	return []Remedy{{Say: "write " + strings.Join(words, " and "), Object: o, Set: set}}
}

// valueMeant is the value that a field was evidently meant to have; nil: it is not known, or a Secret's.
func valueMeant(o *object.Object, e *field.Error) any {
	if _, secret := o.Typed.(*corev1.Secret); secret {
		return nil
	}
	for _, r := range o.Refused {
		if r.Path == e.Field && r.Meant != nil {
			return r.Meant
		}
	}
	if v := supported(e); v != "" {
		return v
	}
	return nil
}

// supported is the one value of those that a field may have which begins with what it has, or is it with a slip of the
// pen; "": there is none, or several.
func supported(e *field.Error) string {
	bad := reflect.Indirect(reflect.ValueOf(e.BadValue))
	list, ok := strings.CutPrefix(e.Detail, "supported values: ")
	if e.Type != field.ErrorTypeNotSupported || !ok || bad.Kind() != reflect.String || bad.String() == "" {
		return ""
	}
	have := bad.String()
	found := ""
	for _, quoted := range strings.Split(list, ", ") {
		v, err := strconv.Unquote(quoted)
		if err != nil || !strings.HasPrefix(strings.ToLower(v), strings.ToLower(have)) && !slip(v, have) {
			continue
		}
		if found != "" {
			return ""
		}
		found = v
	}
	return found
}

// resizes reports whether a claim template of a StatefulSet asks for another size than before.
func resizes(before *object.Object, now *appsv1.StatefulSet) bool {
	old, ok := before.Typed.(*appsv1.StatefulSet)
	if !ok {
		return false
	}
	for _, a := range old.Spec.VolumeClaimTemplates {
		for _, b := range now.Spec.VolumeClaimTemplates {
			if a.Name == b.Name && a.Spec.Resources.Requests.Storage().Cmp(*b.Spec.Resources.Requests.Storage()) != 0 {
				return true
			}
		}
	}
	return false
}

// respelt gives a field that the API does not have its nearest known name, and the order for it: "replicas, not
// replica".
func respelt(o *object.Object, path string) ([]object.Setting, string) {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || o.Typed == nil || strings.HasSuffix(path, "]") {
		return nil, ""
	}
	parent, name := path[:dot], path[dot+1:]
	at := typeAt(o, parent)
	if at == nil {
		return nil, ""
	}
	value, known := o.At(path)
	best, least, several := "", max(len(name)/3, 1)+1, false
	for known := range typed.FieldsOf(at) {
		d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(known), nil)
		switch {
		case d < least:
			best, least, several = known, d, false
		case d == least:
			several = true
		}
	}
	if !known || best == "" || several {
		return nil, ""
	}
	if _, there := o.At(parent + "." + best); there {
		return nil, ""
	}
	return []object.Setting{{Path: path},
		{Path: parent + "." + best, Value: value}}, fmt.Sprintf("%s instead of %s", best, name)
}
