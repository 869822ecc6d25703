package judge

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// remedy is one way out of a finding: fields of one object, set otherwise.
type remedy struct {
	say    string // an order, without a full stop
	cost   string // what it costs; "" is nothing
	object *object.Object
	set    []object.Setting
	drop   []*object.Object  // that go; the order is in words then
	also   []change          // to other objects, which belong to it
	add    *object.Object    // that comes beside object, in its file; nil: none
	grow   []int             // how many nodes more of each class there are to be, as the violation has them; nil: as many
	by     int               // the cure that it is of: one remedy of each is enough
	tune   func(*state.Spec) // changes outside of the manifests, such as a controller's configuration; nil: none
	before []object.Setting  // fields of base's applied objects, which a step before the change sets otherwise
	near   []string          // files that are to blame: an edit of one of them is where the change was made
}

// change are fields of one object, set otherwise.
type change struct {
	object *object.Object
	set    []object.Setting
}

// changing is a remedy that sets fields of an object.
func changing(say, cost string, o *object.Object, set []object.Setting) remedy {
	return remedy{say: say, cost: cost, object: o, set: set}
}

// patient is the workload of a finding with what acts on it, on head.
type patient struct {
	workload *object.Object
	manifest state.Manifest
	beside   []*object.Object // the other objects of its slice, by ID
	// descheduler is the policy of the one that runs; nil: none runs.
	descheduler *state.Descheduler
	writer      bool // its pods share a volume that one node has at a time
	// before is the workload on base, which is applied in such a way, and by Helm or not; nil: it is new.
	before  *object.Object
	applied state.Apply
	helm    bool
	classes []state.NodeClass
	at      scale.Topology   // of the violation: nodes of each class
	events  state.Events     // that may happen
	scalers []state.Declared // loops of the policy that set the workload's replicas
	blame   []finding.Blame
	claims  []*state.Refusal // of its claims, on head
	steps   map[string]int   // with which step of the apply a workload or a quota of the slice comes, by ID
}

// cure gives the remedies of one mechanism, where the patient has it.
type cure struct {
	mends rules.Facets
	of    func(p patient) []remedy
}

