package policies

import (
	"bytes"
	_ "embed"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// fullExample is the file format with every key, as the design fixes it.
//
//go:embed testdata/full.yaml
var fullExample string

func resourceName(s string) corev1.ResourceName { return corev1.ResourceName(s) }

// checker validates YAML against the published schema.
type checker struct{ schema *jsonschema.Schema }

func compiledSchema(t *testing.T) checker {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("policy.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("policy.json")
	if err != nil {
		t.Fatal(err)
	}
	return checker{s}
}

// validate gives the schema's opinion of a YAML file.
func (c checker) validate(data []byte) (readable bool, err error) {
	js, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return false, err
	}
	if string(js) == "null" { // an empty file says nothing, and a schema sees no file
		return true, nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(js))
	if err != nil {
		return false, err
	}
	return true, c.schema.Validate(doc)
}

// verdict is "accepts", "rejects", or "cannot read" for what is no YAML.
func (c checker) verdict(t *testing.T, data []byte) string {
	t.Helper()
	switch readable, err := c.validate(data); {
	case !readable:
		return "cannot read"
	case err != nil:
		return "rejects"
	default:
		return "accepts"
	}
}

func TestSchemaAcceptsWhatTheDesignShows(t *testing.T) {
	c := compiledSchema(t)
	for name, data := range map[string][]byte{"default.yaml": defaultFile, "full.yaml": []byte(fullExample)} {
		if _, err := c.validate(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Load(name, data); err != nil {
			t.Error(err)
		}
	}
}

func TestSchemaKnowsEveryRule(t *testing.T) {
	c := compiledSchema(t)
	for _, id := range ruleIDs() {
		data := []byte("intents: {" + id + ": {severity: warning}}\n")
		if _, err := c.validate(data); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := Load("p.yaml", data); err != nil {
			t.Error(err)
		}
	}
}
