package slice

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Tie is whether two releases run in one cluster.
type Tie int

const (
	Apart Tie = iota
	Open      // nothing says that they do, or that they do not
	Sure
)

// Neighbours knows which releases of a change run in one cluster.
type Neighbours struct {
	policy   *policies.Policy
	releases map[string]*object.Rendered // head's before base's
	words    map[string]map[string]bool  // of the names of each release
	twins    map[[2]string]bool          // releases that have an object in common
	differ   [][2]map[string]bool        // words by which two twins differ
	lists    []folderList                // that a tool applies
	applied  map[string]bool             // folders that a tool applies, whether or not they render
	known    map[[2]string]Tie
}

// NewNeighbours reads where the releases of a change run.
func NewNeighbours(p *policies.Policy, ch *object.Changes) *Neighbours {
	n := &Neighbours{policy: p, releases: map[string]*object.Rendered{}, words: map[string]map[string]bool{},
		twins: map[[2]string]bool{}, applied: map[string]bool{}, known: map[[2]string]Tie{}}
	seen := map[string]bool{}
	for _, rev := range []*object.Revision{ch.Head, ch.Base} {
		if rev != nil {
			n.read(rev, seen)
		}
	}
	for id, r := range listsOf(ch.Head) {
		if was := listsOf(ch.Base)[id]; was != nil || ch.Base == nil {
			n.lists = append(n.lists, folderList{r, was})
		}
	}
	return n
}

// folderList is a kustomization that a tool applies, on head and on base; base's is nil where there is no base. A list
// that head brings does not count: head takes nothing out of the check.
type folderList struct{ head, base *object.Rendered }

// names reports whether one of the files is in the list, or was.
func (l folderList) names(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		_, is := slices.BinarySearch(l.head.Reads, f)
		return is || l.base != nil && slices.Contains(l.base.Reads, f)
	})
}

// listsOf are the kustomizations of a revision that a tool applies, by their IDs. One that does not render lists its
// files all the same, if it was read whole.
func listsOf(rev *object.Revision) map[string]*object.Rendered {
	out := map[string]*object.Rendered{}
	if rev == nil {
		return out
	}
	for _, r := range rev.Releases {
		if r.Delivery.Tool != "" && r.Kind == object.Kustomize && r.Whole &&
			slices.ContainsFunc(r.Reads, func(f string) bool { return path.Dir(f) == r.Path && isList(f) }) {
			out[r.ID] = r
		}
	}
	return out
}

// read enters the releases of a revision. Objects that both have at once distinguish two releases, objects that move
// from one to the other do not.
func (n *Neighbours) read(rev *object.Revision, seen map[string]bool) {
	have := map[string][]string{} // releases by their objects
	for _, r := range rev.Releases {
		if n.releases[r.ID] == nil {
			n.releases[r.ID] = r
			n.words[r.ID] = wordsOf(r)
			if r.Delivery.Tool != "" {
				n.applied[r.Path] = true
			}
		}
		if r.Switched != "" {
			continue
		}
		if r.Delivery.Name != "" && r.By.File != "" {
			id := string(r.Delivery.Tool) + " " + r.Delivery.Name
			have[id] = appendNew(have[id], []string{r.ID})
		}
		for _, o := range r.Objects {
			if _, runs := state.ManifestOf(o.Typed); runs || Acts(o) {
				id := o.ID.String()
				have[id] = appendNew(have[id], []string{r.ID})
			}
		}
	}
	for _, id := range sortedIDs(have) {
		list := have[id]
		for i, a := range list {
			for _, b := range list[:i] {
				n.twin(a, b, seen)
			}
		}
	}
}

// isList reports whether a file is a kustomization.
func isList(f string) bool {
	name := path.Base(f)
	return strings.TrimSuffix(strings.TrimSuffix(name, ".yml"), ".yaml") == "kustomization" || name == "Kustomization"
}

