package reach

import (
	"testing"

	"github.com/kubesettle/kubesettle/render/document"
)

// TestNamesOfOtherEnds: what a route names by a value may be an object of a text, by its name. A key of the route is no
// name, and an item of a list, such as a port, is no object.
func TestNamesOfOtherEnds(t *testing.T) {
	docs, fail := document.Decode("route.yaml", []byte(`
kind: Ingress
spec:
  rules: [{http: {paths: [{path: /, backend: {service: {name: web, port: {name: main}}}}]}}]
`))
	if fail != nil {
		t.Fatal(fail.Reason)
	}
	x := leading{names: wordsOf(rulesOf(docs[0]))}
	for text, want := range map[string]bool{
		"kind: Service\nmetadata:\n  name: web\n":                                  true,
		"kind: Service\nmetadata: {name: web}\n":                                   true,
		"kind: Service\nmetadata:\n  name: api\nspec:\n  ports:\n  - name: main\n": false,
		"kind: Service\nmetadata:\n  name: http\n":                                 false,
		"kind: Service\nmetadata:\n  name: api\nspec:\n  ports:\n  - name: http\n": false,
		"kind: ConfigMap\nmetadata:\n  name: web\n":                                false,
	} {
		if got := x.meets([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
