package static

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Remains knows which workloads a change takes out of the releases while their sources stay in the repository.
type Remains struct {
	ch    *object.Changes
	head  map[string]*object.Object // head's objects by ID: one that runs, if any does
	by    map[string]object.Tool    // what applies it
	made  map[string]bool           // files of head with the kinds that are made of them
	read  map[string]bool           // files of releases that do not render, or were not rendered
	added map[string]string         // the files that may be a copy of another, with their texts
}

// NewRemains looks at what head renders.
func NewRemains(ch *object.Changes) *Remains {
	r := &Remains{ch: ch, head: map[string]*object.Object{}, by: map[string]object.Tool{},
		made: map[string]bool{}, read: map[string]bool{},
		added: map[string]string{}}
	for _, rel := range ch.Head.Releases {
		if rel.Err != nil || rel.Untouched {
			for _, f := range rel.Reads {
				r.read[f] = true
			}
		}
		for _, o := range rel.Objects {
			if had := r.head[o.ID.String()]; had == nil || had.Hook {
				r.head[o.ID.String()], r.by[o.ID.String()] = o, rel.Delivery.Tool
			}
			r.made[o.Source.File+" "+o.ID.Kind] = true
		}
	}
	for _, rel := range ch.Base.Releases {
		if ch.Undecided(rel) != "" && !slices.ContainsFunc(ch.Head.Releases,
			func(h *object.Rendered) bool { return h.ID == rel.ID }) {
			for _, f := range rel.Reads {
				r.read[f] = true
			}
		}
	}
	for _, f := range ch.Files {
		if _, err := fs.Stat(ch.Base.Tree, f); err == nil {
			continue
		}
		if text, err := fs.ReadFile(ch.Head.Tree, f); err == nil && !r.read[f] {
			r.added[f] = string(text)
		}
	}
	return r
}

// Has reports whether an object of base is in no release of head, and head still has its source.
func (r *Remains) Has(o *object.Object) bool {
	file, _ := r.stays(o)
	return file != ""
}

// stays gives the file in which head still has the manifest of an object of base that is in no release of it, and how:
// its own, of which nothing of its kind is made any longer, one that the change adds, or that of a hook. "": none, or
// the object is there.
func (r *Remains) stays(o *object.Object) (file, how string) {
	file = o.Source.File
	now := r.head[o.ID.String()]
	switch {
	case now != nil && !o.Hook && spares(now, r.by[o.ID.String()]) != "" && spares(o, r.by[o.ID.String()]) == "":
		return now.Source.File, spares(now, r.by[o.ID.String()])
	case o.Hook, now != nil && (!now.Hook || o.ID.Kind == "Job" || o.ID.Kind == "Pod"): // which hooks are made of
		return "", ""
	case now != nil:
		return now.Source.File, "makes it a hook"
	case r.made[file+" "+o.ID.Kind], r.read[file]:
		return "", ""
	}
	was, err := fs.ReadFile(r.ch.Base.Tree, file)
	if err != nil {
		return "", ""
	}
	kind := regexp.MustCompile(`(?m)^[ \t-]*["']?kind["']?[ \t]*:[ \t]*["']?` + regexp.QuoteMeta(o.ID.Kind) + `\b`)
	named := strings.Contains(string(was), o.ID.Name)
	if is, err := fs.ReadFile(r.ch.Head.Tree, file); err == nil {
		if kind.Match(is) && (!named || strings.Contains(string(is), o.ID.Name)) {
			return file, "still has it"
		}
		return "", ""
	}
	for _, f := range slices.Sorted(maps.Keys(r.added)) {
		is := r.added[f]
		if strings.Contains(is, o.ID.Kind) && kind.MatchString(is) && !r.made[f+" "+o.ID.Kind] && copied(string(was), is) {
			return f, "has its manifest"
		}
	}
	return "", ""
}

