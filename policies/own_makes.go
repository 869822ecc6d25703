package policies

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/verify/state"
)

// OwnMade is what a controller of the user's own makes of each custom resource of a kind.
type OwnMade struct {
	Group, Kind string
	Object      map[string]any
	Fields      map[string]string // paths in Object, and in the custom resource
}

// makes reads what is made of a custom resource.
func (d *decoder) makes(o *OwnController) read {
	return func(n *yaml.Node, at string) {
		m := &OwnMade{Fields: map[string]string{}}
		of := ""
		d.object(n, at, fields{
			"of": d.text(&of, func(s string) string {
				if group, kind, ok := strings.Cut(s, "/"); !ok || group == "" || kind == "" || strings.ContainsAny(kind, "/ ") {
					return `must be a group and a kind, such as "acme.dev/Shop"`
				}
				return ""
			}),
			"object": func(n *yaml.Node, at string) {
				m.Object, _ = d.plain(n, at, maxDepth).(map[string]any)
				d.madeKind(n, at, m.Object)
			},
			"fields": func(n *yaml.Node, at string) {
				d.entries(n, at, func(key *yaml.Node) read {
					return func(n *yaml.Node, at string) {
						from := ""
						d.text(&from)(n, at)
						m.Fields[key.Value] = from
					}
				})
			},
		}, "of", "object")
		m.Group, m.Kind, _ = strings.Cut(of, "/")
		o.Does, o.Makes = state.Deed(0), m
	}
}

// madeKind refuses what is no workload.
func (d *decoder) madeKind(n *yaml.Node, at string, object map[string]any) {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	kinds := []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"}
	if object != nil && (version != "apps/v1" || !slices.Contains(kinds, kind)) {
		d.fail(n, at, "must be a workload: apiVersion apps/v1, and kind %s", strings.Join(kinds, ", "))
	}
}

// Makers lists the controllers of the file that make workloads of custom resources.
func (p *Policy) Makers() []OwnController {
	return slices.DeleteFunc(slices.Clone(p.Controllers.Own), func(o OwnController) bool { return o.Makes == nil })
}
