package static

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// fought are the kinds of which two versions take turns where it is felt.
var fought = map[string]bool{
	"apps/Deployment": true, "apps/StatefulSet": true, "apps/DaemonSet": true, "argoproj.io/Rollout": true,
	"/Service": true, "/ConfigMap": true, "autoscaling/HorizontalPodAutoscaler": true, "policy/PodDisruptionBudget": true,
	"argoproj.io/Application": true, "kustomize.toolkit.fluxcd.io/Kustomization": true,
	"helm.toolkit.fluxcd.io/HelmRelease": true,
}

// owned is an object with the release that it comes with.
type owned struct {
	release *object.Rendered
	object  *object.Object
}

var owners = Analyzer{Name: "owners", Rule: rules.NeverSettles, Run: shared, Whole: true,
	Doc: "an object that two releases declare, each in its own way"}

// shared says which objects two releases of one cluster declare, each in its own way, so that whoever reconciles last
// has it as it says until the other one comes along. Two that are alike only change labels, which is not said.
//
// Upstream: kustomize-controller, (*KustomizationReconciler).apply of each interval, with one field manager for all;
// argo-cd, controller: (*appStateManager).CompareAppState (SharedResourceWarning) and autoSync, which heals;
// helm-controller corrects drift where driftDetection says so.
func shared(p *Pass) []Remark {
	where := p.where()
	ch := where.ch
	before := map[[2]string]bool{}
	for _, x := range rivals(where, ch.Base) {
		before[x.key()] = true
	}
	had := map[string]bool{}
	for name, list := range delivered(ch.Base) {
		for _, r := range list {
			for _, o := range r.Objects {
				had[name+" "+keyOf(o).String()] = true
			}
		}
	}
	there := func(x owned) bool {
		return had[deliverer(x.release, x.release.Delivery.Name)+" "+keyOf(x.object).String()]
	}
	at := map[[2]*object.Rendered]int{}
	var out []Remark
	for _, x := range rivals(where, ch.Head) {
		if before[x.key()] {
			continue
		}
		pair := [2]*object.Rendered{x.first.release, x.second.release}
		if i, ok := at[pair]; ok {
			out[i].more++
			continue
		}
		at[pair] = len(out)
		a, b := x.first, x.second
		if there(b) && !there(a) { // the one that comes is the one to look at
			a, b = b, a
		}
		out = append(out, Remark{
			Rule: rules.NeverSettles, release: b.release.ID, Object: b.object, status: finding.New,
			paths: []string{"metadata.name"}, Conditional: true, causes: []cause{{object: a.object}},
			text: fmt.Sprintf("%s is in %s %s and in %s %s, with different content: each overwrites the other's, again and again",
				b.object.ID, a.release.Delivery.Tool, a.release.Delivery.Name, b.release.Delivery.Tool, b.release.Delivery.Name),
			remedies: byHand(fmt.Sprintf("leave it to one of the two, or give the one in %s its own name", b.object.Source.File)),
		})
	}
	return out
}

// A rivalry is an object that two releases declare, each in its own way.
type rivalry struct{ first, second owned }

func (x rivalry) key() [2]string {
	return [2]string{
		deliverer(x.first.release, x.first.release.Delivery.Name) + " " + keyOf(x.first.object).String(),
		deliverer(x.second.release, x.second.release.Delivery.Name),
	}
}

// rivals are the rivalries of a revision, in the order of its releases.
func rivals(where *whereabouts, rev *object.Revision) []rivalry {
	if rev == nil {
		return nil
	}
	had := map[object.ID][]owned{}
	var out []rivalry
	for _, r := range rev.Releases {
		reapplies := r.Delivery.Tool == object.Flux || r.Delivery.Tool != "" && r.Delivery.Loops.Heals
		if !reapplies || r.Err != nil || r.Switched != "" {
			continue
		}
		for _, o := range r.Objects {
			if o.Hook || !fought[o.ID.Group+"/"+o.ID.Kind] {
				continue
			}
			k := keyOf(o)
			for _, x := range had[k] {
				if deliverer(x.release, x.release.Delivery.Name) == deliverer(r, r.Delivery.Name) ||
					readTwice(rev, x.release, r) ||
					!where.together(x.release, r) ||
					object.Same([]*object.Object{x.object}, []*object.Object{o}) {
					continue
				}
				out = append(out, rivalry{x, owned{r, o}})
				break
			}
			had[k] = append(had[k], owned{r, o})
		}
	}
	return out
}

// readTwice reports whether two releases are declared by one object, as it lies in a folder that nothing is known to
// apply, and as a release that a tool applies has it: there is one of them.
func readTwice(rev *object.Revision, a, b *object.Rendered) bool {
	delivered := func(r *object.Rendered) bool {
		return slices.ContainsFunc(rev.Releases, func(p *object.Rendered) bool {
			return p.ID == r.Parent && p.Delivery.Tool != ""
		})
	}
	return a.By.File != "" && a.By.File == b.By.File && a.By.StartLine == b.By.StartLine && delivered(a) != delivered(b)
}
