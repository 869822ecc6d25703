package mask

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
)

// Content copies an object's content with everything masked that is not known to be harmless. Values that a rule reads
// stay (numbers, quantities, selectors, strategies, names), see [readable], and so do values that are safe by their
// form.
func Content(o *object.Object) map[string]any {
	if o == nil {
		return nil
	}
	c, _ := fieldpath.DeepCopy(o.Content).(map[string]any)
	maskSecrets(o, c, func(fieldpath.Path) string { return redact.Mask })
	return c
}

// maskSecrets masks the leaves of c, a copy of the object's content.
func maskSecrets(o *object.Object, c map[string]any, mask func(fieldpath.Path) string) {
	fieldpath.Leaves(o.Content, nil, func(p fieldpath.Path, v any) {
		if shown, masked := maskLeaf(o, p, v, mask); masked {
			p.Set(c, shown)
		}
	})
}

// maskLeaf gives what may be shown of a leaf of an object; false: it is shown as it is.
func maskLeaf(o *object.Object, p fieldpath.Path, v any, mask func(fieldpath.Path) string) (string, bool) {
	text, isText := v.(string)
	switch {
	case Secret(o, p, v):
		return mask(p), true
	case !isText:
		return "", false
	case isArgument(p):
		arg := o.Known.Scrub(redact.Argument(text))
		return arg, arg != text
	case !readable(p, text):
		return mask(p), true
	}
	shown := o.Known.Clean(text)
	return shown, shown != text
}

// Value is the value at a path of an object as it stands in [Content]'s copy, without making that.
func Value(o *object.Object, p fieldpath.Path, v any) any {
	if v == nil {
		return nil
	}
	out := fieldpath.DeepCopy(v)
	fieldpath.Leaves(v, p, func(at fieldpath.Path, leaf any) {
		shown, hidden := maskLeaf(o, at, leaf, func(fieldpath.Path) string { return redact.Mask })
		switch below := at[len(p):]; {
		case !hidden:
		case len(below) == 0:
			out = shown
		default:
			below.Set(out, shown)
		}
	})
	return out
}

// Hidden reports whether the value at a path is not to be printed as it is.
func Hidden(o *object.Object, p fieldpath.Path, v any) bool {
	if Secret(o, p, v) {
		return true
	}
	text, isText := v.(string)
	return isText && p != nil && !isArgument(p) && !readable(p, text)
}

// Secret reports whether the value at a path is a secret for all that is known.
func Secret(o *object.Object, p fieldpath.Path, v any) bool {
	if len(p) == 0 || v == nil || isEmpty(v) {
		return false
	}
	if _, flag := v.(bool); flag {
		return false
	}
	if HoldsSecrets(o, p) || p[len(p)-1].Key == "kubectl.kubernetes.io/last-applied-configuration" {
		return true
	}
	text, ok := v.(string)
	if isScalar(v) && o.Known.Holds(fmt.Sprint(v)) { // a list is masked item by item
		return !isIdentity(p)
	}
	if ok && redact.IsCredential(text) || SecretName(o, p) {
		return true
	}
	return ok && FollowsFlag(o, p)
}

// HoldsSecrets reports whether a path lies in the part of a Secret, or of an object related to it, that holds the
// secret values.
func HoldsSecrets(o *object.Object, p fieldpath.Path) bool {
	top := p[0].Key
	switch o.ID.Kind {
	case "Secret":
		return top == "data" || top == "stringData"
	case "SealedSecret":
		text := p.String()
		return top == "spec" && (strings.Contains(text, "encryptedData") || strings.HasPrefix(text, "spec.template.data"))
	case "ExternalSecret", "ClusterExternalSecret", "PushSecret":
		text := p.String()
		return top == "spec" && strings.Contains(text, "template.") && !strings.Contains(text, "template.metadata") &&
			!strings.HasSuffix(text, ".type")
	}
	return false
}

// isIdentity reports whether a path leads to a name of an object: it is masked within the text, and not as a whole.
func isIdentity(p fieldpath.Path) bool {
	return len(p) == 1 || len(p) == 2 && p[0].Key == "metadata" && (p[1].Key == "name" || p[1].Key == "namespace")
}

// SecretName reports whether a path's own words name a secret.
func SecretName(o *object.Object, p fieldpath.Path) bool {
	last := lastKey(p)
	if len(p) > 2 && p[len(p)-1].Key == "value" { // env: {name: X, value: Y}
		name, _ := p[:len(p)-1].With(fieldpath.Key("name")).Get(o.Content)
		if text, ok := name.(string); ok {
			return redact.Tells(text)
		}
	}
	switch o.ID.Kind {
	case "CustomResourceDefinition":
		return false
	}
	return redact.Tells(last) || keyOfPair(o, p)
}

// lastKey is the name of the field that a path leads to, or that of its list.
func lastKey(p fieldpath.Path) string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Index < 0 {
			return p[i].Key
		}
	}
	return ""
}

// keyOfPair reports whether a field called key is the private one of a certificate: beside
// it, or in a field about TLS. Elsewhere key is a word of selectors and references.
func keyOfPair(o *object.Object, p fieldpath.Path) bool {
	if len(p) < 2 || !strings.EqualFold(p[len(p)-1].Key, "key") {
		return false
	}
	if tlsField().MatchString(p[len(p)-2].Key) {
		return true
	}
	beside, _ := p[:len(p)-1].Get(o.Content)
	m, _ := beside.(map[string]any)
	for k := range m {
		if certField().MatchString(k) {
			return true
		}
	}
	return false
}

// isArgument reports whether a path leads to one argument of a command.
func isArgument(p fieldpath.Path) bool {
	if len(p) < 2 || p[len(p)-1].Index < 0 {
		return false
	}
	list := p[len(p)-2].Key
	return list == "args" || list == "command"
}

// FollowsFlag reports whether an argument is the value of a flag before it.
func FollowsFlag(o *object.Object, p fieldpath.Path) bool {
	last := p[len(p)-1]
	if !isArgument(p) || last.Index < 1 {
		return false
	}
	v, _ := p[:len(p)-1].With(fieldpath.At(last.Index - 1)).Get(o.Content)
	flag, ok := v.(string)
	return ok && strings.HasPrefix(flag, "-") && !strings.Contains(flag, "=") && redact.Tells(strings.TrimLeft(flag, "-"))
}

func isEmpty(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		return len(x) == 0
	case []any:
		return len(x) == 0
	}
	return false
}

func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
