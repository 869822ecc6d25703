package static

import (
	"reflect"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// practice is what the API server refuses of the objects that base has in a release. A new object that is refused for
// the same value of the same field, of an object of the same kind, is no worse than what is lived with: whoever applies
// the release fills the value in, or nobody applies it. The metadata of all kinds is one.
type practice struct {
	objects []*object.Object
	refused map[string]field.ErrorList // by [practiceKey]; nil: not asked for yet
}

// knows reports whether an object of base is refused for what an object is.
func (p *practice) knows(o *object.Object, e *field.Error) bool {
	if p.refused == nil {
		p.refused = map[string]field.ErrorList{}
		for _, b := range p.objects {
			if b.Hook || b.Typed == nil && !validation.KnowsCustom(b.Content) {
				continue
			}
			for _, e := range created(b) {
				key := practiceKey(b, e)
				p.refused[key] = append(p.refused[key], e)
			}
		}
	}
	for _, was := range p.refused[practiceKey(o, e)] {
		if reflect.DeepEqual(was.BadValue, e.BadValue) {
			return true
		}
	}
	return false
}

var listIndex = regexp.MustCompile(`\[[0-9]+\]`)

// practiceKey is what two errors have in common that say the same of two objects, their values aside: at whatever
// place in a list.
func practiceKey(o *object.Object, e *field.Error) string {
	scope := o.ID.Group + "/" + o.ID.Kind
	if strings.HasPrefix(e.Field, "metadata.") {
		scope = ""
	}
	return strings.Join([]string{scope, listIndex.ReplaceAllString(e.Field, "[]"), string(e.Type), e.Detail}, "\x00")
}
