package locate

import (
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// InBlock moves a place in a block of text to the file that holds the block; field is
// where the block's key stands.
func InBlock(s *source.Source, field, in object.Location) object.Location {
	b, err := s.Read(field.File)
	if err != nil {
		return field
	}
	lines := strings.Split(string(b), "\n")
	if field.StartLine < 1 || field.StartLine >= len(lines) {
		return field
	}
	head, _, _ := strings.Cut(lines[field.StartLine-1], " #")
	head = strings.TrimRight(head, " \r0123456789+-")
	if !strings.HasSuffix(head, "|") {
		return field
	}
	indent := len(lines[field.StartLine]) - len(strings.TrimLeft(lines[field.StartLine], " "))
	in.File, in.Rung = field.File, "value"
	in.StartLine, in.EndLine = in.StartLine+field.StartLine, in.EndLine+field.StartLine
	in.StartColumn, in.EndColumn = in.StartColumn+indent, in.EndColumn+indent
	return in
}
