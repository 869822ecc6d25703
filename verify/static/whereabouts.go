package static

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// whereabouts knows where a ConfigMap or Secret may come from: the releases that were rendered, and what else mentions
// it.
type whereabouts struct {
	ch         *object.Changes
	ties       *slice.Neighbours // nil: not known
	base, head configIndex       // of all releases
	objects    [2][]*object.Object
	onHead     map[object.ID][]*object.Object
	ids        [2]map[string][]*object.Object // filled as they are asked for
	texts      map[string]bool                // whether a file mentions a name; filled as it is asked for
	// elsewhereToo are kinds, with whether base names some that are not here, see [whereabouts.hasElsewhere].
	elsewhereToo map[string]bool
	// clusters says that the repository is of several, as [whereabouts.severalClusters] finds once.
	clusters, clustersKnown bool
	names                   map[string]map[string]map[string]bool // that objects of head name, see [whereabouts.namedBy]
	ran                     map[string]bool                       // what base's objects name, see [whereabouts.ranWith]
}

func newWhereabouts(ch *object.Changes, ties *slice.Neighbours) *whereabouts {
	w := &whereabouts{ch: ch, ties: ties, texts: map[string]bool{}, elsewhereToo: map[string]bool{}}
	w.objects[1] = renderedObjects(ch.Head)
	w.onHead = make(map[object.ID][]*object.Object, len(w.objects[1]))
	for _, o := range w.objects[1] {
		w.onHead[o.ID] = append(w.onHead[o.ID], o)
	}
	w.head = newConfigIndex(w.objects[1])
	if ch.Base != nil {
		w.objects[0] = renderedObjects(ch.Base)
	}
	w.base = newConfigIndex(w.objects[0])
	return w
}

// byID are the objects of a version by their IDs.
func (w *whereabouts) byID(v state.Version) map[string][]*object.Object {
	if w.ids[v] == nil {
		w.ids[v] = map[string][]*object.Object{}
		for _, o := range w.objects[v] {
			w.ids[v][o.ID.String()] = append(w.ids[v][o.ID.String()], o)
		}
	}
	return w.ids[v]
}

// tie is whether the releases of two objects are in one cluster.
func (w *whereabouts) tie(a, b *object.Object) slice.Tie {
	if w.ties == nil || a.Release == b.Release {
		return slice.Sure
	}
	return w.ties.Tie(a.Release, b.Release)
}

// open is the release of the first of some objects that is not declared to be in the cluster of one; "": none.
func (w *whereabouts) open(o *object.Object, list ...*object.Object) string {
	for _, t := range list {
		if t != nil && w.tie(t, o) == slice.Open {
			return t.Release
		}
	}
	return ""
}

// meet reports whether two releases may be in one cluster.
func (w *whereabouts) meet(a, b string) bool { return w.ties == nil || w.ties.Tie(a, b) != slice.Apart }

// follows reports whether the tool applies an object once others are healthy: they are earlier in its release, or the
// release waits for theirs.
func (w *whereabouts) follows(o *object.Object, others []*object.Object) bool {
	own := w.onHeadOf(o)
	if own == nil {
		return false
	}
	return !slices.ContainsFunc(others, func(x *object.Object) bool {
		of := w.onHeadOf(x)
		if of == nil || of.ID == own.ID {
			return of == nil || !newSteps(own).follows(o, []*object.Object{x})
		}
		return !of.Delivery.Waits || own.Delivery.Tool != of.Delivery.Tool ||
			!slices.Contains(own.Delivery.DependsOn, of.Delivery.Name)
	})
}

// onHeadOf is the release of an object as head has it; nil: it is gone.
func (w *whereabouts) onHeadOf(o *object.Object) *object.Rendered {
	if i := slices.IndexFunc(w.ch.Head.Releases, func(r *object.Rendered) bool { return r.ID == o.Release }); i >= 0 {
		return w.ch.Head.Releases[i]
	}
	return nil
}

// elsewhere reports whether head has an object in a release that is in the cluster of the object's own, or may be.
func (w *whereabouts) elsewhere(o *object.Object) bool {
	return slices.ContainsFunc(w.onHead[o.ID], func(h *object.Object) bool { return w.tie(h, o) != slice.Apart })
}

// wellKnown are ConfigMaps that controllers put into every namespace.
var wellKnown = []string{"kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert",
	"linkerd-identity-trust-roots"}

