package slice

import (
	"strings"
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

// Of a policy, only what it generates runs pods, or has them made: what it matches, patches and checks is another's.
func TestPoliciesMakeWhatTheyGenerate(t *testing.T) {
	const placed = "{spec: {template: {spec: {tolerations: [], containers: [{name: a}]}}}}"
	for _, c := range []struct {
		rule       string
		runs, asks bool
	}{
		{"mutate: {patchStrategicMerge: " + placed + "}", false, false},
		{"mutate: {patchStrategicMerge: {spec: {nodeSelector: {a: b}}}}", false, false},
		{"validate: {pattern: " + placed + "}", false, false},
		{"mutate: {targets: [{apiVersion: apps/v1, kind: Deployment}], patchStrategicMerge: " + placed + "}", false, false},
		{"generate: {apiVersion: apps/v1, kind: Deployment, name: a, data: " + placed + "}", true, false},
		{"generate: {apiVersion: b.c/v1, kind: Thing, name: a, data: {spec: {tolerations: []}}}", false, true},
	} {
		o := &object.Object{ID: object.ID{Group: "kyverno.io", Kind: "ClusterPolicy", Name: "a"}}
		if err := yaml.Unmarshal([]byte("spec: {rules: [{name: a, "+c.rule+"}]}"), &o.Content); err != nil {
			t.Fatal(err)
		}
		if RunsPods(o) != c.runs || AsksOfPods(o) != c.asks {
			t.Errorf("%s: runs pods %t, asks of pods %t", c.rule, RunsPods(o), AsksOfPods(o))
		}
	}
}

// A kind without a model is named if its release is one that the change is about. What scales workloads is named for
// theirs.
func TestForeignOfWhatTheChangeIsAbout(t *testing.T) {
	thing := func(kind, name, spec string) *object.Object {
		o := &object.Object{ID: object.ID{Group: "b.c", Kind: kind, Namespace: "a", Name: name}}
		if err := yaml.Unmarshal([]byte("spec: "+spec), &o.Content); err != nil {
			t.Fatal(err)
		}
		return o
	}
	runs := "{template: {spec: {containers: [{name: a}]}}}"
	scales := func(name string) string {
		return "{scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: " + name + "}}"
	}
	web := &object.Object{ID: object.ID{Group: "apps", Kind: "Deployment", Namespace: "a", Name: "web"}}
	changed := &object.Rendered{Release: object.Release{ID: "changed"},
		Objects: []*object.Object{web, thing("Ours", "a", runs)}}
	beside := &object.Rendered{Release: object.Release{ID: "beside"}, Objects: []*object.Object{
		thing("Theirs", "a", runs), thing("WebScaler", "a", scales("web")), thing("OtherScaler", "a", scales("other"))}}
	head := &object.Revision{Releases: []*object.Rendered{beside, changed}}
	for all, want := range map[bool]string{false: "Ours, b.c/WebScaler", true: "Ours, Theirs, b.c/OtherScaler, b.c/WebScaler"} {
		var got []string
		for _, n := range Foreign(head, func(r *object.Rendered, _ object.ID) bool { return all || r == changed }) {
			got = append(got, n.Names...)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
