package slice

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/object"
)

// An object that says where pods may stand is one that an operator makes pods of: a controller that only renders or
// rolls out what it holds makes none of its own, and a workload's template is a model's or named by itself.
func TestAsksOfPods(t *testing.T) {
	for _, c := range []struct {
		group, spec string
		want        bool
	}{
		{"elasticsearch.k8s.elastic.co", "{nodeSets: [{count: 3, podTemplate: {spec: {}}}]}", true},
		{"valkey.io", "{scheduling: {affinity: {nodeAffinity: {}}}}", true},
		{"postgresql.cnpg.io", "{instances: 3, affinity: {}}", true},
		{"monitoring.coreos.com", "{selector: {matchLabels: {a: b}}, endpoints: [{port: http}]}", false},
		{"cert-manager.io", "{secretName: a}", false},
		{"helm.toolkit.fluxcd.io", "{values: {tolerations: []}}", false},
		{"argoproj.io", "{source: {helm: {valuesObject: {affinity: {}}}}}", false},
		{"kubeflow.org", "{template: {spec: {tolerations: [], containers: [{name: a}]}}}", false},
	} {
		o := &object.Object{ID: object.ID{Group: c.group, Kind: "Thing", Name: "a"}}
		if err := yaml.Unmarshal([]byte("spec: "+c.spec), &o.Content); err != nil {
			t.Fatal(err)
		}
		if got := AsksOfPods(o); got != c.want {
			t.Errorf("%s %s: %t, want %t", c.group, c.spec, got, c.want)
		}
	}
}
