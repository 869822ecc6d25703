package conformance

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/controller"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"

	"github.com/kubesettle/kubesettle/verify/state"
)

// upstreamScheduler is kube-scheduler's framework with one profile. Its snapshot and the
// objects its listers see are exchanged from cluster to cluster.
type upstreamScheduler struct {
	ctx       context.Context
	framework framework.Framework
	informers informers.SharedInformerFactory
	lister    *currentSnapshot
}

// noLogger drops what upstream logs.
func noLogger() klog.Logger { return klog.Logger{} }

// currentSnapshot lends the framework the snapshot of the cluster at hand.
type currentSnapshot struct{ *cache.Snapshot }

func newUpstreamScheduler(ctx context.Context, profile *config.KubeSchedulerProfile, queue nominator) (*upstreamScheduler, error) {
	metrics.Register()
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	claims := assumecache.NewAssumeCache(noLogger(), factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	devices, err := tracker.StartTracker(ctx, tracker.Options{
		SliceInformer: factory.Resource().V1().ResourceSlices(), KubeClient: client,
	})
	if err != nil {
		return nil, err
	}
	u := &upstreamScheduler{ctx: ctx, informers: factory, lister: &currentSnapshot{cache.NewEmptySnapshot()}}
	u.framework, err = frameworkruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(u.lister),
		frameworkruntime.WithSharedDRAManager(dynamicresources.NewDRAManager(ctx, claims, devices, factory)),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithParallelism(1),
		frameworkruntime.WithPodNominator(queue),
		frameworkruntime.WithLogger(noLogger()),
	)
	return u, err
}

// upstreamDecision is what upstream decides on one pending pod.
type upstreamDecision struct {
	feasible []int
	reasons  map[int][]string         // of each other node that was looked at
	scores   map[string]map[int]int64 // by plugin: weighted, normalized scores
	total    map[int]int64
	best     []int
}

// cluster is a scenario in upstream's objects.
type cluster struct {
	nodes   []*corev1.Node
	classes []*corev1.Pod // a pod of each pod class, as admitted
	pods    []*corev1.Pod // on nodes
	// ofClass and phases say which group of the abstract state each of pods is of.
	ofClass []int
	phases  []state.Phase
}

// load exchanges the cluster.
func (u *upstreamScheduler) load(s *scenario, c *cluster, cfg *state.Config) error {
	u.lister.Snapshot = cache.NewSnapshot(c.pods, c.nodes)
	namespaces := u.informers.Core().V1().Namespaces().Informer().GetIndexer()
	services := u.informers.Core().V1().Services().Informer().GetIndexer()
	sets := u.informers.Apps().V1().ReplicaSets().Informer().GetIndexer()
	for _, index := range []interface{ Replace([]any, string) error }{namespaces, services, sets} {
		if err := index.Replace(nil, ""); err != nil {
			return err
		}
	}
	for name, labels := range s.Namespaces {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
		if err := namespaces.Add(ns); err != nil {
			return err
		}
	}
	for _, service := range s.Services {
		if err := services.Add(service); err != nil {
			return err
		}
	}
	for p, pod := range c.classes {
		if err := sets.Add(replicaSet(cfg, p, pod)); err != nil {
			return err
		}
	}
	return nil
}

// replicaSet is the owner of a class's pods, with the selector that the Deployment
// controller makes: the Deployment's and the template's hash.
func replicaSet(cfg *state.Config, p int, pod *corev1.Pod) *appsv1.ReplicaSet {
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.OwnerReferences[0].Name}}
	set.Spec.Selector = deploymentOf(cfg, p).Spec.Selector.DeepCopy()
	metav1.AddLabelToSelector(set.Spec.Selector, appsv1.DefaultDeploymentUniqueLabelKey,
		pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey])
	return set
}

func deploymentOf(cfg *state.Config, p int) *appsv1.Deployment {
	class := &cfg.Pods[p]
	m := &cfg.Spec.Workloads[class.Workload].Manifests
	if class.InBase {
		return m[state.Base].Deployment
	}
	return m[state.Head].Deployment
}

// newCluster makes upstream's objects of a scenario.
func newCluster(s *scenario, cfg *state.Config) (*cluster, error) {
	c := &cluster{}
	for _, n := range cfg.Nodes {
		node := s.Classes[n.Class].Node.DeepCopy()
		node.Name = n.Name
		metav1.SetMetaDataLabel(&node.ObjectMeta, corev1.LabelHostname, n.Name)
		c.nodes = append(c.nodes, node)
	}
	for p := range cfg.Pods {
		pod, err := admit(cfg, p)
		if err != nil {
			return nil, err
		}
		c.classes = append(c.classes, pod)
	}
	for _, at := range s.Places {
		p, n := s.locate(cfg, at)
		if p < 0 || n < 0 {
			continue
		}
		for range at.Count {
			pod := c.classes[p].DeepCopy()
			pod.Name = fmt.Sprintf("%s-%d", pod.Name, len(c.pods))
			pod.UID = types.UID(pod.Name)
			pod.Spec.NodeName = c.nodes[n].Name
			if at.Phase == state.Terminating {
				pod.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			}
			c.pods, c.ofClass, c.phases = append(c.pods, pod), append(c.ofClass, p), append(c.phases, at.Phase)
		}
	}
	return c, nil
}

