package helm

import (
	"crypto/sha256"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are those that were compiled last: a chart's is asked for at every render of it, with each values
// set, on both sides, and compiling it takes longer than the rest of a render.
var schemas = &compiledSchemas{}

// Limits of the schemas that are kept: a compiled one takes some twenty times its text.
const (
	maxSchemas     = 8
	maxSchemaBytes = 1 << 19 // of one schema's text
)

// compiledSchemas keeps compiled schemas by their text.
type compiledSchemas struct {
	mu   sync.Mutex
	kept map[[sha256.Size]byte]compiledSchema
}

type compiledSchema struct {
	schema *jsonschema.Schema
	err    error
}

// compile is [compileSchema].
func (c *compiledSchemas) compile(text []byte) (*jsonschema.Schema, error) {
	if len(text) > maxSchemaBytes {
		return compileSchema(text)
	}
	sum := sha256.Sum256(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if one, ok := c.kept[sum]; ok {
		return one.schema, one.err
	}
	if len(c.kept) >= maxSchemas || c.kept == nil {
		c.kept = map[[sha256.Size]byte]compiledSchema{}
	}
	schema, err := compileSchema(text)
	c.kept[sum] = compiledSchema{schema, err}
	return schema, err
}
