// Package memo keeps what searches gave, from run to run, in a folder: a value for a key, and a key is a digest of
// everything that the value depends on. It knows nothing of what is searched.
package memo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"
	"reflect"
	"slices"
	"time"
)

// ErrOpaque says that a value holds something whose content cannot be seen, such as a function.
var ErrOpaque = errors.New("memo: opaque value")

// Key identifies the inputs of a kept value.
type Key [sha256.Size]byte

// Derived names the fields of structs that a digest leaves out, by type: those that follow from the others, and those
// that the kept value does not depend on. All other fields count, whether exported or not.
type Derived map[reflect.Type][]string

// Content is what the value of an interface says of itself in place of what it holds, such as the text that it was
// compiled from.
type Content interface{ Content() string }

// Digest digests values with all that they hold, by their types' own fields: nothing has to be listed for a new field
// to count. Two values of one type have the same digest only where every field that counts is the same, also where a
// difference is none to whoever reads them (a nil slice is no empty one). Pointers are followed, and it makes no
// difference whether two of them point to the same.
type Digest struct {
	hash    hash.Hash
	buf     []byte
	derived map[reflect.Type]map[string]bool
	counts  map[reflect.Type][]int // indices of the fields that count
	err     error
}

// NewDigest begins a digest. A type in derived has to have the fields that are named.
func NewDigest(derived Derived) *Digest {
	d := &Digest{hash: sha256.New(), derived: map[reflect.Type]map[string]bool{}, counts: map[reflect.Type][]int{}}
	for t, names := range derived {
		d.derived[t] = map[string]bool{}
		for _, name := range names {
			if _, ok := t.FieldByName(name); !ok {
				d.err = fmt.Errorf("memo: %v has no field %s", t, name)
			}
			d.derived[t][name] = true
		}
	}
	return d
}

// Add enters a value under a name; the order in which values are added counts.
func (d *Digest) Add(name string, v any) {
	d.text(name)
	d.walk(reflect.ValueOf(v), true, 0)
	d.flush(1 << 12)
}

// Key ends the digest. Errors: [ErrOpaque], and any error of a derived value.
func (d *Digest) Key() (Key, error) {
	d.flush(0)
	return Key(d.hash.Sum(nil)), d.err
}

func (d *Digest) flush(from int) {
	if len(d.buf) > from {
		d.hash.Write(d.buf)
		d.buf = d.buf[:0]
	}
}

// deepest bounds how deep a value may be nested, against one that holds itself.
const deepest = 100

var timeType = reflect.TypeFor[time.Time]()

// walk enters a value. named says that its type has to be entered, too: a reader could not know it.
func (d *Digest) walk(v reflect.Value, named bool, depth int) {
	if !v.IsValid() {
		d.buf = append(d.buf, 0)
		return
	}
	if depth > deepest {
		d.refuse("%v is nested too deep", v.Type())
		return
	}
	if named {
		d.buf = append(d.buf, 1)
		d.text(v.Type().PkgPath() + " " + v.Type().String())
	}
	switch v.Kind() {
	case reflect.Bool:
		b := byte(0)
		if v.Bool() {
			b = 1
		}
		d.buf = append(d.buf, b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.buf = binary.AppendVarint(d.buf, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		d.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		d.number(math.Float64bits(v.Float()))
	case reflect.String:
		d.text(v.String())
	case reflect.Interface:
		if !v.IsNil() && v.CanInterface() {
			if c, ok := v.Interface().(Content); ok {
				d.buf = append(d.buf, 2)
				d.text(v.Elem().Type().String())
				d.text(c.Content())
				return
			}
		}
		d.walk(v.Elem(), true, depth+1)
	case reflect.Pointer:
		if d.present(v) {
			d.walk(v.Elem(), false, depth+1)
		}
	case reflect.Slice:
		if d.present(v) {
			d.list(v, depth)
		}
	case reflect.Array:
		d.list(v, depth)
	case reflect.Map:
		if d.present(v) {
			d.entries(v, depth)
		}
	case reflect.Struct:
		d.fields(v, depth)
	default:
		if v.Kind() == reflect.Complex64 || v.Kind() == reflect.Complex128 || !v.IsNil() {
			d.refuse("%v", v.Type())
			return
		}
		d.buf = append(d.buf, 0)
	}
}

func (d *Digest) refuse(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: "+format, append([]any{ErrOpaque}, args...)...)
	}
}

func (d *Digest) number(n uint64) { d.buf = binary.AppendUvarint(d.buf, n) }

func (d *Digest) text(s string) {
	d.number(uint64(len(s)))
	d.buf = append(d.buf, s...)
}

func (d *Digest) present(v reflect.Value) bool {
	if v.IsNil() {
		d.buf = append(d.buf, 0)
		return false
	}
	d.buf = append(d.buf, 1)
	return true
}

func (d *Digest) list(v reflect.Value, depth int) {
	d.number(uint64(v.Len()))
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		d.buf = append(d.buf, v.Bytes()...)
		return
	}
	for i := range v.Len() {
		d.walk(v.Index(i), false, depth+1)
		d.flush(1 << 16)
	}
}

// entries enters a map in the order of its keys' own bytes.
func (d *Digest) entries(v reflect.Value, depth int) {
	type entry struct {
		key   []byte
		value reflect.Value
	}
	d.flush(0) // the following bytes are taken out of the buffer again
	var list []entry
	for it := v.MapRange(); it.Next(); {
		d.walk(it.Key(), false, depth+1)
		list = append(list, entry{slices.Clone(d.buf), it.Value()})
		d.buf = d.buf[:0]
	}
	slices.SortFunc(list, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	d.number(uint64(len(list)))
	for _, e := range list {
		d.buf = append(d.buf, e.key...)
		d.walk(e.value, false, depth+1)
	}
}

func (d *Digest) fields(v reflect.Value, depth int) {
	t := v.Type()
	if t == timeType && v.CanInterface() { // an instant and how it is written, not where its zone's rules lie in memory
		at := v.Interface().(time.Time)
		zone, offset := at.Zone()
		d.buf = binary.AppendVarint(d.buf, at.Unix())
		d.buf = binary.AppendVarint(d.buf, int64(at.Nanosecond()))
		d.buf = binary.AppendVarint(d.buf, int64(offset))
		d.text(zone)
		return
	}
	list, known := d.counts[t]
	if !known {
		for i := range t.NumField() {
			if !d.derived[t][t.Field(i).Name] {
				list = append(list, i)
			}
		}
		d.counts[t] = list
	}
	for _, i := range list {
		d.walk(v.Field(i), false, depth+1)
	}
}