// admit creates a pod of class p as the ReplicaSet controller and the API server do.
func admit(cfg *state.Config, p int) (*corev1.Pod, error) {
	class := &cfg.Pods[p]
	w := &cfg.Spec.Workloads[class.Workload]
	hash := controller.ComputeHash(class.Template, nil)
	isController := true
	pod := &corev1.Pod{ObjectMeta: *class.Template.ObjectMeta.DeepCopy(), Spec: *class.Template.Spec.DeepCopy()}
	pod.Namespace, pod.Name = w.Namespace, fmt.Sprintf("%s-%s-pending", w.Name, hash)
	pod.UID = types.UID(pod.Name)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, appsv1.DefaultDeploymentUniqueLabelKey, hash)
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: w.Name + "-" + hash, Controller: &isController,
	}}
	legacyscheme.Scheme.Default(pod)
	internal := &core.Pod{}
	if err := legacyscheme.Scheme.Convert(pod, internal, nil); err != nil {
		return nil, err
	}
	podregistry.Strategy.PrepareForCreate(context.Background(), internal)
	if err := addTolerations(internal); err != nil {
		return nil, err
	}
	out := &corev1.Pod{}
	return out, legacyscheme.Scheme.Convert(internal, out, nil)
}

func addTolerations(pod *core.Pod) error {
	plugin := defaulttolerationseconds.NewDefaultTolerationSeconds()
	plugin.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	gvk := core.SchemeGroupVersion.WithKind("Pod")
	attributes := admission.NewAttributesRecord(pod, nil, gvk, pod.Namespace, pod.Name,
		schema.GroupVersionResource{Resource: "pods"}, "", admission.Create, nil, false, nil)
	return plugin.Admit(context.Background(), attributes, nil)
}

// decide runs upstream's plugins for a pod of class p (pkg/scheduler: schedulePod).
func (u *upstreamScheduler) decide(c *cluster, p int) (*upstreamDecision, error) {
	pod, cycle := c.classes[p], framework.NewCycleState()
	d := &upstreamDecision{reasons: map[int][]string{}, scores: map[string]map[int]int64{}, total: map[int]int64{}}
	only, status, _ := u.framework.RunPreFilterPlugins(u.ctx, cycle, pod)
	if !status.IsSuccess() {
		if status.IsRejected() {
			return d, nil
		}
		return nil, status.AsError()
	}
	var feasible []fwk.NodeInfo
	for n, node := range c.nodes {
		if !only.AllNodes() && !only.NodeNames.Has(node.Name) {
			continue
		}
		info, err := u.lister.NodeInfos().Get(node.Name)
		if err != nil {
			return nil, err
		}
		status := u.framework.RunFilterPlugins(u.ctx, cycle, pod, info)
		switch {
		case status.IsSuccess():
			feasible = append(feasible, info)
			d.feasible = append(d.feasible, n)
		case status.IsRejected():
			d.reasons[n] = status.Reasons()
			slices.Sort(d.reasons[n])
		default:
			return nil, status.AsError()
		}
	}
	if len(feasible) <= 1 {
		d.best = d.feasible
		return d, nil
	}
	return d, u.score(d, cycle, pod, feasible)
}

func (u *upstreamScheduler) score(d *upstreamDecision, cycle fwk.CycleState, pod *corev1.Pod, feasible []fwk.NodeInfo) error {
	if status := u.framework.RunPreScorePlugins(u.ctx, cycle, pod, feasible); !status.IsSuccess() {
		return status.AsError()
	}
	scores, status := u.framework.RunScorePlugins(u.ctx, cycle, pod, feasible)
	if !status.IsSuccess() {
		return status.AsError()
	}
	top := scores[0].TotalScore
	for _, s := range scores {
		top = max(top, s.TotalScore)
	}
	for i, s := range scores {
		n := d.feasible[i]
		d.total[n] = s.TotalScore
		if s.TotalScore == top {
			d.best = append(d.best, n)
		}
		for _, plugin := range s.Scores {
			if d.scores[plugin.Name] == nil {
				d.scores[plugin.Name] = map[int]int64{}
			}
			d.scores[plugin.Name][n] = plugin.Score
		}
	}
	return nil
}
