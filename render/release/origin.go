package release

import (
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
)

// Origin is the document that an object was read from, and who finds its lines.
type Origin struct {
	Doc  document.Document // as it was read, or written by a template
	Find func(path string) object.Location
	// Lacks is the value that nothing gives, of the chart with its own values alone that made it; nil: it has others.
	Lacks func(at object.Location) string
}

// Locate gives the file and line that set a field.
func (o *Origin) Locate(path string) object.Location { return o.Find(path) }

// Undeclared is the value of a chart that a field's line writes and that nothing gives.
func (o *Origin) Undeclared(path string) string {
	if o.Lacks == nil {
		return ""
	}
	return o.Lacks(o.Find(path))
}

// DocOf is the document that an object was read from.
func DocOf(o *object.Object) document.Document {
	if one, ok := o.Origin.(*Origin); ok {
		return one.Doc
	}
	return document.Document{}
}
