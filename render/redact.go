package render

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/redact"
)

// Masks that stand where a secret stood.
const (
	redacted        = redact.Mask
	redactedChanged = redact.MaskChanged
)

// Redact copies an object's content with everything masked that is not known to be
// harmless: what stays is what a rule reads (numbers, quantities, selectors, strategies,
// names), see [readable], and what is safe by its form.
func Redact(o *Object) map[string]any {
	if o == nil {
		return nil
	}
	c, _ := fieldpath.DeepCopy(o.Content).(map[string]any)
	maskSecrets(o, c, func(fieldpath.Path) string { return redacted })
	return c
}

// maskSecrets masks the leaves of c, a copy of the object's content.
func maskSecrets(o *Object, c map[string]any, mask func(fieldpath.Path) string) {
	fieldpath.Leaves(o.Content, nil, func(p fieldpath.Path, v any) {
		if shown, masked := maskLeaf(o, p, v, mask); masked {
			p.Set(c, shown)
		}
	})
}

// maskLeaf gives what may be shown of a leaf of an object; false: it is shown as it is.
func maskLeaf(o *Object, p fieldpath.Path, v any, mask func(fieldpath.Path) string) (string, bool) {
	text, isText := v.(string)
	switch {
	case secretAt(o, p, v):
		return mask(p), true
	case !isText:
		return "", false
	case isArgument(p):
		arg := o.known.Scrub(redact.Argument(text))
		return arg, arg != text
	case !readable(p, text):
		return mask(p), true
	}
	shown := o.known.Clean(text)
	return shown, shown != text
}

// masked is the value at a path of an object as it stands in [Redact]'s copy, without making that.
func masked(o *Object, p fieldpath.Path, v any) any {
	if v == nil {
		return nil
	}
	out := fieldpath.DeepCopy(v)
	fieldpath.Leaves(v, p, func(at fieldpath.Path, leaf any) {
		shown, hidden := maskLeaf(o, at, leaf, func(fieldpath.Path) string { return redacted })
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

// hiddenAt reports whether the value at a path is not to be printed as it is.
func hiddenAt(o *Object, p fieldpath.Path, v any) bool {
	if secretAt(o, p, v) {
		return true
	}
	text, isText := v.(string)
	return isText && p != nil && !isArgument(p) && !readable(p, text)
}

// secretAt reports whether the value at a path is a secret for all that is known.
func secretAt(o *Object, p fieldpath.Path, v any) bool {
	if len(p) == 0 || v == nil || isEmpty(v) {
		return false
	}
	switch v.(type) {
	case bool:
		return false
	}
	if holdsSecrets(o, p) || p[len(p)-1].Key == "kubectl.kubernetes.io/last-applied-configuration" {
		return true
	}
	text, ok := v.(string)
	if allScalars([]any{v}) && o.known.Holds(fmt.Sprint(v)) { // a list is masked item by item
		return !isIdentity(p)
	}
	if ok && redact.IsCredential(text) || secretName(o, p) {
		return true
	}
	return ok && followsFlag(o, p)
}

// holdsSecrets reports whether a path lies in what a Secret is there to hold, or its relatives.
func holdsSecrets(o *Object, p fieldpath.Path) bool {
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

// isIdentity reports whether a path leads to what an object is called: it is masked within the
// text, and not as a whole.
func isIdentity(p fieldpath.Path) bool {
	return len(p) == 1 || len(p) == 2 && p[0].Key == "metadata" && (p[1].Key == "name" || p[1].Key == "namespace")
}

// secretName reports whether a path's own words name a secret.
func secretName(o *Object, p fieldpath.Path) bool {
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
func keyOfPair(o *Object, p fieldpath.Path) bool {
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

// followsFlag reports whether an argument is the value of a flag before it.
func followsFlag(o *Object, p fieldpath.Path) bool {
	last := p[len(p)-1]
	if !isArgument(p) || last.Index < 1 {
		return false
	}
	v, _ := p[:len(p)-1].With(fieldpath.At(last.Index - 1)).Get(o.Content)
	flag, ok := v.(string)
	return ok && strings.HasPrefix(flag, "-") && !strings.Contains(flag, "=") && redact.Tells(strings.TrimLeft(flag, "-"))
}

// isVolatile reports whether a path lies at or below a volatile one.
func (o *Object) isVolatile(path string) bool {
	for _, v := range o.volatile {
		if path == v.Path || strings.HasPrefix(path, v.Path+".") || strings.HasPrefix(path, v.Path+"[") {
			return true
		}
	}
	return false
}
