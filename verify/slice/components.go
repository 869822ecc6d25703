package slice

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// components groups ids, in order, by the transitive closure of a symmetric relation. Only
// groups with a wanted one are looked for: in a large release those are few. near gives lists
// that hold every id that one is related to, among others; whoever is in a group leaves them,
// so that none is asked for again.
func components(ids []string, wanted func(id string) bool, near func(id string) []*bucket,
	related func(a, b string) bool) [][]string {
	var out [][]string
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] || !wanted(id) {
			continue
		}
		seen[id] = true
		group := []string{id}
		for i := 0; i < len(group); i++ {
			for _, b := range near(group[i]) {
				kept := b.ids[:0]
				for _, other := range b.ids {
					switch {
					case seen[other]:
					case related(group[i], other):
						seen[other] = true
						group = append(group, other)
					default:
						kept = append(kept, other)
					}
				}
				b.ids = kept
			}
		}
		sort.Strings(group)
		out = append(out, group)
	}
	slices.SortFunc(out, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// bucket is a list of ids that shrinks.
type bucket struct{ ids []string }

// vicinity narrows down which workloads of a release [Cut.related] can be true of.
type vicinity struct {
	cut     Cut
	sides   [2]side
	ranked  bool // room is limited, and some workloads may outrank others
	buckets map[string]*bucket
}

// The kinds of buckets, by what their workloads share.
const (
	labelled = "labelled" // pods with a label
	settled  = "in"       // a namespace
	looking  = "looking"  // a rule that looks at pods with a label
	staring  = "staring"  // a rule that names no label
	mounting = "mounting" // a claim
	naming   = "naming"   // a rule of the user's own
	guarding = "guarding" // that they serve a webhook
	common   = "common"   // a PodDisruptionBudget, or a ResourceQuota that they overask
	binding  = "binding"  // a port of the node
	queueing = "queueing" // a ClusterQueue of Kueue
	lending  = "lending"  // a cohort of them
	blocking = "blocking" // that Kueue may admit none for the sake of another
	akin     = "akin"     // a slice of several releases
)

func bucketName(parts ...string) string { return strings.Join(parts, "\x00") }

func (k labelKey) in(kind string) string { return bucketName(kind, k.namespace, k.key, k.value) }

// vicinity sorts the workloads of a release into buckets.
func (c Cut) vicinity(ids []string, sides [2]side) *vicinity {
	x := &vicinity{cut: c, sides: sides, buckets: map[string]*bucket{}}
	ranks := map[int32]bool{}
	for _, id := range ids {
		if n := c.Lent.Kin.Group[id]; n > 0 {
			x.put(id, bucketName(akin, strconv.Itoa(n)))
		}
		for _, s := range sides {
			o := s.Workloads[id]
			if o == nil {
				continue
			}
			x.sort(id, o, s)
			if rank, known := scheduler.Priority(&s.priorities.spec, templateOf(o), state.Head); known {
				ranks[rank] = true
			}
		}
	}
	x.ranked = c.Limited && len(ranks) > 1
	return x
}

func (x *vicinity) put(id, name string) {
	b := x.buckets[name]
	if b == nil {
		b = &bucket{}
		x.buckets[name] = b
	}
	if n := len(b.ids); n == 0 || b.ids[n-1] != id {
		b.ids = append(b.ids, id)
	}
}

// sort puts one version of a workload into its buckets.
func (x *vicinity) sort(id string, o *object.Object, s side) {
	for _, ns := range []string{o.ID.Namespace, anywhere} {
		x.put(id, bucketName(settled, ns))
		for k, v := range templateOf(o).Labels {
			x.put(id, labelKey{ns, k, v}.in(labelled))
		}
	}
	for _, g := range gazes(o, s) {
		keys, narrow := exactKeys(g.namespace, g.selector, func(labelKey) int { return 1 })
		if !narrow {
			x.put(id, bucketName(staring, g.namespace))
		}
		for _, k := range keys {
			x.put(id, k.in(looking))
		}
	}
	for _, c := range s.storage.claimsOf(o) {
		x.put(id, bucketName(mounting, c.ID.String()))
	}
	if x.servesHook(o, s) {
		x.put(id, guarding)
	}
	for _, name := range meetings(o, s) {
		x.put(id, name)
	}
	for i, names := range x.cut.Together {
		if slices.Contains(names, o.ID.Namespace+"/"+o.ID.Name) {
			x.put(id, bucketName(naming, strconv.Itoa(i)))
		}
	}
}

// meetings are the buckets of the budgets, quotas, ports and quota of Kueue that a workload may share with others.
func meetings(o *object.Object, s side) []string {
	var out []string
	if queue, _ := s.queued(o); queue != nil {
		out = append(out, bucketName(queueing, queue.ID.Name))
		if q := s.queueOf(queue); q != nil && q.Cohort != "" {
			out = append(out, bucketName(lending, q.Cohort))
		}
		if s.blocks(o) {
			out = append(out, blocking)
		}
	}
	for _, b := range s.common[o.ID.String()] {
		out = append(out, bucketName(common, b))
	}
	for _, p := range portsOf(o) {
		out = append(out, bucketName(binding, strconv.Itoa(int(p.HostPort))))
	}
	return out
}

func (x *vicinity) servesHook(o *object.Object, s side) bool {
	return slices.ContainsFunc(s.admission.asked, func(list []hook) bool {
		return slices.ContainsFunc(list, func(h hook) bool { return h.serves(o, s) })
	})
}

// near gives the buckets of all workloads that one can be related to.
func (x *vicinity) near(id string) []*bucket {
	var out []*bucket
	add := func(name string) {
		if b := x.buckets[name]; b != nil && len(b.ids) > 0 && !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	if n := x.cut.Lent.Kin.Group[id]; n > 0 {
		add(bucketName(akin, strconv.Itoa(n)))
	}
	for _, s := range x.sides {
		o := s.Workloads[id]
		if o == nil {
			continue
		}
		if x.ranked { // an outranked pod may be anywhere
			add(bucketName(settled, anywhere))
			continue
		}
		for _, g := range gazes(o, s) {
			keys, narrow := exactKeys(g.namespace, g.selector, func(k labelKey) int { return x.size(k.in(labelled)) })
			if !narrow {
				add(bucketName(settled, g.namespace))
			}
			for _, k := range keys {
				add(k.in(labelled))
			}
		}
		for _, ns := range []string{o.ID.Namespace, anywhere} {
			add(bucketName(staring, ns))
			for k, v := range templateOf(o).Labels {
				add(labelKey{ns, k, v}.in(looking))
			}
		}
		for _, c := range s.storage.claimsOf(o) {
			add(bucketName(mounting, c.ID.String()))
		}
		if x.servesHook(o, s) {
			add(guarding)
		}
		for _, name := range meetings(o, s) {
			add(name)
		}
		for i, names := range x.cut.Together {
			if slices.Contains(names, o.ID.Namespace+"/"+o.ID.Name) {
				add(bucketName(naming, strconv.Itoa(i)))
			}
		}
	}
	return out
}

func (x *vicinity) size(name string) int {
	if b := x.buckets[name]; b != nil {
		return len(b.ids)
	}
	return 0
}

// gaze is a selector by which one workload looks at the pods of others, in a namespace or
// [anywhere].
type gaze struct {
	namespace string
	selector  labels.Selector
}

// gazes are all of them: of placement rules, and of the autoscaler that counts pods.
func gazes(o *object.Object, s side) []gaze {
	var out []gaze
	add := func(ns string, selector *metav1.LabelSelector) {
		if sel, err := metav1.LabelSelectorAsSelector(selector); err == nil {
			out = append(out, gaze{ns, sel})
		}
	}
	spec := &templateOf(o).Spec
	for _, c := range kube.Spreads(spec) {
		add(o.ID.Namespace, c.LabelSelector)
	}
	for _, t := range kube.Terms(spec) {
		ns := o.ID.Namespace
		if len(t.Namespaces) > 0 || t.NamespaceSelector != nil {
			ns = anywhere
		}
		add(ns, t.LabelSelector)
	}
	if s.autoscaled(o) {
		m, _ := state.ManifestOf(o.Typed)
		add(o.ID.Namespace, m.Selector())
	}
	return out
}
