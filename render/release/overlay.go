package release

import (
	"sigs.k8s.io/kustomize/api/types"

	"github.com/kubesettle/kubesettle/render/object"
)

// Overlay is what a GitOps object adds to the kustomization it names, or to what a chart
// gave: Argo CD runs `kustomize edit`, Flux writes the file again.
type Overlay struct {
	Namespace  string          `json:"namespace,omitempty"`
	NamePrefix string          `json:"namePrefix,omitempty"`
	NameSuffix string          `json:"nameSuffix,omitempty"`
	Images     []types.Image   `json:"images,omitempty"`
	Replicas   []types.Replica `json:"replicas,omitempty"`
	Patches    []types.Patch   `json:"patches,omitempty"`
	// CommonLabels go into selectors too, Labels where each of them says.
	CommonLabels      map[string]string `json:"commonLabels,omitempty"`
	CommonAnnotations map[string]string `json:"commonAnnotations,omitempty"`
	Labels            []types.Label     `json:"labels,omitempty"`
	Components        []string          `json:"components,omitempty"`
	// Metadata is set on every object after the build, which is Flux's commonMetadata.
	Metadata *CommonMetadata `json:"commonMetadata,omitempty"`
}

// CommonMetadata are labels and annotations of every object.
type CommonMetadata struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Substitution are the variables that Flux replaces in the built output.
type Substitution struct {
	Vars map[string]string
	// Open says that a source of variables is not in the repository: a variable that is
	// not known stays as it is written. Otherwise it is empty, as in a cluster.
	Open bool
	// Locked are those of Vars whose values are encrypted, and Sources the sources that are not in the repository but
	// whose recipe is. Each is a part of what uses it.
	Locked  map[string]object.Hole `json:",omitempty"`
	Sources []object.Hole          `json:",omitempty"`
	// Always says that expressions are evaluated without any variable too.
	Always bool `json:",omitempty"`
}

// Unknown reports whether a variable may have a value that the repository does not say.
func (s *Substitution) Unknown() bool { return s != nil && (s.Open || len(s.Locked) > 0) }
