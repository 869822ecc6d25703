package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kubesettle/kubesettle/verify/finding"
)

func compileSchema(t testing.TB, name string, doc []byte) *jsonschema.Schema {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, v); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, doc string) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Fatalf("%#v", err)
	}
}

func TestJSONMatchesItsSchema(t *testing.T) {
	schema := compileSchema(t, "result.schema.json", ResultSchema())
	for name, r := range map[string]*finding.Result{"spread": spreadResult(), "loop": loopResult(), "empty": emptyResult(), "nothing": nothingResult(), "big": bigResult(40)} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := JSON(&b, r); err != nil {
				t.Fatal(err)
			}
			validate(t, schema, b.String())
			if !strings.HasSuffix(b.String(), "}\n") || strings.Contains(b.String(), `\u003`) {
				t.Error("no newline at the end, or HTML escaping")
			}
		})
	}
	for _, bad := range []string{`{}`, `{"schemaVersion":"2"}`, `[]`} {
		v, _ := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if schema.Validate(v) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}

// The schema names every field of the contract, requires those that are always
// written, and names no other.
func TestSchemaFollowsTheContract(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(ResultSchema(), &doc); err != nil {
		t.Fatal(err)
	}
	for def, v := range map[string]any{
		"": contract{}, "note": writtenNote{}, "side": finding.Side{}, "workload": finding.Workload{}, "fieldChange": finding.FieldChange{},
		"location": finding.Location{}, "finding": finding.Finding{}, "scale": finding.Scale{}, "step": finding.Step{},
		"because": finding.Because{}, "snapshot": finding.Snapshot{}, "node": finding.NodeSnapshot{}, "pods": finding.PodsSnapshot{},
		"workloadSnapshot": finding.WorkloadSnapshot{}, "blame": finding.Blame{}, "fix": finding.Fix{}, "coverage": finding.Coverage{},
		"release": finding.ReleaseResult{}, "waived": finding.Waived{}, "forecast": finding.Forecast{}, "foreseen": finding.Foreseen{}, "foreseenRun": finding.ForeseenRun{},
		"move": finding.Move{}, "wait": finding.Wait{}, "span": finding.Span{},
		"budgetSnapshot": finding.BudgetSnapshot{}, "quotaSnapshot": finding.QuotaSnapshot{}, "claimSnapshot": finding.ClaimSnapshot{}, "serviceSnapshot": finding.ServiceSnapshot{},
		"setSnapshot": finding.SetSnapshot{}, "autoscalerSnapshot": finding.AutoscalerSnapshot{},
	} {
		schema := doc
		if def != "" {
			schema = doc["$defs"].(map[string]any)[def].(map[string]any)
		}
		props := schema["properties"].(map[string]any)
		required := map[string]bool{}
		for _, k := range schema["required"].([]any) {
			required[k.(string)] = true
		}
		typ := reflect.TypeOf(v)
		written := 0
		for _, field := range reflect.VisibleFields(typ) {
			name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "-" || field.Anonymous { // not part of the result that is written
				continue
			}
			written++
			if props[name] == nil {
				t.Errorf("%s.%s: not in the schema", typ, name)
			}
			if required[name] == (rest == "omitempty") {
				t.Errorf("%s.%s: required is %v, omitempty is %q", typ, name, required[name], rest)
			}
		}
		if len(props) != written {
			t.Errorf("%s: %d properties for %d fields", typ, len(props), written)
		}
	}
}

// What was written reads back as it was, but for control characters.
func TestJSONRoundTrip(t *testing.T) {
	r := loopResult()
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	back, err := ReadResult(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := JSON(&again, back); err != nil {
		t.Fatal(err)
	}
	if again.String() != b.String() {
		t.Error("the second writing differs from the first")
	}
}
