package rollouts

import (
	"reflect"
	"testing"
)

func manifest(strategy map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "metadata": map[string]any{"name": "web", "labels": map[string]any{"a": "b"}},
		"spec": map[string]any{
			"replicas": int64(3), "progressDeadlineSeconds": int64(60),
			"selector": map[string]any{"matchLabels": map[string]any{"app": "web"}},
			"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "web", "image": "web"}}}},
			"strategy": strategy,
		},
	}
}

// What is not there is what upstream takes it for, a number in quotes is a percentage, and what decides on numbers of
// pods without being read is named.
func TestDecode(t *testing.T) {
	r := Decode(manifest(map[string]any{"canary": map[string]any{
		"maxSurge": "50", "analysis": map[string]any{}, "trafficRouting": map[string]any{"istio": map[string]any{}},
		"steps": []any{map[string]any{"setWeight": int64(20)}, map[string]any{"pause": map[string]any{}}, map[string]any{"experiment": map[string]any{}}},
	}}))
	if r == nil {
		t.Fatal("not read")
	}
	c := r.Spec.Strategy.Canary
	if c.MaxSurge.StrVal != "50%" || c.MaxUnavailable.StrVal != "25%" || *r.Spec.Replicas != 3 || c.TrafficRouting == nil {
		t.Errorf("defaults: %+v", c)
	}
	if want := []string{"analysis", "experiment"}; !reflect.DeepEqual(r.Unread, want) {
		t.Errorf("unread: %q, want %q", r.Unread, want)
	}
	for name, strategy := range map[string]map[string]any{
		"none":          {},
		"no router":     {"canary": map[string]any{"trafficRouting": map[string]any{}}},
		"both":          {"canary": map[string]any{}, "blueGreen": map[string]any{}},
		"wrong type":    {"canary": map[string]any{"dynamicStableScale": "yes"}},
		"anti-affinity": {"canary": map[string]any{"antiAffinity": map[string]any{}}},
	} {
		if Decode(manifest(strategy)) != nil {
			t.Errorf("%s: read", name)
		}
	}
	ref := manifest(map[string]any{"canary": map[string]any{}})
	ref["spec"].(map[string]any)["workloadRef"] = map[string]any{"name": "web"}
	if Decode(ref) != nil {
		t.Error("workloadRef: read")
	}
}

// A copy shares nothing: every pointer, slice and map of it is another one.
func TestDeepCopyShares(t *testing.T) {
	for _, strategy := range []map[string]any{
		{"canary": map[string]any{
			"trafficRouting": map[string]any{"nginx": map[string]any{}, "maxTrafficWeight": int64(10)}, "abortScaleDownDelaySeconds": int64(1), "scaleDownDelaySeconds": int64(1), "minPodsPerReplicaSet": int64(1),
			"steps": []any{map[string]any{"setWeight": int64(20)}, map[string]any{"pause": map[string]any{"duration": "1m"}}, map[string]any{"setCanaryScale": map[string]any{"weight": int64(1), "replicas": int64(1)}}},
		}},
		{"blueGreen": map[string]any{"previewReplicaCount": int64(1), "autoPromotionEnabled": true, "scaleDownDelaySeconds": int64(1), "abortScaleDownDelaySeconds": int64(1)}},
	} {
		r := Decode(manifest(strategy))
		c := r.DeepCopy()
		if !reflect.DeepEqual(r, c) {
			t.Fatalf("the copy differs: %+v, %+v", r, c)
		}
		apart(t, "", reflect.ValueOf(r.Spec), reflect.ValueOf(c.Spec))
	}
}

func apart(t *testing.T, at string, a, b reflect.Value) {
	switch a.Kind() {
	case reflect.Pointer:
		if !a.IsNil() {
			if a.Pointer() == b.Pointer() {
				t.Errorf("%s is shared", at)
			}
			apart(t, at, a.Elem(), b.Elem())
		}
	case reflect.Slice:
		for i := range a.Len() {
			if a.Pointer() == b.Pointer() {
				t.Errorf("%s is shared", at)
			}
			apart(t, at, a.Index(i), b.Index(i))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			apart(t, at+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	}
}
