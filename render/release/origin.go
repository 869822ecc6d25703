package release

import (
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
)

// Origin is the document that an object was read from, and who finds its lines.
type Origin struct {
	Doc  document.Document // as it was read, or written by a template
	Find func(path string) object.Location
}

// Locate gives the file and line that set a field.
func (o *Origin) Locate(path string) object.Location { return o.Find(path) }

// DocOf is the document that an object was read from.
func DocOf(o *object.Object) document.Document {
	if one, ok := o.Origin.(*Origin); ok {
		return one.Doc
	}
	return document.Document{}
}
