package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var reached = Analyzer{Name: "reach", Rule: rules.DanglingTarget, Run: unreached,
	Doc: "a NetworkPolicy or a monitor that selects nothing"}

// unreached says which NetworkPolicies and monitors of a release select nothing that they selected before, or were
// written for.
func unreached(p *Pass) []Remark {
	where, once, now := p.where(), p.once(), p.everywhere()
	before := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		out = append(out, unwrapped(p.ID, o, where.was(before, o))...)
		list := reaches(o)
		if len(list) == 0 {
			continue
		}
		b := where.was(before, o)
		old := reaches(b)
		for i, r := range list {
			if slices.ContainsFunc(list[:i], func(x reach) bool {
				return maps.Equal(x.selector.MatchLabels, r.selector.MatchLabels)
			}) {
				continue // it misses the same
			}
			u := &unmatched{pair: p.Pair, where: where, once: once, now: now, o: o, b: b, r: r}
			for i, x := range old {
				if same := maps.Equal(x.selector.MatchLabels, r.selector.MatchLabels); same || u.old == nil && x.path == r.path {
					u.old, u.same = &old[i], same
				}
				if u.same {
					break
				}
			}
			out = append(out, u.ask()...)
		}
	}
	return out
}

// unmatched is one selector of an object of head, beside that of base.
type unmatched struct {
	pair      slice.Pair
	where     *whereabouts
	once, now *aimIndex // of all releases
	o, b      *object.Object
	r         reach
	old       *reach // of base: with the same labels, else in the same place; nil: it has none
	same      bool   // it has the same labels
}

// ask gives remarks on objects that the selector misses, or on a port that the selected objects lack.
func (u *unmatched) ask() []Remark {
	have := u.r.selected(u.now, u.o)
	var was []*object.Object
	if u.old != nil {
		was = u.old.selected(u.once, u.b)
	}
	switch {
	case len(have) > 0 && u.old != nil && len(was) == 0:
		if t := u.old.misspelt(u.once, u.b); t != nil {
			return []Remark{{Rule: rules.DanglingTarget, release: u.pair.ID, Object: u.b, status: finding.Fixed,
				paths: []string{u.old.path}, text: u.text(u.b, *u.old, t)}}
		}
		return nil
	case len(have) > 0:
		return u.portless(have, was)
	case !u.same: // its new target may be elsewhere
		if t := u.r.misspelt(u.now, u.o); t != nil {
			return []Remark{u.missing(nil, t)}
		}
		if t := u.left(was); t != nil && u.r.names(t) {
			return []Remark{u.missing(nil, t)}
		}
		return nil
	}
	if t := u.left(was); t != nil {
		return []Remark{u.missing(u.once.counterpart(t), t)}
	}
	return nil
}

// left is the first of what the selector had on base that is still there; nil: there is none.
func (u *unmatched) left(was []*object.Object) *object.Object {
	for _, t := range was {
		next := u.now.counterpart(t)
		for _, c := range u.where.ch.Changes {
			if c.Base == t && c.Head != nil {
				next = c.Head
			}
		}
		if next != nil && u.now.joins(next, u.o) {
			return next
		}
	}
	return nil
}

// names reports whether a selector of a monitor has a value by which an object's labels tell its program, under this
// key or another: it is about that object, and not about something elsewhere.
func (r reach) names(t *object.Object) bool {
	set, _ := r.labelsOf(t)
	return r.monitors && slices.ContainsFunc(identifying, func(k string) bool {
		return set[k] != "" && k != "app.kubernetes.io/instance" &&
			slices.Contains(slices.Collect(maps.Values(r.selector.MatchLabels)), set[k])
	})
}

