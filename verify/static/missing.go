package static

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var lacks = Analyzer{Name: "needs", Rule: rules.MissingConfig, Run: missing,
	Doc: "a ConfigMap, Secret, key, account, claim, class, Gateway or issuer that is named and that is not there"}

// missing says which objects of a release name a ConfigMap, a Secret, a key, a ServiceAccount, a claim, a class or
// another of the kinds in [names] that the change takes away, in whatever release of the cluster, renames or never
// brings. What base lacked as well is no news, and what may come from elsewhere is none of its business.
func missing(p *Pass) []Remark {
	where := p.where()
	before := p.before()
	was, is := where.base.from(p.ID, where.ties), where.head.from(p.ID, where.ties)
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		b := where.was(before, o)
		of := b
		if moved := where.byID(state.Base)[o.ID.String()]; b == nil && len(moved) > 0 { // from another release
			of = moved[0]
		}
		m := &unmet{release: p.Pair, facts: p.facts, where: where, base: was, head: is, o: o, b: b, of: of,
			old: wants(of), now: wants(o)}
		for _, n := range m.now {
			m.ask(n)
		}
		out = append(out, m.remarks()...)
	}
	return out
}

// renamed is an object's version on base under another name; nil: there is none.
func (w *whereabouts) renamed(o *object.Object) *object.Object {
	for i := range w.ch.Changes {
		if c := &w.ch.Changes[i]; c.Head == o && c.Kind == object.Renamed {
			return c.Base
		}
	}
	return nil
}

// was is base's version of an object of head, also under another name; nil: there is none.
func (w *whereabouts) was(before *aimIndex, o *object.Object) *object.Object {
	if b := w.renamed(o); b != nil {
		return b
	}
	return before.counterpart(o)
}

// unmet gathers what the pods of one object miss, one remark for each ConfigMap or Secret.
type unmet struct {
	release slice.Pair
	facts   *facts
	where   *whereabouts
	base    configIndex // as the release sees it
	head    configIndex
	o, b    *object.Object // on head and on base; b is nil where it is new
	of      *object.Object // b, or where that is nil the object of another release of base with its identity
	old     []need         // of it
	now     []need         // of o
	found   []Remark
	by      map[[2]string]int // places in found, by kind and name
}

// ask enters a need that is not met.
func (m *unmet) ask(n need) {
	ns := m.o.ID.Namespace
	lack := m.head.lacks(ns, n)
	if lack == lacksNothing {
		m.mended(n)
		return
	}
	same := slices.ContainsFunc(m.old, func(x need) bool { return x.kind == n.kind && x.name == n.name && x.key == n.key })
	if same && m.base.lacks(ns, n) != lacksNothing {
		return // as it was
	}
	if n.soft && lack == lacksObject || slices.Contains(wellKnown, n.name) {
		return
	}
	if lack == lacksObject && m.otherNamespace(n) {
		return
	}
	had := m.base.get(ns, n)
	if had == nil && (lack == lacksKey || m.head.nearly(ns, n) == nil) { // a generator's name
		for _, old := range m.old {
			if old.kind == n.kind && old.name != n.name && (unhashed(old.name) == unhashed(n.name) ||
				lack == lacksKey && m.base.get(ns, old) == m.where.renamed(m.head.get(ns, n))) {
				had = cmp.Or(m.base.get(ns, old), had)
			}
		}
	}
	switch {
	case lack == lacksObject && had != nil && n.alone: // see [unreachable]
	case lack == lacksObject && had != nil:
		m.removed(n, had)
	case lack == lacksObject:
		found := len(m.found)
		if m.neverThere(n); len(m.found) == found {
			m.trusts(n)
		}
	case had != nil && (keys(had)[n.key]):
		head := m.head.get(ns, n)
		r := m.remark(n, fmt.Sprintf("%s, which the change takes out of it", m.needs(n)))
		r.causes = []cause{{writerOf(head), keyFields(had, n.key)}}
		m.trust(&r, head)
		m.enter(n, r)
	case m.asked(n):
	case m.writtenBeside(n) && !oneOff(m.head.get(ns, n), n): // such as by a Job that fills it in
	default:
		r := m.remark(n, fmt.Sprintf("%s, and it has none of that name", m.needs(n)))
		r.Conditional = n.kind == secret || n.soft || !oneOff(m.head.get(ns, n), n)
		m.enter(n, r)
	}
}

