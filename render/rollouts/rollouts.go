// Package rollouts has the fields of Argo Rollouts (argoproj.io/v1alpha1) that we read, and their defaults. It does not
// know where objects come from.
//
// The fields are upstream's (pkg/apis/rollouts/v1alpha1), those that decide on numbers of pods; upstream's own package
// comes with the libraries of every cloud and service mesh that it talks to, and with older ones of Kubernetes. Fields
// that are not read stay in [Rollout.Unread].
package rollouts

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
)

// Kind is the kind of a Rollout in the version that is read.
var Kind = schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Rollout"}

// Rollout is a Rollout with its own pod template and one of the two strategies.
type Rollout struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              Spec `json:"spec"`
	// Twice is the surge of a strategy whose two revisions may both have all pods: 100%.
	Twice intstr.IntOrString `json:"-"`
	// Unread names the features of the strategy that have nothing to do with numbers of pods, as a user knows them,
	// sorted: "analysis".
	Unread []string `json:"-"`
}

// Spec are the fields of a Rollout's spec that are read.
type Spec struct {
	Replicas                *int32                 `json:"replicas"`
	Selector                *metav1.LabelSelector  `json:"selector"`
	Template                corev1.PodTemplateSpec `json:"template"`
	MinReadySeconds         int32                  `json:"minReadySeconds"`
	Strategy                Strategy               `json:"strategy"`
	Paused                  bool                   `json:"paused"`
	ProgressDeadlineSeconds *int32                 `json:"progressDeadlineSeconds"`
	ProgressDeadlineAbort   bool                   `json:"progressDeadlineAbort"`
}

// Strategy is one of the two.
type Strategy struct {
	Canary    *Canary    `json:"canary"`
	BlueGreen *BlueGreen `json:"blueGreen"`
}

// Canary is how a canary takes over, step by step.
type Canary struct {
	Steps                      []Step              `json:"steps"`
	MaxSurge                   *intstr.IntOrString `json:"maxSurge"`
	MaxUnavailable             *intstr.IntOrString `json:"maxUnavailable"`
	TrafficRouting             *TrafficRouting     `json:"trafficRouting"`
	DynamicStableScale         bool                `json:"dynamicStableScale"`
	AbortScaleDownDelaySeconds *int32              `json:"abortScaleDownDelaySeconds"`
	ScaleDownDelaySeconds      *int32              `json:"scaleDownDelaySeconds"`
	MinPodsPerReplicaSet       *int32              `json:"minPodsPerReplicaSet"`
}

// TrafficRouting says that a mesh or an ingress sends requests by weight. With which one is of no matter here.
type TrafficRouting struct {
	MaxTrafficWeight *int32 `json:"maxTrafficWeight"`
}

// Step is one step of a canary. A step of any other kind does not affect numbers of pods, and is over at once.
type Step struct {
	SetWeight      *int32          `json:"setWeight"`
	Pause          *Pause          `json:"pause"`
	SetCanaryScale *SetCanaryScale `json:"setCanaryScale"`
}

// Pause holds a canary: for a while, or without a duration until somebody promotes it.
type Pause struct {
	Duration *intstr.IntOrString `json:"duration"`
}

// SetCanaryScale sets the size of the canary apart from its weight.
type SetCanaryScale struct {
	Weight             *int32 `json:"weight"`
	Replicas           *int32 `json:"replicas"`
	MatchTrafficWeight bool   `json:"matchTrafficWeight"`
}

// BlueGreen is how a preview takes over, all at once.
type BlueGreen struct {
	PreviewReplicaCount        *int32              `json:"previewReplicaCount"`
	AutoPromotionEnabled       *bool               `json:"autoPromotionEnabled"`
	AutoPromotionSeconds       int32               `json:"autoPromotionSeconds"`
	MaxUnavailable             *intstr.IntOrString `json:"maxUnavailable"`
	ScaleDownDelaySeconds      *int32              `json:"scaleDownDelaySeconds"`
	AbortScaleDownDelaySeconds *int32              `json:"abortScaleDownDelaySeconds"`
}

// Decode reads a Rollout. It gives nil for one that cannot be read: whose template is a Deployment's (workloadRef),
// that has not just one strategy, whose fields are of another type than upstream's, or whose pods get rules from the
// strategy.
func Decode(content map[string]any) *Rollout {
	b, err := json.Marshal(content)
	if err != nil {
		return nil
	}
	r := &Rollout{}
	if _, err := kjson.UnmarshalStrict(b, r); err != nil {
		return nil
	}
	spec, _ := content["spec"].(map[string]any)
	strategy, _ := spec["strategy"].(map[string]any)
	if spec["workloadRef"] != nil || len(r.Spec.Template.Spec.Containers) == 0 ||
		(r.Spec.Strategy.Canary == nil) == (r.Spec.Strategy.BlueGreen == nil) {
		return nil
	}
	which := "canary"
	if r.Spec.Strategy.BlueGreen != nil {
		which = "blueGreen"
	}
	fields, _ := strategy[which].(map[string]any)
	if fields["antiAffinity"] != nil || fields["replicaProgressThreshold"] != nil {
		return nil // the one writes pod anti-affinity into the template, the other lets a step end early
	}
	if routing, ok := fields["trafficRouting"].(map[string]any); ok &&
		!slices.ContainsFunc(routers, func(k string) bool { return routing[k] != nil }) {
		return nil // upstream counts pods for a router, and has none to tell
	}
	r.Unread = unread(fields)
	if spec["rollbackWindow"] != nil {
		r.Unread = append(r.Unread, "rollbackWindow")
	}
	r.fill()
	return r
}