// unwrapped says which monitors come to have labels in their selector that stand in no matchLabels: the API server
// drops fields outside the kind's schema, and everything is selected.
func unwrapped(release string, o, b *object.Object) []Remark {
	loose := looseLabels(o)
	if len(loose) == 0 || len(looseLabels(b)) > 0 {
		return nil
	}
	match := map[string]any{}
	set := []object.Setting{}
	for _, k := range loose {
		match[k] = slice.ValueAt(o.Content, "spec", "selector", k)
		set = append(set, object.Setting{Path: "spec.selector[" + k + "]"})
	}
	return []Remark{{
		Rule: rules.DanglingTarget, release: release, Object: o, status: finding.New, paths: []string{"spec.selector"},
		text: fmt.Sprintf("spec.selector of %s has no field %s, which is dropped: it selects everything in its namespaces", o.ID,
			loose[0]),
		remedies: []Remedy{{Say: "put the labels below matchLabels", Object: o,
			Set: append(set, object.Setting{Path: "spec.selector.matchLabels", Value: match})}},
	}}
}

// looseLabels are the fields of a monitor's selector that a selector does not have, sorted.
func looseLabels(o *object.Object) []string {
	if o == nil || o.Hook || monitors[o.ID.Group+"/"+o.ID.Kind] == "" {
		return nil
	}
	have, _ := slice.ValueAt(o.Content, "spec", "selector").(map[string]any)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(have)) {
		if _, text := have[k].(string); text && k != "matchLabels" && k != "matchExpressions" {
			out = append(out, k)
		}
	}
	return out
}

// text says by what an object misses another one.
func (u *unmatched) text(o *object.Object, r reach, t *object.Object) string {
	set, _ := r.labelsOf(t)
	of, has := shortID(t), "has"
	if !r.services {
		of, has = "the pods of "+of, "have"
	}
	by := ""
	for _, k := range slices.Sorted(maps.Keys(r.selector.MatchLabels)) {
		v := r.selector.MatchLabels[k]
		switch have, ok := set[k]; {
		case !ok:
			by = fmt.Sprintf("%s=%s, and %s %s no label %s", k, v, of, has, k)
		case have != v:
			by = fmt.Sprintf("%s=%s, and %s %s %s=%s", k, v, of, has, k, have)
		default:
			continue
		}
		break
	}
	return fmt.Sprintf("%s of %s matches nothing, so %s: it selects %s", r.path, o.ID, r.does, by)
}

// missing is the remark on a selector that misses an object.
func (u *unmatched) missing(was, t *object.Object) Remark {
	r := Remark{Rule: rules.DanglingTarget, release: u.pair.ID, Object: u.o, status: finding.New,
		paths: []string{u.r.path}, text: u.text(u.o, u.r, t), with: u.where.open(u.o, t)}
	set, _ := u.r.labelsOf(t)
	at := "spec.template.metadata.labels"
	if u.r.services || t.ID.Kind == "Pod" {
		at = "metadata.labels"
	}
	if was != nil {
		r.causes = []cause{{t, []string{at}}}
	}
	remedy := Remedy{Say: fmt.Sprintf("select the labels that %s has", shortID(t)), Object: u.o}
	left := false
	for _, k := range slices.Sorted(maps.Keys(u.r.selector.MatchLabels)) {
		path := u.r.path + ".matchLabels[" + k + "]"
		have, ok := set[k]
		left = left || ok
		switch {
		case ok && have == u.r.selector.MatchLabels[k]:
		case ok:
			remedy.Set = append(remedy.Set, object.Setting{Path: path, Value: have})
		default:
			remedy.Set = append(remedy.Set, object.Setting{Path: path})
		}
	}
	r.first = []cause{{u.o, []string{remedy.Set[0].Path}}}
	if left { // else it would select everything
		r.remedies = []Remedy{remedy}
	}
	keep := Remedy{Say: fmt.Sprintf("give %s the labels that it is selected by", shortID(t)), Object: t}
	for _, x := range remedy.Set {
		k := strings.TrimSuffix(strings.TrimPrefix(x.Path, u.r.path+".matchLabels["), "]")
		keep.Set = append(keep.Set, object.Setting{Path: at + "[" + k + "]", Value: u.r.selector.MatchLabels[k]})
	}
	r.remedies = append(r.remedies, keep)
	return r
}

