package helmfile

import (
	"bytes"
	"reflect"
)

// bounded takes as much as a helmfile may be.
type bounded struct{ *bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxText {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}

// multiplies are functions that may give much more than they take.
var multiplies = map[string]func(args []reflect.Value) int{
	"replace": func(a []reflect.Value) int {
		return textLen(a, 1) * (1 + textLen(a, 2)/max(1, textLen(a, 0)))
	},
	"regexReplaceAll":        func(a []reflect.Value) int { return textLen(a, 1) * (1 + textLen(a, 2)) },
	"regexReplaceAllLiteral": func(a []reflect.Value) int { return textLen(a, 1) * (1 + textLen(a, 2)) },
	"join":                   func(a []reflect.Value) int { return textLen(a, 0) * sizeOf(a[len(a)-1], 0) },
	"indent":                 func(a []reflect.Value) int { return number(a, 0) * (1 + textLen(a, 1)) },
	"nindent":                func(a []reflect.Value) int { return number(a, 0) * (1 + textLen(a, 1)) },
	"until":                  func(a []reflect.Value) int { return max(number(a, 0), -number(a, 0)) * 16 },
	"untilStep": func(a []reflect.Value) int {
		return max(number(a, 1)-number(a, 0), number(a, 0)-number(a, 1)) * 16
	},
}

func textLen(args []reflect.Value, i int) int {
	if i < len(args) && args[i].Kind() == reflect.String {
		return args[i].Len()
	}
	return 0
}

func number(args []reflect.Value, i int) int {
	if i < len(args) && args[i].CanInt() {
		return int(max(min(args[i].Int(), 1<<40), -1<<40))
	}
	return 0
}

// sizeOf is how large a value is as text, roughly, and at most a little more than allowed.
func sizeOf(v reflect.Value, depth int) int {
	if depth > maxDepth {
		return maxText + 1
	}
	size := 8
	switch v.Kind() {
	case reflect.String:
		return size + v.Len()
	case reflect.Interface, reflect.Pointer:
		return sizeOf(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len() && size <= maxText; i++ {
			size += sizeOf(v.Index(i), depth+1)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next() && size <= maxText; {
			size += sizeOf(it.Key(), depth+1) + sizeOf(it.Value(), depth+1)
		}
	}
	return size
}
