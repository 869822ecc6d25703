package document

import (
	"bytes"
)

// KeyLine is the line of a top-level key, or 1.
func KeyLine(b []byte, name string) int {
	for i, l := range bytes.Split(b, []byte("\n")) {
		if bytes.HasPrefix(l, []byte(name+":")) {
			return i + 1
		}
	}
	return 1
}
