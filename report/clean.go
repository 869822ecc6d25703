package report

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// sanitized is a copy of r that shares no memory with it: every string cleaned, no nil
// slice or map except for the optional ones, so that JSON has [] and not null.
func sanitized(r *finding.Result) *finding.Result {
	out := sanitize(reflect.ValueOf(r)).Interface().(*finding.Result)
	return out
}

// sanitize copies v deeply and cleans its strings. It knows the kinds that a result is
// made of; others are copied as they are.
func sanitize(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return out
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(sanitize(v.Elem()))
		return p
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue // no surface writes it
			}
			out.Field(i).Set(sanitize(v.Field(i)))
		}
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(sanitize(v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for it := v.MapRange(); it.Next(); {
			out.SetMapIndex(sanitize(it.Key()), sanitize(it.Value()))
		}
	case reflect.String:
		out.SetString(Clean(v.String()))
	default:
		out.Set(v)
	}
	return out
}

// Clean takes away what a terminal, a viewer or a reader can be deceived with: control
// characters except for newline and tab and C1 controls are dropped, bidirectional and zero-width
// marks are written as their number, as in \u200b; bytes that are no UTF-8 become U+FFFD.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r >= 0xa0: // else a line that differs in nothing else is shown as changed
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// visible is s without its hidden runes, as a program may read it that skips them.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, s)
}

func isClean(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if hidden(r) {
			return false
		}
	}
	return true
}

// hidden reports whether a rune has no glyph and may change how others look.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xad:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r == 0x061c, r == 0x180e, r == 0xfeff, r >= 0xfff0 && r <= 0xfffb:
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags
		return true
	}
	return false
}

// line is s, cleaned, on one line: white space runs become one space.
func line(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// Plain is s, cleaned, on one line of at most max bytes.
func Plain(s string, max int) string { return clip(line(s), max) }

const ellipsis = "…"

// dangling are words at an end that lead to the text that was cut off.
var dangling = regexp.MustCompile(`( (a|an|and|as|at|by|for|from|in|more|of|on|or|than|the|to|with))+$`)

// clip is s in at most max bytes, cut after a word that can end a line, or between runes if the second half is one
// word; a cut ends in an ellipsis. A max under the ellipsis' own three bytes gives "".
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	whole := max
	max -= len(ellipsis)
	if max < 0 {
		return ""
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	s = s[:max]
	if i := strings.LastIndexByte(s, ' '); i > whole/2 {
		return strings.TrimRight(dangling.ReplaceAllString(s[:i], ""), " ,;:(") + " " + ellipsis
	}
	return s + ellipsis
}