// comes reports whether a monitor comes to Services of its own cluster alone: it is about their ports.
func (u *unmatched) comes(have []*object.Object) bool {
	return u.b == nil && u.r.services && !slices.ContainsFunc(have, func(t *object.Object) bool {
		return !u.now.joins(t, u.o)
	})
}

// portless gives the ports that a monitor scrapes and that the selected objects lack, though they had it on base, have
// it in another spelling, or come with the monitor.
func (u *unmatched) portless(have, was []*object.Object) []Remark {
	numbers, sure := u.r.portsOf(have)
	if !sure {
		return nil
	}
	names := slices.Sorted(maps.Keys(numbers))
	before, _ := u.r.portsOf(was)
	var out []Remark
	for _, p := range u.r.ports {
		if slices.Contains(names, p.name) {
			continue
		}
		i := slices.IndexFunc(names, func(n string) bool { return len(n) >= 4 && slip(n, p.name) && !lettered(n, p.name) })
		as := u.old != nil && slices.ContainsFunc(u.old.ports, func(o named) bool { return o.name == p.name })
		number, had := before[p.name]
		if !had && !u.comes(have) && (as || i < 0 && !u.scraped(before)) {
			continue
		}
		r := Remark{Rule: rules.DanglingTarget, release: u.pair.ID, Object: u.o, status: finding.New, paths: []string{p.path},
			text: fmt.Sprintf("%s scrapes the port %s, but nothing that it selects has one of that name (%s)", u.o.ID, p.name,
				listed(names)), with: u.where.open(u.o, have...)}
		for _, t := range have {
			r.causes = append(r.causes, cause{t, u.r.portPaths(t)})
		}
		if i < 0 && had {
			i = slices.IndexFunc(names, func(n string) bool { return numbers[n] == number })
		}
		if i < 0 && u.comes(have) && len(names) == 1 {
			i = 0
		}
		if r.remedies = byHand("keep the port " + p.name + ", or take the endpoint away with it"); i < 0 && u.b == nil {
			r.remedies = byHand("name one of the ports that are there, or give the Service the port " + p.name)
		}
		if i >= 0 {
			r.remedies = []Remedy{{Say: "name the port " + names[i] + ", which is there", Object: u.o,
				Set: []object.Setting{{Path: p.path, Value: names[i]}}}}
		}
		out = append(out, r)
	}
	return out
}

// scraped reports whether what the monitor selected on base had each of the ports that it scraped there: the change
// names another one, and the same objects do not have it.
func (u *unmatched) scraped(before map[string]int32) bool {
	return u.old != nil && u.same && len(u.old.ports) > 0 && !slices.ContainsFunc(u.old.ports, func(o named) bool {
		_, had := before[o.name]
		return !had
	})
}

// portsOf are the numbers of the selected objects' ports by their names; sure is false where they are not all known.
func (r reach) portsOf(list []*object.Object) (numbers map[string]int32, sure bool) {
	numbers = map[string]int32{}
	for _, t := range list {
		if s, ok := t.Typed.(*corev1.Service); r.services && ok {
			for _, p := range s.Spec.Ports {
				numbers[p.Name] = p.Port
			}
			continue
		}
		spec, _ := podSpec(t)
		if r.services || spec == nil {
			return nil, false
		}
		for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
			for _, p := range c.Ports {
				numbers[p.Name] = p.ContainerPort
			}
		}
	}
	delete(numbers, "")
	return numbers, true
}

// portPaths are where an object has the names of its ports.
func (r reach) portPaths(t *object.Object) []string {
	if r.services {
		return []string{"spec.ports"}
	}
	spec, prefix := podSpec(t)
	if spec == nil {
		return nil
	}
	var out []string
	for i := range spec.Containers {
		out = append(out, fmt.Sprintf("%scontainers[%d].ports", prefix, i))
	}
	return out
}
