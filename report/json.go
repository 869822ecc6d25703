package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"

	"github.com/kubesettle/kubesettle/verify"
)

//go:embed schema/result.schema.json
var resultSchema []byte

// ResultSchema is the JSON Schema (2020-12) of what [JSON] writes.
func ResultSchema() []byte { return bytes.Clone(resultSchema) }

// JSON writes the result as indented JSON with a newline at its end; keys stand in the
// order of the contract, lists are never null.
// Errors: the writer's.
func JSON(w io.Writer, r *verify.Result) error {
	b, err := encodeJSON(sanitized(r))
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// encodeJSON is v in JSON: two spaces of indent, < > & as they are.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
