package render

import "sort"

// fluxSources are the objects that a HelmRelease takes its chart from.
func fluxSources(docs []document) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, doc := range docs {
		if gvk := gvkOf(doc.Content); gvk.Group == "source.toolkit.fluxcd.io" {
			out[gvk.Kind+" "+objectName(doc.Content, "")] = doc.Content
		}
	}
	return out
}

// sourceOf is the source of a HelmRelease where the same build gives it, or nil.
func (d *declared) sourceOf(h map[string]any) map[string]any {
	ref := value(h, "spec", "chartRef")
	if ref == nil {
		ref = value(h, "spec", "chart", "spec", "sourceRef")
	}
	ns := text(ref, "namespace")
	if ns == "" {
		ns = text(h, "metadata", "namespace")
	}
	return d.sources[text(ref, "kind")+" "+ns+"/"+text(ref, "name")]
}

// specFiles lists the files that set an object's spec, sorted.
func specFiles(docs []document, content map[string]any, place func(document, string) Location) []string {
	if content == nil {
		return nil
	}
	set := map[string]bool{}
	for _, doc := range docs {
		if objectName(doc.Content, "") != objectName(content, "") || gvkOf(doc.Content) != gvkOf(content) {
			continue
		}
		leaves(content["spec"], fieldPath{key("spec")}, func(p fieldPath, _ any) {
			if f := place(doc, p.String()).File; f != "" {
				set[f] = true
			}
		})
	}
	files := make([]string, 0, len(set))
	for f := range set {
		files = append(files, f)
	}
	sort.Strings(files)
	return files
}

// unread is the job of a release that cannot be had. The files that declare it are what
// a change has to touch to change it.
func unread(r Release) *job {
	j := &job{Release: r, Files: map[string][]byte{}}
	for _, f := range r.Files {
		j.Files[f] = nil
	}
	return j
}