// repaired enters what base lacked in the place of a need that is met.
func (m *unmet) mended(n need) {
	ns := m.o.ID.Namespace
	for _, old := range m.old {
		if old.at != n.at || old.kind != n.kind {
			continue // a pod may need a thousand keys
		}
		lack := m.base.lacks(ns, old)
		if lack == lacksNothing || made(m.where.objects[0], m.deliverer(state.Base), ns, old.name) {
			continue
		}
		if near := m.base.nearly(ns, old); n.kind == configMap || near != nil {
			r := Remark{Object: m.of, status: finding.Fixed, paths: []string{old.path},
				text: m.needs(old) + ", which is not there"}
			r.Conditional = m.unsure(n, old, near, lack)
			m.enter(n, r)
			return
		}
	}
}

// unsure reports whether the way back, from a need that is met to base's old one, would be no error: a fixed finding
// is as grave as the error that it repairs.
func (m *unmet) unsure(n, old need, near *object.Object, lack lacking) bool {
	ns := m.o.ID.Namespace
	there := m.head.get(ns, old)
	switch {
	case lack == lacksKey && there != nil && keys(there)[old.key]:
		return false // it would be taken out
	case lack == lacksKey:
		return old.kind == secret || old.soft || !oneOff(m.base.get(ns, old), old)
	case there != nil: // it would be removed
		yes, known := prunes(m.release.Head)
		return old.kind == claim || old.kind == class || known && !yes || !known && old.kind == secret
	case unhashed(n.name) == unhashed(old.name) || near != nil && unhashed(near.ID.Name) == unhashed(old.name):
		return false // a generator's name
	}
	return old.kind != configMap || near == nil && m.base.get(ns, n) == nil
}

// oneOff reports whether an entry of a ConfigMap is a slip of the pen away from the key that is asked for.
func oneOff(o *object.Object, n need) bool {
	for k := range keys(o) {
		if slip(k, n.key) || strings.EqualFold(k, n.key) {
			return true
		}
	}
	return false
}

// became says what the change makes of an object that is another one on head.
func became(had, now *object.Object) string {
	switch {
	case now.ID.Namespace == had.ID.Namespace:
		return "which the change renames to " + now.ID.Name
	case now.ID.Name == had.ID.Name:
		return "which the change moves to namespace " + now.ID.Namespace
	}
	return "which the change renames to " + now.ID.Name + ", in namespace " + now.ID.Namespace
}

// removed enters a need of an object that the change takes away.
func (m *unmet) removed(n need, had *object.Object) {
	ns := m.o.ID.Namespace
	if kept(had) || m.written(n, state.Head) && !m.written(n, state.Base) ||
		writerOf(had) != had && m.written(n, state.Head) {
		return
	}
	if on := m.where.onHeadOf(had); on != nil && on.Err != nil {
		return // a release that does not render takes nothing away
	}
	how, maker, there := "which the change removes", writerOf(had), false
	if now := m.where.byID(state.Head)[maker.ID.String()]; maker != had && len(now) > 0 {
		maker, there = now[0], true
	}
	if i := slices.IndexFunc(m.where.ch.Changes,
		func(c object.Change) bool { return c.Base == had && c.Head != nil }); i >= 0 {
		how = became(had, m.where.ch.Changes[i].Head)
	} else if maker != had && there {
		how = "which " + maker.ID.String() + " no longer writes"
	} else if maker != had {
		how = "which goes with " + maker.ID.String()
	} else if near := m.head.nearly(ns, n); near != nil {
		how = "in whose place there is " + near.ID.Name
	}
	n.key = ""
	r := m.remark(n, fmt.Sprintf("%s, %s", m.needs(n), how))
	r.causes = []cause{{object: maker}}
	if there {
		r.causes[0].paths = []string{"spec.target.name", "spec.destination.name", "spec.managedSecretReference.secretName", "spec"}
	}
	if n.kind == claim || referred[n.kind] || n.kind == account && how == "which the change removes" {
		r.Conditional = true
		r.text += " (unless something outside the repository makes it)"
	}
	rel := m.release.Head
	if had.Release != m.release.ID {
		rel = m.where.releaseOf(had)
	}
	if yes, known := prunes(rel); !there && (known && !yes || !known && n.kind == secret) {
		r.Conditional = true
		r.text += " (where objects that are gone from Git are deleted)"
	}
	m.trust(&r, had)
	m.enter(n, r)
}

