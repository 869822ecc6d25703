package slice

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// refusal is why a version refuses the pods of a workload's template, whatever else there is; nil: it does not. Pod
// Security admission comes before the policies, as in the API server.
//
// Upstream: kubernetes v1.36.3, pkg/kubeapiserver/options: AllOrderedPlugins.
func (s side) refusal(template *corev1.PodTemplateSpec, of object.ID) *state.Refusal {
	namespace := of.Namespace
	if !admission.Enforces(s.namespaces[namespace]) && len(s.admission.bound) == 0 && s.admission.mutators.None() &&
		template.Spec.RuntimeClassName == nil && template.Spec.Overhead == nil && template.Spec.Priority == nil &&
		template.Spec.PreemptionPolicy == nil {
		return nil
	}
	_, sent := s.sentPod(template, of)
	if sent.Refused != nil {
		return sent.Refused
	}
	pod := sent.Object.(*corev1.Pod)
	if len(sent.By) > 0 { // what a policy takes out is not filled in once more
		if r := admission.LimitRefusal(&pod.Spec, s.admission.rangesIn(namespace)); r != nil {
			return r
		}
	}
	if r := admission.SecurityRefusal(pod, s.namespaces[namespace]); r != nil {
		return r
	}
	if r := s.admission.badOverhead(&pod.Spec); r != nil {
		return r
	}
	_, d := celpolicy.Ask(s.admission.bound, celpolicy.Request{Kind: celpolicy.PodKind, Namespace: namespace, Object: pod,
		Home: s.home(namespace), Param: s.param})
	if d.Policy == nil {
		return nil
	}
	return &state.Refusal{Text: "ValidatingAdmissionPolicy " + d.Policy.Name + " denied request: " + d.Message,
		Object: PolicyID("ValidatingAdmissionPolicy", d.Policy.Name), Field: d.Field,
		With: PolicyID("ValidatingAdmissionPolicyBinding", d.Binding.Name)}
}

// PolicyID is the ID of a policy of the API server, or of a binding.
func PolicyID(kind, name string) string {
	return object.ID{Group: "admissionregistration.k8s.io", Kind: kind, Name: name}.String()
}

// complete gives a pod what the API server and its mutating plugins fill in ahead of policies, or says why they refuse
// it.
//
// Upstream: kubernetes v1.36.3, pkg/apis/core/v1: SetDefaults_Pod; plugin/pkg/admission/serviceaccount: Admit;
// limitranger: PodMutateLimitFunc; priority: (*Plugin).admitPod; defaulttolerationseconds: (*Plugin).Admit;
// runtimeclass: Admit. Volumes of tokens are left out.
func (s side) complete(pod *corev1.Pod) *state.Refusal {
	objects.DefaultRequests(&pod.Spec)
	if pod.Spec.EnableServiceLinks == nil {
		pod.Spec.EnableServiceLinks = new(true)
	}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName, pod.Spec.DeprecatedServiceAccount = "default", "default"
	}
	refused := s.mutate(&pod.Spec, pod.Namespace)
	if r := s.priorities.admit(&pod.Spec); refused == nil {
		refused = r
	}
	seconds := int64(300)
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if t := (corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute,
			TolerationSeconds: &seconds}); !tolerates(pod.Spec.Tolerations, key) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, t)
		}
	}
	return refused
}

