package typed

import (
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// endless matches what upstream's quantity parser has no bound for: it computes
// 10^999999999 digit by digit. No API accepts a quantity with such an exponent.
var endless = regexp.MustCompile(`^[-+]?[0-9.]+[eE][-+]?[0-9]{4,}$`)

// longNumber is the digits from which on a number in a string is refused, too.
const longNumber = 1000

// quantitiesOf is [boundQuantities] for the kinds that have quantities; the text of a ConfigMap or Secret is no number.
// Errors: a *typeError.
func quantitiesOf(gvk schema.GroupVersionKind, content map[string]any) error {
	if gvk.Group == "" && (gvk.Kind == "ConfigMap" || gvk.Kind == "Secret") {
		return nil
	}
	rest := maps.Clone(content)
	delete(rest, "metadata")
	if err := boundQuantities(rest, nil); err != nil {
		return err
	}
	return nil
}

// boundQuantities refuses an object with a string that looks like a number too long to
// be parsed in bounded time, wherever it stands: which fields are quantities only the
// decoding tells. Errors: a *typeError.
func boundQuantities(v any, at fieldpath.Path) *typeError {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if err := boundQuantities(v[k], at.With(fieldpath.Key(k))); err != nil {
				return err
			}
		}
	case []any:
		for i, e := range v {
			if err := boundQuantities(e, at.With(fieldpath.At(i))); err != nil {
				return err
			}
		}
	case string:
		if len(v) > longNumber && digits.MatchString(v) || len(v) <= longNumber && endless.MatchString(v) {
			return &typeError{at: at, value: v,
				text: "a number of this size is not a quantity: write it out, with a suffix such as m, Mi or Gi"}
		}
	}
	return nil
}

// digits matches a plain number with any suffix.
var digits = regexp.MustCompile(`^[-+]?[0-9.]+([eE][-+]?[0-9]+|[a-zA-Z]{0,2})$`)
