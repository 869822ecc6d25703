package static

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
)

const everyLevel = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, annotations: {a: b}}, spec: {
  replicas: 2, minReadySeconds: 5, revisionHistoryLimit: 3, selector: {matchLabels: {app: web}},
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}},
  template: {metadata: {labels: {app: web}}, spec: {terminationGracePeriodSeconds: 20, serviceAccountName: a,
    nodeSelector: {disk: ssd}, tolerations: [{key: a, operator: Exists}], hostNetwork: true, priorityClassName: high,
    securityContext: {fsGroup: 5, runAsUser: 5, supplementalGroups: [6]},
    affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [
      {weight: 1, podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: {app: web}}}}]}},
    topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}],
    volumes: [{name: a, emptyDir: {sizeLimit: 1Gi}}],
    containers: [{name: web, image: web, ports: [{containerPort: 80}], workingDir: /a, args: [a],
      resources: {limits: {memory: 1Gi}, requests: {cpu: 1}}, volumeMounts: [{name: a, mountPath: /a}],
      securityContext: {readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}},
      readinessProbe: {periodSeconds: 3, failureThreshold: 4, httpGet: {path: /, port: 80}}}]}}}}`

// A field that is taken from its place to another one where the API does not have it is moved back to where it was, or
// no place is named for it; and whenever the words name a place, the way out is a move and no removal. For each field of
// an object, and each map of the object as the wrong place.
func TestMisplacedFieldsComeHome(t *testing.T) {
	whole := map[string]any{}
	if err := yaml.Unmarshal([]byte(everyLevel), &whole); err != nil {
		t.Fatal(err)
	}
	moved, named, tried := 0, 0, 0
	for _, from := range mapsIn(fieldpath.Path{}, whole) {
		at, _ := from.Get(whole)
		for _, name := range slices.Sorted(maps.Keys(at.(map[string]any))) {
			for _, to := range mapsIn(fieldpath.Path{}, whole) {
				o, field := misplace(t, whole, from, name, to)
				if o == nil {
					continue
				}
				tried++
				was := from.With(fieldpath.Key(name)).String()
				text := o.Refused[0].Text
				r := rehomed(o, field)
				if len(r) != 1 {
					t.Errorf("%s at %s: ways out: %+v", was, to, r)
					continue
				}
				says := strings.Contains(text, "it belongs at")
				if says {
					named++
				}
				if says && !strings.HasPrefix(r[0].Say, "move ") {
					t.Errorf("%s at %s: %s, but %s", was, to, text, r[0].Say)
				}
				if r[0].Object == nil || !strings.HasPrefix(r[0].Say, "move ") {
					continue // no one place is the nearest, or it is taken for another name
				}
				moved++
				back, err := typed.With(o, r[0].Set)
				if err != nil || len(back.Refused) > 0 {
					t.Errorf("%s at %s: %s: %v %v", was, to, r[0].Say, err, back)
				} else if says && strings.HasSuffix(text, "belongs at "+listIndex.ReplaceAllString(was, "[]")) &&
					!reflect.DeepEqual(tidy(back.Content), tidy(whole)) {
					t.Errorf("%s at %s: %s\n%v\nwant\n%v", was, to, r[0].Say, back.Content, whole)
				}
			}
		}
	}
	t.Logf("%d misplaced, %d with a place in words, %d moved", tried, named, moved)
	if moved < 150 {
		t.Errorf("only %d of %d moved", moved, tried)
	}
}

// misplace takes a field to another map, where the API does not have it; nil: it has, or the field or map goes with it.
func misplace(t *testing.T, whole map[string]any, from fieldpath.Path, name string, to fieldpath.Path) (*object.Object, field.ErrorList) {
	content, _ := fieldpath.DeepCopy(whole).(map[string]any)
	path := from.With(fieldpath.Key(name))
	if name == "name" || name == "kind" || name == "apiVersion" || len(to) == 0 || strings.HasPrefix(to.String()+".", path.String()+".") {
		return nil, nil
	}
	v, _ := path.Get(content)
	wrong := to.With(fieldpath.Key(name))
	if _, there := wrong.Get(content); there || !path.Put(content, nil) || !wrong.Put(content, v) {
		return nil, nil
	}
	read, err := typed.Decode(content)
	if err != nil || len(read.Refused) != 1 || read.Refused[0].Path != wrong.String() || !read.Refused[0].Surplus {
		return nil, nil
	}
	o := &object.Object{ID: object.ID{Group: "apps", Version: "v1", Kind: "Deployment", Name: "web"}, Content: content,
		Typed: read.Typed, Refused: read.Refused}
	return o, field.ErrorList{{Type: field.ErrorTypeInvalid, Field: wrong.String(), Detail: read.Refused[0].Text}}
}

// mapsIn are the paths of all maps in a value.
func mapsIn(at fieldpath.Path, v any) []fieldpath.Path {
	var out []fieldpath.Path
	switch x := v.(type) {
	case map[string]any:
		out = append(out, at)
		for _, k := range slices.Sorted(maps.Keys(x)) {
			out = append(out, mapsIn(at.With(fieldpath.Key(k)), x[k])...)
		}
	case []any:
		for i := range x {
			out = append(out, mapsIn(at.With(fieldpath.At(i)), x[i])...)
		}
	}
	return out
}

// tidy leaves out maps that are empty.
func tidy(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, x := range m {
		if y := tidy(x); !reflect.DeepEqual(y, map[string]any{}) {
			out[k] = y
		}
	}
	return out
}