// spares says how the tool that applies a release, or may, is told to leave an object alone, or to run it as a hook,
// beside the rest of it; "": it applies the object like any other. Hooks are mostly Jobs and pods.
//
// Upstream: gitops-engine v0.7, pkg/sync/hook: Types, Skip; kustomize-controller v1.7, internal/controller:
// ApplyOptions.ExclusionSelector (ssa: Ignore), IfNotPresentSelector.
func spares(o *object.Object, by object.Tool) string {
	argo, flux := by == object.ArgoCD || by == "", by == object.Flux || by == ""
	switch {
	case argo && annotation(o, "argocd.argoproj.io/hook") == "Skip":
		return "has Argo CD skip it"
	case argo && annotation(o, "argocd.argoproj.io/hook") != "" && o.ID.Kind != "Job" && o.ID.Kind != "Pod":
		return "makes it a hook"
	case flux && annotation(o, "kustomize.toolkit.fluxcd.io/ssa") == "Ignore":
		return "has Flux ignore it"
	case flux && annotation(o, "kustomize.toolkit.fluxcd.io/ssa") == "IfNotPresent":
		return "has Flux leave it as it is"
	}
	return ""
}

// copied reports whether most words of a text are in another.
func copied(was, is string) bool {
	there := map[string]bool{}
	for _, w := range strings.Fields(is) {
		there[w] = true
	}
	words := strings.Fields(was)
	same := 0
	for _, w := range words {
		if there[w] {
			same++
		}
	}
	return 2*same > len(words)
}

var leaves = Analyzer{Name: "undeployed", Rule: rules.NoLongerDeployed, Run: undeployed, Compares: true, Whole: true,
	Doc: "a workload that is in no release any longer, though its manifest stays"}

// undeployed says which workloads of each release are deployed no longer, though their manifests stay.
func undeployed(p *Pass) []Remark {
	ch := p.ch
	var out []Remark
	remains, dropped := NewRemains(ch), leftOut(ch)
	for _, b := range ch.Base.Releases {
		if failsOnHead(ch, b) {
			continue
		}
		var left []*object.Object
		for _, o := range b.Objects {
			_, modeled := state.ManifestOf(o.Typed)
			if b.Switched == "" && (modeled || slice.RunsPods(o)) && remains.Has(o) &&
				!slices.ContainsFunc(dropped, func(r Remark) bool {
					return r.release == b.ID && r.Object.ID.Kind == o.ID.Kind && r.Object.ID.Name == o.ID.Name
				}) {
				left = append(left, o)
			}
		}
		if len(left) == 0 {
			continue
		}
		o := left[0]
		file, how := remains.stays(o)
		text := fmt.Sprintf("%s is in no release any longer, though %s %s", o.ID, file, how)
		if n := len(left) - 1; n > 0 {
			text = fmt.Sprintf("%s and %d more workloads of %s are in no release any longer, though %s %s", o.ID, n,
				b.ID, file, how)
		}
		if now := remains.head[o.ID.String()]; now != nil {
			text = fmt.Sprintf("%s is no longer applied with its release: %s %s", o.ID, file, how)
		}
		out = append(out, Remark{release: b.ID, Object: o, status: finding.New, gone: true,
			text: text, at: remains.edit(b, o)})
	}
	return slices.Concat(out, remains.undeclared(), dropped)
}

