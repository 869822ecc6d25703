package static

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Fresh are the errors of head that base applied over itself does not have, and a new object does not share with
// others of base.
func (a *Applied) Fresh() field.ErrorList {
	return slices.DeleteFunc(without(a.Refused, a.Before), func(e *field.Error) bool {
		return slices.Contains(a.lived, e)
	})
}

// Stays are the errors of head that are not fresh.
func (a *Applied) Stays() field.ErrorList {
	fresh := a.Fresh()
	return slices.DeleteFunc(slices.Clone(a.Refused), func(e *field.Error) bool { return slices.Contains(fresh, e) })
}

// Gone are the errors of base that head does not have.
func (a *Applied) Gone() field.ErrorList { return without(a.Before, a.Refused) }

// partly reports whether a side is refused for more than some errors of it, or drops more than these are about.
func (a *Applied) partly(errs field.ErrorList, status finding.Status) bool {
	side := a.Refused
	switch {
	case len(a.Back) > 0 || status == finding.Existing:
		return false
	case status == finding.Fixed:
		side = a.Before
	}
	drops := a.Drops(errs)
	return slices.ContainsFunc(side, func(e *field.Error) bool {
		return a.Drops(field.ErrorList{e}) == drops && !slices.Contains(errs, e)
	})
}

// without are the errors of a list that have no counterpart in another one, each of which is the counterpart of one:
// the same error of the same field, or of one at another place of its list, or else another one of the same type of
// the field.
func without(list, other field.ErrorList) field.ErrorList {
	moved := func(e *field.Error) string { return listIndex.ReplaceAllString(e.Field, "[]") }
	list, other = slices.Clone(list), slices.Clone(other)
	for _, same := range []func(e, o *field.Error) bool{
		func(e, o *field.Error) bool { return e.Field == o.Field && e.Detail == o.Detail },
		func(e, o *field.Error) bool { return moved(e) == moved(o) && e.Detail == o.Detail },
		func(e, o *field.Error) bool { return e.Field == o.Field },
	} {
		list = slices.DeleteFunc(list, func(e *field.Error) bool {
			i := slices.IndexFunc(other, func(o *field.Error) bool { return o.Type == e.Type && same(e, o) })
			if i >= 0 {
				other = slices.Delete(other, i, i+1)
			}
			return i >= 0
		})
	}
	return list
}
