package static

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

var waits = Analyzer{Name: "dependencies", Rule: rules.ApplyStuck, Run: dependencies, Compares: true, Whole: true,
	Doc: "a release that waits for one that never gets ready"}

// dependencies says which releases wait for one that the change takes away, that does not exist, or in a circle, and
// which wait for the health of an object that the change takes away.
//
// Upstream: kustomize-controller, internal/controller: (*KustomizationReconciler).checkDependencies (not found, not
// ready) and checkHealth (what is not there is not healthy; a Kustomization is not held up by itself alone);
// helm-controller the same of dependencies.
func dependencies(p *Pass) []Remark {
	ch, where := p.ch, p.where()
	base, head := newWaiting(ch.Base), newWaiting(ch.Head)
	var out []Remark
	told := map[string]bool{}
	for _, r := range ch.Head.Releases {
		if r.Delivery.Suspended {
			continue
		}
		for i, name := range r.Delivery.DependsOn {
			on := deliverer(r, name)
			at := fmt.Sprintf("spec.dependsOn[%d]", i)
			gone := slices.DeleteFunc(slices.Clone(base.by[on]), func(b *object.Rendered) bool {
				return !where.meet(b.ID, r.ID)
			})
			before := base.dependsOn(deliverer(r, r.Delivery.Name), name)
			x := Remark{Rule: rules.ApplyStuck, status: finding.New, paths: []string{at}}
			switch round := head.round(r, on); {
			case len(head.by[on]) == 0 && len(base.by[on]) > 0:
				if len(gone) == 0 {
					continue // it is of another cluster, or nothing applies what waits for it
				}
				x.text = fmt.Sprintf("waits for %s, which the change removes: it is no longer applied", name)
				x.causes = removal(ch, gone[0])
			case len(head.by[on]) == 0 && !before:
				x.Conditional, x.paths = true, []string{at + ".name", at}
				if x.text, x.remedies = head.missing(where, r, name); x.text == "" {
					continue
				}
			case round != nil && !base.closes(r, on, round) && (!before || !base.opens(on, round)) && !told[members(on, round)]:
				told[members(on, round)] = true
				x.text, x.causes = head.words(r, on, name, round), head.causes(ch, round)
			default:
				continue
			}
			if x.Object = declaringObject(ch.Head, r); x.Object != nil {
				x.release, x.text = x.Object.Release, x.Object.ID.String()+" "+x.text
				out = append(out, x)
			}
		}
		out = append(out, unhealthy(ch, where, r)...)
	}
	return out
}

// waiting knows which releases of one side get ready only after which others, by what delivers them.
type waiting struct {
	by       map[string][]*object.Rendered
	byID     map[string]*object.Rendered
	children map[string][]*object.Rendered // by the ID of the release that declares them
}

func newWaiting(rev *object.Revision) *waiting {
	w := &waiting{by: delivered(rev), byID: map[string]*object.Rendered{}, children: map[string][]*object.Rendered{}}
	for _, r := range rev.Releases {
		w.byID[r.ID] = r
		if r.Parent != "" && r.Delivery.Tool != "" {
			w.children[r.Parent] = append(w.children[r.Parent], r)
		}
	}
	return w
}

// dependsOn reports whether a deliverer declares that it depends on another one of a name.
func (w *waiting) dependsOn(key, name string) bool {
	return slices.ContainsFunc(w.by[key], func(r *object.Rendered) bool {
		return slices.Contains(r.Delivery.DependsOn, name)
	})
}

// hop is an object that is waited for, and how: by dependsOn, "", or by its health, the field that says so.
type hop struct{ to, field string }

// hops are those that a deliverer has to see ready before it is. Several objects of one name are of several clusters,
// and cannot be told apart.
func (w *waiting) hops(key string) []hop {
	var out []hop
	if slices.ContainsFunc(w.by[key], func(r *object.Rendered) bool { return r.By.File != w.by[key][0].By.File }) {
		return nil
	}
	for _, r := range w.by[key] {
		if r.Delivery.Suspended {
			continue
		}
		for _, n := range r.Delivery.DependsOn {
			if !slices.Contains(r.Delivery.Judged, n) {
				out = append(out, hop{to: deliverer(r, n)})
			}
		}
		if r.Delivery.Tool != object.Flux {
			continue
		}
		for _, c := range w.children[r.ID] {
			if field := healthOf(r, c); field != "" && !c.Delivery.Suspended {
				out = append(out, hop{deliverer(c, c.Delivery.Name), field})
			}
		}
	}
	return out
}

