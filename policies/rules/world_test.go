package rules

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/state"
)

// problem is a hand-made one: workload default/web on three nodes.
type problem struct {
	base, head state.Manifest
}

// deployment gives a manifest of so many declared replicas whose template runs an image.
func deployment(replicas int32, image string, more ...func(*state.Manifest)) state.Manifest {
	surge, unavailable := intstr.FromString("25%"), intstr.FromString("25%")
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: &replicas,
		Strategy: appsv1.DeploymentStrategy{
			Type:          appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &unavailable},
		},
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}}},
	}}
	m := state.Manifest{Deployment: d, DeclaresReplicas: true}
	for _, f := range more {
		f(&m)
	}
	return m
}

func hpa(low, high int32) func(*state.Manifest) {
	return func(m *state.Manifest) {
		m.HPA = &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: &low, MaxReplicas: high}}
	}
}

func undeclared(m *state.Manifest) { m.DeclaresReplicas = false }

func recreate(m *state.Manifest) {
	m.Deployment.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
}

func paused(m *state.Manifest) { m.Deployment.Spec.Paused = true }

func paced(surge, unavailable string) func(*state.Manifest) {
	return func(m *state.Manifest) {
		s, u := intstr.Parse(surge), intstr.Parse(unavailable)
		m.Deployment.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &s, MaxUnavailable: &u}
	}
}

func budget(minAvailable, maxUnavailable string) func(*state.Manifest) {
	return func(m *state.Manifest) {
		pdb := &policyv1.PodDisruptionBudget{}
		if minAvailable != "" {
			n := intstr.Parse(minAvailable)
			pdb.Spec.MinAvailable = &n
		}
		if maxUnavailable != "" {
			n := intstr.Parse(maxUnavailable)
			pdb.Spec.MaxUnavailable = &n
		}
		m.PDBs = append(m.PDBs, pdb)
	}
}

// apart prefers a separate node for every pod.
func apart(m *state.Manifest) {
	m.Deployment.Spec.Template.Labels = map[string]string{"app": "web"}
	m.Deployment.Spec.Template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: corev1.PodAffinityTerm{
			TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}},
	}}
}

// pods sets the pods of one class: on the first node, but for pending ones.
type pods struct{ size, pending, starting, ready, terminating int }

// at makes a state: the version applied, the live replicas, and the pods of each class.
func at(c *state.Config, v state.Version, replicas int, classes ...pods) state.State {
	s := c.New()
	s.Set(c.Applied, int(v))
	s.Set(c.Applies, 1-int(v))
	s.SetReplicas(0, replicas)
	for p, n := range classes {
		f := c.Class[p]
		s.Set(f.Exists, 1)
		s.Set(f.Size, n.size)
		s.Set(f.Pending, n.pending)
		s.Add(0, p, state.Starting, n.starting)
		s.Add(0, p, state.Ready, n.ready)
		s.Add(0, p, state.Terminating, n.terminating)
	}
	return s
}