// trust notes that a remark uses an object of a release that is not declared to be in the same cluster.
func (m *unmet) trust(r *Remark, o *object.Object) {
	if m.base.tie(o) != slice.Sure {
		r.with = o.Release
	}
}

// needs words a need.
func (m *unmet) needs(n need) string {
	what := n.title(m.o.ID.Namespace)
	if n.key != "" {
		what = fmt.Sprintf("the key %s of %s", n.key, what)
	}
	if spec, _ := podSpec(m.o); spec == nil || n.kind == service {
		return fmt.Sprintf("%s names %s (%s)", m.o.ID, what, n.at)
	}
	return fmt.Sprintf("the pods of %s need %s (%s)", m.o.ID, what, n.at)
}

// remark is one about a need that is not met.
func (m *unmet) remark(n need, text string) Remark {
	r := Remark{Object: m.o, status: finding.New, paths: []string{n.path}, text: text, Rule: n.rule}
	switch {
	case n.comes != "":
		r.Conditional = n.doubtful
		r.text += ": " + n.comes
	case m.b != nil && slice.ValueAt(m.b.Content, "kind") == slice.ValueAt(m.o.Content, "kind") && !m.rolls():
		r.occasion = "pod-lost" // those that run stay
		r.text += ": a pod that is replaced does not start"
	default:
		r.unready = true
		r.text += ": they do not start"
	}
	return r
}

// rolls reports whether the change replaces the pods.
func (m *unmet) rolls() bool {
	return slices.ContainsFunc(m.where.ch.Changes,
		func(c object.Change) bool { return c.Head == m.o && c.TemplateChanged })
}

// enter adds a remark about a need, or counts it where one about the same object stands.
func (m *unmet) enter(n need, r Remark) {
	r.Rule, r.release = cmp.Or(r.Rule, rules.MissingConfig), m.release.ID
	if m.by == nil {
		m.by = map[[2]string]int{}
	}
	k := [2]string{n.kind, n.name}
	if i, ok := m.by[k]; ok {
		if m.found[i].status == r.status {
			m.found[i].more++
			m.found[i].Conditional = m.found[i].Conditional && r.Conditional
		}
		return
	}
	m.by[k] = len(m.found)
	m.found = append(m.found, r)
}

// remarks are the remarks found, each with how often.
func (m *unmet) remarks() []Remark {
	for i := range m.found {
		if r := &m.found[i]; r.more > 0 {
			r.text += fmt.Sprintf(" (and %s more)", english.Plural(r.more, "reference", ""))
		}
	}
	return m.found
}

// prunes reports whether the tool that applies a release deletes what it no longer has; known is false where the
// repository does not say which tool that is.
func prunes(r *object.Rendered) (yes, known bool) {
	switch {
	case r.Delivery.Tool != "":
		return r.Delivery.Prunes, true
	case r.Kind == object.Helm:
		return true, true
	}
	return false, false
}

// Strands reports whether the change deletes a ConfigMap or Secret that an object's pods of base need, as it does with
// each new content of a generator that appends a hash. The tool prunes at the end of the apply, and waits for no
// rollout.
//
// Upstream: kustomize-controller, (*KustomizationReconciler).reconcile: apply, prune and checkHealth, in this order.
func Strands(ch *object.Changes, release string, o *object.Object) bool {
	if ch == nil || o == nil {
		return false
	}
	i := slices.IndexFunc(ch.Head.Releases, func(r *object.Rendered) bool { return r.ID == release })
	if i < 0 || ch.Head.Releases[i].Delivery.Last {
		return false
	}
	if yes, known := prunes(ch.Head.Releases[i]); !known || !yes {
		return false
	}
	var wanted []need
	var head configIndex
	for _, c := range ch.Changes {
		if c.Base == nil || c.Release != release || c.Head != nil && c.Kind != object.Renamed ||
			c.Base.ID.Namespace != o.ID.Namespace || kept(c.Base) {
			continue
		}
		if wanted == nil {
			wanted = needs(o)
		}
		for _, n := range wanted {
			if n.kind != kindOf(c.Base) || n.name != c.Base.ID.Name || n.soft {
				continue
			}
			if head.all == nil {
				head = newConfigIndex(ch.Head.Releases[i].Objects)
			}
			if head.get(o.ID.Namespace, n) == nil {
				return true
			}
		}
	}
	return false
}