// madeOf is a pod of a workload's template as its controller sends it; what is drawn of its name is xs.
//
// Upstream: kubernetes v1.36.3, pkg/controller: GetPodFromTemplate; statefulset: newStatefulSetPod; daemon: CreatePods;
// job: (*Controller).manageJob.
func madeOf(template *corev1.PodTemplateSpec, of object.ID) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Namespace, pod.Name = of.Namespace, of.Name
	owner := metav1.OwnerReference{APIVersion: of.Group + "/v1", Kind: of.Kind, Name: of.Name, UID: "uid",
		Controller: new(true), BlockOwnerDeletion: new(true)}
	labels := map[string]string{}
	switch of.Kind {
	case "Pod":
		return pod
	case "Deployment", "Rollout":
		owner.APIVersion, owner.Kind, owner.Name = "apps/v1", "ReplicaSet", of.Name+"-xxxxxxxxxx"
		labels["pod-template-hash"] = "xxxxxxxxxx"
	case "CronJob":
		owner.Kind, owner.Name = "Job", of.Name+"-00000000"
	case "StatefulSet":
		pod.Name += "-0"
		labels[appsv1.StatefulSetPodNameLabel], labels[appsv1.PodIndexLabel] = pod.Name, "0"
	}
	switch owner.Kind {
	case "StatefulSet", "DaemonSet":
		labels[appsv1.ControllerRevisionHashLabelKey] = "xxxxxxxxxx"
	case "Job":
		labels[batchv1.JobNameLabel], labels[batchv1.ControllerUidLabel] = owner.Name, "uid"
		pod.Finalizers = append(pod.Finalizers, batchv1.JobTrackingFinalizer)
	}
	if of.Kind != "StatefulSet" {
		pod.GenerateName = owner.Name + "-"
		pod.Name = pod.GenerateName + "xxxxx"
	}
	maps.Copy(labels, pod.Labels)
	pod.Labels, pod.OwnerReferences = labels, []metav1.OwnerReference{owner}
	return pod
}

// tolerates reports whether one of some tolerations is for a taint that evicts.
func tolerates(list []corev1.Toleration, key string) bool {
	for _, t := range list {
		if (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "") {
			return true
		}
	}
	return false
}

// home is a namespace, if it is among the objects.
func (s side) home(namespace string) *corev1.Namespace {
	o := s.byID[object.ID{Kind: "Namespace", Name: namespace}.String()]
	if o == nil {
		return nil
	}
	ns, _ := o.Typed.(*corev1.Namespace)
	return ns
}

// param is an object that a policy takes as its parameters; nil: it is not among the objects.
func (s side) param(kind schema.GroupKind, namespace, name string) runtime.Object {
	return Param(func(id string) *object.Object { return s.byID[id] }, kind, namespace, name)
}

// Param finds the parameters of a policy among objects, in a namespace or in none.
func Param(find func(id string) *object.Object, kind schema.GroupKind, namespace, name string) runtime.Object {
	for _, ns := range []string{namespace, ""} {
		if o := find(object.ID{Group: kind.Group, Kind: kind.Kind, Namespace: ns, Name: name}.String()); o != nil {
			return Runtime(o)
		}
	}
	return nil
}

// Runtime is an object as the API server's code takes it.
func Runtime(o *object.Object) runtime.Object {
	if o.Typed != nil {
		out := o.Typed.DeepCopyObject()
		if m, ok := out.(metav1.Object); ok && m.GetNamespace() == "" {
			m.SetNamespace(o.ID.Namespace)
		}
		return out
	}
	return &unstructured.Unstructured{Object: o.Content}
}

// refusedOtherwise reports whether one version refuses pods of a workload for another reason than the other does.
func refusedOtherwise(o *object.Object, sides [2]side) bool {
	var text [2]string
	for v, s := range sides {
		if r := s.refusal(templateOf(o), o.ID); r != nil {
			text[v] = r.Text
		}
	}
	return text[0] != text[1]
}

// forbid notes which templates of the slice each version refuses.
func (sl *Slice) forbid(sides [2]side) {
	for v, s := range sides {
		refused, some := make([][2]*state.Refusal, len(sl.Workloads)), false
		for i, w := range sl.Workloads {
			for u := range w.Manifests {
				if !w.Manifests[u].Exists() {
					continue
				}
				template, made := w.Manifests[u].Template(), object.ID{Namespace: w.Namespace, Name: w.Name}
				if o := sides[u].asStored(w.ID); o != nil { // as written: what the other version fills in is not there
					template, made = templateOf(o), o.ID
				}
				r := s.refusal(template, made)
				if r == nil {
					continue
				}
				refused[i][u], some = r, true
				for of, declares := range sides {
					for _, id := range []string{r.Object, r.With} {
						if o := declares.byID[id]; o != nil {
							sl.keep(of, o)
						}
					}
				}
			}
		}
		if some {
			sl.Spec.Admission.Refused[v] = refused
		}
	}
}
