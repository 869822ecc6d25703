package helmfile

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// failRead adds a release of the helmfile that cannot be had, as one of all the files that its readable part names: a
// change to any of them may change the release.
func (h *helmfile) failRead(r release.Release, f *object.Failure, texts ...string) {
	more := slices.Clone(h.read)
	for ; len(texts) > 0; texts = texts[1:] {
		for _, p := range h.mentioned(texts[0]) {
			if slices.Contains(more, p) {
				continue
			}
			more = append(more, p)
			ext := path.Ext(p)
			if b, err := h.Src.Read(p); err == nil && (ext == ".gotmpl" || ext == ".tpl") { // which may read others
				texts = append(texts, string(document.UTF8(b)))
			}
		}
	}
	slices.Sort(more)
	r.Files = append(r.Files, slices.Compact(more)...)
	h.Fail(r, f)
}

// whole are the texts of the helmfile and of its bases: of what a list `bases` in it may name.
func (h *helmfile) whole() []string {
	texts := []string{h.text}
	for _, list := range basesLine.FindAllString(h.text, -1) {
		for _, f := range h.mentioned(list) {
			if b, err := h.Src.Read(f); err == nil {
				texts = append(texts, string(document.UTF8(b)))
			}
		}
	}
	return texts
}

var (
	basesLine = regexp.MustCompile(`(?m)^bases:[^\n]*(?:\n(?:[ \t-][^\n]*)?)*`)
	fileNames = regexp.MustCompile("[^\\s\"'`,\\[\\]{}()=:#]+\\.(?:ya?ml|json|gotmpl|tpl)\\b")
)

// mentioned lists the files of the repository that a text names, relative to the helmfile's folder: what a template
// would fill in may be anything within one folder's name.
func (h *helmfile) mentioned(text string) []string {
	var out []string
	for _, name := range fileNames.FindAllString(anyAction.ReplaceAllString(text, "*"), -1) {
		p, in := source.Inside(h.dir, name)
		before, _, filled := strings.Cut(p, "*")
		if !in || p == h.file || !filled && !h.Src.HasFile(p) {
			continue
		}
		if !filled {
			out = append(out, p)
			continue
		}
		after := p[strings.LastIndex(p, "*")+1:]
		for _, f := range h.Src.Files {
			if f != h.file && strings.HasPrefix(f, before) && strings.HasSuffix(f, after) && source.Match(p, f) {
				out = append(out, f)
			}
		}
	}
	return out
}
