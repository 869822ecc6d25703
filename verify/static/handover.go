package static

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
)

var moves = Analyzer{Name: "handover", Rule: rules.DeletedOnTheWay, Run: handovers, Compares: true, Whole: true,
	Doc: "what the change deletes although head declares it"}

// handovers lists objects that the change deletes although head declares them: objects that one release loses and
// another gains, applications whose ApplicationSet is renamed, custom resources whose definition goes, and those that
// outlive the controller of their finalizers.
//
// Upstream: kustomize-controller, (*KustomizationReconciler).prune and finalize (both skip what another owner has
// labeled); helm v3.20, pkg/kube: (*Client).Update (deletes what the new manifest lacks, whoever owns it); argo-cd,
// controller: (*ApplicationController).finalizeApplicationDeletion; applicationset/controllers: SetOwnerReference.
func handovers(p *Pass) []Remark {
	where := p.where()
	out := moved(where)
	out = append(out, disowned(where.ch)...)
	out = append(out, groundGone(where)...)
	return append(out, finalizers(where)...)
}

// precious are the kinds that are missed while they are deleted, with whether data goes with them.
var precious = map[string]bool{
	"/Namespace": true, "/PersistentVolumeClaim": true, "/PersistentVolume": true,
	"apiextensions.k8s.io/CustomResourceDefinition": true,
	"apps/Deployment": false, "apps/StatefulSet": false, "apps/DaemonSet": false, "argoproj.io/Rollout": false,
	"helm.toolkit.fluxcd.io/HelmRelease": false, "kustomize.toolkit.fluxcd.io/Kustomization": false,
	"argoproj.io/Application": false,
}

// loses reports whether a release deletes what leaves it: it prunes, or is gone and takes all along.
func loses(base *object.Rendered, head map[string][]*object.Rendered) bool {
	now := head[deliverer(base, base.Delivery.Name)]
	if len(now) == 0 {
		return base.Delivery.Cascades
	}
	return slices.ContainsFunc(now, func(r *object.Rendered) bool { return r.Delivery.Prunes })
}

