package validation

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/defaults"
)

func manifestOf(t *testing.T, text string) Manifest {
	t.Helper()
	m := Manifest{}
	if err := yaml.Unmarshal([]byte(text), &m.Content); err != nil {
		t.Fatal(err)
	}
	obj, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(m.Content["apiVersion"].(string), m.Content["kind"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m.Content)
	if err == nil {
		err = json.Unmarshal(b, obj)
	}
	if err != nil {
		t.Fatal(err)
	}
	defaults.Set(obj)
	m.Typed = obj
	return m
}

const (
	mergedWeb = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  STRATEGY
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "web:1" PROBE}]
      volumes: [VOLUME]
`
	mergedDB = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  STRATEGY
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: db, image: "db:1" PROBE}]
      volumes: [VOLUME]
`
)

// TestMerged: what the API server gave a field that nobody writes stays there where the apply leaves it, and is refused
// beside what takes its place.
func TestMerged(t *testing.T) {
	for _, tt := range []struct {
		name           string
		of             string
		was, now       [3]string // strategy, probe, volume
		client, server string    // fields refused
	}{
		{"the strategy was not written", mergedWeb, [3]string{}, [3]string{"strategy: {type: Recreate}"}, "", "spec.strategy.rollingUpdate"},
		{"the strategy was written in part", mergedWeb, [3]string{"strategy: {rollingUpdate: {maxSurge: 1}}"},
			[3]string{"strategy: {type: Recreate}"}, "", ""}, // a struct of which a part is owned goes with it
		{"the strategy was written", mergedWeb, [3]string{"strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"},
			[3]string{"strategy: {type: Recreate}"}, "", ""},
		{"the strategy is nulled", mergedWeb, [3]string{}, [3]string{"strategy: {type: Recreate, rollingUpdate: null}"}, "",
			"spec.strategy.rollingUpdate"},
		{"on delete", mergedDB, [3]string{}, [3]string{"updateStrategy: {type: OnDelete}"},
			"spec.updateStrategy.rollingUpdate", "spec.updateStrategy.rollingUpdate"},
		{"another probe", mergedWeb, [3]string{"", ", livenessProbe: {httpGet: {port: 80}}"},
			[3]string{"", ", livenessProbe: {tcpSocket: {port: 80}}"}, "", ""},
		{"another volume", mergedWeb, [3]string{"", "", "{name: a, configMap: {name: a}}"},
			[3]string{"", "", "{name: a, secret: {secretName: a}}"}, "", ""},
		{"another volume without defaults", mergedWeb, [3]string{"", "", "{name: a, emptyDir: {}}"},
			[3]string{"", "", "{name: a, persistentVolumeClaim: {claimName: a}}"}, "", ""},
		{"nothing", mergedWeb, [3]string{}, [3]string{}, "", ""},
	} {
		of := func(p [3]string) Manifest {
			return manifestOf(t, strings.NewReplacer("STRATEGY", p[0], "PROBE", p[1], "VOLUME", p[2]).Replace(tt.of))
		}
		was, now := of(tt.was), of(tt.now)
		for server, want := range map[bool]string{false: tt.client, true: tt.server} {
			before := [2]runtime.Object{now.Typed.DeepCopyObject(), was.Typed.DeepCopyObject()}
			var fields []string
			for _, e := range Update(Merged(now, was, server), was.Typed) {
				fields = append(fields, e.Field)
			}
			slices.Sort(fields)
			if got := strings.Join(slices.Compact(fields), " "); got != want {
				t.Errorf("%s, server-side %v: refused %q, want %q", tt.name, server, got, want)
			}
			if !sameJSON(before[0], now.Typed) || !sameJSON(before[1], was.Typed) {
				t.Errorf("%s: a manifest is written to", tt.name)
			}
		}
	}
}

func sameJSON(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(x) == string(y)
}
