package release

import (
	"github.com/kubesettle/kubesettle/render/document"
)

// Tool is what applies a release.
type Tool string

const (
	ArgoCD          Tool = "Argo CD"
	Flux            Tool = "Flux"      // a Kustomization
	FluxHelmRelease Tool = "Flux Helm" // a HelmRelease
)

// Delivery is how a release gets into the cluster, as the GitOps object that declares it says. Its zero value is that
// of a release that no such object declares: nothing is known.
type Delivery struct {
	Tool Tool
	Name string // of the object, "namespace/name"
	// Prunes says that what Git no longer has is deleted, and Last that this waits until all else is healthy.
	Prunes, Last bool
	// ServerSide says that it applies by field ownership, and Replaces that it puts each object in the place of the live
	// one.
	ServerSide, Replaces bool
	// Cascades says that everything it applied is deleted with the object itself.
	Cascades bool
	// Waits says that it is not ready before what it applied is, and DependsOn which others, "namespace/name" of the same
	// kind, have to be ready before it starts.
	Waits     bool
	DependsOn []string
	// Loops is what it does to the release afterwards, and At where it says so.
	Loops Loops
	At    document.Location
	// Set is the ApplicationSet that generates the object, "namespace/name"; "": none does.
	Set string
}

// Loops is what a GitOps controller does to a release after it applied it: its zero value does
// nothing.
type Loops struct {
	// Heals says that what somebody else changed in the cluster is applied again.
	Heals bool
	// Ignores are objects of which another number of replicas is no difference, and Keeps says that
	// an apply for another reason leaves their number alone, too.
	Ignores []Ignores
	Keeps   bool
}

// Ignores is a kind of objects, of a name; "" and "*" are any.
type Ignores struct{ Group, Kind, Name string }

// Of reports whether an object is one of them.
func (i Ignores) Of(id ObjectID) bool {
	any := func(want, have string) bool { return want == "" || want == "*" || want == have }
	return (i.Group == "*" || i.Group == id.Group) && any(i.Kind, id.Kind) && any(i.Name, id.Name)
}
