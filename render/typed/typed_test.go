package typed

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// What an object's type does not take is named by its field, also where several fields are wrong: each with what is
// wrong about it and not about another.
func TestATypeErrorNamesItsField(t *testing.T) {
	for _, test := range []struct{ name, replicas, cpu, ready, want string }{
		{"a count", "two", "100m", "0", "spec.replicas: a string where Deployment wants an integer"},
		{"a quantity", "2", "100x", "0", "spec.template.spec.containers[1].resources.requests[cpu]: not a quantity such as 500m or 1Gi"},
		{"a list", "[2]", "100m", "0", "spec.replicas: a list where Deployment wants an integer"},
		{"two counts", "two", "100m", "soon", "spec.minReadySeconds: a string where Deployment wants an integer\nspec.replicas: a string where Deployment wants an integer"},
		{"a count and a quantity", "two", "100x", "0", "spec.replicas: a string where Deployment wants an integer\nspec.template.spec.containers[1].resources.requests[cpu]: not a quantity such as 500m or 1Gi"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var content map[string]any
			text := `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ` + test.replicas + `
  minReadySeconds: ` + test.ready + `
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: a, image: "a:1"}
      - {name: b, image: "b:1", resources: {requests: {cpu: ` + test.cpu + `}}}
`
			if err := yaml.Unmarshal([]byte(text), &content); err != nil {
				t.Fatal(err)
			}
			d, err := Decode(content)
			var got []string
			for _, r := range d.Refused {
				got = append(got, r.Path+": "+r.Text)
				if !r.Undecodable {
					t.Errorf("%s is called decodable", r.Path)
				}
			}
			if err != nil || !slices.Equal(got, strings.Split(test.want, "\n")) {
				t.Errorf("%v, got  %q\nwant %s", err, got, test.want)
			}
		})
	}
}
