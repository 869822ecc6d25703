package static

import (
	"fmt"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// The kinds that objects name, as "group/Kind".
const (
	configMap    = "/ConfigMap"
	secret       = "/Secret"
	account      = "/ServiceAccount"
	claim        = "/PersistentVolumeClaim"
	service      = "/Service"
	class        = "scheduling.k8s.io/PriorityClass"
	storageClass = "storage.k8s.io/StorageClass"
	runtimeClass = "node.k8s.io/RuntimeClass"
	ingressClass = "networking.k8s.io/IngressClass"
	gateway      = "gateway.networking.k8s.io/Gateway"
	gatewayClass = "gateway.networking.k8s.io/GatewayClass"
	issuer       = "cert-manager.io/Issuer"
	everyIssuer  = "cert-manager.io/ClusterIssuer"
	secretStore  = "external-secrets.io/SecretStore"
	everyStore   = "external-secrets.io/ClusterSecretStore"
	triggerAuth  = "keda.sh/TriggerAuthentication"
	everyTrigger = "keda.sh/ClusterTriggerAuthentication"
	appProject   = "argoproj.io/AppProject"
	role         = "rbac.authorization.k8s.io/Role"
	everyRole    = "rbac.authorization.k8s.io/ClusterRole"
)

// referred are the kinds that objects name, with whether each has no namespace.
var referred = map[string]bool{
	configMap: false, secret: false, account: false, claim: false, service: false, class: true, storageClass: true,
	runtimeClass: true, ingressClass: true, gateway: false, gatewayClass: true, issuer: false, everyIssuer: true,
	secretStore: false, everyStore: true, triggerAuth: false, everyTrigger: true, appProject: false,
	role: false, everyRole: true,
}

// ReferredKinds are the kinds that objects of other releases may name, as "group/Kind": one that goes is asked for.
func ReferredKinds() []string {
	out := []string{"/Namespace", "apiextensions.k8s.io/CustomResourceDefinition"}
	for kind := range referred {
		out = append(out, kind)
	}
	slices.Sort(out)
	return out
}

// names lists what an object names without which it comes to nothing, beside what the containers of its pods read.
//
// Upstream: kubernetes v1.36.3, plugin/pkg/admission/serviceaccount: Admit, Validate; pkg/controller/serviceaccount:
// ServiceAccountsController.syncNamespace; plugin/pkg/admission/priority: (*Plugin).admitPod (no PriorityClass with
// name); plugin/pkg/admission/runtimeclass: (*RuntimeClass).prepareObjects;
// pkg/scheduler/framework/plugins/volumebinding: (*VolumeBinding).PreFilter; pkg/controller/volume/persistentvolume:
// findClassForPVC; pkg/kubelet: getPullSecretsForPod (one that is absent is logged); apiserver,
// pkg/admission/plugin/webhook: Dispatch (failurePolicy); gateway-api v1.3, apis/v1: RouteReasonNoMatchingParent;
// cert-manager v1.20, pkg/controller/certificaterequests: Sync (waits for its issuer); external-secrets and
// keda: as their documentation says; argo-cd v3.1, util/argo: GetAppProject (but for default, which Argo CD makes).
func names(o *object.Object) []need {
	out := podNames(o)
	switch t := o.Typed.(type) {
	case *appsv1.StatefulSet:
		if t.Spec.ServiceName != "" {
			out = append(out, need{kind: service, name: t.Spec.ServiceName, path: "spec.serviceName", at: "serviceName",
				comes: "its pods have no names in DNS", doubtful: true})
		}
		for i := range t.Spec.VolumeClaimTemplates {
			c := &t.Spec.VolumeClaimTemplates[i]
			at := fmt.Sprintf("spec.volumeClaimTemplates[%d].spec.storageClassName", i)
			out = append(out, classNamed(&c.Spec, at, "claim template "+c.Name)...)
		}
	case *corev1.PersistentVolumeClaim:
		out = append(out, classNamed(&t.Spec, "spec.storageClassName", "storageClassName")...)
	case *networkingv1.Ingress:
		if c := t.Spec.IngressClassName; c != nil && *c != "" {
			out = append(out, need{kind: ingressClass, name: *c, path: "spec.ingressClassName", at: "ingressClassName",
				rule: rules.DanglingTarget, comes: "no controller serves it", doubtful: true})
		}
	}
	for _, h := range slice.Asked(o) {
		at := fmt.Sprintf("webhooks[%d].clientConfig.service", h.Index)
		out = append(out, need{kind: service, name: h.Service, in: h.Namespace, path: at, at: "webhook " + h.Name,
			rule: rules.CutOffControl, comes: "its requests are refused", alone: true})
	}
	ref, _ := o.Content["roleRef"].(map[string]any)
	if kind := o.ID.Group + "/" + word(ref["kind"]); (kind == role || kind == everyRole) && word(ref["name"]) != "" {
		out = append(out, need{kind: kind, name: word(ref["name"]), path: "roleRef.name", at: "roleRef",
			rule: rules.DanglingTarget, comes: "it grants nothing", doubtful: true})
	}
	return append(out, customNames(o)...)
}

// podNames are those of the pods of an object. The default account and the system's classes are always there.
func podNames(o *object.Object) []need {
	spec, prefix := podSpec(o)
	if spec == nil {
		return nil
	}
	var out []need
	if name := spec.ServiceAccountName; name != "" && name != "default" {
		out = append(out, need{kind: account, name: name, path: prefix + "serviceAccountName", at: "serviceAccountName",
			once: true})
	}
	if name := spec.PriorityClassName; name != "" && !strings.HasPrefix(name, "system-") {
		out = append(out, need{kind: class, name: name, path: prefix + "priorityClassName", at: "priorityClassName",
			once: true})
	}
	if name := spec.RuntimeClassName; name != nil && *name != "" {
		out = append(out, need{kind: runtimeClass, name: *name, path: prefix + "runtimeClassName", at: "runtimeClassName",
			once: true})
	}
	for i, s := range spec.ImagePullSecrets {
		if s.Name != "" {
			out = append(out, need{kind: secret, name: s.Name, path: fmt.Sprintf("%simagePullSecrets[%d].name", prefix, i),
				at: "imagePullSecrets", once: true, comes: "their images are pulled without it", doubtful: true})
		}
	}
	for i, v := range spec.Volumes {
		at := fmt.Sprintf("%svolumes[%d].", prefix, i)
		if c := v.PersistentVolumeClaim; c != nil && c.ClaimName != "" {
			out = append(out, need{kind: claim, name: c.ClaimName, at: "volume " + v.Name, once: true,
				path: at + "persistentVolumeClaim.claimName"})
		}
		if e := v.Ephemeral; e != nil && e.VolumeClaimTemplate != nil {
			out = append(out, classNamed(&e.VolumeClaimTemplate.Spec, at+"ephemeral.volumeClaimTemplate.spec.storageClassName",
				"volume "+v.Name)...)
		}
	}
	return out
}

// classNamed is the StorageClass of a claim that is not bound by name.
func classNamed(c *corev1.PersistentVolumeClaimSpec, path, at string) []need {
	if c.StorageClassName == nil || *c.StorageClassName == "" || c.VolumeName != "" || c.Selector != nil {
		return nil
	}
	return []need{{kind: storageClass, name: *c.StorageClassName, path: path, at: at, once: true,
		comes: "a claim that is made again waits for its volume", doubtful: true}}
}

// named is a field of custom resources that names an object.
type naming struct {
	of, list string // group/Kind, where * stands for anything, and the list that the references stand in; "": none
	at       string // path to the reference below spec or below an entry of the list
	kinds    []string
	says     string // the effect if the object is absent
}

var namings = []naming{
	{of: "gateway.networking.k8s.io/*Route", list: "parentRefs", kinds: []string{gateway}, says: "nothing comes in by it"},
	{of: gateway, at: "gatewayClassName", kinds: []string{gatewayClass}, says: "no controller serves it"},
	{of: "cert-manager.io/Certificate", at: "issuerRef", kinds: []string{issuer, everyIssuer}, says: "it is issued and renewed no more"},
	{of: "external-secrets.io/ExternalSecret", at: "secretStoreRef", kinds: []string{secretStore, everyStore}, says: "its Secret is read no more"},
	{of: "argoproj.io/Application", at: "project", kinds: []string{appProject}, says: "Argo CD applies nothing of it"},
	{of: "argoproj.io/ApplicationSet", at: "template.spec.project", kinds: []string{appProject},
		says: "Argo CD applies nothing of it"},
	{of: "keda.sh/ScaledObject", list: "triggers", at: "authenticationRef", kinds: []string{triggerAuth, everyTrigger}, says: "it scales no more"},
}

// issuers are the annotations of an Ingress or a Gateway that name one, with its kind.
var issuers = map[string]string{"cert-manager.io/cluster-issuer": everyIssuer, "cert-manager.io/issuer": issuer}

// customNames are those of custom resources, and of annotations.
func customNames(o *object.Object) []need {
	var out []need
	id := o.ID.Group + "/" + o.ID.Kind
	for _, n := range namings {
		before, suffix, wide := strings.Cut(n.of, "*")
		if id != n.of && !(wide && strings.HasPrefix(id, before) && strings.HasSuffix(id, suffix)) {
			continue
		}
		if n.list == "" {
			at := strings.Split(n.at, ".")
			v := slice.ValueAt(o.Content, append([]string{"spec"}, at...)...)
			out = append(out, n.read(o, v, "spec."+n.at, at[len(at)-1])...)
			continue
		}
		list, _ := slice.ValueAt(o.Content, "spec", n.list).([]any)
		for i, e := range list {
			at := fmt.Sprintf("spec.%s[%d]", n.list, i)
			if m, _ := e.(map[string]any); n.at != "" {
				e, at = m[n.at], at+"."+n.at
			}
			out = append(out, n.read(o, e, at, n.list)...)
		}
	}
	for key, kind := range issuers {
		if name := annotation(o, key); name != "" && annotation(o, "cert-manager.io/issuer-group") == "" {
			out = append(out, need{kind: kind, name: name, path: "metadata.annotations[" + key + "]", at: key,
				rule: rules.DanglingTarget, comes: "its certificate is issued and renewed no more", doubtful: true})
		}
	}
	slices.SortStableFunc(out, func(a, b need) int { return strings.Compare(a.path, b.path) })
	return out
}

// read is what a reference of custom resources names; nothing where it is of another group or namespace.
func (n naming) read(o *object.Object, v any, at, what string) []need {
	ref, whole := v.(map[string]any)
	name, kind, path := word(v), "", at
	if whole {
		name, kind, path = word(ref["name"]), word(ref["kind"]), at+".name"
	}
	i := 0
	if kind != "" {
		i = slices.IndexFunc(n.kinds, func(k string) bool { return strings.HasSuffix(k, "/"+kind) })
	}
	if name == "" || i < 0 || strings.ContainsAny(name, "{$") || n.kinds[i] == appProject && name == "default" {
		return nil
	}
	group, _, _ := strings.Cut(n.kinds[i], "/")
	if g := word(ref["group"]); g != "" && g != group {
		return nil
	}
	return []need{{kind: n.kinds[i], name: name, in: word(ref["namespace"]), path: path, at: what,
		rule: rules.DanglingTarget, comes: n.says, doubtful: true}}
}

// home is the namespace of what an object of a namespace names; "": it has none.
func (n need) home(namespace string) string {
	switch {
	case referred[n.kind]:
		return ""
	case n.in != "":
		return n.in
	}
	return namespace
}

// title is the needed object, in words: "StorageClass fast", "Secret shop/keys".
func (n need) title(namespace string) string {
	return path.Base(n.kind) + " " + strings.TrimPrefix(n.home(namespace)+"/"+n.name, "/")
}

// private reports whether a needed object belongs to the application, so that it is expected in the repository. Objects
// of the whole cluster may come from elsewhere.
func (n need) private() bool { return n.kind != secret && n.kind != configMap && !referred[n.kind] }
