package typed

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
)

// typeError is a value that is not of its field's type.
type typeError struct {
	at    fieldpath.Path // empty where unknown
	value any
	wants reflect.Type // nil if no other text is taken for the intended value
	text  string
}

func (e *typeError) Error() string { return e.text }

// mostWrong is the number of values of wrong types that are listed of one object. Where there are more, the other ones
// are left out of Typed with the top-level fields that hold them.
const mostWrong = 20

// Decode decodes an object into upstream's type and defaults it. A value that is not of its field's type is refused,
// and the rest is decoded all the same. The evidently intended value replaces it, or nothing. Errors: those for which
// no field is to blame.
func Decode(content map[string]any) (Object, error) {
	d, err := decode(content)
	if err == nil {
		return d, nil
	}
	rest := fieldpath.DeepCopy(content).(map[string]any)
	var wrong []object.Refusal
	for range mostWrong + len(content) {
		e, ok := err.(*typeError)
		if !ok || len(e.at) == 0 {
			return d, err
		}
		if _, there := e.at.Get(rest); !there { // of a version that is converted before it is decoded
			return d, err
		}
		path := e.at.String()
		again := slices.ContainsFunc(wrong, func(r object.Refusal) bool { return r.Path == path })
		switch {
		case again: // its replacement does not decode either
			e.at.Blank(rest)
			wrong[len(wrong)-1].Meant = nil
		case len(wrong) == mostWrong:
			e.at[:1].Blank(rest)
		default:
			r := object.Refusal{Path: path, Text: e.text, Undecodable: true, Meant: e.meant()}
			wrong = append(wrong, r)
			switch likely := e.likely(); {
			case r.Meant != nil:
				e.at.Set(rest, r.Meant)
			case likely != nil:
				e.at.Set(rest, likely)
			default:
				e.at.Blank(rest)
			}
		}
		if d, err = decode(rest); err == nil {
			d.Refused = append(d.Refused, wrong...)
			slices.SortFunc(d.Refused, func(a, b object.Refusal) int { return strings.Compare(a.Path, b.Path) })
			return d, nil
		}
	}
	return d, err
}

// cannotBe is the reason why a decoded object cannot be as it is written, apart from known errors; nil: it can, as far
// as types go.
func (d Object) cannotBe(known []object.Refusal) error {
	for _, r := range d.Refused {
		was := slices.ContainsFunc(known, func(k object.Refusal) bool { return k.Undecodable && k.Path == r.Path })
		if r.Undecodable && !was {
			return fmt.Errorf("%s: %s", r.Path, r.Text)
		}
	}
	return nil
}

var (
	wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	// blankInQuantity matches a quantity, and what may stand between its number and its unit.
	blankInQuantity = regexp.MustCompile(`^([-+]?[0-9.]+)\s*([a-zA-Z]*)$`)
	// misspeltUnit matches a quantity with a unit in whatever case, or with a B.
	misspeltUnit = regexp.MustCompile(`(?i)^[0-9.]+ *[kmgtpe]i?b?$`)
)

// meant is the value that could have been the only one that was meant, of a number or boolean in quotes or a quantity
// with blanks; nil: it is not evident.
func (e *typeError) meant() any {
	text, isText := e.value.(string)
	if e.wants == nil || !isText {
		return nil
	}
	text = strings.TrimSpace(text)
	wants := bare(e.wants)
	switch {
	case wants == reflect.TypeFor[resource.Quantity]():
		if m := blankInQuantity.FindStringSubmatch(text); m != nil {
			if _, err := resource.ParseQuantity(m[1] + m[2]); err == nil {
				return m[1] + m[2]
			}
		}
	case wants.Kind() == reflect.Bool && (text == "true" || text == "false"):
		return text == "true"
	case wants.Kind() >= reflect.Int && wants.Kind() <= reflect.Uint64 && wholeNumber.MatchString(text):
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	}
	return nil
}

// likely is used to judge the other fields of the object where nothing is evident: YAML has other ways to write a
// number, which a string would keep (0755), and a list may lack its dash or one of its entries. nil: nothing.
func (e *typeError) likely() any {
	if e.wants == nil {
		return nil
	}
	switch bare(e.wants).Kind() {
	case reflect.String:
		if text, scalar := asText(e.value); scalar {
			return text
		}
	case reflect.Slice:
		if m, isMap := e.value.(map[string]any); isMap {
			return []any{m}
		}
	}
	return nil
}

// asText writes a number or a boolean.
func asText(v any) (string, bool) {
	switch v.(type) {
	case int64, float64, int, bool:
		return fmt.Sprint(v), true
	}
	return "", false
}
