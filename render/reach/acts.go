package reach

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"reflect"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
)

// A release that is the same on both sides is rendered where something that differs acts on its pods, or where it acts
// on pods that differ: the quota of a namespace is in one release, and the workloads there in others. The candidates
// are known by texts in the files: kinds, namespaces, and names of classes.

var (
	namespaceText = valueText("namespace")
	runningKinds  = []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod", "Rollout"}
	// wideKinds act on all that is in a namespace, or are named; others on what they select or target.
	wideKinds  = []string{"ResourceQuota", "LimitRange", "PriorityClass", "RuntimeClass", namespaceKind}
	quotaKinds = []string{"ResourceQuota"}
	// everyKinds are asked about the objects of all namespaces.
	everyKinds = []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy",
		"MutatingAdmissionPolicyBinding", "ClusterPolicy", "Policy", "PolicyException", "AdminNetworkPolicy",
		"BaselineAdminNetworkPolicy", "ClusterNetworkPolicy", "CiliumClusterwideNetworkPolicy",
		"AppProject"}
	webhookKinds = []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}
	// roomKinds are such where the options say so: they take room that all pods feel, or make their volumes.
	roomKinds = []string{"DaemonSet", "StorageClass"}
	// steeringKinds say who may send requests to pods of their namespace, or do so; of these, fenceKinds hold for pods
	// of any release there.
	fenceKinds    = []string{"NetworkPolicy", "CiliumNetworkPolicy"}
	steeringKinds = slices.Concat(routingKinds, steeredKinds, fenceKinds, []string{"ReferenceGrant"})
	// imageText finds what a new image changes, which is no matter for requests; imageLine finds it in settings, which
	// say the version of a chart as well.
	imageText = regexp.MustCompile(
		`(?i)["']?\b(?:[a-z0-9./-]*(?:image|tag|digest)|[a-z0-9./-]+/version|helm\.sh/chart)["']?:\s*(?:"[^"]*"|[^\s,}]*)`)
	imageLine = regexp.MustCompile(`(?i)image|tag:|digest|version|sha256:`)
)

const namespaceKind = "Namespace"

// classKinds are those that pods and their claims name.
var classKinds = []string{"PriorityClass", "RuntimeClass", "StorageClass"}

var (
	// labelled is in a Namespace that refuses pods by one of its labels, or that something chooses by these.
	labelled = []byte("labels")
	choosing = []byte("namespaceSelector")
)

// effects is what differs between the sides, as far as it is known without rendering.
type effects struct {
	reach *reach
	// spaces are the namespaces that each release may have objects in; filled as they are asked for.
	spaces map[*release.Recipe]map[string]bool

	acting  map[string]bool // namespaces of objects that act on others
	runs    map[string]bool // namespaces of workloads
	counted map[string]bool // namespaces in which something differs that a quota counts, and whether that has pods
	steers  map[string]bool // namespaces in which more than an image differs
	named   [][]byte        // [classKinds]
	asks    bool            // for one of [classKinds]
	labels  bool            // of Namespaces
	picks   bool            // Namespaces by their labels
	every   []string        // [everyKinds], with those of [roomKinds] that count
	all     bool            // something differs that acts on every workload
	// asked are kinds and names, or groups and kinds, of what changed objects name and no changed release has.
	asked   [][2]string
	gone    [][]byte        // names of objects that others may name, and numbers that Services come to ask for
	limited bool            // the options say that room is
	running [][]byte        // texts of pods
	meeting meeting         // what these say of others
	led     []leading       // changed objects that direct requests
	zeroed  map[string]bool // namespaces in which a workload comes to have no pods, or pods again
	comes   [][2]string     // kinds and names of new objects of which a GitOps tool knows one
}

// renderActed renders an untouched release if it may act on a changed object, or be acted on, and reports whether the
// releases that it declares are acted on as well.
func (r *reach) renderActed(ctx context.Context) (bool, error) {
	base, head := r.base, r.head
	if len(base.Opt.Acting) == 0 {
		return false, nil
	}
	e := &effects{
		reach: r, spaces: map[*release.Recipe]map[string]bool{}, every: everyKinds,
		acting: map[string]bool{}, runs: map[string]bool{}, steers: map[string]bool{},
		zeroed: map[string]bool{}, counted: map[string]bool{},
	}
	for _, kind := range roomKinds {
		if slices.Contains(base.Opt.Acting, kind) {
			e.every, e.limited = append(slices.Clone(e.every), kind), true
		}
	}
	e.compare(base, head)
	e.compare(head, base)
	e.goes(base, head)
	e.wants(base, head)
	e.callers(head)
	e.count(base, head)
	var both, declaring [][2]int
	for i, rel := range head.Releases {
		k, ok := base.ByID[rel.ID]
		if !ok || !head.Outputs[i].Untouched || !base.Outputs[k].Untouched || head.Idle(i) || head.Failed[i] != nil ||
			r.waits[rel.ID] {
			continue
		}
		on := e.actOn(head.Recipes[i]) || e.refers(head.Recipes[i]) || e.shares(head.Recipes[i])
		if on || e.actedOnBy(head.Recipes[i]) || e.leads(head.Recipes[i]) || e.met(head.Recipes[i]) ||
			e.takes(head.Recipes[i]) || e.holds(head.Recipes[i]) {
			both = append(both, [2]int{k, i})
		}
		if on {
			declaring = append(declaring, [2]int{k, i})
		}
	}
	base.Src.Dry, head.Src.Dry = false, false
	err := side.Parallel(ctx, base.Opt.Workers, len(both), func(n int) {
		k, i := both[n][0], both[n][1]
		base.FetchLater(k)
		base.Run(k)
		r.share(base.Place(k), head.Place(i))
	})
	base.Src.Dry, head.Src.Dry = true, true
	for _, at := range declaring {
		base.Awaken(at[0])
		head.Awaken(at[1])
		for _, s := range r.sleepers {
			s.woken = s.woken || s.onBase == at[0]
		}
	}
	return len(declaring) > 0, err
}

