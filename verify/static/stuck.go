package static

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// asked is an object that another one cannot do without.
type asked struct {
	group, kind, name string
	path              string // of the field that asks for it
}

// asks lists what has to be there before the pods of an object start: what they read, run as and write to, and their
// namespace.
func asks(o *object.Object) []asked {
	var out []asked
	if spec, _ := podSpec(o); spec == nil {
		return nil
	}
	for _, n := range wants(o) {
		if group, kind, _ := strings.Cut(n.kind, "/"); !n.soft && !n.doubtful {
			out = append(out, asked{group, kind, n.name, n.path})
		}
	}
	return out
}

var orders = Analyzer{Name: "order", Rule: rules.ApplyStuck, Run: stuck,
	Doc: "an object that is waited for while what it needs comes later"}

// stuck says which objects of a release a tool waits for while objects that they need come later.
func stuck(p *Pass) []Remark {
	s := newSteps(p.Head)
	if !s.argo && !s.helm {
		return nil
	}
	head := p.Objects(state.Head)
	was, had := stuckBefore(p.Pair), map[object.ID]bool{}
	for _, o := range p.Objects(state.Base) {
		had[keyOf(o)] = true
	}
	var out []Remark
	for _, o := range head {
		at, ok := s.of(o)
		if !ok || !s.waits(o, at) && at.phase != pre {
			continue
		}
		if s.waits(o, at) {
			for _, a := range asks(o) {
				if r, found := s.late(o, at, a, head, had); found && !was[[2]string{o.ID.String(), a.kind + " " + a.name}] {
					r.release = p.ID
					out = append(out, r)
				}
			}
		}
		if r, found := s.expires(o, p.Objects(state.Base)); found {
			r.release = p.ID
			out = append(out, r)
		}
	}
	return out
}

// keyOf is an object's ID without the version of its API.
func keyOf(o *object.Object) object.ID {
	id := o.ID
	id.Version = ""
	return id
}

// stuckBefore are the pairs of base of which one waits for the other: they are no news.
func stuckBefore(p slice.Pair) map[[2]string]bool {
	out := map[[2]string]bool{}
	if p.Base == nil || p.Base.Err != nil {
		return out
	}
	s := newSteps(p.Base)
	for _, o := range p.Base.Objects {
		if at, ok := s.of(o); ok && s.waits(o, at) {
			for _, a := range asks(o) {
				if _, found := s.late(o, at, a, p.Base.Objects, nil); found {
					out[[2]string{o.ID.String(), a.kind + " " + a.name}] = true
				}
			}
		}
	}
	return out
}

// orderPaths are the fields that say when an object is applied.
var orderPaths = []string{"metadata.annotations[argocd.argoproj.io/sync-wave]", "metadata.annotations[argocd.argoproj.io/hook]",
	"metadata.annotations[helm.sh/hook]", "metadata.annotations[helm.sh/hook-weight]"}

// late is about an object that comes in a later step than one that cannot do without it; had are those in the cluster.
func (s steps) late(o *object.Object, at step, a asked, objects []*object.Object,
	had map[object.ID]bool) (Remark, bool) {
	var target *object.Object
	for _, t := range objects {
		if t.ID.Group != a.group || t.ID.Kind != a.kind || t.ID.Name != a.name ||
			t.ID.Namespace != o.ID.Namespace && t.ID.Namespace != "" {
			continue
		}
		then, ok := s.of(t)
		if !ok || !at.before(then) || s.installsOnly(o) && s.upgradesOnly(t) {
			return Remark{}, false // it comes in time, also if it comes again later
		}
		target = t
	}
	if target == nil || had[keyOf(target)] && s.upgradesOnly(o) {
		return Remark{}, false
	}
	r := Remark{
		Rule: rules.ApplyStuck, Object: o, status: finding.New, paths: []string{a.path},
		causes: []cause{{target, orderPaths}, {o, orderPaths}},
		text: fmt.Sprintf("%s (%s) needs %s, which comes later (%s): its pods never start, and nothing after it is applied",
			o.ID, s.name(o), target.ID, s.name(target)),
	}
	r.remedies = s.comeEarlier(o, target)
	if had[keyOf(target)] {
		r.Conditional, r.text = true, r.text+" (where it is installed afresh)"
	}
	return r, true
}

