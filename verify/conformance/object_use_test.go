package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	evaluators "k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"k8s.io/utils/ptr"

	"github.com/kubesettle/kubesettle/verify/control/admission"
)

// TestObjectsTakeOfQuotas asks the API server's quota admission and ours whether one more claim or Service fits, where a
// quota counts any of their resources.
func TestObjectsTakeOfQuotas(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 38))
	refused, free := 0, 0
	for i := range loopCases(3000) {
		kind, evaluator := "Service", evaluators.NewServiceEvaluator(nil)
		draw := func() runtime.Object { return drawService(r) }
		if r.IntN(2) == 0 {
			kind, evaluator = "PersistentVolumeClaim", evaluators.NewPersistentVolumeClaimEvaluator(nil)
			draw = func() runtime.Object { return drawClaim(r) }
		}
		used := corev1.ResourceList{}
		for range r.IntN(4) {
			o := draw()
			theirs, err := evaluator.Usage(o)
			check(t, err)
			ours := admission.ObjectUse(schema.GroupKind{Kind: kind}, o)
			for name, q := range theirs {
				if have := ours[name]; have.Cmp(q) != 0 {
					t.Fatalf("case %d: %+v takes %s of %s, upstream %s", i, o, have.String(), name, q.String())
				}
			}
			used = quota.Add(used, theirs)
		}
		q := drawObjectQuota(r)
		q.Status = corev1.ResourceQuotaStatus{Hard: q.Spec.Hard, Used: quota.Mask(quota.Add(q.Spec.Hard, used), quota.ResourceNames(q.Spec.Hard))}
		for name := range q.Spec.Hard {
			q.Status.Used[name] = used[name]
		}
		o, plural := draw(), map[string]string{"Service": "services", "PersistentVolumeClaim": "persistentvolumeclaims"}[kind]
		a := apiadmission.NewAttributesRecord(o, nil, corev1.SchemeGroupVersion.WithKind(kind), "default", "new",
			corev1.SchemeGroupVersion.WithResource(plural), "", apiadmission.Create, &metav1.CreateOptions{}, false, nil)
		_, err := resourcequota.CheckRequest([]corev1.ResourceQuota{*q}, a, evaluator, nil)
		no, _ := admission.OverQuota(q, admission.ObjectUse(schema.GroupKind{Kind: kind}, o), used)
		if (no != nil) != (err != nil) {
			t.Fatalf("case %d: refused %+v, upstream: %v\n%+v\nused %v of %v", i, no, err, o, used, q.Spec.Hard)
		}
		if no != nil {
			refused++
		} else {
			free++
		}
	}
	t.Logf("%d refused, %d not", refused, free)
	if refused == 0 || free == 0 {
		t.Error("not every answer was drawn: generate others")
	}
}

// TestClaimsAreInRange asks the API server's LimitRanger and ours about claims.
func TestClaimsAreInRange(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 39))
	refused, free := 0, 0
	for i := range loopCases(3000) {
		claim := drawClaim(r)
		if r.IntN(8) == 0 {
			claim.Spec.Resources.Requests = nil
		}
		item := corev1.LimitRangeItem{Type: corev1.LimitTypePersistentVolumeClaim}
		if r.IntN(5) == 0 {
			item.Type = corev1.LimitTypeContainer
		}
		if r.IntN(2) == 0 {
			item.Min = corev1.ResourceList{corev1.ResourceStorage: drawSize(r)}
		}
		if r.IntN(2) == 0 {
			item.Max = corev1.ResourceList{corev1.ResourceStorage: drawSize(r)}
		}
		limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "team", Namespace: "default"},
			Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}}
		internal := &core.PersistentVolumeClaim{}
		check(t, legacyscheme.Scheme.Convert(claim, internal, nil))
		err := limitranger.PersistentVolumeClaimValidateLimitFunc(limits, internal)
		no := admission.ClaimRefusal(claim.Spec.Resources.Requests, []*corev1.LimitRange{limits})
		if (no != nil) != (err != nil) || no != nil && !strings.Contains(err.Error(), strings.TrimPrefix(no.Text, "forbidden: ")) {
			t.Fatalf("case %d: refused %+v, upstream: %v\n%+v", i, no, err, limits)
		}
		if no != nil {
			refused++
		} else {
			free++
		}
	}
	if refused == 0 || free == 0 {
		t.Error("not every answer was drawn: generate others")
	}
}

func drawSize(r *rand.Rand) resource.Quantity {
	return resource.MustParse([]string{"1Gi", "2Gi", "5Gi", "1500m", "2.5", "10G"}[r.IntN(6)])
}

func drawClaim(r *rand.Rand) *corev1.PersistentVolumeClaim {
	out := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "new", Namespace: "default"}}
	out.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: drawSize(r)}
	switch r.IntN(4) {
	case 0:
		out.Spec.StorageClassName = ptr.To("gold")
	case 1:
		out.Annotations = map[string]string{corev1.BetaStorageClassAnnotation: "gold"}
	case 2:
		out.Spec.StorageClassName = ptr.To("")
	}
	return out
}

func drawService(r *rand.Rand) *corev1.Service {
	out := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "new", Namespace: "default"}}
	out.Spec.Type = []corev1.ServiceType{"", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName"}[r.IntN(5)]
	for k := range r.IntN(4) {
		out.Spec.Ports = append(out.Spec.Ports, corev1.ServicePort{Name: fmt.Sprint("p", k), Port: int32(80 + k),
			NodePort: []int32{0, int32(30000 + k)}[r.IntN(2)]})
	}
	if r.IntN(3) == 0 {
		out.Spec.AllocateLoadBalancerNodePorts = ptr.To(r.IntN(2) == 0)
	}
	return out
}

func drawObjectQuota(r *rand.Rand) *corev1.ResourceQuota {
	out := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "team", Namespace: "default"}}
	out.Spec.Hard = corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{"services", "services.nodeports", "services.loadbalancers", "count/services",
		"count/persistentvolumeclaims", "persistentvolumeclaims", "gold.storageclass.storage.k8s.io/persistentvolumeclaims"} {
		if r.IntN(3) == 0 {
			out.Spec.Hard[name] = *resource.NewQuantity(int64(r.IntN(4)), resource.DecimalSI)
		}
	}
	for _, name := range []corev1.ResourceName{"requests.storage", "gold.storageclass.storage.k8s.io/requests.storage"} {
		if r.IntN(3) == 0 {
			out.Spec.Hard[name] = drawSize(r)
		}
	}
	if r.IntN(6) == 0 {
		out.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeNotBestEffort}
	}
	return out
}
