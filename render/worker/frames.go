package worker

import (
	"bufio"
	"bytes"
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

// wireRecipe is a recipe as it goes to a worker: without the files that the last one had, too.
type wireRecipe struct {
	*release.Recipe
	Files map[string][]byte
	Same  []string `json:",omitempty"` // files that are those of the last recipe, sorted
}

// encodeRecipe writes a recipe for a worker whose last one had some files.
func encodeRecipe(j *release.Recipe, last map[string][]byte) ([]byte, error) {
	wire := wireRecipe{Recipe: j, Files: make(map[string][]byte, len(j.Files))}
	for _, p := range j.Reads() {
		b, had := last[p]
		if own := j.Files[p]; had && own != nil && bytes.Equal(b, own) {
			wire.Same = append(wire.Same, p)
		} else {
			wire.Files[p] = own
		}
	}
	return json.Marshal(wire)
}

func decodeRecipe(b []byte, last map[string][]byte) (*release.Recipe, error) {
	wire := wireRecipe{Recipe: &release.Recipe{}}
	if err := utiljson.Unmarshal(b, &wire); err != nil {
		return nil, err
	}
	j := wire.Recipe
	if j.Files = wire.Files; j.Files == nil {
		j.Files = map[string][]byte{}
	}
	for _, p := range wire.Same {
		j.Files[p] = last[p]
	}
	return j, nil
}

// wireOutput is an output as it goes from a worker to its parent.
type wireOutput struct {
	release.Output
	Docs []wireDocument
	// Forgot says that the numbers of documents begin again.
	Forgot bool `json:",omitempty"`
}

// wireDocument has a content, or the number under which an earlier document of the same worker had it.
type wireDocument struct {
	document.Document
	Content any
	Known   int `json:",omitempty"`
}

// encodeOutput writes an output. Renderings for comparison mostly repeat earlier output: for the repeated parts, only
// the numbers that known has are sent.
func encodeOutput(j *release.Recipe, out release.Output, known *document.Known) ([]byte, error) {
	if j.Chart == nil || !j.Chart.Once {
		return json.Marshal(out)
	}
	wire := wireOutput{Output: out, Forgot: known.Forgot()}
	for _, d := range out.Docs {
		id, before := known.Number(d.Content)
		one := wireDocument{Document: d, Content: d.Content, Known: id}
		if before {
			one.Content = nil
		}
		wire.Docs = append(wire.Docs, one)
	}
	return json.Marshal(wire)
}

// decodeOutput keeps integers apart from floats, as the decoder of manifests does. Contents that earlier keeps and
// gives back are shared, in outputs that are only compared. whole is false if there are such, as the bytes are then not
// the whole output.
func decodeOutput(b []byte, earlier map[int]map[string]any) (out release.Output, whole bool, err error) {
	var wire struct {
		wireOutput
		Docs []struct {
			wireDocument
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(b, &wire); err != nil {
		return release.Output{}, false, err
	}
	if wire.Forgot {
		clear(earlier)
	}
	out, whole = release.Output{Notes: wire.Notes, Err: wire.Err, Lost: wire.Lost, Holes: wire.Holes}, true
	for _, d := range wire.Docs {
		doc := d.wireDocument.Document
		if content, ok := earlier[d.Known]; ok && d.Known > 0 {
			doc.Content, whole = content, false
		} else if err := utiljson.Unmarshal(d.Content, &doc.Content); err != nil {
			return release.Output{}, false, err
		} else if d.Known > 0 && earlier != nil {
			earlier[d.Known] = doc.Content
		}
		out.Docs = append(out.Docs, doc)
	}
	return out, whole, nil
}
