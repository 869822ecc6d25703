package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/deployment"
	deploymentutil "k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// set is what one sync leaves of a ReplicaSet.
type set struct{ exists, size, desired, max int }

// TestDeploymentSync: one sync of upstream's controller, on a fake API server, writes
// what one step of the actor writes.
func TestDeploymentSync(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 3))
	upstream := newUpstreamDeployments(t)
	moved := 0
	for i := range loopCases(4000) {
		head := webDeployment(r, "v2")
		p := newLoopProblem(t, webSpec(
			state.Manifest{Deployment: webDeployment(r, "v1")}, state.Manifest{Deployment: head}, 1), []int{2})
		s := p.cfg.New()
		s.Set(p.cfg.Applied, int(state.Head))
		s.SetReplicas(0, int(*head.Spec.Replicas))
		scatter(r, s)
		want := upstream.sync(t, r, s)
		got := ourSets(s)
		switch all := actor.Successors(p.actor(t, "deployment/default/web"), s); len(all) {
		case 0:
		case 1:
			got = ourSets(all[0].To)
			moved++
		default:
			t.Fatalf("case %d: %d successors", i, len(all))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("case %d: ours %+v, upstream %+v\n%s%+v paused %v surge %v", i, got, want, describe(s), head.Spec.Strategy.Type, head.Spec.Paused, head.Spec.Strategy.RollingUpdate)
		}
	}
	if moved == 0 {
		t.Error("no case moved anything")
	}
	t.Logf("%d cases, %d of them moved", loopCases(4000), moved)
}

func ourSets(s state.State) (out [2]set) {
	for p := range out {
		f := &s.C.Class[p]
		out[p] = set{s.Get(f.Exists), s.Get(f.Size), s.Get(f.Desired), s.Get(f.Max)}
	}
	return out
}

// upstreamDeployments is upstream's Deployment controller. What it writes of ReplicaSets
// is kept; nothing is read back from the API.
type upstreamDeployments struct {
	controller *deployment.DeploymentController
	factory    informers.SharedInformerFactory
	written    map[string]*appsv1.ReplicaSet // by image
	changed    map[string]bool               // by name: updates of the ReplicaSet are refused, as it is another one by now
	refused    int                           // updates
}

func newUpstreamDeployments(t *testing.T) *upstreamDeployments {
	t.Helper()
	client := &fake.Clientset{}
	u := &upstreamDeployments{factory: informers.NewSharedInformerFactory(client, 0)}
	client.AddReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		w, ok := a.(clienttesting.CreateAction) // updates have the same method
		if !ok {
			return false, nil, fmt.Errorf("unexpected %s of %s", a.GetVerb(), a.GetResource())
		}
		if rs, ok := w.GetObject().(*appsv1.ReplicaSet); ok {
			if a.GetVerb() == "update" && u.changed[rs.Name] {
				u.refused++
				return true, nil, apierrors.NewConflict(appsv1.Resource("replicasets"), rs.Name, errUnexpected)
			}
			u.written[rs.Spec.Template.Spec.Containers[0].Image] = rs
		}
		return true, w.GetObject(), nil
	})
	apps := u.factory.Apps().V1()
	var err error
	u.controller, err = deployment.NewDeploymentController(quiet(t), apps.Deployments(), apps.ReplicaSets(), u.factory.Core().V1().Pods(), client)
	check(t, err)
	return u
}

// sync plays s to upstream's controller for one sync.
func (u *upstreamDeployments) sync(t *testing.T, r *rand.Rand, s state.State) (out [2]set) {
	t.Helper()
	d := s.Manifest(0).Deployment.DeepCopy()
	*d.Spec.Replicas = int32(s.Replicas(0))
	u.written = map[string]*appsv1.ReplicaSet{}
	var sets, pods []any
	for p := range s.C.Pods {
		rs := upstreamSet(s, p, d)
		if rs == nil {
			continue
		}
		for _, pod := range classPods(r, s, p, rs.Name) {
			pods = append(pods, pod)
		}
		d.Status.Replicas += rs.Status.Replicas
		sets = append(sets, rs)
		u.written[rs.Spec.Template.Spec.Containers[0].Image] = rs
	}
	apps := u.factory.Apps().V1()
	check(t, apps.Deployments().Informer().GetIndexer().Replace([]any{d}, ""))
	check(t, apps.ReplicaSets().Informer().GetIndexer().Replace(sets, ""))
	check(t, u.factory.Core().V1().Pods().Informer().GetIndexer().Replace(pods, ""))
	if err := syncDeployment(u.controller, quiet(t), "default/web"); !apierrors.IsConflict(err) {
		check(t, err)
	}
	for p, image := range [...]string{"v1", "v2"} {
		if rs := u.written[image]; rs != nil {
			out[p] = set{1, int(*rs.Spec.Replicas), annotation(rs, deploymentutil.DesiredReplicasAnnotation), annotation(rs, deploymentutil.MaxReplicasAnnotation)}
		}
	}
	return out
}

// upstreamSet is the ReplicaSet of class p, or nil.
func upstreamSet(s state.State, p int, d *appsv1.Deployment) *appsv1.ReplicaSet {
	f := &s.C.Class[p]
	if s.Get(f.Exists) == 0 {
		return nil
	}
	name := fmt.Sprintf("web-%d", p)
	size := int32(s.Get(f.Size))
	template := s.C.Pods[p].Template.DeepCopy()
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID(name), Labels: template.Labels,
			CreationTimestamp: metav1.Time{Time: time.Unix(int64(p), 0)},
			OwnerReferences:   []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
			Annotations: map[string]string{
				deploymentutil.RevisionAnnotation:        strconv.Itoa(p + 1),
				deploymentutil.DesiredReplicasAnnotation: strconv.Itoa(s.Get(f.Desired)),
				deploymentutil.MaxReplicasAnnotation:     strconv.Itoa(s.Get(f.Max)),
			},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: &size, Selector: d.Spec.Selector.DeepCopy(), Template: *template},
		Status: appsv1.ReplicaSetStatus{
			Replicas: int32(s.Active(p)), ReadyReplicas: int32(s.Count(p, state.Ready)), AvailableReplicas: int32(s.Count(p, state.Ready)),
		},
	}
}

func annotation(rs *appsv1.ReplicaSet, key string) int {
	n, _ := strconv.Atoi(rs.Annotations[key])
	return n
}

// quiet is a context whose logger drops what upstream logs.
func quiet(t *testing.T) context.Context { return klog.NewContext(t.Context(), noLogger()) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
