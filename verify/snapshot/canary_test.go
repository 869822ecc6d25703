package snapshot

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// plant fills every field of an object, each string with a canary that names the field.
func plant(v reflect.Value, at string, depth int) {
	if depth > 14 {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*x = resource.MustParse("1")
		return
	case *metav1.Time:
		*x = metav1.Unix(1, 0)
		return
	case *metav1.MicroTime:
		return
	case *intstr.IntOrString:
		*x = intstr.FromString("canary<" + at + ">")
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("canary<" + at + ">")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plant(v.Elem(), at, depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			path := at + "." + name
			if name == "" {
				path = at
			}
			plant(v.Field(i), path, depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("canary<" + at + ">"))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		plant(v.Index(0), at+"[]", depth+1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		plant(key, at+"{key}", depth+1)
		plant(value, at+"{}", depth+1)
		v.SetMapIndex(key, value)
	}
}

// planted is a collector of one object of every kind, with a canary in every field.
func planted(t *testing.T) *Collector {
	t.Helper()
	c := NewCollector(time.Unix(0, 0))
	for _, k := range Kinds {
		o := k.New()
		kind := strings.Fields(k.Kind)[1]
		if u, ok := o.(*unstructured.Unstructured); ok {
			u.Object = nodePool()
		} else {
			plant(reflect.ValueOf(o).Elem(), kind, 0)
		}
		switch o := o.(type) {
		case *corev1.Pod:
			o.Spec.NodeName = "canary<Node.metadata.name>" // else it is a pod of no node
			own := o.DeepCopy()
			own.OwnerReferences = nil
			c.Add(own)
			loop := o.DeepCopy()
			loop.Spec.Containers[0].Image = "registry.k8s.io/kube-scheduler:v1"
			loop.Spec.Containers[0].Command = []string{"kube-scheduler", "--kubeconfig=canary-flag", "--config", "canary-flag", "--leader-elect=true"}
			c.Add(loop)
		case *appsv1.ReplicaSet:
			o.OwnerReferences[0].Kind = "Deployment"
		case *corev1.Namespace:
			o.Labels = map[string]string{"canary<MutatingWebhookConfiguration.webhooks[].namespaceSelector.matchLabels{key}>": "canary<Namespace.metadata.labels{}>", "other": "canary<not to leave>"}
		case *admissionv1.MutatingWebhookConfiguration:
			o.Webhooks[0].Rules = podRules()
		case *admissionv1.ValidatingWebhookConfiguration:
			o.Webhooks[0].Rules = podRules()
		}
		if !c.Add(o) {
			t.Errorf("%s is not taken", k.Kind)
		}
	}
	return c
}

func podRules() []admissionv1.RuleWithOperations {
	return []admissionv1.RuleWithOperations{{
		Operations: []admissionv1.OperationType{admissionv1.Create},
		Rule:       admissionv1.Rule{APIGroups: []string{""}, Resources: []string{"pods"}},
	}}
}

func nodePool() map[string]any {
	leaf := func(at string) string { return "canary<NodePool." + at + ">" }
	return map[string]any{
		"apiVersion": "karpenter.sh/v1", "kind": "NodePool",
		"metadata": map[string]any{"name": leaf("metadata.name"), "annotations": map[string]any{"a": leaf("metadata.annotations")}, "labels": map[string]any{"a": leaf("metadata.labels")}},
		"spec": map[string]any{
			"limits":     map[string]any{leaf("spec.limits{key}"): "1"},
			"disruption": map[string]any{"consolidationPolicy": leaf("spec.disruption.consolidationPolicy"), "consolidateAfter": leaf("spec.disruption.consolidateAfter"), "other": leaf("spec.disruption.other")},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{leaf("spec.template.metadata.labels{key}"): leaf("spec.template.metadata.labels{}")}, "annotations": map[string]any{"a": leaf("spec.template.metadata.annotations")}},
				"spec": map[string]any{
					"nodeClassRef": map[string]any{"name": leaf("spec.template.spec.nodeClassRef")}, "kubelet": leaf("spec.template.spec.kubelet"),
					"requirements": []any{map[string]any{"key": leaf("spec.template.spec.requirements[].key"), "operator": "In", "values": []any{leaf("spec.template.spec.requirements[].values[]")}}},
					"taints":       []any{map[string]any{"key": leaf("spec.template.spec.taints[].key"), "value": leaf("spec.template.spec.taints[].value"), "effect": "NoSchedule"}},
				},
			},
		},
		"status": map[string]any{"conditions": leaf("status")},
	}
}