// compare learns what the releases of a side that differ from the other's say.
func (e *effects) compare(s, other *side.Side) {
	for i, r := range s.Releases {
		k, ok := other.ByID[r.ID]
		if s.Recipes[i] == nil || ok && side.Same(s.Place(i), other.Place(k)) {
			continue
		}
		var twin *release.Recipe
		if ok {
			twin = other.Recipes[k]
		}
		e.learn(s.Recipes[i], twin)
	}
}

// learn reads a release that differs from the other side's, which is nil where that has none.
func (e *effects) learn(j, twin *release.Recipe) {
	differs := func(p string) bool { return twin == nil || !bytes.Equal(twin.Files[p], j.Files[p]) }
	all := twin == nil || j.Release.Kind == object.Helm || !reflect.DeepEqual(j.Release, twin.Release) ||
		!slices.ContainsFunc(j.Reads(), differs)
	for _, p := range j.Reads() {
		all = all || differs(p) && (source.IsKustomizationName(path.Base(p)) || !bytes.Contains(j.Files[p],
			[]byte("kind:")))
	}
	acts, runs, steers, zeroed := false, j.Release.Kind == object.Helm, false, false
	e.meeting.join(meetingIn(j, func(p string) bool { return all || differs(p) }))
	for _, p := range j.Reads() {
		b := j.Files[p]
		if j.Declares[p] || !all && !differs(p) {
			continue
		}
		runs = runs || hasKind(b, runningKinds)
		e.running = append(e.running, b)
		e.asks = e.asks || bytes.Contains(b, []byte("priorityClassName")) ||
			bytes.Contains(b, []byte("runtimeClassName")) || bytes.Contains(b, []byte("storageClassName"))
		e.picks = e.picks || bytes.Contains(b, choosing)
		e.labels = e.labels || differs(p) && hasKind(b, []string{namespaceKind})
		acts = acts || e.acts(j, b) || differs(p) && e.steersOthers(j, b)
		zeroed = zeroed || twin != nil && noReplicas.Match(b) != noReplicas.Match(twin.Files[p])
		steers = steers || twin == nil || differs(p) && beyondImages(b, twin.Files[p])
		e.all = e.all || differs(p) && (e.reach.marked(b) || hasKind(b, e.every))
		if differs(p) && hasKind(b, classKinds) {
			for _, m := range nameText.FindAllSubmatch(b, -1) {
				e.named = append(e.named, m[1])
			}
			e.all = e.all || bytes.Contains(b, []byte("globalDefault: true"))
		}
	}
	e.all = e.all || anyFile(j, func(b []byte) bool { // what differs may be the parameters of a policy
		return bytes.Contains(b, []byte("paramKind")) && hasKind(b, e.every)
	})
	for ns := range e.namespaces(j) { // an object acts on one of a namespace that it names, too
		e.acting[ns], e.zeroed[ns] = e.acting[ns] || acts, e.zeroed[ns] || zeroed
	}
	for ns := range ownNamespaces(j) {
		e.runs[ns], e.steers[ns] = e.runs[ns] || runs, e.steers[ns] || steers
		e.counted[ns] = e.counted[ns] || runs
	}
}

// acts reports whether a file of a release may be of objects that act on others: selecting objects in a chart, or in a
// file with workloads, are for those workloads.
func (e *effects) acts(j *release.Recipe, b []byte) bool {
	if j.Release.Open() {
		return false
	}
	own := hasKind(b, runningKinds) || j.Release.Kind == object.Helm && anyFile(j, isWorkload)
	return slices.ContainsFunc(e.reach.base.Opt.Acting, func(kind string) bool {
		return !slices.Contains(classKinds, kind) && !slices.Contains(e.every, kind) &&
			(!own || slices.Contains(wideKinds, kind)) &&
			hasKind(b, []string{kind}) && (kind != namespaceKind || bytes.Contains(b, labelled))
	})
}

// steersOthers reports whether a file of a release may be of objects that say who sends requests to pods of others, as
// acts does.
func (e *effects) steersOthers(j *release.Recipe, b []byte) bool {
	chart := j.Release.Kind == object.Helm
	if j.Release.Open() || chart && anyFile(j, isWorkload) {
		return false
	}
	return hasKind(b, fenceKinds) || !hasKind(b, runningKinds) && hasKind(b, steeringKinds)
}