// routers are the fields of trafficRouting that name one.
var routers = []string{"istio", "nginx", "alb", "smi", "ambassador", "appMesh", "traefik", "apisix", "plugins"}

// unread names the fields of a strategy that decide when it goes on, or stops, and that are not read.
func unread(strategy map[string]any) []string {
	seen := map[string]bool{}
	for _, field := range []string{"analysis", "prePromotionAnalysis", "postPromotionAnalysis", "pingPong",
		"scaleDownDelayRevisionLimit"} {
		if strategy[field] != nil {
			seen[field] = true
		}
	}
	steps, _ := strategy["steps"].([]any)
	for _, s := range steps {
		step, _ := s.(map[string]any)
		for _, field := range []string{"analysis", "experiment", "plugin"} {
			if step[field] != nil {
				seen[field] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// fill sets upstream's defaults for missing fields (utils/defaults), and writes a number in quotes as the percentage
// that upstream reads it as.
func (r *Rollout) fill() {
	one := int32(1)
	r.Twice = intstr.FromString("100%")
	if r.Spec.Replicas == nil {
		r.Spec.Replicas = &one
	}
	if c := r.Spec.Strategy.Canary; c != nil {
		c.MaxSurge, c.MaxUnavailable = share(c.MaxSurge), share(c.MaxUnavailable)
	}
	if b := r.Spec.Strategy.BlueGreen; b != nil {
		b.MaxUnavailable = share(b.MaxUnavailable)
	}
}

func share(v *intstr.IntOrString) *intstr.IntOrString {
	switch {
	case v == nil:
		quarter := intstr.FromString("25%")
		return &quarter
	case v.Type == intstr.String && !strings.HasSuffix(v.StrVal, "%"):
		p := intstr.FromString(v.StrVal + "%")
		return &p
	}
	return v
}

// DeepCopy copies a Rollout; nil stays nil.
func (r *Rollout) DeepCopy() *Rollout {
	if r == nil {
		return nil
	}
	out := *r
	r.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Replicas, out.Spec.ProgressDeadlineSeconds = clone(r.Spec.Replicas), clone(r.Spec.ProgressDeadlineSeconds)
	out.Spec.Selector = r.Spec.Selector.DeepCopy()
	r.Spec.Template.DeepCopyInto(&out.Spec.Template)
	out.Unread = slices.Clone(r.Unread)
	if c := clone(r.Spec.Strategy.Canary); c != nil {
		c.Steps = slices.Clone(c.Steps)
		for i := range c.Steps {
			c.Steps[i] = c.Steps[i].clone()
		}
		c.MaxSurge, c.MaxUnavailable = clone(c.MaxSurge), clone(c.MaxUnavailable)
		if c.TrafficRouting = clone(c.TrafficRouting); c.TrafficRouting != nil {
			c.TrafficRouting.MaxTrafficWeight = clone(c.TrafficRouting.MaxTrafficWeight)
		}
		c.AbortScaleDownDelaySeconds = clone(c.AbortScaleDownDelaySeconds)
		c.ScaleDownDelaySeconds = clone(c.ScaleDownDelaySeconds)
		c.MinPodsPerReplicaSet = clone(c.MinPodsPerReplicaSet)
		out.Spec.Strategy.Canary = c
	}
	if b := clone(r.Spec.Strategy.BlueGreen); b != nil {
		b.PreviewReplicaCount = clone(b.PreviewReplicaCount)
		b.AutoPromotionEnabled = clone(b.AutoPromotionEnabled)
		b.MaxUnavailable = clone(b.MaxUnavailable)
		b.ScaleDownDelaySeconds = clone(b.ScaleDownDelaySeconds)
		b.AbortScaleDownDelaySeconds = clone(b.AbortScaleDownDelaySeconds)
		out.Spec.Strategy.BlueGreen = b
	}
	return &out
}

func (s Step) clone() Step {
	s.SetWeight = clone(s.SetWeight)
	if s.Pause = clone(s.Pause); s.Pause != nil {
		s.Pause.Duration = clone(s.Pause.Duration)
	}
	if s.SetCanaryScale = clone(s.SetCanaryScale); s.SetCanaryScale != nil {
		s.SetCanaryScale.Weight, s.SetCanaryScale.Replicas = clone(s.SetCanaryScale.Weight), clone(s.SetCanaryScale.Replicas)
	}
	return s
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// DeepCopyObject implements [runtime.Object].
func (r *Rollout) DeepCopyObject() runtime.Object { return r.DeepCopy() }