// healthOf is the field by which a Kustomization waits for the health of what declares release c among its objects;
// "": none.
func healthOf(r, c *object.Rendered) string {
	if !c.Delivery.Tool.OfFlux() {
		return ""
	}
	kind := c.Delivery.Tool.Kind()
	if r.Delivery.All {
		return "spec.wait"
	}
	for _, h := range r.Delivery.Health {
		if h.Kind == kind && strings.HasSuffix(h.Group, ".toolkit.fluxcd.io") && h.Namespace+"/"+h.Name == c.Delivery.Name {
			return fmt.Sprintf("spec.healthChecks[%d]", h.Index)
		}
	}
	return ""
}

// round is the shortest way on which what a release depends on waits for it in turn; nil: there is none.
func (w *waiting) round(r *object.Rendered, on string) []hop {
	self := deliverer(r, r.Delivery.Name)
	if slices.ContainsFunc(r.Delivery.Judged, func(n string) bool { return deliverer(r, n) == on }) {
		return nil
	}
	if on == self {
		return []hop{}
	}
	type way struct {
		at   string
		hops []hop
	}
	seen, todo := map[string]bool{on: true}, []way{{at: on}}
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		for _, h := range w.hops(x.at) {
			hops := append(slices.Clone(x.hops), h)
			if h.to == self {
				return hops
			}
			if !seen[h.to] {
				seen[h.to] = true
				todo = append(todo, way{h.to, hops})
			}
		}
	}
	return nil
}

// closes reports whether a circle is on this side, too.
func (w *waiting) closes(r *object.Rendered, on string, round []hop) bool {
	self := deliverer(r, r.Delivery.Name)
	if !slices.ContainsFunc(w.hops(self), func(h hop) bool { return h.to == on }) {
		return false
	}
	at := on
	for _, h := range round {
		if !slices.ContainsFunc(w.hops(at), func(x hop) bool { return x.to == h.to }) {
			return false
		}
		at = h.to
	}
	return true
}

// opens reports whether one of a circle depends on the next one, and did not on this side: it is reported for that one.
func (w *waiting) opens(on string, round []hop) bool {
	at := on
	for _, h := range round {
		if h.field == "" && !slices.ContainsFunc(w.hops(at), func(x hop) bool { return x == h }) {
			return true
		}
		at = h.to
	}
	return false
}

// members are those on a circle, whichever it is reported for.
func members(on string, round []hop) string {
	all := []string{on}
	for _, h := range round {
		all = append(all, h.to)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "\n")
}

// words is what a sentence about a circle says of the object that it begins with.
func (w *waiting) words(r *object.Rendered, on, name string, round []hop) string {
	if len(round) == 0 {
		return "waits for itself: it is never applied"
	}
	var way []string
	for _, h := range round {
		to := "it"
		if h.to != deliverer(r, r.Delivery.Name) {
			to = w.by[h.to][0].Delivery.Name
		}
		if h.field == "" {
			way = append(way, "waits for "+to)
		} else {
			way = append(way, "applies "+to+" and waits until it is ready ("+h.field+")")
		}
	}
	end := "neither is applied any longer"
	if slices.ContainsFunc(round, func(h hop) bool { return h.field != "" }) {
		end = "neither gets ready"
	}
	return fmt.Sprintf("waits for %s, which %s: %s", name, strings.Join(way, ", which "), end)
}

// causes are the objects on the way round whose fields make them wait for health.
func (w *waiting) causes(ch *object.Changes, round []hop) []cause {
	var out []cause
	for _, h := range round {
		if h.field == "" {
			continue
		}
		for _, c := range w.by[h.to] {
			if p := w.byID[c.Parent]; p != nil {
				if o := declaringObject(ch.Head, p); o != nil {
					out = append(out, cause{o, []string{h.field}})
				}
			}
		}
	}
	return out
}

// namesake is the only other release of the same tool and name, "namespace/name", where it is known that the dependency
// means the namespace that it is said of; "": there is none, or several.
func (w *waiting) namesake(r *object.Rendered, name string) string {
	ns, short, _ := strings.Cut(name, "/")
	if own, _, _ := strings.Cut(r.Delivery.Name, "/"); own != ns || w.byID[r.Parent] == nil {
		return ""
	}
	found := ""
	for _, list := range w.by {
		other := list[0].Delivery.Name
		if list[0].Delivery.Tool != r.Delivery.Tool || !strings.HasSuffix(other, "/"+short) || other == name {
			continue
		}
		if found != "" || list[0].Cluster != r.Cluster {
			return ""
		}
		found = other
	}
	return found
}

