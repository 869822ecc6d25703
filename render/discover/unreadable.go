package discover

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// A file whose objects head can no longer read has not lost them: an object that base has and head has in another form
// never counts as removed. Base is the twin of head's source.

// Unreadable is why a file of plain manifests that base reads gives fewer objects here, or nil:
// it does not parse, or a document of it has lost its kind or its API version.
func Unreadable(s *source.Source, p string) *object.Failure {
	if s.Twin == nil || !s.Twin.Lists(p) || s.Twin.Digest(p) == s.Digest(p) {
		return nil
	}
	was, err := s.Twin.Read(p)
	if err != nil || !source.LooksLikeManifest(was) || NotAnObject(was) != "" {
		return nil
	}
	old, f := document.Decode(p, was)
	if f != nil {
		return nil
	}
	now, err := s.Read(p)
	if err != nil {
		return nil
	}
	docs, f := document.Decode(p, now)
	if f != nil {
		return f
	}
	before := halves(old)
	for i, h := range halves(docs) {
		if k := slices.Index(before, h); h == "" || k >= 0 {
			if k >= 0 {
				before[k] = ""
			}
			continue
		}
		line := docs[i].Line
		return &object.Failure{
			Reason: fmt.Sprintf("%s:%d: the document has no %s, and base has an object there: the API server refuses it", p,
				line, h),
			Where: object.LineOf(p, line, "file"), Remedy: "write `" + h + "` again, or remove the document",
		}
	}
	return nil
}

// halves names for each document what it lacks to be an object, where it has the rest of one.
func halves(docs []document.Document) []string {
	out := make([]string, len(docs))
	for i, d := range docs {
		_, named := d.Content["metadata"].(map[string]any)
		kind, version := d.Content["kind"] != nil, d.Content["apiVersion"] != nil
		switch {
		case kind == version || !named:
		case kind:
			out[i] = "apiVersion"
		default:
			out[i] = "kind"
		}
		if _, spec := d.Content["spec"]; spec && named && !kind && !version {
			out[i] = "apiVersion and kind"
		}
	}
	return out
}
