package control

import (
	"fmt"
	"strconv"

	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// upstream is the tag every actor was read from.
const upstream = "kubernetes v1.36.3"

// shortName is a workload as texts and actor names have it: "default/web".
func shortName(w *state.Workload) string { return w.Namespace + "/" + w.Name }

// setName words the ReplicaSet of pod class p: "new ReplicaSet of default/web".
func setName(c *state.Config, p int) string {
	return revised(c, p, "ReplicaSet") + " of " + shortName(&c.Spec.Workloads[c.Pods[p].Workload])
}

// revised puts the revision of pod class p, if it has several, before a word.
func revised(c *state.Config, p int, word string) string {
	if r := c.Revision(p); r != "" {
		return r + " " + word
	}
	return word
}

// podName names a pod class: "default/web", or the pod of a StatefulSet "default/web-0".
func podName(c *state.Config, p int) string {
	name := shortName(&c.Spec.Workloads[c.Pods[p].Workload])
	if o := c.Pods[p].Ordinal; o != state.NoOrdinal {
		name += "-" + strconv.Itoa(o)
	}
	return name
}

// onePod words one pod of class p: "a new pod of default/web", "new pod default/web-0".
func onePod(c *state.Config, p int, adjective string) string {
	what := adjective + revised(c, p, "pod")
	if c.Pods[p].Ordinal != state.NoOrdinal {
		return what + " " + podName(c, p)
	}
	return article(what) + " of " + podName(c, p) + sizeWords(c, p)
}

// somePods words a number of pods of class p, as [onePod].
func somePods(c *state.Config, p, n int, adjective string) string {
	what := adjective + revised(c, p, "pod")
	if c.Pods[p].Ordinal != state.NoOrdinal {
		return what + " " + podName(c, p)
	}
	return counted(n, what) + " of " + podName(c, p)
}

// podObject names the pods of a class as an object: "Pod default/web (new revision)".
func podObject(c *state.Config, p int) string {
	name := "Pod " + podName(c, p)
	if r := c.Revision(p); r != "" {
		name += " (" + r + " revision)"
	}
	return name
}

// classActor names an actor on one pod class: "replicaset/default/web@new".
func classActor(c *state.Config, loop string, p int) string {
	name := loop + "/" + podName(c, p)
	if r := c.Revision(p); r != "" {
		name += "@" + r
	}
	if z := c.Pods[p].Size; z > 0 {
		name += "~" + strconv.Itoa(z)
	}
	return name
}

// version is the newest manifest version that has pod class p's template.
func version(c *state.Config, p int) state.Version {
	if c.Pods[p].InHead {
		return state.Head
	}
	return state.Base
}

// article puts the indefinite article before a revised word.
func article(noun string) string {
	if noun[0] == 'o' {
		return "an " + noun
	}
	return "a " + noun
}

// counted words a number of things: "1 replica", "3 ready pods".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// done is the move of actors whose steps [Actor.Describe] reads off the states.
var done = search.Move{}