// twin notes that two releases have an object in common, or are delivered by one: they are the same for two clusters,
// or two environments.
func (n *Neighbours) twin(a, b string, seen map[string]bool) {
	if n.twins[pairOf(a, b)] {
		return
	}
	n.twins[pairOf(a, b)] = true
	of := [2]map[string]bool{without(n.words[a], n.words[b]), without(n.words[b], n.words[a])}
	key := strings.Join(sortedIDs(of[0]), " ") + "\x00" + strings.Join(sortedIDs(of[1]), " ")
	if !seen[key] {
		seen[key] = true
		n.differ = append(n.differ, of)
	}
}

func pairOf(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

func without(a, b map[string]bool) map[string]bool {
	out := maps.Clone(a)
	maps.DeleteFunc(out, func(w string, _ bool) bool { return b[w] })
	return out
}

// wordsOf are the words of the names by which a release is known, and of where it is declared.
func wordsOf(r *object.Rendered) map[string]bool {
	out := map[string]bool{}
	for _, name := range append([]string{r.ID, r.Path, r.Name, r.By.File, r.Cluster, r.Parent}, r.Values...) {
		for _, w := range strings.FieldsFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			out[strings.ToLower(w)] = true
		}
	}
	return out
}

// local is the destination that means the cluster in which the declaring object is.
func local(cluster string) string {
	if cluster == "in-cluster" || strings.TrimSuffix(cluster, "/") == "https://kubernetes.default.svc" {
		return ""
	}
	return cluster
}

// Tie is whether two releases run in one cluster.
func (n *Neighbours) Tie(a, b string) Tie {
	k := pairOf(a, b)
	t, known := n.known[k]
	if !known {
		t = n.tied(k[0], k[1], "")
		n.known[k] = t
	}
	return t
}

// Around is the tie of another release to one, if something applies that: nothing acts on others before it is applied,
// but what is in its cluster is there for it.
func (n *Neighbours) Around(release, other string) Tie {
	if t := n.Tie(release, other); t != Apart || n.releases[release] == nil || !n.Idle(n.releases[release]) {
		return t
	}
	return n.tied(release, other, release)
}

// tied is the tie of two releases; one of them may be supposed to be applied.
func (n *Neighbours) tied(idA, idB, supposed string) Tie {
	a, b := n.releases[idA], n.releases[idB]
	if a == nil || b == nil || a.Switched != "" || b.Switched != "" {
		return Apart
	}
	toolA, toolB := a.Delivery.Tool, b.Delivery.Tool
	in, of := local(a.Cluster), local(b.Cluster)
	runs := func(r *object.Rendered) bool { return n.policy.Cluster.Runs(r.ID, r.Path) }
	switch {
	case oneChart(a, b):
		return Apart
	case runs(a) && runs(b) && in == of:
		return Sure
	case n.Separate(idA, idB), n.twinned(a, b) || n.elsewhere(idA, idB):
		return Apart
	case in == of && toolA != "" && toolB != "" && in != "":
		return Sure
	case in == of && (toolA != "" || toolB != "") && n.root(a) == n.root(b):
		return Sure
	case n.Idle(a) && idA != supposed || n.Idle(b) && idB != supposed || n.ofClusters(a, b):
		return Apart
	}
	return Open
}

// clusterFolder is the folder of one cluster, as Flux's own layout and most others have it.
var clusterFolder = regexp.MustCompile(`(?:^|/)clusters/([^/]+)`)

// ofClusters reports whether two releases are delivered from the folders of two clusters.
func (n *Neighbours) ofClusters(a, b *object.Rendered) bool {
	var of [2]string
	for i, r := range []*object.Rendered{a, b} {
		if m := clusterFolder.FindStringSubmatch(n.root(r)); m != nil && r.Delivery.Tool != "" {
			of[i] = m[1]
		}
	}
	return of[0] != "" && of[1] != "" && of[0] != of[1]
}

// asideNames are folders of what was once applied.
var asideNames = regexp.MustCompile(`(?i)(^|/)[._]*(archived?|archives|deprecated|obsolete|retired|unused|disabled)([-_.][^/]*)?(/|$)`)

// SetAside reports whether a release, or what declares it, lies in a folder that is named for what is no longer
// applied, and nothing elsewhere declares or deploys it.
func (n *Neighbours) SetAside(r *object.Rendered) bool {
	root := n.releases[n.root(r)]
	return n.undelivered(root) && !n.policy.Cluster.Runs(r.ID, r.Path) && asideNames.MatchString(root.Path)
}

