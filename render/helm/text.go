package helm

import (
	"bytes"
	"compress/gzip"
	"io"
	"path"
)

// PlainText is a file's text, and that of a packaged chart as far as it can be read.
func PlainText(p string, b []byte) []byte {
	if path.Ext(p) != ".tgz" {
		return b
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return b
	}
	text, err := io.ReadAll(io.LimitReader(z, maxChartBytes))
	if err != nil {
		return b
	}
	return text
}
