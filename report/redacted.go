package report

import (
	"reflect"
	"slices"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Redacted is a copy of r whose texts hide has gone over, except for those that this program chose from its own words:
// it takes out texts that must not be printed, on any surface.
func Redacted(r *finding.Result, hide func(string) string) *finding.Result {
	c := &redactor{hide: hide, done: map[string]string{}}
	return c.copy(reflect.ValueOf(r)).Interface().(*finding.Result)
}

// ownWords are the fields whose texts are of this program, or of git: hashes, rules and
// other identifiers that readers compare.
var ownWords = []string{
	"SchemaVersion", "Tool", "Commit", "Rule", "Class", "Severity", "Scenario", "Timing", "Certainty", "Actor", "Action",
	"Change", "Fingerprint", "Standing", "Side", "Bound", "Shard", "Status", "Kind", "FailOn", "OnInconclusive",
}

// redactor copies a value deeply. It knows the kinds that a result is made of.
type redactor struct {
	hide func(string) string
	done map[string]string // what hide made of a text: the same ones come often
}

func (c *redactor) copy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return out
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(c.copy(v.Elem()))
		return p
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue // no surface writes it
			}
			if slices.Contains(ownWords, v.Type().Field(i).Name) && v.Field(i).Kind() == reflect.String {
				out.Field(i).Set(v.Field(i))
				continue
			}
			out.Field(i).Set(c.copy(v.Field(i)))
		}
	case reflect.Slice:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i)))
		}
	case reflect.Map:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for it := v.MapRange(); it.Next(); {
			out.SetMapIndex(c.copy(it.Key()), c.copy(it.Value()))
		}
	case reflect.String:
		out.SetString(c.text(v))
	default:
		out.Set(v)
	}
	return out
}

// text is a text without its hidden parts; a string of a named type is an enumeration.
func (c *redactor) text(v reflect.Value) string {
	s := v.String()
	if v.Type() != reflect.TypeFor[string]() {
		return s
	}
	hidden, ok := c.done[s]
	if !ok {
		hidden = c.hide(s)
		c.done[s] = hidden
	}
	return hidden
}
