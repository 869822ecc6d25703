package static

import (
	"reflect"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// practice are the errors for which the API server refuses objects that base has in a release. A new object that is
// refused for the same value of the same field, in an object of the same kind, is no worse: the value is filled in when
// the release is applied, or the release is never applied. The metadata of all kinds is one.
type practice struct {
	objects []*object.Object
	refused map[string]field.ErrorList // by [practiceKey]; nil: not asked for yet
}

// knows reports whether an object of base is refused for the same errors as an object.
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

// practiceKey is equal for two errors that say the same of two objects, apart from their values: at any place in a
// list.
func practiceKey(o *object.Object, e *field.Error) string {
	scope := o.ID.Group + "/" + o.ID.Kind
	if strings.HasPrefix(e.Field, "metadata.") {
		scope = ""
	}
	return strings.Join([]string{scope, listIndex.ReplaceAllString(e.Field, "[]"), string(e.Type), e.Detail}, "\x00")
}
