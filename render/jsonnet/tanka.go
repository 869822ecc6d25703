package jsonnet

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	gojsonnet "github.com/google/go-jsonnet"
	"github.com/google/go-jsonnet/ast"
	yaml3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

var errCalls = errors.New("it runs another program")

// tankaFunctions are those that Tanka gives its programs. The two that run Helm and Kustomize are not run.
//
// Upstream: grafana/tanka, pkg/jsonnet/native: Funcs.
func tankaFunctions(from *importer) []*gojsonnet.NativeFunction {
	text := func(args []any, i int) string { s, _ := args[i].(string); return s }
	give := func(name string, f func(args []any) (any, error), params ...ast.Identifier) *gojsonnet.NativeFunction {
		return &gojsonnet.NativeFunction{Name: name, Params: params, Func: f}
	}
	foreign := func(name string, params ...ast.Identifier) *gojsonnet.NativeFunction {
		return give(name, func([]any) (any, error) { from.calls = name; return nil, errCalls }, params...)
	}
	return []*gojsonnet.NativeFunction{
		give("parseJson", func(args []any) (v any, err error) {
			return v, json.Unmarshal([]byte(text(args, 0)), &v)
		}, "json"),
		give("parseYaml", func(args []any) (any, error) { return parseYAML(text(args, 0)) }, "yaml"),
		give("manifestJsonFromJson", func(args []any) (any, error) {
			indent, _ := args[1].(float64)
			var out bytes.Buffer
			by := strings.Repeat(" ", min(max(int(indent), 0), 40))
			if err := json.Indent(&out, []byte(text(args, 0)), "", by); err != nil {
				return nil, err
			}
			return out.String() + "\n", nil
		}, "json", "indent"),
		give("manifestYamlFromJson", func(args []any) (any, error) {
			var v any
			if err := json.Unmarshal([]byte(text(args, 0)), &v); err != nil {
				return nil, err
			}
			b, err := yaml.Marshal(v)
			return string(b), err
		}, "json"),
		give("escapeStringRegex", func(args []any) (any, error) { return regexp.QuoteMeta(text(args, 0)), nil }, "str"),
		give("regexMatch", func(args []any) (any, error) {
			return regexp.MatchString(text(args, 0), text(args, 1))
		}, "regex", "string"),
		give("regexSubst", func(args []any) (any, error) {
			r, err := regexp.Compile(text(args, 0))
			if err != nil {
				return nil, err
			}
			return r.ReplaceAllString(text(args, 1), text(args, 2)), nil
		}, "regex", "src", "repl"),
		give("sha256", func(args []any) (any, error) {
			return fmt.Sprintf("%x", sha256.Sum256([]byte(text(args, 0)))), nil
		}, "str"),
		foreign("helmTemplate", "name", "chart", "opts"),
		foreign("kustomizeBuild", "path", "opts"),
	}
}

func parseYAML(text string) (any, error) {
	out := []any{}
	for dec := yaml3.NewDecoder(strings.NewReader(text)); ; {
		var v any
		if err := dec.Decode(&v); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		var plain any
		if err := json.Unmarshal(b, &plain); err != nil {
			return nil, err
		}
		out = append(out, plain)
	}
}