// cures are the remedies that an experienced operator tries, in that order: the one that changes a workload least comes
// first.
var cures = []cure{
	{rules.Stuck, comeEarlier},
	{rules.MidRollout | rules.Unplaced | rules.Displaced | rules.Surplus, recreate},
	{rules.TakenBack | rules.Swings | rules.Restless | rules.Short | rules.Surplus, dropReplicas},
	{rules.Swings | rules.Restless | rules.MidRollout, leaveToScaler},
	{rules.TakenBack | rules.Short | rules.Restless, forgetReplicas},
	{rules.Surplus | rules.Restless, labelApart},
	{rules.Restless | rules.Swings | rules.Surplus, requestWhatIsMeasured},
	{rules.Restless | rules.Surplus, requestAndDrop},
	{rules.Restless, wakeUp},
	{rules.Restless | rules.Swings, oneAutoscaler},
	{rules.Surplus | rules.Swings | rules.Restless | rules.Short, leaveOneMetric},
	{rules.Surplus, forbidOverlap},
	{rules.Stuck, limitWhatIsAsked},
	{rules.Evicted | rules.Short | rules.Restless | rules.MidRollout, calmDescheduler},
	{rules.Evicted, keepOnNode},
	{rules.Undrained, oneBudget},
	{rules.Undrained | rules.Evicted, loosenBudget},
	{rules.Stuck | rules.OneDomain | rules.Unspread, countRevisionsApart},
	{rules.Stuck | rules.Displaced | rules.Surplus, noSurge},
	{rules.Stuck | rules.Undrained | rules.Evicted, countUsableNodes},
	{rules.Evicted | rules.Undrained, tolerateLess},
	{rules.Stuck | rules.Undrained, raiseQuota},
	{rules.Stuck | rules.Undrained, spareOwnWebhook},
	{rules.Undrained, evictUnready},
	{rules.Short, surgeFirst},
	{rules.Short, paceEvictions},
	{rules.MidRollout | rules.Restless, abortAtOnce},
	{rules.Undrained | rules.Short, oneMore},
	{rules.Displaced | rules.Evicted | rules.Short, neverPreempt},
	{rules.OneDomain | rules.Short | rules.Unspread, spreadHard},
	{rules.Stuck | rules.OneDomain | rules.Unspread | rules.NodesComeAndGo, spreadSoftly},
	{rules.Stuck | rules.NodesComeAndGo | rules.Evicted | rules.Undrained, preferApart},
	{rules.Stuck, preferTogether},
	{rules.NodesGoDown | rules.Evicted, leaveToScheduler},
	{rules.Evicted | rules.NodesGoDown, tolerateWhereItIs},
	{rules.Surplus | rules.Restless, measureLess},
	{rules.Surplus, measureCPU},
	{rules.Surplus, raiseTarget},
	{rules.Surplus | rules.Swings, scaleUpLater},
	{rules.OneDomain | rules.Unspread, scaleDownSlowly},
	{rules.NodesComeAndGo | rules.Evicted | rules.NodesGoDown, requireOrForget},
	{rules.NodesComeAndGo | rules.Evicted, consolidateEmpty},
	{rules.Undrained, endGrace},
	{rules.Short | rules.OneDomain | rules.NodesGoDown, spreadAnew},
	{rules.Surplus | rules.Short | rules.Unplaced | rules.Restless, onlyRecommend},
	{rules.Stuck, startAtOnce},
	{rules.Stuck, admitClaims},
	{rules.Unreplaced, giveLostNodesUp},
	{rules.Stuck | rules.NodesGoDown | rules.Displaced, requestLess},
	{rules.Stuck | rules.Displaced, keepMoreNodes},
}