// leftOut says which objects Helm leaves out, as it does not know the type of their hook, and did not on base.
func leftOut(ch *object.Changes) []Remark {
	var out []Remark
	for _, h := range ch.Head.Releases {
		i := slices.IndexFunc(ch.Base.Releases, func(b *object.Rendered) bool { return b.ID == h.ID })
		var was []object.Note
		if i >= 0 {
			was = ch.Base.Releases[i].Notes
		}
		for _, n := range h.Notes {
			if n.Kind != object.HookUnknown || slices.ContainsFunc(was, func(x object.Note) bool {
				return x.Kind == n.Kind && slices.Equal(x.Args, n.Args)
			}) {
				continue
			}
			o := &object.Object{ID: object.ID{Kind: n.Args[1], Namespace: h.Namespace, Name: n.Args[2]}, Release: h.ID,
				Source: object.LineOf(n.File, n.Line, "template")}
			out = append(out, Remark{release: h.ID, Object: o, status: finding.New, at: o.Source,
				text: fmt.Sprintf("Helm leaves %s %s out, as it knows no hook of the type %s", n.Args[1], n.Args[2], n.Args[0])})
		}
	}
	return out
}

// undeclared says which objects that declare releases are applied by a release of base and by none of head, though
// their manifests stay, and the releases are rendered for it.
func (r *Remains) undeclared() []Remark {
	ch := r.ch
	was, is := map[string]*object.Rendered{}, map[string]*object.Rendered{}
	for _, b := range ch.Base.Releases {
		was[b.ID] = b
	}
	for _, h := range ch.Head.Releases {
		is[h.ID] = h
	}
	applied := func(x *object.Rendered) bool { return x != nil && x.Delivery.Tool != "" }
	said := map[object.ID]bool{}
	var out []Remark
	for _, h := range ch.Head.Releases {
		b, by := was[h.ID], is[h.Parent]
		if b == nil || !applied(was[b.Parent]) || by == nil || applied(by) || by.Kind != object.Manifests ||
			by.By.File != "" {
			continue
		}
		if root := is[b.Parent]; root != nil && (root.Err != nil || root.Untouched) { // it may still apply it
			continue
		}
		i := slices.IndexFunc(by.Objects, func(o *object.Object) bool {
			return o.Source.File == h.By.File && o.Source.StartLine == h.By.StartLine
		})
		if i < 0 || said[by.Objects[i].ID] {
			continue
		}
		o := by.Objects[i]
		said[o.ID] = true
		out = append(out, Remark{release: h.ID, Object: o, status: finding.New, at: r.editOf(was[b.Parent], o),
			text: fmt.Sprintf("%s, which declares release %s, is applied by %s no longer, though %s still has it",
				o.ID, h.ID, b.Parent, o.Source.File)})
	}
	return out
}

// failsOnHead reports whether a release of head that does not render may have the objects of one of base: it is the
// same one, or they are declared in one file.
func failsOnHead(ch *object.Changes, b *object.Rendered) bool {
	by := b.By.File
	return slices.ContainsFunc(ch.Head.Releases, func(h *object.Rendered) bool {
		return h.Err != nil && (h.ID == b.ID || by != "" && h.By.File == by || slices.Contains(h.Reads, by))
	})
}

// edit is the first line that the change edits of what a release of base is made of or is declared in; else of the
// files that it adds; the line of the object where it only deletes some.
func (r *Remains) edit(b *object.Rendered, o *object.Object) object.Location {
	if now := r.head[o.ID.String()]; now != nil {
		return now.Locate("metadata.annotations")
	}
	return r.editOf(b, o)
}

// editOf is [Remains.edit] for an object that is as it was.
func (r *Remains) editOf(b *object.Rendered, o *object.Object) object.Location {
	declared, made := []string{b.By.File}, slices.Clone(b.Reads)
	for _, h := range r.ch.Head.Releases {
		if h.ID == b.ID || h.ID == b.Parent {
			declared, made = append(declared, h.By.File), append(made, h.Reads...)
		}
	}
	for _, files := range [][]string{declared, made} {
		for _, f := range r.ch.Files {
			if lines := r.ch.Lines[f]; len(lines) > 0 && slices.Contains(files, f) && f != o.Source.File {
				return object.Location{File: f, StartLine: lines[0].First, EndLine: lines[0].First}
			}
		}
	}
	if f, _ := r.stays(o); r.added[f] != "" {
		return object.FileStart(f)
	}
	return o.Source
}
