package report

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// ErrNotAResult says that a text is not what [JSON] writes.
var ErrNotAResult = errors.New("not a result of kubesettle")

// maxForeignBytes bounds a result that somebody else's run wrote.
const maxForeignBytes = 16 << 20

// ReadForeign reads a result that a run without trust wrote, such as the artifact of a
// fork's pull request: its size is bounded, the schema must hold, and a notice says
// first that its words are that run's. Surfaces escape it like any other.
// Errors: [ErrNotAResult].
func ReadForeign(data []byte) (*finding.Result, error) {
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
	r, err := ReadResult(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNotAResult, Plain(err.Error(), 200))
	}
	r.Notices = slices.Insert(r.Notices, 0, finding.Say(finding.ForeignRun))
	return r, nil
}