// remedies lists possible cures of a violation, in the order in which they are tried: among those of one mechanism, one
// that sets a field to blame comes first.
func remedies(found scenario.Violation, v scenario.Variant, blame []finding.Blame, helm bool) []remedy {
	sl, of, facets := v.Slice, found.Key(), found.Bound.Rule.Facets
	p, ok := patientOf(sl, of.Workload)
	if !ok {
		return nil
	}
	p.applied, p.helm, p.classes = v.Spec.Apply, helm, v.Spec.Classes
	p.steps, p.at, p.events = stepsOf(&v.Spec), scale.Topology(found.Problem.Cfg.Topology), v.Spec.Events
	p.blame = blame
	p.scalers = v.Spec.DeclaredOn(of.Workload, state.SetReplicas)
	p.claims = v.Slice.RefusedClaims(of.Workload)
	var out []remedy
	for k, c := range cures {
		if facets.Any(c.mends) {
			list := c.of(p)
			for i := range list {
				list[i].by = k
			}
			slices.SortStableFunc(list, func(a, b remedy) int { return a.strange(blame) - b.strange(blame) })
			out = append(out, list...)
		}
	}
	if !facets.Any(displacing) {
		return out
	}
	var also []string
	for _, b := range blame { // another workload that is to blame can make way
		if other, ok := patientOf(sl, b.Object); ok && b.Object != of.Workload && !slices.Contains(also, b.Object) {
			also = append(also, b.Object)
			for k, way := range []func(patient) []remedy{noSurge, goneFirst} {
				for _, r := range way(other) {
					r.say, r.by = "for "+b.Object+", "+r.say, len(cures)+k
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// displacing is what pods of other workloads do to those of one.
const displacing = rules.Displaced | rules.Unplaced | rules.Short

// strange is 0 for a remedy that sets a field to blame, else 1.
func (r remedy) strange(blame []finding.Blame) int {
	for _, b := range blame {
		for _, s := range r.set {
			if b.Object == r.object.ID.String() && (b.Path == "" || Overlap(b.Path, s.Path)) {
				return 0
			}
		}
	}
	return 1
}

// patient looks a workload of head up; false where it has none.
func patientOf(sl *slice.Slice, id string) (patient, bool) {
	pair := sl.Objects[id]
	if pair == nil || pair[state.Head] == nil {
		return patient{}, false
	}
	p := patient{workload: pair[state.Head], before: pair[state.Base]}
	m, ok := state.ManifestOf(p.workload.Typed)
	if !ok || m.Kind().Bare() && p.before != nil { // an update may change next to nothing of a Pod
		return patient{}, false
	}
	p.manifest, p.descheduler = m, sl.Spec.Descheduler
	for _, other := range sl.Ids() {
		if o := sl.Objects[other][state.Head]; o != nil && other != id {
			p.beside = append(p.beside, o)
		}
	}
	claims := map[string]bool{}
	for _, c := range sl.Spec.Claims {
		claims[c.Namespace+"/"+c.Name] = c.Exclusive || c.OncePod
	}
	for _, x := range m.Pod().Volumes {
		if x.PersistentVolumeClaim != nil {
			exclusive, known := claims[p.workload.ID.Namespace+"/"+x.PersistentVolumeClaim.ClaimName]
			p.writer = p.writer || exclusive || !known
		}
	}
	return p, true
}

// pathOfPod is where a workload has the spec of its pods.
func (p patient) pathOfPod() string {
	return p.manifest.Kind().Own("spec.template.spec")
}

func (p patient) of(say, cost string, set ...object.Setting) []remedy {
	return []remedy{{say: say, cost: cost, object: p.workload, set: set}}
}

// hpas are the autoscalers of the workload.
func (p patient) hpas() []*object.Object {
	return p.named(func(o *object.Object) bool {
		h, ok := o.Typed.(*autoscalingv2.HorizontalPodAutoscaler)
		return ok && o.ID.Namespace == p.workload.ID.Namespace && h.Spec.ScaleTargetRef.Name == p.workload.ID.Name &&
			h.Spec.ScaleTargetRef.Kind == p.workload.ID.Kind
	})
}

// budgets are the PodDisruptionBudgets of the slice.
func (p patient) budgets() []*object.Object {
	return p.named(func(o *object.Object) bool { return covers(o, p) })
}

// covers reports whether an object is a budget of the patient's pods.
func covers(o *object.Object, p patient) bool {
	b, ok := o.Typed.(*policyv1.PodDisruptionBudget)
	if !ok || o.ID.Namespace != p.workload.ID.Namespace {
		return false
	}
	sel, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	return err == nil && sel.Matches(labels.Set(p.manifest.Template().Labels))
}

// declares reports whether a field stands in an object as written.
func declares(o *object.Object, path ...string) bool { return slice.ValueAt(o.Content, path...) != nil }

func (p patient) named(is func(*object.Object) bool) []*object.Object {
	return slices.DeleteFunc(slices.Clone(p.beside), func(o *object.Object) bool { return !is(o) })
}

// loosenBudget lets one pod be away at a time, or puts a number in place of a percentage
// that comes to none.
func loosenBudget(p patient) []remedy {
	var out []remedy
	for _, o := range p.budgets() {
		b := o.Typed.(*policyv1.PodDisruptionBudget)
		r := remedy{cost: "one replica may be down during maintenance", object: o,
			say: "set maxUnavailable: 1 instead of minAvailable in PodDisruptionBudget " + o.ID.Name}
		if p.manifest.Replicas() < 2 && len(p.hpas()) == 0 {
			r.cost = "no replicas during maintenance"
		}
		switch {
		case b.Spec.MinAvailable != nil:
			r.set = []object.Setting{{Path: "spec.minAvailable"}, {Path: "spec.maxUnavailable", Value: 1}}
		case b.Spec.MaxUnavailable != nil && *b.Spec.MaxUnavailable != intstr.FromInt32(1):
			r.say = "set maxUnavailable: 1 in PodDisruptionBudget " + o.ID.Name
			r.set = []object.Setting{{Path: "spec.maxUnavailable", Value: 1}}
		default:
			continue
		}
		out = append(out, r)
		if n := p.leastRunning(); b.Spec.MinAvailable != nil && n > 1 { // a chart mostly has a value for it
			fewer := r
			fewer.say = fmt.Sprintf("set minAvailable: %d, one fewer than run", n-1)
			fewer.set = []object.Setting{{Path: "spec.minAvailable", Value: n - 1}}
			out = append(out, fewer)
		}
	}
	return out
}

// leastRunning is how many replicas there are at least.
func (p patient) leastRunning() int {
	for _, o := range p.hpas() {
		if m := o.Typed.(*autoscalingv2.HorizontalPodAutoscaler).Spec.MinReplicas; m != nil {
			return int(*m)
		}
	}
	return p.manifest.Replicas()
}

// evictUnready lets pods go that are not ready anyway.
func evictUnready(p patient) []remedy {
	var out []remedy
	for _, o := range p.budgets() {
		if have := o.Typed.(*policyv1.PodDisruptionBudget).Spec.UnhealthyPodEvictionPolicy; have != nil &&
			*have == policyv1.AlwaysAllow {
			continue
		}
		out = append(out, changing("set unhealthyPodEvictionPolicy: AlwaysAllow, so that pods that are not ready block no drain", "a pod that is about to become ready may be evicted",
			o, []object.Setting{{Path: "spec.unhealthyPodEvictionPolicy", Value: "AlwaysAllow"}}))
	}
	return out
}

// oneMore runs one replica more.
func oneMore(p patient) []remedy {
	hpas := p.hpas()
	for _, o := range hpas {
		h := o.Typed.(*autoscalingv2.HorizontalPodAutoscaler)
		if h.Spec.MinReplicas != nil && *h.Spec.MinReplicas < h.Spec.MaxReplicas {
			n := int(*h.Spec.MinReplicas) + 1
			return []remedy{changing(fmt.Sprintf("raise the autoscaler's minimum by one: minReplicas: %d", n),
				"one more replica", o, []object.Setting{{Path: "spec.minReplicas", Value: n}})}
		}
	}
	if f := p.manifest.ReplicasField(); f == nil || len(hpas) > 0 || p.writer {
		return nil
	}
	n := p.manifest.Replicas() + 1
	return p.of(fmt.Sprintf("run one more replica: replicas: %d", n), "one more replica",
		object.Setting{Path: "spec.replicas", Value: n})
}

// measureLess lets CPU alone decide where memory is measured beside it.
func measureLess(p patient) []remedy {
	var out []remedy
	for _, o := range p.hpas() {
		metrics, _ := slice.ValueAt(o.Content, "spec", "metrics").([]any)
		memory := func(m any) bool {
			metric, _ := m.(map[string]any)
			return slice.ValueAt(metric, "resource", "name") == "memory"
		}
		rest := slices.DeleteFunc(slices.Clone(metrics), memory)
		if len(rest) > 0 && len(rest) < len(metrics) {
			out = append(out, changing("scale on CPU alone: processes rarely give memory back",
				"memory no longer triggers scaling", o, []object.Setting{{Path: "spec.metrics", Value: rest}}))
		}
	}
	return out
}

// byHand is a step for a person, if no edit can repair the damage.
func byHand(sl *slice.Slice, found scenario.Violation) string {
	p, ok := patientOf(sl, found.Key().Workload)
	if !ok || !found.Bound.Rule.Facets.Any(rules.MidRollout|rules.Unreverted|rules.Unreplaced) {
		return ""
	}
	if _, ok := p.workload.Typed.(*appsv1.StatefulSet); ok && len(sl.RefusedClaims(found.Key().Workload)) == 0 {
		return "once it has happened, delete the stuck pod (kubectl delete pod), and the StatefulSet creates it again"
	}
	return ""
}
