package release

import (
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// Git is a revision of a git repository, as an object of GitOps names it: another repository, or a tag or a commit of
// this one.
type Git struct {
	Repository, Revision string          // an https address; a branch, a tag or a commit, "": the default branch
	Folder               string          // under which it is mounted
	At                   object.Location `json:"-"` // the line that names it
}

// Settling fetches what a release takes from git repositories, and gives the release that their content makes. It may
// be called again, for either side.
type Settling func(*source.Source, Release) (Release, []object.Note, *object.Failure)

// Open reports whether the content of a release is not here yet.
func (r *Release) Open() bool { return r.Fetch != nil || r.Settle != nil }

// DeclaredLike has the release be declared by what declares another one.
func (r *Release) DeclaredLike(o Release) {
	r.ID, r.PlainID, r.IDFolder, r.Parent, r.Within = o.ID, o.PlainID, o.IDFolder, o.Parent, o.Within
	r.By, r.Delivery, r.Declaration, r.Says = o.By, o.Delivery, o.Declaration, o.Says
	r.Git, r.Options, r.ChartSource = o.Git, o.Options, o.ChartSource
}
