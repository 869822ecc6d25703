package static

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Remains knows which workloads a change takes out of the releases while what they are made of stays in the repository.
type Remains struct {
	ch   *object.Changes
	head map[string]bool // IDs of head's objects
	made map[string]bool // files of head with the kinds that are made of them
	read map[string]bool // files of releases that do not render, or were not rendered
}

// NewRemains looks at what head renders.
func NewRemains(ch *object.Changes) *Remains {
	r := &Remains{ch: ch, head: map[string]bool{}, made: map[string]bool{}, read: map[string]bool{}}
	for _, rel := range ch.Head.Releases {
		if rel.Err != nil || rel.Untouched {
			for _, f := range rel.Reads {
				r.read[f] = true
			}
		}
		for _, o := range rel.Objects {
			r.head[o.ID.String()], r.made[o.Source.File+" "+o.ID.Kind] = true, true
		}
	}
	return r
}

// Has reports whether an object of base is in no release of head, and the file that it is made of still has it: nothing
// of its kind is made of that any longer.
func (r *Remains) Has(o *object.Object) bool {
	file := o.Source.File
	if o.Hook || r.head[o.ID.String()] || r.made[file+" "+o.ID.Kind] || r.read[file] {
		return false
	}
	is, err := fs.ReadFile(r.ch.Head.Tree, file)
	if err != nil {
		return false
	}
	was, err := fs.ReadFile(r.ch.Base.Tree, file)
	kind := regexp.MustCompile(`(?m)^[ \t-]*["']?kind["']?[ \t]*:[ \t]*["']?` + regexp.QuoteMeta(o.ID.Kind) + `\b`)
	return err == nil && kind.Match(is) &&
		(!strings.Contains(string(was), o.ID.Name) || strings.Contains(string(is), o.ID.Name))
}

var leaves = Analyzer{Name: "undeployed", Rule: rules.NoLongerDeployed, Run: undeployed, Compares: true, Whole: true,
	Doc: "a workload that is in no release any longer, though its manifest stays"}

// undeployed says which workloads of each release are deployed no longer, though their manifests stay.
func undeployed(p *Pass) []Remark {
	ch := p.ch
	var out []Remark
	remains := NewRemains(ch)
	for _, b := range ch.Base.Releases {
		var left []*object.Object
		for _, o := range b.Objects {
			_, modeled := state.ManifestOf(o.Typed)
			if b.Switched == "" && (modeled || slice.RunsPods(o)) && remains.Has(o) {
				left = append(left, o)
			}
		}
		if len(left) == 0 {
			continue
		}
		o := left[0]
		text := fmt.Sprintf("%s is in no release any longer, though %s still has it", o.ID, o.Source.File)
		if n := len(left) - 1; n > 0 {
			text = fmt.Sprintf("%s and %d more workloads of %s are in no release any longer, though %s still has it", o.ID, n,
				b.ID, o.Source.File)
		}
		out = append(out, Remark{release: b.ID, Object: o, status: finding.New, gone: true,
			text: text, at: remains.edit(b, o)})
	}
	return out
}

// edit is the first line that the change edits of what a release of base is made of or is declared in; the line of the
// object where it only deletes some.
func (r *Remains) edit(b *object.Rendered, o *object.Object) object.Location {
	files := append(slices.Clone(b.Reads), b.By.File)
	for _, h := range r.ch.Head.Releases {
		if h.ID == b.ID {
			files = append(append(files, h.Reads...), h.By.File)
		}
	}
	for _, f := range r.ch.Files {
		if lines := r.ch.Lines[f]; len(lines) > 0 && slices.Contains(files, f) && f != o.Source.File {
			return object.Location{File: f, StartLine: lines[0].First, EndLine: lines[0].First}
		}
	}
	return o.Source
}