// name words the step of an object.
func (s steps) name(o *object.Object) string {
	at, _ := s.of(o)
	phase := map[int]string{pre: "PreSync", main: "Sync", post: "PostSync"}[at.phase]
	if s.helm {
		if hooks := hooksOf(o, "helm.sh/hook"); len(hooks) > 0 {
			return fmt.Sprintf("%s hook, weight %d", strings.Join(hooks, " and "), at.wave)
		}
		return "the release itself, after its hooks"
	}
	return fmt.Sprintf("phase %s, wave %d", phase, at.wave)
}

// soon is the time in seconds within which a sync may miss that a Job has ended.
const soon = 60

// expires is about a hook of Argo CD whose Job is deleted before a sync has surely seen its end.
func (s steps) expires(o *object.Object, base []*object.Object) (Remark, bool) {
	ttl := slice.ValueAt(o.Content, "spec", "ttlSecondsAfterFinished")
	if ttl == nil || !s.argo || o.ID.Kind != "Job" ||
		len(hooksOf(o, "argocd.argoproj.io/hook"))+len(hooksOf(o, "helm.sh/hook")) == 0 || number(fmt.Sprint(ttl)) >= soon {
		return Remark{}, false
	}
	if slices.ContainsFunc(base, func(b *object.Object) bool {
		return keyOf(b) == keyOf(o) &&
			fmt.Sprint(slice.ValueAt(b.Content, "spec", "ttlSecondsAfterFinished")) == fmt.Sprint(ttl)
	}) {
		return Remark{}, false
	}
	return Remark{
		Rule: rules.ApplyStuck, Object: o, status: finding.New, paths: []string{"spec.ttlSecondsAfterFinished"},
		Conditional: true, race: true,
		remedies: []Remedy{{Say: "set ttlSecondsAfterFinished: 600, so that the sync sees it end",
			Cost: "the Job stays for 10 minutes", Object: o,
			Set: []object.Setting{{Path: "spec.ttlSecondsAfterFinished", Value: 600}}}},
		text: fmt.Sprintf("the sync waits for %s, which is deleted %v s after it ends: if the sync does not look in time, it waits forever", o.ID, ttl),
	}, true
}

var defined = Analyzer{Name: "definitions", Rule: rules.ApplyStuck, Run: undefined,
	Doc: "a custom resource, or an object of a namespace, that comes before its definition"}

// undefined says which new custom resources and namespaced objects come before what defines them. Argo CD takes no
// order of them amiss: it gives a namespace and a definition the phase and the wave of the first that needs it.
//
// Upstream: gitops-engine/pkg/sync: (syncTasks).Sort, adjustDeps.
func undefined(p *Pass) []Remark {
	where := p.where()
	s := newSteps(p.Head)
	if s.argo || !s.helm {
		return nil
	}
	known := map[string]bool{} // in the cluster
	for _, o := range where.objects[0] {
		known[defines(o)] = true
	}
	definitions := map[string]*object.Object{}
	head := p.Objects(state.Head)
	for _, o := range head {
		if d := defines(o); d != "" && !known[d] && !strings.Contains(o.Source.File, "/crds/") {
			definitions[d] = o
		}
	}
	told := map[*object.Object]bool{}
	var out []Remark
	for _, o := range head {
		at, ok := s.of(o)
		if !ok {
			continue
		}
		for _, what := range []string{o.ID.Group + "/" + o.ID.Kind, "Namespace " + o.ID.Namespace} {
			d := definitions[what]
			if d == nil || told[d] {
				continue
			}
			then, _ := s.of(d)
			r := Remark{Rule: rules.ApplyStuck, release: p.ID, Object: o, status: finding.New, paths: []string{"kind"},
				causes: []cause{{object: d}}}
			switch crd := d.ID.Kind == "CustomResourceDefinition"; {
			case at.before(then):
				r.text = fmt.Sprintf("%s (%s) comes before %s (%s): it is refused, and nothing after it is applied", o.ID,
					s.name(o), d.ID, s.name(d))
			case s.helm && crd && !o.Hook:
				r.text = fmt.Sprintf("Helm asks the API server for the kind of %s before it applies %s, which defines it: the install and the upgrade fail", o.ID, d.ID)
			default:
				continue
			}
			told[d] = true
			out = append(out, r)
		}
	}
	return out
}

// defines are the objects that cannot be applied before an object is there: those of a definition's kind, or in a
// namespace.
func defines(o *object.Object) string {
	switch o.ID.Kind {
	case "Namespace":
		return "Namespace " + o.ID.Name
	case "CustomResourceDefinition":
		group, _ := slice.ValueAt(o.Content, "spec", "group").(string)
		kind, _ := slice.ValueAt(o.Content, "spec", "names", "kind").(string)
		return group + "/" + kind
	}
	return ""
}