// missing words that a release comes to depend on one that is declared nowhere, with what to do; "": it may be
// elsewhere.
func (w *waiting) missing(where *whereabouts, r *object.Rendered, name string) (string, []Remedy) {
	if meant := w.namesake(r, name); meant != "" {
		ns, _, _ := strings.Cut(meant, "/")
		return fmt.Sprintf("waits for %s, which is declared nowhere: it is never applied; there is %s", name, meant),
			[]Remedy{{Say: "name the namespace: " + ns}}
	}
	if !where.strange(r, name) {
		return "", nil
	}
	text := fmt.Sprintf("waits for %s, which is declared nowhere here: without it, it is not applied", name)
	if near := w.nearest(r, name); near != "" {
		return text + "; there is " + near, byHand("name " + near)
	}
	return text, byHand("declare it, or take it out of spec.dependsOn")
}

// nearest is the only other release of the same tool and namespace whose name is spelled almost alike; "": none is.
func (w *waiting) nearest(r *object.Rendered, name string) string {
	found := ""
	for _, list := range w.by {
		other := list[0].Delivery.Name
		if list[0].Delivery.Tool != r.Delivery.Tool || other == r.Delivery.Name ||
			levenshtein.Distance(name, other, nil) > max(1, len(path.Base(name))/4) {
			continue
		}
		if found != "" {
			return ""
		}
		found = other
	}
	return found
}

// strange reports whether a dependency has a name that no other file of the repository mentions, where the repository
// declares others of its namespace, or a namespace that none mentions, where one is declared with its name; all of the
// repository was rendered.
func (w *whereabouts) strange(r *object.Rendered, name string) bool {
	ns, short, _ := strings.Cut(name, "/")
	mentioned := func(word string) bool { return w.mentioned(word, func(f string) bool { return f == r.By.File }) }
	owned, named := false, false
	for _, x := range w.ch.Head.Releases {
		if x.Err != nil {
			return false
		}
		if x.Delivery.Tool == r.Delivery.Tool && x.Delivery.Name != r.Delivery.Name {
			other, its, _ := strings.Cut(x.Delivery.Name, "/")
			owned, named = owned || other == ns, named || its == short
		}
	}
	return owned && !mentioned(short) || !owned && named && !mentioned(ns)
}

// unhealthy is about a Kustomization that waits for the health of an object that the change takes away.
func unhealthy(ch *object.Changes, where *whereabouts, r *object.Rendered) []Remark {
	var out []Remark
	for _, h := range r.Delivery.Health {
		is := func(o *object.Object) bool {
			return o.ID.Group == h.Group && o.ID.Kind == h.Kind && o.ID.Namespace == h.Namespace && o.ID.Name == h.Name
		}
		i := slices.IndexFunc(where.objects[0], is)
		if i < 0 || slices.ContainsFunc(where.objects[1], is) || kept(where.objects[0][i]) ||
			!where.takenAway(where.objects[0][i]) {
			continue
		}
		o := declaringObject(ch.Head, r)
		if o == nil {
			continue
		}
		path := fmt.Sprintf("spec.healthChecks[%d]", h.Index)
		x := Remark{Rule: rules.ApplyStuck, release: o.Release, Object: o, status: finding.New,
			paths: []string{path + ".name", path}, causes: []cause{{object: where.objects[0][i]}},
			text: fmt.Sprintf("%s waits for %s to be healthy, which the change removes: it is never ready again", o.ID,
				where.objects[0][i].ID),
			remedies: byHand("take the object out of spec.healthChecks, or name its replacement")}
		out = append(out, x)
	}
	return out
}

// takenAway reports whether the release that had an object on base is rendered on head, or gone, and prunes.
func (w *whereabouts) takenAway(o *object.Object) bool {
	was := w.releaseOf(o)
	if was == nil || was.Delivery.Suspended {
		return false
	}
	now := w.onHeadOf(o)
	if now == nil {
		return was.Delivery.Cascades
	}
	yes, known := prunes(now)
	return known && yes && now.Err == nil && !now.Delivery.Suspended
}