// beyondImages reports whether two texts differ in more than what names images.
func beyondImages(a, b []byte) bool {
	rest := func(text []byte) []byte {
		if hasKind(text, runningKinds) {
			return imageText.ReplaceAll(text, nil)
		}
		var out [][]byte
		for _, l := range bytes.Split(text, []byte("\n")) {
			if !imageLine.Match(l) {
				out = append(out, l)
			}
		}
		return bytes.Join(out, []byte("\n"))
	}
	return !bytes.Equal(rest(a), rest(b))
}

// actOn reports whether what differs may act on the pods of a release that does not.
func (e *effects) actOn(j *release.Recipe) bool {
	if j.Release.Kind != object.Helm && !j.Release.Open() && !anyFile(j, isWorkload) {
		return false
	}
	if e.all {
		return true
	}
	if len(e.named) > 0 {
		b, err := json.Marshal(&j.Release)
		if err != nil || containsAny(b, e.named) || anyFile(j, func(b []byte) bool { return containsAny(b, e.named) }) {
			return true
		}
	}
	return e.labels && anyFile(j, func(b []byte) bool { return bytes.Contains(b, choosing) }) ||
		meet(e.acting, ownNamespaces(j))
}

// actedOnBy reports whether a release that does not differ may act on pods that do.
func (e *effects) actedOnBy(j *release.Recipe) bool {
	return e.asks && anyFile(j, func(b []byte) bool { return hasKind(b, classKinds) }) ||
		e.picks && anyFile(j, func(b []byte) bool { return hasKind(b, []string{namespaceKind}) }) ||
		len(e.runs) > 0 && !j.Release.Open() &&
			anyFile(j, func(b []byte) bool { return hasKind(b, e.every) || asksOfPods(b) }) ||
		anyFile(j, func(b []byte) bool { return e.acts(j, b) }) && meet(e.runs, e.namespaces(j)) ||
		anyFile(j, func(b []byte) bool { return e.steersOthers(j, b) }) && meet(e.steers, e.namespaces(j))
}

// asksOfPods reports whether a text may be of webhooks that decide on pods.
func asksOfPods(b []byte) bool {
	return hasKind(b, webhookKinds) && (hasWord(b, []byte("pods")) || bytes.ContainsRune(b, '*'))
}

func meet(a, b map[string]bool) bool {
	for k := range b {
		if a[k] {
			return true
		}
	}
	return false
}

func anyFile(j *release.Recipe, is func(b []byte) bool) bool {
	for p, b := range j.Files {
		if !j.Declares[p] && is(b) {
			return true
		}
	}
	return false
}

// isWorkload reports whether a text may be of objects that run pods, or that have a chart do so.
func isWorkload(b []byte) bool { return hasKind(b, runningKinds) || bytes.Contains(b, helmGroup) }

// hasKind reports whether an object of a kind begins in a text.
func hasKind(b []byte, kinds []string) bool {
	return slices.ContainsFunc(kinds, func(kind string) bool { return begins(b, kind) })
}

func begins(b []byte, kind string) bool {
	for rest := b; ; {
		i := bytes.Index(rest, []byte(kind))
		if i < 0 {
			return false
		}
		line := rest[bytes.LastIndexByte(rest[:i], '\n')+1 : i]
		rest = rest[i+len(kind):]
		whole := len(rest) == 0 || bytes.IndexByte([]byte("\r\n \"'#"), rest[0]) >= 0
		says := bytes.TrimRight(line, " \t\"'")
		plain := bytes.TrimLeft(says, " -")
		if whole && bytes.Equal(plain, []byte("kind:")) && (len(plain) == len(says) || bytes.Contains(b,
			[]byte("List"))) {
			return true
		}
	}
}

// namespaces is [namespacesOf], once for each release.
func (e *effects) namespaces(j *release.Recipe) map[string]bool {
	if e.spaces[j] == nil {
		e.spaces[j] = namespacesOf(j)
	}
	return e.spaces[j]
}

// namespacesOf are the namespaces that the objects of a release may be in, by the texts of its files.
func namespacesOf(j *release.Recipe) map[string]bool {
	out := map[string]bool{}
	add := func(ns string) {
		if ns != "" {
			out[ns] = true
		}
	}
	if add(j.Release.Namespace); len(out) > 0 && j.Release.Kind == object.Helm {
		return out
	}
	if o := j.Release.Overlay; o != nil {
		add(o.Namespace)
	}
	for _, p := range j.Reads() {
		if j.Declares[p] {
			continue
		}
		for _, m := range namespaceText.FindAllSubmatch(j.Files[p], -1) {
			add(string(m[1]))
		}
		if hasKind(j.Files[p], []string{namespaceKind}) {
			for _, m := range nameText.FindAllSubmatch(j.Files[p], -1) {
				add(string(m[1]))
			}
		}
	}
	if len(out) == 0 {
		out["default"] = true
	}
	return out
}
