package static

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
)

// steps is the order in which a tool applies the objects of a release, as far as it waits between two.
//
// Upstream: argo-cd and gitops-engine, pkg/sync: (*syncContext).getSyncTasks, hook.Types, syncwaves.Wave and
// hook/helm: Type.HookType and Weight; helm v3.20, pkg/action: (*Configuration).execHook (each hook to its end, by
// weight).
type steps struct {
	argo, helm bool
}

// newSteps reads the tool from what declares a release or, where nothing does, from its annotations.
func newSteps(r *object.Rendered) steps {
	if r == nil {
		return steps{}
	}
	s := steps{argo: r.Delivery.Tool == object.ArgoCD}
	if r.Delivery.Tool == "" {
		s.argo = slices.ContainsFunc(r.Objects, func(o *object.Object) bool {
			return annotation(o, "argocd.argoproj.io/sync-wave") != "" || annotation(o, "argocd.argoproj.io/hook") != ""
		})
	}
	s.helm = !s.argo && r.Kind == object.Helm
	return s
}

// step is a place in the order; a smaller one is over, and healthy, when the next one begins.
type step struct{ phase, wave int }

func (a step) before(b step) bool { return a.phase < b.phase || a.phase == b.phase && a.wave < b.wave }

// Phases of a sync, and of an install or upgrade by Helm.
const (
	pre  = -1
	main = 0
	post = 1
)

// of is the step of an object; false: it is not part of an apply, such as a test or a hook of a deletion.
func (s steps) of(o *object.Object) (step, bool) {
	if !s.argo && !s.helm {
		return step{}, true
	}
	hooks := hooksOf(o, "helm.sh/hook")
	weight := number(annotation(o, "helm.sh/hook-weight"))
	if s.argo {
		if own := hooksOf(o, "argocd.argoproj.io/hook"); len(own) > 0 {
			hooks = own
		}
		if w := annotation(o, "argocd.argoproj.io/sync-wave"); w != "" || len(hooks) == 0 {
			weight = number(w)
		}
	}
	if len(hooks) == 0 {
		if s.helm {
			weight = 0
		}
		return step{main, weight}, true
	}
	for _, h := range hooks {
		switch h {
		case "PreSync", "pre-install", "pre-upgrade":
			return step{pre, weight}, true
		case "Sync", "crd-install":
			return step{main, weight}, true
		case "PostSync", "post-install", "post-upgrade":
			return step{post, weight}, true
		}
	}
	return step{}, false
}

// upgradesOnly reports whether a hook of Helm runs in upgrades and in no install. Argo CD knows no difference.
func (s steps) upgradesOnly(o *object.Object) bool {
	hooks := hooksOf(o, "helm.sh/hook")
	return s.helm && slices.Contains(hooks, "pre-upgrade") && !slices.Contains(hooks, "pre-install")
}

// installsOnly reports whether a hook of Helm runs in installs and in no upgrade.
func (s steps) installsOnly(o *object.Object) bool {
	hooks := hooksOf(o, "helm.sh/hook")
	return s.helm && slices.Contains(hooks, "pre-install") && !slices.Contains(hooks, "pre-upgrade")
}

// waits reports whether the tool waits for an object of a step before it goes on: Helm for hooks that end, Argo CD for
// everything that has a health.
func (s steps) waits(o *object.Object, at step) bool {
	if s.helm {
		return at.phase == pre && (o.ID.Kind == "Job" || o.ID.Kind == "Pod")
	}
	return s.argo && o.ID.Kind != "CronJob"
}

// follows reports whether an object is applied once others are healthy.
func (s steps) follows(o *object.Object, others []*object.Object) bool {
	at, ok := s.of(o)
	return ok && s.argo && !slices.ContainsFunc(others, func(x *object.Object) bool {
		other, ok := s.of(x)
		return !ok || !other.before(at)
	})
}

func hooksOf(o *object.Object, key string) []string {
	var out []string
	for _, h := range strings.Split(annotation(o, key), ",") {
		if h = strings.TrimSpace(h); h != "" {
			out = append(out, h)
		}
	}
	return out
}

func number(s string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(s))
	return n
}
