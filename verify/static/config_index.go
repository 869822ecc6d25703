package static

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// configIndex finds what objects name by kind, namespace and name, as one release sees it: those in its cluster, or
// that may be. One without a namespace is found from each.
type configIndex struct {
	all     map[[3]string][]*object.Object
	release string
	ties    *slice.Neighbours // nil: all are in one cluster
}

func newConfigIndex(objects []*object.Object) configIndex {
	x := configIndex{all: map[[3]string][]*object.Object{}}
	for _, o := range objects {
		for _, s := range written(o) {
			k := [3]string{secret, s.ID.Namespace, s.ID.Name}
			if x.all[k] = append(x.all[k], s); len(keys(s)) == 0 { // whose keys are not known comes first
				x.all[k] = slices.Insert(x.all[k][:len(x.all[k])-1], 0, s)
			}
		}
		kind := kindOf(o)
		if wide, known := referred[kind]; known {
			k := [3]string{kind, o.ID.Namespace, o.ID.Name}
			if wide {
				k[1] = ""
			}
			x.all[k] = append(x.all[k], o)
		}
	}
	return x
}

// kindOf is the kind of an object as "group/Kind".
func kindOf(o *object.Object) string { return o.ID.Group + "/" + o.ID.Kind }

// from is the index as a release sees it.
func (x configIndex) from(release string, ties *slice.Neighbours) configIndex {
	x.release, x.ties = release, ties
	return x
}

// tie is whether an object is in the cluster of the release that looks.
func (x configIndex) tie(o *object.Object) slice.Tie {
	if x.ties == nil || o.Release == x.release {
		return slice.Sure
	}
	return x.ties.Tie(o.Release, x.release)
}

// get is the needed object: that of the release itself first, then one in its cluster, then one that may be.
func (x configIndex) get(namespace string, n need) *object.Object {
	var found *object.Object
	best := slice.Apart
	for _, o := range x.all[[3]string{n.kind, n.home(namespace), n.name}] {
		if o.Release == x.release {
			return o
		}
		if t := x.tie(o); t > best {
			found, best = o, t
		}
	}
	return found
}

// lacking says what of a need is not there.
type lacking uint8

const (
	lacksNothing lacking = iota
	lacksKey
	lacksObject
)

func (x configIndex) lacks(namespace string, n need) lacking {
	o := x.get(namespace, n)
	switch {
	case o == nil:
		return lacksObject
	case n.key != "" && !keys(o)[n.key] && !filled(o):
		return lacksKey
	}
	return lacksNothing
}

// keys are those of a ConfigMap or Secret.
func keys(o *object.Object) map[string]bool {
	out := map[string]bool{}
	for _, field := range []string{"data", "binaryData", "stringData"} {
		m, _ := o.Content[field].(map[string]any)
		for k := range m {
			out[k] = true
		}
	}
	return out
}

// filling are annotations and labels by which somebody else writes an object's data: mirrors, injectors, generators.
var filling = regexp.MustCompile(`(?i)(replicat|reflect|inject|generat|mirror|sync|mittwald|kubed|service-account\.name|vault|avp\.)`)

// filled reports whether somebody else than the repository may write an object's data.
func filled(o *object.Object) bool {
	if len(keys(o)) == 0 || o.Content["type"] == "kubernetes.io/service-account-token" {
		return true
	}
	meta, _ := o.Content["metadata"].(map[string]any)
	for _, field := range []string{"annotations", "labels"} {
		m, _ := meta[field].(map[string]any)
		for k := range m {
			if filling.MatchString(k) && !strings.HasPrefix(k, "argocd.argoproj.io/") {
				return true
			}
		}
	}
	return false
}

// keeper is an annotation with the text in its value by which an object outlives its removal from Git, where such a
// tool delivers it.
type keeper struct {
	annotation, value string
	tool              object.Tool
}

var keepers = []keeper{
	{"helm.sh/resource-policy", "keep", object.FluxHelmRelease},
	{"argocd.argoproj.io/sync-options", "Prune=false", object.ArgoCD},
	{"kustomize.toolkit.fluxcd.io/prune", "disabled", object.Flux},
}

// kept reports whether an object stays when Git no longer has it.
func kept(o *object.Object) bool {
	for _, k := range keepers {
		if strings.Contains(annotation(o, k.annotation), k.value) {
			return true
		}
	}
	return false
}

// annotation is one of an object's own.
func annotation(o *object.Object, key string) string {
	meta, _ := o.Content["metadata"].(map[string]any)
	m, _ := meta["annotations"].(map[string]any)
	s, _ := m[key].(string)
	return s
}

// hash is what Kustomize appends to a generated name. Upstream: kyaml, api/hasher: encode.
var hash = regexp.MustCompile(`^(.+)-[bcdfghkmt2456789]{10}$`)

// unhashed is a name without what a generator appended to it; the name itself where it did not.
func unhashed(name string) string {
	if m := hash.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}

// nearly is the one object that a need misses by a generator's hash or by its spelling; nil: there is none, or several.
func (x configIndex) nearly(namespace string, n need) *object.Object {
	var hashed, slipped []*object.Object
	for k := range x.all {
		if k[0] != n.kind || k[1] != n.home(namespace) {
			continue
		}
		like := n
		like.name = k[2]
		switch o := x.get(namespace, like); {
		case o == nil:
		case unhashed(k[2]) == unhashed(n.name):
			hashed = append(hashed, o)
		case len(n.name) >= 4 && slip(k[2], n.name):
			slipped = append(slipped, o)
		}
	}
	for _, found := range [][]*object.Object{hashed, slipped} {
		if len(found) > 0 {
			if len(found) == 1 {
				return found[0]
			}
			return nil
		}
	}
	return nil
}