// moved says which objects leave one release and come with another.
func moved(where *whereabouts) []Remark {
	ch := where.ch
	base, head := delivered(ch.Base), delivered(ch.Head)
	var out []Remark
	for _, r := range ch.Base.Releases {
		if r.Delivery.Tool == "" || r.Err != nil || len(r.Objects) == 0 || !loses(r, head) {
			continue
		}
		stay := map[object.ID]bool{}
		for _, h := range head[deliverer(r, r.Delivery.Name)] {
			if h.Err != nil || h.Untouched {
				stay = nil
				break
			}
			for _, o := range h.Objects {
				stay[keyOf(o)] = true
			}
		}
		if stay == nil {
			continue
		}
		for _, h := range ch.Head.Releases {
			if h.Delivery.Tool == "" || h.Err != nil || len(h.Objects) == 0 ||
				deliverer(h, h.Delivery.Name) == deliverer(r, r.Delivery.Name) || !where.together(r, h) {
				continue
			}
			before := map[object.ID]bool{}
			for _, b := range base[deliverer(h, h.Delivery.Name)] {
				for _, o := range b.Objects {
					before[keyOf(o)] = true
				}
			}
			if x, ok := movedBetween(ch, r, h, stay, before); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

// together reports whether two releases are in one cluster, as far as the repository tells: named alike, and declared
// by one release, or below one folder where each name stands for one release only.
func (w *whereabouts) together(a, b *object.Rendered) bool {
	if a.Cluster != b.Cluster {
		return false
	}
	return a.Parent == b.Parent || path.Dir(a.By.File) == path.Dir(b.By.File) || !w.severalClusters()
}

// severalClusters reports whether a name stands for releases that different files declare.
func (w *whereabouts) severalClusters() bool {
	if w.clustersKnown {
		return w.clusters
	}
	w.clustersKnown = true
	for _, rev := range []*object.Revision{w.ch.Base, w.ch.Head} {
		for _, list := range delivered(rev) {
			w.clusters = w.clusters || slices.ContainsFunc(list,
				func(x *object.Rendered) bool { return x.By.File != list[0].By.File })
		}
	}
	return w.clusters
}

// movedBetween is about the objects that one release loses and another one gains.
func movedBetween(ch *object.Changes, from, to *object.Rendered, stay, before map[object.ID]bool) (Remark, bool) {
	var list, had []*object.Object
	data := false
	for _, o := range from.Objects {
		i := slices.IndexFunc(to.Objects, func(x *object.Object) bool { return keyOf(x) == keyOf(o) })
		grave, told := precious[o.ID.Group+"/"+o.ID.Kind]
		if s, ok := o.Typed.(*corev1.Service); ok && s.Spec.Type == corev1.ServiceTypeLoadBalancer {
			told = true
		}
		if i < 0 || !told || stay[keyOf(o)] || before[keyOf(o)] || kept(o) || o.Hook {
			continue
		}
		had = append(had, o)
		if grave && !data {
			list, data = append([]*object.Object{to.Objects[i]}, list...), true
			continue
		}
		list = append(list, to.Objects[i])
	}
	if len(list) == 0 {
		return Remark{}, false
	}
	first := func(d object.Delivery, on string) bool { return slices.Contains(d.DependsOn, on) }
	race := from.Delivery.Tool != object.FluxHelmRelease
	if from.Delivery.Tool == object.Flux && to.Delivery.Tool == object.Flux {
		if now := slices.IndexFunc(ch.Head.Releases, func(r *object.Rendered) bool {
			return deliverer(r, r.Delivery.Name) == deliverer(from, from.Delivery.Name) && first(r.Delivery, to.Delivery.Name)
		}); now >= 0 {
			return Remark{}, false // the new owner's label is there before the old one prunes
		}
		race = !first(to.Delivery, from.Delivery.Name)
	}
	r := Remark{Rule: rules.DeletedOnTheWay, release: to.ID, Object: list[0], status: finding.New,
		paths: []string{"metadata.name"}, race: race, Conditional: !data && race, recovers: !data}
	more := ""
	if n := len(list) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	r.text = fmt.Sprintf("%s%s moves from %s %s to %s %s, and the first one deletes it", list[0].ID,
		more,
		from.Delivery.Tool, from.Delivery.Name, to.Delivery.Tool, to.Delivery.Name)
	if race {
		r.text += " if it is reconciled first"
	}
	r.remedies = handOver(from, had)
	if len(delivered(ch.Head)[deliverer(from, from.Delivery.Name)]) == 0 {
		r.causes = removal(ch, from)
		return r, true
	}
	for _, x := range list[1:] {
		r.causes = append(r.causes, cause{object: x})
	}
	return r, true
}

// handOver is how objects change hands, in two changes.
func handOver(from *object.Rendered, list []*object.Object) []Remedy {
	last := " in a separate change that is applied first, and move it in the next one"
	k := slices.IndexFunc(keepers, func(k keeper) bool { return k.tool == from.Delivery.Tool })
	if k < 0 {
		return byHand("have its first owner keep it" + last)
	}
	say := "annotate it with " + keepers[k].annotation + ": " + keepers[k].value + last
	return append([]Remedy{{
		Say: say, Cost: "two changes in place of one", First: true, Object: list[0], Also: list[1:],
		Set: []object.Setting{{Path: "metadata.annotations", Value: map[string]any{keepers[k].annotation: keepers[k].value}}},
	}}, byHand(say)...)
}

// disowned says which generated applications lose the ApplicationSet that owns them to one of another name.
func disowned(ch *object.Changes) []Remark {
	now := map[string]bool{}
	for _, r := range ch.Head.Releases {
		now[setName(r.Delivery.Set)] = true
	}
	head := delivered(ch.Head)
	told := map[string]bool{}
	var out []Remark
	for _, r := range ch.Base.Releases {
		set := setName(r.Delivery.Set)
		if r.Delivery.Set == "" || now[set] || told[set] || !r.Delivery.Cascades {
			continue
		}
		for _, h := range head[deliverer(r, r.Delivery.Name)] {
			o := declaringObject(ch.Head, h)
			if o == nil || h.Delivery.Set == "" || setName(h.Delivery.Set) == set {
				continue
			}
			told[set] = true
			say := "set syncPolicy.preserveResourcesOnDeletion: true on ApplicationSet " + set +
				" in a separate change that is applied first, and rename it in the next one"
			remedies := byHand(say)
			if owner := declaringObject(ch.Base, r); owner != nil {
				remedies = append([]Remedy{{Say: say, Cost: "two changes in place of one", First: true, Object: owner,
					Set: []object.Setting{{Path: "spec.syncPolicy",
						Value: map[string]any{"preserveResourcesOnDeletion": true}}}}}, remedies...)
			}
			out = append(out, Remark{
				Rule: rules.DeletedOnTheWay, release: o.Release, Object: o, status: finding.New, paths: []string{"metadata.name"},
				causes: removal(ch, r), remedies: remedies,
				text: fmt.Sprintf("ApplicationSet %s owns Application %s, which %s is to generate: it is deleted with its owner, and what it applied with it", set, r.Delivery.Name, o.ID),
			})
			break
		}
	}
	return out
}

// removed lists the objects of base that no release of head has, and that are deleted therefore.
func (w *whereabouts) removed() []*object.Object {
	var out []*object.Object
	now := delivered(w.ch.Head)
	for i := range w.ch.Changes {
		c := &w.ch.Changes[i]
		o := c.Base
		if o == nil || c.Head != nil && c.Kind != object.Renamed || w.elsewhere(o) || kept(o) || o.Hook {
			continue
		}
		rel := w.releaseOf(o)
		if rel != nil && rel.Delivery.Tool != "" && slices.ContainsFunc(now[deliverer(rel, rel.Delivery.Name)],
			func(r *object.Rendered) bool {
				return r.Err != nil || slices.ContainsFunc(r.Objects, func(h *object.Object) bool { return h.ID == o.ID })
			}) {
			continue // what delivers it is there, declared by another file, and has it or does not render
		}
		if yes, known := true, false; rel != nil {
			if yes, known = prunes(rel); known && !yes ||
				rel.Kind == object.Helm && strings.Contains(o.Source.File, "crds/") && !newSteps(rel).argo {
				continue
			}
		}
		out = append(out, o)
	}
	return out
}

// releaseOf is the release of head that an object's is, or of base where it is gone.
func (w *whereabouts) releaseOf(o *object.Object) *object.Rendered {
	for _, rev := range []*object.Revision{w.ch.Head, w.ch.Base} {
		for _, r := range rev.Releases {
			if r.ID == o.Release {
				return r
			}
		}
	}
	return nil
}

// finalizers says which custom resources are removed in one go with the controller that has to remove their finalizers.
func finalizers(w *whereabouts) []Remark {
	gone := w.removed()
	var out []Remark
	told := map[string]bool{}
	for _, o := range gone {
		if !custom(o) || !strings.Contains(o.ID.Group, ".") || told[o.ID.Group+"/"+o.ID.Kind] {
			continue
		}
		i := slices.IndexFunc(gone, func(c *object.Object) bool {
			return c != o && w.tie(c, o) == slice.Sure && controls(w, c, o)
		})
		if i < 0 {
			continue
		}
		controller := gone[i]
		if at, ok := newSteps(w.releaseOf(o)).of(o); ok && o.Release == controller.Release {
			if of, _ := newSteps(w.releaseOf(o)).of(controller); of.before(at) {
				continue // a later wave is pruned first
			}
		}
		told[o.ID.Group+"/"+o.ID.Kind] = true
		declared, _ := slice.ValueAt(o.Content, "metadata", "finalizers").([]any)
		_, sure := prunes(w.releaseOf(o))
		out = append(out, Remark{
			Rule: rules.DeletedOnTheWay, release: o.Release, Object: o, status: finding.New,
			causes:      []cause{{object: o}, {object: controller}},
			Conditional: len(declared) == 0 || !sure, race: true, gone: true,
			text: fmt.Sprintf("%s is removed in one go with %s, which has to remove its finalizers: it stays in deletion, and its namespace with it", o.ID, controller.ID),
			remedies: []Remedy{{Say: "remove it in a separate change, and its controller in the next one",
				Cost: "two changes in place of one", Stay: slices.DeleteFunc(slices.Clone(gone), custom)}},
		})
	}
	return out
}

// controls reports whether an object runs the controller of a custom resource: its ServiceAccount may update the
// finalizers of that kind.
func controls(w *whereabouts, c, o *object.Object) bool {
	spec, _ := podSpec(c)
	if spec == nil || !runsOn(c) {
		return false
	}
	roles := map[string]bool{}
	for _, b := range w.objects[0] {
		if b.ID.Kind != "ClusterRoleBinding" && b.ID.Kind != "RoleBinding" {
			continue
		}
		subjects, _ := b.Content["subjects"].([]any)
		for _, s := range subjects {
			m, _ := s.(map[string]any)
			if m["kind"] == "ServiceAccount" && m["name"] == spec.ServiceAccountName &&
				(m["namespace"] == nil || m["namespace"] == c.ID.Namespace) {
				roles[fmt.Sprint(slice.ValueAt(b.Content, "roleRef", "kind"), " ",
					slice.ValueAt(b.Content, "roleRef", "name"))] = true
			}
		}
	}
	return slices.ContainsFunc(w.objects[0], func(r *object.Object) bool {
		rules, _ := r.Content["rules"].([]any)
		return roles[r.ID.Kind+" "+r.ID.Name] && slices.ContainsFunc(rules, func(e any) bool {
			m, _ := e.(map[string]any)
			return lists(m["apiGroups"], o.ID.Group) && listsFinalizers(m["resources"], o.ID.Kind)
		})
	})
}

func lists(v any, want string) bool {
	list, _ := v.([]any)
	return slices.ContainsFunc(list, func(e any) bool { return e == want })
}

// listsFinalizers reports whether resources of a Role hold the finalizers of a kind.
func listsFinalizers(v any, kind string) bool {
	list, _ := v.([]any)
	return slices.ContainsFunc(list, func(e any) bool {
		name, sub, _ := strings.Cut(fmt.Sprint(e), "/")
		return sub == "finalizers" && (name == "*" || strings.HasPrefix(name, strings.ToLower(kind[:len(kind)-1])))
	})
}
