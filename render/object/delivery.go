package object

import (
	"reflect"
	"strings"
	"time"
)

// Tool is what applies a release.
type Tool string

const (
	ArgoCD          Tool = "Argo CD"
	Flux            Tool = "Flux"      // a Kustomization
	FluxHelmRelease Tool = "Flux Helm" // a HelmRelease
)

// Kind is that of the object that has a release delivered; "" where none does.
func (t Tool) Kind() string {
	return map[Tool]string{ArgoCD: "Application", Flux: "Kustomization", FluxHelmRelease: "HelmRelease"}[t]
}

// OfFlux reports whether it is one of Flux's controllers.
func (t Tool) OfFlux() bool { return t == Flux || t == FluxHelmRelease }

// Delivery is how a release gets into the cluster, as the GitOps object that declares it says. Its zero value is that
// of a release that no such object declares: nothing is known.
type Delivery struct {
	Tool Tool
	Name string // of the object, "namespace/name"
	// Prunes says that objects which git no longer has are deleted, and Last that this waits until all else is healthy.
	Prunes, Last bool
	// ServerSide says that it applies by field ownership, and Replaces that it puts each object in the place of the live
	// one.
	ServerSide, Replaces bool
	// From is where it says that it takes the release from, where that was read, or is taken for this repository.
	From From
	// Fills says that it puts values for variables that the repository does not have, such as those of a Secret.
	Fills bool
	// Cascades says that everything it applied is deleted with the object itself.
	Cascades bool
	// Waits says that it is not ready before the objects that it applied are, and DependsOn which others,
	// "namespace/name" of the same kind, have to be ready before it starts.
	Waits     bool
	DependsOn []string
	// Judged are those of DependsOn of which an expression says whether they are ready.
	Judged []string
	// All says that Waits is about all that it applied, as Flux's wait; else Health are the objects it is about.
	All    bool
	Health []Health
	// Suspended says that it is not applied, and Forces that what cannot be changed in place is deleted and created again.
	Suspended, Forces bool
	// Automated says that Argo CD applies it by itself, and not when somebody has it sync.
	Automated bool
	// Context is the cluster as the caller of Helm names it; "": the one at hand.
	Context string
	// Adopts says that Helm takes over what is there without the marks of the release.
	Adopts bool
	// Install and Upgrade are the reactions of Helm, or of its caller, to a failed install or upgrade.
	Install, Upgrade Attempt
	// Loops is what happens to the release afterwards, and At where that is declared.
	Loops Loops
	At    Location
	// Set is the ApplicationSet that generates the object, "namespace/name"; "": none does.
	Set string
}

// Alike reports whether two deliveries do the same to what they apply, in the long run.
func (d Delivery) Alike(o Delivery) bool {
	return reflect.DeepEqual(d.Loops, o.Loops) && d.Install == o.Install && d.Upgrade == o.Upgrade && d.From.Same(o.From)
}

// From is a revision of a git repository, as an object of GitOps names it.
type From struct {
	Repository string // host and path alone
	Revision   string // "": the default branch
	// Read says that the content is that of this revision; else it is taken for this tree's. Guessed says that it is so
	// because the revision, a tag or a commit, could not be had.
	Read, Guessed bool
	// At and RevisionAt are where the object says so.
	At, RevisionAt Location
}

// FromGit is a repository and revision in one spelling, whatever the protocol and the account.
func FromGit(url, revision string) From {
	repo := strings.ToLower(strings.TrimSpace(url))
	_, rest, scheme := strings.Cut(repo, "://")
	if scheme {
		repo = rest
	}
	if user, rest, ok := strings.Cut(repo, "@"); ok && !strings.Contains(user, "/") {
		repo = rest
	}
	if host, rest, ok := strings.Cut(repo, ":"); ok && !scheme && !strings.Contains(host, "/") {
		repo = host + "/" + rest // git@host:path
	}
	repo = strings.TrimSuffix(strings.TrimRight(repo, "/"), ".git")
	switch revision = strings.TrimPrefix(revision, "refs/heads/"); revision {
	case "HEAD":
		revision = ""
	}
	return From{Repository: repo, Revision: revision}
}

// String names it in a sentence.
func (f From) String() string {
	if f.Revision == "" {
		return "the default branch of " + f.Repository
	}
	return "revision " + f.Revision + " of " + f.Repository
}

// Same reports whether two may name one revision, or either none: the default branch is called main or master.
func (f From) Same(o From) bool {
	isDefault := func(a, b string) bool { return a == "" && (b == "main" || b == "master") }
	return f.Repository == "" || o.Repository == "" || f.Repository == o.Repository && (f.Revision == o.Revision ||
		isDefault(f.Revision, o.Revision) || isDefault(o.Revision, f.Revision))
}

// Health is an object that a Kustomization of Flux waits for, and which of its healthChecks says so.
type Health struct {
	Group, Kind, Namespace, Name string
	Index                        int
}

// Loops describes how a GitOps controller treats a release after it applied it: its zero value does nothing.
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
func (i Ignores) Of(id ID) bool {
	any := func(want, have string) bool { return want == "" || want == "*" || want == have }
	return (i.Group == "*" || i.Group == id.Group) && any(i.Kind, id.Kind) && any(i.Name, id.Name)
}

// Attempt is how an install or an upgrade by Helm is carried through. Its zero value does not wait, so that none fails.
type Attempt struct {
	// Patience is how long it waits for what it applied to be ready; 0: it does not.
	Patience time.Duration
	// Undo is the reaction to a failed attempt before the next one and, if Last is set, to the last one too. Retries is
	// how many follow the first; -1: no end of them.
	Undo    Undo
	Retries int
	Last    bool
	// Unused says that the object declares an undoing which never comes, as failures are tried again instead.
	Unused bool
}

// Undo is the reaction to a failed install or upgrade.
type Undo string

const (
	NoUndo    Undo = ""
	Rollback  Undo = "rollback"
	Uninstall Undo = "uninstall"
)

// Undone is what follows a failure, that of the last attempt apart.
func (a Attempt) Undone() Undo {
	if a.Retries == 0 && !a.Last {
		return NoUndo
	}
	return a.Undo
}
