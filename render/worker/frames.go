package worker

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
)

// writeFrame writes a length and the bytes.
func writeFrame(w io.Writer, b []byte) error {
	if _, err := fmt.Fprintf(w, "%d\n", len(b)); err != nil {
		return err
	}
	_, err := w.Write(b)
	return err
}

func readFrame(r *bufio.Reader, limit int) ([]byte, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	var n int
	if _, err := fmt.Sscanf(line, "%d\n", &n); err != nil || n < 0 {
		return nil, fmt.Errorf("frame header %q", document.Shorten(line, 40))
	}
	if n > limit {
		return nil, errFrame
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r, b)
	return b, err
}

// decodeOutput keeps integers apart from floats, as the decoder of manifests does.
func decodeOutput(b []byte) (release.Output, error) {
	var wire struct {
		release.Output
		Docs []struct {
			document.Document
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(b, &wire); err != nil {
		return release.Output{}, err
	}
	out := release.Output{Notes: wire.Notes, Err: wire.Err, Lost: wire.Lost}
	for _, d := range wire.Docs {
		if err := utiljson.Unmarshal(d.Content, &d.Document.Content); err != nil {
			return release.Output{}, err
		}
		out.Docs = append(out.Docs, d.Document)
	}
	return out, nil
}