// makers are parts of the kinds of custom resources whose controllers write Secrets and ConfigMaps of their name.
var makers = []string{"secret", "cert", "config", "bundle", "credential", "issuer", "database", "cluster", "user",
	"vault", "password", "generator", "template", "token", "dashboard"}

// made reports whether something of a side may write the ConfigMap or Secret of a name: a custom resource that names it
// or is named like it, an argument of a program, a Role that lets somebody write it. Resources known to write none are
// left out.
func made(objects []*object.Object, but *object.Object, namespace, name string) bool {
	return slices.ContainsFunc(objects, func(o *object.Object) bool {
		if but != nil && o.ID == but.ID {
			return false
		}
		if o.ID.Namespace != "" && o.ID.Namespace != namespace && !custom(o) {
			return false
		}
		if known := written(o); len(known) > 0 && !copiesOut(o) {
			return slices.ContainsFunc(known,
				func(s *object.Object) bool { return s.ID.Namespace == namespace && s.ID.Name == name })
		}
		kind := strings.ToLower(o.ID.Kind)
		if custom(o) && (o.ID.Name == name &&
			slices.ContainsFunc(makers, func(m string) bool { return strings.Contains(kind, m) })) {
			return true
		}
		return speaksOf(o.Content, name, custom(o), "")
	})
}

// custom reports whether an object is of a kind whose controller may write what it names: one that Kubernetes itself
// does not have and that runs no pods, an Ingress or a Gateway.
func custom(o *object.Object) bool {
	g := o.ID.Group
	if slice.RunsPods(o) {
		return false
	}
	return strings.Contains(g, ".") && !strings.HasSuffix(g, ".k8s.io") || g == "networking.k8s.io" ||
		g == "gateway.networking.k8s.io"
}

// silent are fields that hold names for another purpose than to write a ConfigMap or Secret.
var silent = map[string]bool{
	"metadata": true, "labels": true, "selector": true, "matchLabels": true, "labelSelector": true,
	"backendRefs": true, "parentRefs": true,
	"scaleTargetRef": true, "targetRef": true, "serviceName": true, "service": true, "serviceAccountName": true,
	"configMap": true, "secret": true, "configMapRef": true, "secretRef": true,
	"configMapKeyRef": true, "secretKeyRef": true,
	"image": true, "status": true,
}

// speaking are the fields of Kubernetes' own kinds that name what a program or a person may write.
var speaking = map[string]bool{"args": true, "command": true, "resourceNames": true, "value": true, "data": true}

// speaksOf reports whether a value names a ConfigMap or Secret in another way than a pod that needs it does.
func speaksOf(v any, name string, whole bool, field string) bool {
	switch t := v.(type) {
	case map[string]any:
		for k, e := range t {
			if silent[k] && (!whole ||
				!strings.Contains(strings.ToLower(k), "secret") && !strings.Contains(strings.ToLower(k), "configmap")) {
				continue
			}
			next := field
			if speaking[k] || whole {
				next = k
			}
			if speaksOf(e, name, whole, next) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(t, func(e any) bool { return speaksOf(e, name, whole, field) })
	case string:
		return field != "" && (whole && t == name || !whole && hasWord(t, name))
	}
	return false
}

// hasWord reports whether a text has a name that is no part of a longer one.
func hasWord(text, name string) bool {
	part := func(c byte) bool {
		return c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !part(text[i-1])) && (end == len(text) || !part(text[end])) {
			return true
		}
		from = i + 1
	}
}

// Bounds of the files that are asked for a name.
const (
	mostFiles    = 5000
	longestFile  = 1 << 20 // bytes
	mentionedMax = 20      // names of one run; beyond, a name counts as mentioned
)

// mentioned reports whether a file of head names a ConfigMap or Secret beside those that refer to it.
func (w *whereabouts) mentioned(name string, beside func(file string) bool) bool {
	if known, ok := w.texts[name]; ok {
		return known
	}
	if w.ch.Head.Tree == nil || len(w.texts) >= mentionedMax {
		return true
	}
	found, files := false, 0
	err := fs.WalkDir(w.ch.Head.Tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || beside(p) {
			return nil
		}
		if files++; files > mostFiles {
			found = true
			return fs.SkipAll
		}
		if i, err := d.Info(); err != nil || i.Size() > longestFile {
			return nil
		}
		if b, err := fs.ReadFile(w.ch.Head.Tree, p); err == nil && hasWord(string(b), name) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	w.texts[name] = found || err != nil
	return w.texts[name]
}