var canary = regexp.MustCompile(`canary<([^>]+)>`)

// README.md lists every field that leaves a cluster, and no other: every
// field of every kind holds a canary, and the page names each one that is found in the file.
func TestOnlyListedFieldsLeaveTheCluster(t *testing.T) {
	s, err := planted(t).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Write()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "canary-flag") {
		t.Error("a flag that is not on the list left the cluster")
	}
	found := map[string]bool{}
	for _, m := range canary.FindAllStringSubmatch(string(out), -1) {
		found[m[1]] = true
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	code := regexp.MustCompile("`([^`]+)`")
	for _, m := range regexp.MustCompile("(?m)^\\| (`[A-Z][A-Za-z`, ]+`) \\| ([^|]*) \\|").FindAllStringSubmatch(string(page), -1) {
		for _, kind := range code.FindAllStringSubmatch(m[1], -1) { // kinds with equal fields share a row
			for _, f := range code.FindAllStringSubmatch(m[2], -1) {
				listed[kind[1]+"."+f[1]] = true
			}
		}
	}
	for f := range found {
		if !listed[f] {
			t.Errorf("%s leaves the cluster, and README.md does not list it", f)
		}
	}
	for f := range listed {
		if !found[f] {
			t.Errorf("README.md lists %s, which does not leave the cluster", f)
		}
	}
	if len(found) < 30 {
		t.Errorf("%d fields found: the canaries are not planted", len(found))
	}
}

// An anonymised snapshot holds none of the names that somebody chose.
func TestAnonymiseLeavesNoName(t *testing.T) {
	s, err := planted(t).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	s.Anonymise()
	out, err := s.Write()
	if err != nil {
		t.Fatal(err)
	}
	// what is left is no name: amounts, policies and the like that an API server would refuse here
	kept := []string{
		"PodDisruptionBudget.spec.minAvailable", "PodDisruptionBudget.spec.maxUnavailable", "ResourceQuota.spec.scopes[]",
		"ResourceQuota.spec.scopeSelector.matchExpressions[].scopeName", "ResourceQuota.spec.scopeSelector.matchExpressions[].operator",
		"PersistentVolume.spec.accessModes[]", "MutatingWebhookConfiguration.webhooks[].failurePolicy", "ValidatingWebhookConfiguration.webhooks[].failurePolicy",
		"Node.spec.taints[].effect", "LimitRange.spec.limits[].type", "NodePool.spec.disruption.consolidationPolicy", "NodePool.spec.disruption.consolidateAfter", "Pod.spec.containers[].ports[].protocol",
		"Pod.spec.initContainers[].ports[].protocol",
		"MutatingWebhookConfiguration.webhooks[].namespaceSelector.matchExpressions[].operator", "MutatingWebhookConfiguration.webhooks[].objectSelector.matchExpressions[].operator",
		"ValidatingWebhookConfiguration.webhooks[].namespaceSelector.matchExpressions[].operator", "ValidatingWebhookConfiguration.webhooks[].objectSelector.matchExpressions[].operator",
	}
	for _, m := range canary.FindAllStringSubmatch(string(out), -1) {
		if !slices.Contains(kept, m[1]) {
			t.Errorf("%s is still there:\n%s", m[1], lineWith(string(out), m[0]))
		}
	}
}

func lineWith(text, part string) string {
	for _, l := range strings.Split(text, "\n") {
		if strings.Contains(l, part) {
			return fmt.Sprintf("%.300s", l)
		}
	}
	return ""
}
