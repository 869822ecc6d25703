// Package sample has one object of each kind that nothing refuses, and edits of their fields, good and bad. It knows
// no cluster: who draws from it asks upstream and the product alike.
package sample

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Edit sets one field of an object, by a path with dots, of which those in a key are written ~; a nil value takes the
// field out.
type Edit struct {
	Path  string
	Value any
}

// String is the edit as a failure shows it.
func (e Edit) String() string { return fmt.Sprintf("%s=%v", e.Path, e.Value) }

// edits are the values that a field may get.
type edits struct {
	path   string
	values []any
}

// Draw draws edits for an object of a kind: some of earlier ones, and up to two others; if
// wild, also edits that leave no object of the kind.
func Draw(r *rand.Rand, kind string, earlier []Edit, wild bool) []Edit {
	var out []Edit
	for _, e := range earlier {
		if r.IntN(3) > 0 {
			out = append(out, e)
		}
	}
	for range r.IntN(3) {
		list := objectEdits[kind]
		if wild && r.IntN(12) == 0 {
			list = anyEdits
		}
		e := list[r.IntN(len(list))]
		out = append(out, Edit{e.path, e.values[r.IntN(len(e.values))]})
	}
	return out
}

// Object is the plain object of a kind with some edits.
func Object(kind string, list []Edit) (map[string]any, error) {
	var content map[string]any
	exact := func(d *json.Decoder) *json.Decoder { d.UseNumber(); return d }
	if err := yaml.Unmarshal([]byte(plainObjects[kind]), &content, exact); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	numbers(content)
	for _, e := range list {
		if err := e.apply(content); err != nil {
			return nil, err
		}
	}
	return content, nil
}

func (e Edit) apply(content map[string]any) error {
	var at any = content
	steps := strings.Split(e.Path, ".")
	for i, step := range steps {
		step = strings.ReplaceAll(step, "~", ".")
		last := i == len(steps)-1
		switch x := at.(type) {
		case map[string]any:
			switch {
			case last && e.Value == nil:
				delete(x, step)
			case last:
				x[step] = e.Value
			case x[step] == nil:
				if _, err := strconv.Atoi(steps[i+1]); err == nil {
					return nil // an edit before has taken the list out
				}
				x[step] = map[string]any{}
			}
			at = x[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(x) {
				return nil // an edit before has made a list of a map, or has left fewer elements
			}
			if last {
				x[n] = e.Value
			}
			at = x[n]
		}
	}
	return nil
}

// numbers makes the numbers of a decoded document those that typed objects have.
func numbers(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			x[k] = numbers(x[k])
		}
	case []any:
		for i := range x {
			x[i] = numbers(x[i])
		}
	case interface{ Int64() (int64, error) }:
		n, _ := x.Int64()
		return n
	}
	return v
}

const plainTemplate = `{metadata: {labels: {app: web, chart: "1"}}, spec: {containers: [
  {name: web, image: "web:1", ports: [{containerPort: 80, name: http}], resources: {requests: {cpu: 100m}}},
  {name: log, image: "log:1", volumeMounts: [{name: data, mountPath: /data}]}], initContainers: [{name: init, image: "init:1"}],
  volumes: [{name: data, emptyDir: {}}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}],
  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: host, labelSelector: {matchLabels: {app: web}}}]}},
  tolerations: [{key: a, operator: Exists}]}}`
