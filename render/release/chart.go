package release

import "github.com/kubesettle/kubesettle/render/object"

// Chart is one chart to render, its files by name in the chart.
type Chart struct {
	Dir         string            // repository path of the chart
	Names       map[string]string // name in the chart ("templates/a.yaml") to repository path
	Values      []string          // repository paths of values files, in order, without the chart's own
	Inline      map[string]any    `json:",omitempty"` // values after those of the files
	Set         map[string]string
	SetString   map[string]string `json:",omitempty"` // settings that are texts
	SetFile     map[string]string `json:",omitempty"` // settings that are the content of a repository path
	OwnValues   []string          `json:",omitempty"` // repository paths that stand in for the chart's values.yaml
	APIVersions []string          `json:",omitempty"` // served beside those of KubeVersion
	SkipTests   bool              `json:",omitempty"`
	Hidden      []string          `json:",omitempty"` // texts that no message may hold
	Name        string            // of the release
	Namespace   string
	KubeVersion string
	IncludeCRDs bool
	SkipHooks   bool `json:",omitempty"`
	Once        bool `json:",omitempty"` // no second render for random values
	// Lost are the names under which the values of missing dependencies stand, and Lacks is the failure of a chart that
	// is wholly unknown without them.
	Lost  []string        `json:",omitempty"`
	Lacks *object.Failure `json:",omitempty"`
	// Withheld is the failure of a chart that cannot be rendered without a file whose content is not known.
	Withheld  *object.Failure `json:",omitempty"`
	Template  bool            `json:",omitempty"` // it is never an upgrade, and finds nothing: helm template renders it
	AnyValues bool            `json:",omitempty"` // no schema is asked whether the values are as it expects
	// SkipSchema says that the tool that renders it asks none either.
	SkipSchema bool `json:",omitempty"`
}
