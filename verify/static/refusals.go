package static

import (
	"cmp"
	"path"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// Applied is one object of a release on both sides, and why the API server refuses it.
type Applied struct {
	release    string
	Base, Head *object.Object // nil where absent
	was        *object.Object // of base, where head calls it by a kind or version that no API server has
	Refused    field.ErrorList
	Before     field.ErrorList // that of base applied over itself
	Back       field.ErrorList // what the revert is refused for, where the change is not
	lived      field.ErrorList // of what a new object is refused for, what others of base are refused for
	again      bool            // refused is about the second apply of the same manifests
	lookup     bool            // the chart looks into the cluster, which may keep what differs
	kept       bool            // the release is kept as declared: what is there is updated
	chart      bool            // it is a chart
	warns      bool            // the API server is asked to warn of a field that it does not know, and to drop it
	tool       object.Tool     // that delivers it; "": not known
	forced     bool            // what cannot be changed in place is deleted and created again
	unread     bool            // base did not render: what it was refused for is not known
	filled     bool            // who applies it is not known, and may fill it in before
	mode       state.Apply     // how it is applied
	replaces   bool            // it is put in the place of what is there, and not merged with it
	part       bool            // what includes it elsewhere may patch it
	switched   bool            // nobody declared the values that it is rendered with
}

// Refusals lists the objects that the API server refuses to create, or to update from base to head, or, where the
// release is applied again as it changes, to update from one render of head to the next. mode is how it is applied if
// its own delivery does not say. With all, the whole of head is created.
func Refusals(p slice.Pair, mode state.Apply, changed, all bool) []Applied {
	if p.Head.Delivery.ServerSide {
		mode = state.ServerSide
	}
	base, lived := map[string]*object.Object{}, practice{}
	if p.Base != nil && p.Base.Err == nil {
		lived.objects = p.Base.Objects
		for _, o := range p.Base.Objects {
			base[o.ID.String()] = o
		}
	}
	lookup := slices.ContainsFunc(p.Head.Notes, func(n object.Note) bool { return n.Kind == object.LookupFindsNothing })
	kept := p.Head.Kind == object.Helm && !forTests(p.Head) || p.Head.By.File != "" // helm upgrade, Argo CD, Flux
	var out []Applied
	for _, o := range p.Head.Objects {
		if o.Typed == nil && !validation.KnowsCustom(o.Content) || o.Hook && !o.Undecodable() {
			continue
		}
		a := Applied{release: p.ID, Base: base[o.ID.String()], Head: o, lookup: lookup, kept: kept,
			filled: !kept || p.Head.Delivery.Fills, chart: p.Head.Kind == object.Helm,
			tool: p.Head.Delivery.Tool, forced: p.Head.Delivery.Forces, mode: mode,
			replaces: p.Head.Delivery.Replaces, unread: p.Base != nil && p.Base.Err != nil,
			part: p.Head.Part, switched: p.Head.Switched != ""}
		a.warns = a.chart && a.mode != state.ServerSide && (a.tool == "" || a.tool == object.FluxHelmRelease)
		if a.Base != nil && ((a.Base.Typed == nil) != (o.Typed == nil) || a.Base.Hook != o.Hook) {
			a.Base = nil
		}
		if a.judge(); a.Base == nil {
			a.was = meantFor(base, p.Head.Objects, o)
		}
		a.forgive()
		for _, e := range a.Refused {
			if a.Base == nil && lived.knows(o, e) {
				a.lived = append(a.lived, e)
			}
		}
		if len(a.Refused)+len(a.Before)+len(a.Back) > 0 {
			out = append(out, a)
			continue
		}
		if !all && !changed {
			continue
		}
		if a.again = true; a.forced {
			continue
		}
		a.Refused = nextRender(a.tool, o)
		if a.Base != nil {
			a.Before = nextRender(a.tool, a.Base)
		}
		if len(a.Refused)+len(a.Before) > 0 {
			out = append(out, a)
		}
	}
	return out
}

// meantFor is the object of base that head's was meant to be, if head has not both.
func meantFor(base map[string]*object.Object, head []*object.Object, o *object.Object) *object.Object {
	gvk, ok := validation.Meant(o.Content)
	if !ok {
		return nil
	}
	id := o.ID
	id.Group, id.Kind = gvk.Group, gvk.Kind
	both := func(h *object.Object) bool { return h != o && h.ID.String() == id.String() }
	if was := base[id.String()]; was != nil && !was.Hook && !slices.ContainsFunc(head, both) {
		return was
	}
	return nil
}

// miscalled reports whether an object of base is there as one that the API server refuses for its kind or version.
func miscalled(o *object.Object, head []*object.Object) bool {
	return slices.ContainsFunc(head, func(h *object.Object) bool {
		return h.ID.Name == o.ID.Name && meantFor(map[string]*object.Object{o.ID.String(): o}, nil, h) != nil
	})
}

// forTests reports whether a release is a chart with values of chart-testing, which installs it
// again each time: no release with these values is kept.
func forTests(r *object.Rendered) bool {
	folder := path.Join(r.Path, "ci")
	return !r.Declared && slices.ContainsFunc(r.Values, func(v string) bool { return path.Dir(v) == folder })
}

// judge fills in the refusals of one apply.
func (a *Applied) judge() {
	if a.Base == a.Head && !a.Head.Undecodable() {
		return // an unchanged object is as good or bad as it was
	}
	if a.Base == nil {
		a.Refused = a.created(a.Head)
		return
	}
	a.Before = a.created(a.Base)
	if a.replaces && len(a.Before) == 0 && a.Base.Typed != nil && !replaced(a.tool, a.Base) {
		a.Before = steadyErrors(a.Base, validation.Replace(a.Base.Typed, a.Base.Typed))
	}
	if a.forced || a.Head.Hook || absent(a.tool, a.Base) || replacing(a.tool, a.Head) || !canBe(a.Base) ||
		len(a.twice(a.Base)) > 0 {
		a.Refused = a.created(a.Head) // base's object cannot be there to be updated
		return
	}
	if a.Head.Typed == nil {
		a.Refused = steadyErrors(a.Head, validation.UpdateCustom(a.Head.Content, a.Base.Content, a.mode == state.ServerSide))
		return
	}
	a.Refused = slices.Concat(undecoded(a.Head), a.twice(a.Head),
		steadyErrors(a.Head, a.updated(a.Head, a.Base, a.Base.Typed)))
	if len(a.Before) == 0 && a.Drops(a.Refused) {
		a.Back = steadyErrors(a.Base, a.updated(a.Base, a.Head, validation.Live(a.Head.Typed, a.Base.Typed)))
	}
}

// updated is why the API server refuses an object in the place of another, as the apply merges the two: in the words
// for what is written, if that is refused by itself.
func (a *Applied) updated(now, was *object.Object, live runtime.Object) field.ErrorList {
	switch {
	case a.replaces:
		return validation.Replace(now.Typed, live)
	case now.Undecodable(): // nothing is merged of it
		return validation.Update(now.Typed, live)
	}
	out := validation.Update(validation.Merged(manifest(now), manifest(was), a.mode == state.ServerSide), live)
	written := validation.Update(now.Typed, live)
	if len(out) == 0 { // a client merges lists by their keys, so that an element that stands twice is there once
		written = slices.DeleteFunc(written, func(e *field.Error) bool { return e.Type != field.ErrorTypeDuplicate })
		for _, e := range written {
			e.Origin = mergedTwice
		}
	}
	if len(written) > 0 {
		return written
	}
	for _, e := range out {
		e.Detail = cmp.Or(e.Detail, strings.ToLower(e.Type.String())) + "; no manifest wrote the live value there, and the apply leaves it"
	}
	return out
}

func manifest(o *object.Object) validation.Manifest {
	return validation.Manifest{Content: o.Content, Typed: o.Typed}
}

// forgive leaves out the errors of placeholders: the API server never sees them. If it is unknown how the release is
// applied, words of names in capitals are some.
func (a *Applied) forgive() {
	a.withValues()
	a.leaveUndeclared()
	for _, list := range []*field.ErrorList{&a.Refused, &a.Before, &a.Back} {
		*list = slices.DeleteFunc(*list, func(e *field.Error) bool {
			return a.switched && standsIn(a.Head, e) || a.filled && nameFilledIn(e)
		})
	}
}

// created is why the API server refuses to create an object, as it is applied.
func (a *Applied) created(o *object.Object) field.ErrorList {
	return slices.Concat(a.twice(o), created(o))
}

// twice are the elements of lists that a server-side apply finds twice.
func (a *Applied) twice(o *object.Object) field.ErrorList {
	if a.mode != state.ServerSide || o.Typed == nil || o.Undecodable() {
		return nil
	}
	return validation.Twice(o.Content)
}

// created is why the API server refuses to create an object.
func created(o *object.Object) field.ErrorList {
	return slices.Concat(undecoded(o), steadyErrors(o, refused(o)))
}

// canBe reports whether an object can exist as it is written.
func canBe(o *object.Object) bool { return !o.Undecodable() && len(refused(o)) == 0 }

// refused are the errors of an object, whether or not there is a type for it.
func refused(o *object.Object) field.ErrorList {
	if o.Typed == nil {
		return validation.CreateCustom(o.Content)
	}
	return validation.Create(o.Typed)
}

// undecoded are the fields that the API server does not decode: those with a value of another type, and those that
// are misspelt or stand in the wrong place, which it refuses where kubectl (--validate), Argo CD and Flux ask it to.
func undecoded(o *object.Object) field.ErrorList {
	var out field.ErrorList
	for _, r := range o.Refused {
		if !r.Unknown && (!r.Undecodable || !o.IsVolatile(r.Path)) { // of which a mask is seen
			e := &field.Error{Type: field.ErrorTypeTypeInvalid, Field: r.Path, Detail: r.Text}
			switch {
			case r.Surplus:
				e.Origin = surplus
			case r.Twice:
				e.Origin = twiceThere
			}
			out = append(out, e)
		}
	}
	return out
}

// steadyErrors leaves out the errors of fields that every render gives another value, of which a mask is seen, and of
// fields that have a value of another type, which are refused for that.
func steadyErrors(o *object.Object, list field.ErrorList) field.ErrorList {
	for _, e := range list {
		e.Field = ofResource(e)
	}
	return slices.DeleteFunc(list, func(e *field.Error) bool {
		if e.Field == "" {
			return false
		}
		path := sourceField(e.Field)
		return o.IsVolatile(path) || slices.ContainsFunc(o.Refused, func(r object.Refusal) bool {
			return r.Undecodable && judge.Overlap(path, r.Path)
		})
	})
}

// ofResource is the field that an error is about, with the resource that upstream names in the text alone: two
// resources of a container are two mistakes, each on its own line.
//
// Upstream: pkg/apis/core/validation: ValidateContainerResourceRequirements, at v1.36.3.
func ofResource(e *field.Error) string {
	resource, _, limited := strings.Cut(strings.TrimPrefix(e.Detail, "must be less than or equal to "), " limit of ")
	if !limited || !strings.HasSuffix(e.Field, ".requests") || strings.Contains(resource, " ") {
		return e.Field
	}
	return e.Field + "[" + resource + "]"
}

// nextRender is why the API server refuses an object as the next render of it has it.
func nextRender(tool object.Tool, o *object.Object) field.ErrorList {
	next := typed.Rerendered(o)
	if next == nil || replaced(tool, o) || len(validation.Create(o.Typed)) > 0 || len(validation.Create(next)) > 0 {
		return nil // its other errors, or those of the mask
	}
	return validation.Update(next, o.Typed)
}

// sourceField is where the manifest holds a field that validation names.
func sourceField(path string) string {
	for _, list := range []string{".labels", ".annotations"} {
		for _, at := range []string{"spec.template", "spec.jobTemplate.spec.template"} {
			if rest, ok := strings.CutPrefix(path, at+list); ok {
				return at + ".metadata" + list + rest
			}
		}
	}
	path = strings.Replace(path, "spec.clusterIPs[0]", "spec.clusterIP", 1)
	path, _, _ = strings.Cut(path, ".{") // of spread constraints: "{topologyKey, whenUnsatisfiable}"
	return path
}

// BaseAt reports whether something that base is refused for stands in one of some files.
func (a *Applied) BaseAt(some func(file string) bool) bool {
	return a.Base != nil && slices.ContainsFunc(a.Before, func(e *field.Error) bool {
		return some(a.Base.Locate(sourceField(e.Field)).File)
	})
}

// Unread reports whether base did not render, and no error for which head is refused stands on a line that the change
// edits: base may be refused for the same.
func (a *Applied) Unread(f finding.Finding) bool {
	return a.unread && !slices.ContainsFunc(f.Locations, func(l finding.Location) bool { return l.InDiff })
}

// Part reports whether the object is of a component that nothing here includes: a kustomization that includes it may
// patch it.
func (a *Applied) Part() bool { return a.part }

// Once reports whether an object is a Job or a Pod of plain manifests, which are not known to be applied again: a
// finished one is often deleted, or never applied twice.
func (a *Applied) Once() bool {
	return runsOnce(a.Head) && !a.kept && a.Base != nil && len(created(a.Head)) == 0
}

// runsOnce reports whether an object is a Job or a Pod.
func runsOnce(o *object.Object) bool {
	switch o.Typed.(type) {
	case *batchv1.Job, *corev1.Pod:
		return true
	}
	return false
}

// StandIns says what is there in place of the objects that cannot exist as they are: what base
// has, if that can, what an apply merges the two into, or what a version of the API made of them that is not served any
// more.
func StandIns(list []Applied) map[*object.Object]*object.Object {
	out := map[*object.Object]*object.Object{}
	for i := range list {
		x := &list[i]
		if x.Base != nil && !x.Drops(x.Before) {
			out[x.Base] = asOnceServed(x.Base)
		}
		if x.again || canBe(x.Head) {
			continue
		}
		out[x.Head] = asOnceServed(x.Head)
		switch {
		case slices.ContainsFunc(x.Refused, func(e *field.Error) bool { return e.Origin == mergedTwice }):
			o := *x.Head
			o.Typed = validation.Merged(manifest(x.Head), manifest(x.Base), false)
			out[x.Head] = &o
		case x.Base != nil && len(x.Before) == 0:
			out[x.Head] = x.Base
		case x.was != nil && canBe(x.was):
			out[x.Head] = x.was
		}
	}
	return out
}
