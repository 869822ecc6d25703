package policies

import (
	_ "embed"
	"slices"
)

//go:embed policy.schema.json
var schemaFile []byte

// Schema is the JSON Schema (2020-12) of the policy file. It refuses everything that is wrong without comparing one
// place of the file with another; [Load] refuses the rest too.
func Schema() []byte { return slices.Clone(schemaFile) }
