package autoscaling

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// vpa models the recommender for one VerticalPodAutoscaler with the admission controller, which gives new pods the
// recommended requests.
//
// Upstream: kubernetes/autoscaler, vertical-pod-autoscaler/pkg: see [recommend].
type vpa struct {
	workload int
	name     string // "default/web"
	// sizes is the size that is recommended, as [state.PodClass.Size], by version, load and
	// number of ready pods; nil where the version has no VPA that acts.
	sizes [2]*[state.Loads][]int
}

func NewVPA(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		for v := range wl.Manifests {
			if o := wl.Manifests[v].VPA; o != nil && o.Err != nil {
				return nil, fmt.Errorf("verticalpodautoscaler %s/%s: %w", wl.Namespace, o.Name, o.Err)
			}
		}
		if len(wl.Sizes) == 0 {
			continue
		}
		a := &vpa{workload: w, name: objects.OwnName(wl)}
		for v := range wl.Manifests {
			eachUse(c.Spec, w, v, func(load state.Load, n int, u usage) {
				if a.sizes[v] == nil {
					a.sizes[v] = new([state.Loads][]int)
				}
				row := &a.sizes[v][load]
				for len(*row) <= n {
					*row = append(*row, -1)
				}
				(*row)[n] = sizeFor(wl, &wl.Manifests[v], recommend(&wl.Manifests[v], u))
			})
		}
		c.Workload[w].Sized = b.Field(len(wl.Sizes))
		out = append(out, a)
		if up := newVPAUpdater(c, w); up != nil {
			out = append(out, up)
		}
	}
	return out, nil
}

// sizeFor is the size of a workload that is a recommendation, or the nearest to it where
// not all are distinguished.
func sizeFor(wl *state.Workload, m *state.Manifest, z state.Size) int {
	if declares(m, z) {
		return 0
	}
	best, least := 0, -1.0
	for i := range wl.Sizes {
		if sameSize(wl.Sizes[i], z) {
			return i + 1
		}
		sized := wl.Sizes[i].Apply(m.Template())
		if d := resourceDiff(&sized.Spec, z.Requests(m.Pod())); least < 0 || d < least {
			best, least = i+1, d
		}
	}
	return best
}

func (a *vpa) Name() string           { return "vpa/" + a.name }
func (a *vpa) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: the recommendation follows the use of the pods, once all of them are ready.
func (a *vpa) Step(s state.State, next *actor.Emit) {
	table := a.sizes[s.VersionOf(a.workload)]
	if table == nil || !s.Manifest(a.workload).Exists() {
		return
	}
	ready, active := s.ReadyOf(a.workload), 0
	for _, p := range s.C.ClassesOf[a.workload] {
		active += s.Active(p)
	}
	row := table[s.Load(a.workload)]
	if ready != active || active != s.Replicas(a.workload) || ready >= len(row) || row[ready] < 0 ||
		row[ready] == s.SizeOf(a.workload) {
		return
	}
	t := next.Copy(s)
	t.Set(t.C.Workload[a.workload].Sized, row[ready])
	next.Move(objects.Done)
}

func (a *vpa) Describe(from, to state.State, _ search.Move) actor.Words {
	c := from.C
	wl := &c.Spec.Workloads[a.workload]
	m := from.Manifest(a.workload)
	return actor.Words{
		Action: "recommend", Object: wl.ID,
		Text: fmt.Sprintf("the VerticalPodAutoscaler of %s recommends %s for its %s",
			a.name, objects.RequestWords(&c.Pods[c.Sized(from.NewClass(a.workload), to.SizeOf(a.workload))].Template.Spec),
			english.Plural(from.ReadyOf(a.workload), "ready pod", "")),
		Because: []actor.Ref{{Object: vpaID(wl, m), Version: from.VersionOf(a.workload),
			Field: "spec.updatePolicy.updateMode"}},
	}
}

// vpaID is the object ID of a manifest's VPA.
func vpaID(wl *state.Workload, m *state.Manifest) string {
	return "autoscaling.k8s.io/VerticalPodAutoscaler " + wl.Namespace + "/" + m.VPA.Name
}

func (a *vpa) Model() *actor.Model {
	return &actor.Model{
		Upstream: "kubernetes/autoscaler, vertical-pod-autoscaler/pkg: recommender/logic (CreatePodResourceRecommender, GetRecommendedPodResources), " +
			"utils/vpa (getCappedRecommendationForContainer, applyVPAPolicy, capRecommendationToContainerLimit)",
		Exact: []string{
			"the target is use plus 15 %, at least 25m CPU and 250Mi memory, within minAllowed, maxAllowed and, where only requests are controlled, the limit",
			"modes: Off changes nothing, Initial new pods only",
		},
		MayInvent: []string{
			"a recommendation follows current use, not days of history",
		},
		MayHide: []string{
			"pods use what the last level of the load brings, once all are ready",
			"a pod's use is shared among its containers as their requests are",
			"more than 8 sizes are merged with their neighbors, and those within 10 % of the template with it",
			"a LimitRange does not cap a recommendation; startupBoost and out-of-memory kills are not modeled",
		},
		Refused: []string{"targets other than Deployments",
			"updateMode InPlace; more than one VerticalPodAutoscaler for a workload", "spec.recommenders"},
	}
}

// newVPAUpdater makes the updater's actor for a workload; nil where no version has one that
// evicts.
func newVPAUpdater(c *state.Config, w int) actor.Actor {
	wl := &c.Spec.Workloads[w]
	u := &vpaUpdater{workload: w, name: objects.OwnName(wl), evictions: objects.NewEvictions(c)}
	for v := range wl.Manifests {
		o := wl.Manifests[v].VPA
		if o == nil || o.Mode == state.VPAOff || o.Mode == state.VPAInitial {
			continue
		}
		u.acts[v], u.inPlace[v], u.least[v] = true, o.Mode == state.VPAInPlaceOrRecreate, o.MinReplicas
		if u.least[v] == 0 {
			u.least[v] = minimumReplicas
		}
	}
	if !slices.Contains(u.acts[:], true) {
		return nil
	}
	u.compile(c)
	return u
}
