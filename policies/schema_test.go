package policies

import (
	"bytes"
	_ "embed"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
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

// Every key that the reader of policy files takes is a property of the schema, and so is documented: see
// TestEveryKeyIsDocumented.
func TestSchemaHasEveryKeyThatIsRead(t *testing.T) {
	others := map[string]bool{ // read files that the policy names
		"baseline.go": true, "descheduler.go": true, "descheduler_args.go": true, "descheduler_v1alpha1.go": true,
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	known, read := string(Schema()), 0
	for _, file := range files {
		if others[file] || strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			list, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if name, ok := list.Type.(*ast.Ident); !ok || name.Name != "fields" {
				return true
			}
			for _, e := range list.Elts {
				lit, ok := e.(*ast.KeyValueExpr).Key.(*ast.BasicLit)
				if !ok {
					continue
				}
				key, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				if read++; !strings.Contains(known, strconv.Quote(key)+":") {
					t.Errorf("%s: %s is read, and not in policy.schema.json", set.Position(lit.Pos()), key)
				}
			}
			return true
		})
	}
	if read < 100 {
		t.Errorf("only %d keys are read", read)
	}
}
