package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kubesettle/kubesettle/verify"
)

// ErrNotAResult says that a text is not what [JSON] writes.
var ErrNotAResult = errors.New("not a result of kubesettle")

// maxForeignBytes bounds a result that somebody else's run wrote.
const maxForeignBytes = 16 << 20

// ReadForeign reads a result that a run without trust wrote, such as the artifact of a
// fork's pull request: its size is bounded, the schema must hold, and a notice says
// first that its words are that run's. Surfaces escape it like any other.
// Errors: [ErrNotAResult].
func ReadForeign(data []byte) (*verify.Result, error) {
	if len(data) > maxForeignBytes {
		return nil, fmt.Errorf("%w: it has %d bytes, more than %d", ErrNotAResult, len(data), maxForeignBytes)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(resultSchema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("result.schema.json", doc); err != nil {
		return nil, err
	}
	schema, err := c.Compile("result.schema.json")
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNotAResult, Plain(err.Error(), 200))
	}
	if err := schema.Validate(value); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNotAResult, Plain(err.Error(), 300))
	}
	var r verify.Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNotAResult, Plain(err.Error(), 200))
	}
	r.Notices = append([]string{"this report was made by the pull request's own run, which its author can change: its check, not this comment, is the gate"}, r.Notices...)
	return &r, nil
}
