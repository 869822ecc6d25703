package objects

import (
	"strconv"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Upstream is the tag every actor was read from.
const Upstream = "kubernetes v1.36.3"

// ShortName is a workload as texts have it that say its kind: "default/web".
func ShortName(w *state.Workload) string { return w.Namespace + "/" + w.Name }

// OwnName is a workload as nothing else of its slice is called: its short name, with the kind before it where another
// kind has the same.
func OwnName(w *state.Workload) string {
	if w.Namesake {
		return string(w.Kind()) + " " + ShortName(w)
	}
	return ShortName(w)
}

// SetName words the ReplicaSet of pod class p: "new ReplicaSet of default/web".
func SetName(c *state.Config, p int) string {
	return Revised(c, p, "ReplicaSet") + " of " + ShortName(&c.Spec.Workloads[c.Pods[p].Workload])
}

// Revised puts the revision of pod class p, if it has several, before a word.
func Revised(c *state.Config, p int, word string) string {
	if r := c.Revision(p); r != "" {
		return r + " " + word
	}
	return word
}

// PodName names a pod class: "default/web", or the pod of a StatefulSet "default/web-0".
func PodName(c *state.Config, p int) string { return podName(c, p, ShortName) }

func podName(c *state.Config, p int, called func(*state.Workload) string) string {
	name := called(&c.Spec.Workloads[c.Pods[p].Workload])
	if o := c.Pods[p].Ordinal; o != state.NoOrdinal {
		name += "-" + strconv.Itoa(o)
	}
	return name
}

// Named reports whether the pod of class p has its own name: that of a StatefulSet, or a Pod that is a workload.
func Named(c *state.Config, p int) bool {
	return c.Pods[p].Ordinal != state.NoOrdinal || c.Spec.Workloads[c.Pods[p].Workload].Kind().Bare()
}

// OnePod words one pod of class p: "a new pod of default/web", "new pod default/web-0".
func OnePod(c *state.Config, p int, adjective string) string {
	what := adjective + Revised(c, p, "pod")
	if Named(c, p) {
		return what + " " + PodName(c, p)
	}
	return Article(what) + " of " + PodName(c, p) + SizeWords(c, p)
}

// SomePods words a number of pods of class p, as [OnePod].
func SomePods(c *state.Config, p, n int, adjective string) string {
	what := adjective + Revised(c, p, "pod")
	if Named(c, p) {
		return what + " " + PodName(c, p)
	}
	return english.Plural(n, what, "") + " of " + PodName(c, p)
}

// PodObject names the pods of a class as an object: "Pod default/web (new revision)".
func PodObject(c *state.Config, p int) string {
	name := "Pod " + PodName(c, p)
	if r := c.Revision(p); r != "" {
		name += " (" + r + " revision)"
	}
	return name
}

// ClassActor names an actor on one pod class: "replicaset/default/web@new".
func ClassActor(c *state.Config, loop string, p int) string {
	name := loop + "/" + podName(c, p, OwnName)
	if r := c.Revision(p); r != "" {
		name += "@" + r
	}
	if z := c.Pods[p].Size; z > 0 {
		name += "~" + strconv.Itoa(z)
	}
	return name
}

// Version is the newest manifest version that has pod class p's template.
func Version(c *state.Config, p int) state.Version {
	if c.Pods[p].InHead {
		return state.Head
	}
	return state.Base
}

// Article puts the indefinite article before a revised word.
func Article(noun string) string {
	if noun[0] == 'o' {
		return "an " + noun
	}
	return "a " + noun
}

// Done is the move of actors whose steps [actor.Actor.Describe] reads off the states.
var Done = search.Move{}
