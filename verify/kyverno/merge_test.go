package kyverno

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
)

// A patch makes of a Deployment what kustomize's code makes of it, with which Kyverno merges.
func TestMergesAsUpstream(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		object := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": map[string]any{"name": "web"},
			"spec":     map[string]any{"replicas": 2.0, "template": map[string]any{"spec": drawSpec(r)}}}
		patch := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": drawSpec(r)}}}
		a, b := text(t, object), text(t, patch)
		own := map[string]any{}
		if err := json.Unmarshal([]byte(a), &own); err != nil {
			t.Fatal(err)
		}
		if why := merge(own, patch); why != "" {
			t.Fatal(why)
		}
		made, err := merge2.MergeStrings(b, a, false, yaml.MergeOptions{ListIncreaseDirection: yaml.MergeOptionsListPrepend})
		if err != nil {
			t.Fatal(err)
		}
		node, err := yaml.Parse(made)
		if err != nil {
			t.Fatal(err)
		}
		upstream, err := node.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		if err := json.Unmarshal(upstream, &want); err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(text(t, own)), &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d: %s\nwith %s (-upstream +ours):\n%s", seed, a, b, d)
		}
	}
}

func text(t *testing.T, v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// drawSpec is a part of a pod's spec.
func drawSpec(r *rand.Rand) map[string]any {
	list := func(most int, make func(i int) map[string]any) []any {
		var out []any
		for _, i := range r.Perm(most)[:1+r.IntN(most)] {
			out = append(out, make(i))
		}
		return out
	}
	value := func() any { return fmt.Sprint("v", r.IntN(3)) }
	container := func(i int) map[string]any {
		out := map[string]any{"name": fmt.Sprint("c", i), "image": value()}
		if r.IntN(2) == 0 {
			out["env"] = list(3, func(i int) map[string]any {
				return map[string]any{"name": fmt.Sprint("E", i), "value": value()}
			})
		}
		if r.IntN(2) == 0 {
			out["ports"] = list(2, func(i int) map[string]any {
				return map[string]any{"containerPort": float64(80 + i), "protocol": "TCP", "name": value()}
			})
		}
		if r.IntN(2) == 0 {
			out["resources"] = map[string]any{"requests": map[string]any{fmt.Sprint("r", r.IntN(2)): value()}}
			out["command"] = []any{value()}
			out["volumeMounts"] = list(2, func(i int) map[string]any {
				return map[string]any{"mountPath": fmt.Sprint("/m", i), "name": value()}
			})
		}
		return out
	}
	out := map[string]any{"containers": list(3, container)}
	for _, field := range []struct {
		name string
		make func() any
	}{
		{"initContainers", func() any { return list(2, container) }},
		{"nodeSelector", func() any { return map[string]any{fmt.Sprint("k", r.IntN(2)): value()} }},
		{"tolerations", func() any { return []any{map[string]any{"key": value()}} }},
		{"volumes", func() any {
			return list(2, func(i int) map[string]any {
				return map[string]any{"name": fmt.Sprint("v", i), "hostPath": map[string]any{"path": value()}}
			})
		}},
		{"topologySpreadConstraints", func() any {
			return list(2, func(i int) map[string]any {
				return map[string]any{"topologyKey": fmt.Sprint("t", i), "maxSkew": float64(1 + r.IntN(3)),
					"whenUnsatisfiable": []string{"DoNotSchedule", "ScheduleAnyway"}[r.IntN(2)]}
			})
		}},
		{"imagePullSecrets", func() any {
			return list(2, func(i int) map[string]any { return map[string]any{"name": fmt.Sprint("s", i)} })
		}},
		{"hostAliases", func() any {
			return list(2, func(i int) map[string]any {
				return map[string]any{"ip": fmt.Sprint("10.0.0.", i), "hostnames": []any{value()}}
			})
		}},
	} {
		if r.IntN(2) == 0 {
			out[field.name] = field.make()
		}
	}
	return out
}