// Idle reports whether nothing is known to apply a release, and something says that nothing does: the name of its
// folder, or a tool that applies from the folder above it a list of files in which it is not and was not.
func (n *Neighbours) Idle(r *object.Rendered) bool {
	if n.SetAside(r) {
		return true
	}
	root := n.releases[n.root(r)]
	if !n.undelivered(root) || n.policy.Cluster.Runs(r.ID, r.Path) {
		return false
	}
	return slices.ContainsFunc(n.lists, func(l folderList) bool {
		return strings.HasPrefix(root.Path, l.head.Path+"/") && !l.names(root.Reads)
	})
}

// undelivered reports whether a release is not known to be applied by a tool, by a script, or by hand.
func (n *Neighbours) undelivered(r *object.Rendered) bool {
	return r != nil && r.Delivery.Tool == "" && !r.Declared && r.At.File == "" && !n.applied[r.Path]
}

// twinned reports whether two releases are twins, or what declares the one is a twin of what declares the other.
func (n *Neighbours) twinned(a, b *object.Rendered) bool {
	for _, x := range n.line(a) {
		for _, y := range n.line(b) {
			if n.twins[pairOf(x, y)] {
				return true
			}
		}
	}
	return false
}

// Separate reports whether two releases are declared to run in different clusters, or are one chart with other values:
// nothing of the one is there for the other.
func (n *Neighbours) Separate(idA, idB string) bool {
	a, b := n.releases[idA], n.releases[idB]
	if idA == idB || a == nil || b == nil {
		return false
	}
	in, of := local(a.Cluster), local(b.Cluster)
	return oneChart(a, b) || in != of && (a.Delivery.Tool != "" && b.Delivery.Tool != "" || in != "" && of != "")
}

// oneChart reports whether two releases are one chart with other values, which no tool delivers.
func oneChart(a, b *object.Rendered) bool {
	return a.Kind == object.Helm && b.Kind == object.Helm && a.Path == b.Path &&
		a.Delivery.Tool == "" && b.Delivery.Tool == ""
}

// elsewhere reports whether two releases go by the words that tell some twins apart, each by another's: dev and prod.
func (n *Neighbours) elsewhere(a, b string) bool {
	x, y := without(n.words[a], n.words[b]), without(n.words[b], n.words[a])
	meet := func(p, q map[string]bool) bool {
		for w := range p {
			if q[w] {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(n.differ, func(d [2]map[string]bool) bool {
		return meet(d[0], x) && meet(d[1], y) || meet(d[1], x) && meet(d[0], y)
	})
}

// root is the release that everything else comes from which declares a release.
func (n *Neighbours) root(r *object.Rendered) string {
	line := n.line(r)
	return line[len(line)-1]
}

// line is a release, what declares it, what declares that, and so on.
func (n *Neighbours) line(r *object.Rendered) []string {
	out := []string{r.ID}
	for range n.releases {
		up := n.releases[r.Parent]
		if up == nil || up == r {
			break
		}
		out, r = append(out, up.ID), up
	}
	return out
}

// Joins reports whether two objects are in one cluster, as far as anybody knows, and in the namespaces that they say.
func (n *Neighbours) Joins(a, b *object.Object) bool {
	if a.Release == b.Release {
		return true
	}
	tie := n.Tie(a.Release, b.Release)
	return tie == Sure || tie == Open && n.places(a) && n.places(b)
}

// places reports whether the namespace of an object is known, see [Places].
func (n *Neighbours) places(o *object.Object) bool {
	return o.ID.Namespace == "" || Places(n.releases[o.Release], o)
}

// Places reports whether the namespace of an object is known: a release says it, or the object does, and not for want
// of somebody who installs the chart.
func Places(of *object.Rendered, o *object.Object) bool {
	if of.Namespace != "" {
		return true
	}
	own, _ := ValueAt(o.Content, "metadata", "namespace").(string)
	return own != "" && (of.Kind != object.Helm || own != "default")
}
