package typed

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// Fill is an object with something in the place of its placeholders, whose fields are given: one for a number or a
// quantity, a thousandth for one of processors, none for a quota's, false for a switch, the default for one of a few
// words. text makes texts and keys of those that are there; nil: they stay.
func Fill(content map[string]any, unknown []string, text func(string) string) map[string]any {
	out := fieldpath.DeepCopy(content).(map[string]any)
	gvk := document.GVK(content)
	if gv, old := ReadAs[gvk]; old {
		gvk = gv.WithKind(gvk.Kind)
	}
	var root reflect.Type
	if obj, err := scheme.Scheme.New(gvk); err == nil {
		root = reflect.TypeOf(obj)
	}
	for _, path := range unknown {
		p := fieldpath.Parse(path)
		t := root
		for _, step := range p {
			t = bare(typeAt(t, step))
		}
		v, _ := p.Get(out)
		if key := p[len(p)-1].Key; text != nil && key != "" && text(key) != key {
			p.Blank(out)
			p[len(p)-1] = fieldpath.Key(text(key))
			p.Put(out, v)
		}
		switch was, isText := v.(string); {
		case !isText:
		case gvk.Kind == "ResourceQuota" && t == reflect.TypeFor[resource.Quantity]():
			p.Blank(out)
		case p[len(p)-1].Key == "cpu" && t == reflect.TypeFor[resource.Quantity]():
			p.Put(out, "1m")
		case t == reflect.TypeFor[resource.Quantity](), t == reflect.TypeFor[intstr.IntOrString](),
			t != nil && t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64:
			p.Put(out, int64(1))
		case t == reflect.TypeFor[metav1.Duration]():
			p.Put(out, "1s")
		case t != nil && t.Kind() == reflect.Bool:
			p.Put(out, false)
		case t != nil && t.Kind() == reflect.String && t.PkgPath() != "":
			p.Blank(out)
		case text != nil:
			p.Put(out, text(was))
		}
	}
	return out
}
