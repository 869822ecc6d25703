package render

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
)

// RewriteAll gives texts of one file, see [object.Revision.RewriteAll].
func (h *renderer) RewriteAll(ctx context.Context, r *object.Revision, parts []object.Part, want []*object.Object,
) iter.Seq[object.Rewrite] {
	return func(yield func(object.Rewrite) bool) {
		if len(parts) > 0 {
			h.rewriteRest(ctx, r, parts, want, "", yield)
		}
	}
}

// rewriteRest makes the parts one after the other, in one file if any is named; false where no more is asked for.
func (h *renderer) rewriteRest(ctx context.Context, r *object.Revision, parts []object.Part,
	want []*object.Object, file string,
	yield func(object.Rewrite) bool) bool {
	p := parts[0]
	list := h.Rewrites(r, p.Object, p.Set)
	if p.Add != nil {
		list = appended(r, p.Object, p.Add)
	}
	for _, w := range list {
		if file != "" && w.File != file {
			continue
		}
		rel, err := h.Edited(ctx, r, p.Object.Release, w.File, []byte(w.Text))
		if err != nil || rel.Err != nil {
			continue
		}
		if len(parts) == 1 {
			if object.Same(rel.Objects, want) && !yield(w) {
				return false
			}
			continue
		}
		next := *r
		next.Releases = slices.Clone(r.Releases)
		next.Releases[slices.IndexFunc(next.Releases, func(x *object.Rendered) bool { return x.ID == rel.ID })] = rel
		rest := slices.Clone(parts[1:])
		for i := range rest {
			if rest[i].Object = releaseObject(rel, rest[i].Object.ID); rest[i].Object == nil {
				return true
			}
		}
		if !h.rewriteRest(ctx, &next, rest, want, w.File, yield) {
			return false
		}
	}
	return true
}

// releaseObject is the one with an ID; nil: there is none.
func releaseObject(r *object.Rendered, id object.ID) *object.Object {
	if i := slices.IndexFunc(r.Objects, func(o *object.Object) bool { return o.ID == id && !o.Hook }); i >= 0 {
		return r.Objects[i]
	}
	return nil
}

// appended writes an object behind the last one of another's file, where that holds manifests as they are applied.
func appended(r *object.Revision, o, add *object.Object) []object.Rewrite {
	j := recipeOf(r, o)
	if j == nil || j.Chart != nil {
		return nil
	}
	text := j.Files[o.Source.File]
	t, ok := readSource(j, o.Source.File)
	if !ok || o.Source.File == "" || len(docOf(o).Items) > 0 || len(t.roots) == 0 {
		return nil
	}
	body := strings.TrimRight(string(text), " \t\r\n")
	end := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		end = "\r\n"
	}
	var b strings.Builder
	b.WriteString(body + end)
	if !strings.HasSuffix(body, "\n---") {
		b.WriteString("---" + end)
	}
	for _, key := range []string{"apiVersion", "kind", "metadata", "spec"} {
		if v, ok := add.Content[key]; ok {
			b.WriteString(strings.ReplaceAll(inBlock(map[string]any{key: v}, 0), "\n", end))
		}
	}
	return []object.Rewrite{{File: o.Source.File, Text: b.String()}}
}
