package object

// ReleaseKind is the kind of a release.
type ReleaseKind string

const (
	Helm      ReleaseKind = "helm"
	Kustomize ReleaseKind = "kustomize"
	Manifests ReleaseKind = "manifests"
)

// Release is one unit of rendering: a chart with its values, a kustomization, or a
// folder of plain manifests. Its ID is stable across commits.
type Release struct {
	ID        string
	Kind      ReleaseKind
	Path      string   // of the chart, kustomization or folder
	Values    []string // Helm values files, in order
	Namespace string
	Name      string // Helm release name
	// Declared says that it comes from the policy and not from discovery.
	Declared bool
	// Selected says why it is a release: "Chart.yaml found", "declared in the policy".
	Selected string `json:"-"`
	// By is the file and line of the object that declares the release, for those of GitOps.
	By Location
	// Parent is the release that holds that object, or the ApplicationSet that generates it.
	Parent string `json:",omitempty"`
	// Cluster is the destination that the declaring object names, by name, URL or kubeconfig; "" is
	// the cluster that this object is in, or not known.
	Cluster string `json:"-"`
	// Delivery is how it gets into the cluster.
	Delivery Delivery `json:"-"`
	// Switched is the setting that discovery gave a chart, as nothing else shows all that changes of
	// it: "pdb.enabled=true"; "" for others.
	Switched string `json:"-"`
	// Part says that it is a component that nothing here includes: a kustomization elsewhere that includes it may patch
	// its objects.
	Part bool `json:"-"`
	// Left says that base's script or pipeline deploys it and head's does not, where its files are here.
	Left bool `json:"-"`
	// At is the line of the policy, of a script or of a pipeline that declares the release; empty for others.
	At Location `json:"-"`
}

// Tried reports whether a chart is rendered once more, with values that only show what its others hide.
func (r *Release) Tried() bool { return r.Switched != "" && r.ID != r.Path }

// Rendered is one release on one side.
type Rendered struct {
	Release
	Objects []*Object // sorted by ID
	Err     *Failure  // nil if it rendered
	Reads   []string  // files that were read, sorted
	Whole   bool      // Reads has all files of the repository that it is made of, whether or not it renders
	Notes   []Note    // further remarks
	Fetched []Fetched // charts and bases of other hosts
	Holes   []Hole    // parts that are unknown, and that the rest was rendered without
	// Untouched says that it was not rendered, as nothing that it depends on changed and its
	// objects concern no other release: it has none here.
	Untouched bool
	// Same says that it is rendered on neither side, as its chart is not at hand, and that it is made with the same on
	// both: whatever the chart is, the change does nothing to it, though it may edit the files that declare it.
	Same bool
	// Changed says that a file it reads or a setting differs between base and head, and
	// Why says which, or why it was not selected; both are set where two sides are rendered together.
	Changed bool
	Why     string
	// Origin belongs to the room that rendered it and lets it render again; no other room looks into it. Nil: it was
	// not rendered.
	Origin any
}

// Fetched is one thing that a release took from another host.
type Fetched struct {
	Name, Version, From string // a chart's, or twice the repository's address and a revision
	Digest              string // "sha256:…" of a chart's archive, or "git:" and a commit
}

// Lacks is why a release has no result, or a part of it has none; nil: it is whole, or there is none.
func (r *Rendered) Lacks() *Failure {
	switch {
	case r == nil:
		return nil
	case r.Err == nil:
		for i := range r.Holes {
			if r.Holes[i].Part() {
				return r.Holes[i].Failure()
			}
		}
	}
	return r.Err
}
