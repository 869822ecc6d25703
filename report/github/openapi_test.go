package github

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// openAPIFile names GitHub's published OpenAPI description, api.github.com.json of
// github/rest-api-description. It is 13 MB and not part of this repository: without it
// requests are not compared with it.
const openAPIFile = "KUBESETTLE_GITHUB_OPENAPI"

// openAPI is the part of a description that requests are compared with.
type openAPI struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Parameters map[string]parameter
	}
}

type parameter struct {
	Ref, Name, In string
	Required      bool
}

type operation struct {
	Parameters  []map[string]any
	RequestBody *struct {
		Required bool
		Content  map[string]struct{ Schema any }
	}
}

func readOpenAPI(t testing.TB) *openAPI {
	file := os.Getenv(openAPIFile)
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var o openAPI
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	return &o
}

// check says how a request differs from what GitHub documents.
func (o *openAPI) check(r *http.Request, path string) error {
	raw, err := o.find(r.Method, path)
	if err != nil {
		return err
	}
	var op operation
	if err := json.Unmarshal(raw, &op); err != nil {
		return err
	}
	if err := o.query(op, r.URL.Query()); err != nil {
		return err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if op.RequestBody == nil {
		if len(body) > 0 {
			return fmt.Errorf("a body where none is taken: %.80q", body)
		}
		return nil
	}
	return validBody(op.RequestBody.Content["application/json"].Schema, body)
}

// find gives the operation of a path, with {parameters} in the place of its parts.
func (o *openAPI) find(method, path string) (json.RawMessage, error) {
	parts := strings.Split(path, "/")
	for template, methods := range o.Paths {
		want := strings.Split(template, "/")
		if len(want) != len(parts) {
			continue
		}
		same := true
		for i := range want {
			same = same && (want[i] == parts[i] || strings.HasPrefix(want[i], "{") && parts[i] != "")
		}
		if op, ok := methods[strings.ToLower(method)]; same && ok {
			return op, nil
		}
	}
	return nil, fmt.Errorf("no operation %s %s", method, path)
}

// query demands that every parameter of the query is declared.
func (o *openAPI) query(op operation, query url.Values) error {
	known := map[string]bool{}
	for _, p := range op.Parameters {
		if ref, ok := p["$ref"].(string); ok {
			q := o.Components.Parameters[strings.TrimPrefix(ref, "#/components/parameters/")]
			known[q.Name] = q.In == "query"
			continue
		}
		name, _ := p["name"].(string)
		known[name] = p["in"] == "query"
	}
	for name := range query {
		if !known[name] {
			return fmt.Errorf("no query parameter %s", name)
		}
	}
	return nil
}

func validBody(schema any, body []byte) error {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4) // what OpenAPI 3.0 builds on
	if err := c.AddResource("body.json", schema); err != nil {
		return err
	}
	compiled, err := c.Compile("body.json")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// The comparison itself can fail: what GitHub does not document is refused.
func TestOpenAPIRefusesWhatIsNotDocumented(t *testing.T) {
	o := readOpenAPI(t)
	if o == nil {
		t.Skip(openAPIFile + " is not set: requests are not compared with GitHub's description")
	}
	for _, tc := range []struct {
		method, path, query, body string
		ok                        bool
	}{
		{"GET", listPath, "per_page=100&page=2", "", true},
		{"GET", listPath, "perpage=100", "", false},
		{"POST", listPath, "", `{"body":"x"}`, true},
		{"POST", listPath, "", `{"text":"x"}`, false},
		{"POST", listPath, "", `{"body":7}`, false},
		{"PUT", listPath, "", `{"body":"x"}`, false},
		{"PATCH", "/repos/shop/gitops/issues/comments/1", "", `{"body":"x"}`, true},
		{"DELETE", "/repos/shop/gitops/issues/comments/1", "", "", true},
		{"DELETE", "/repos/shop/gitops/issues/comments/1", "", "{}", false},
		{"GET", pullPath + "files", "per_page=100", "", true},
		{"POST", pullPath + "reviews", "", `{"event":"COMMENT","comments":[{"path":"a","body":"b","line":1,"side":"RIGHT"}]}`, true},
		{"POST", pullPath + "reviews", "", `{"event":"PRAISE"}`, false},
		{"POST", pullPath + "reviews", "", `{"comments":[{"path":"a","line":1}]}`, false},
		{"POST", pullPath + "comments", "", `{"body":"b","path":"a"}`, false},
		{"GET", "/repos/shop/gitops/nonsense", "", "", false},
	} {
		r, err := http.NewRequest(tc.method, "http://api.invalid"+tc.path+"?"+tc.query, strings.NewReader(tc.body))
		if err != nil {
			t.Fatal(err)
		}
		if err := o.check(r, tc.path); (err == nil) != tc.ok {
			t.Errorf("%s %s?%s %s: got %v, want ok %v", tc.method, tc.path, tc.query, tc.body, err, tc.ok)
		}
	}
}
