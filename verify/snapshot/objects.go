package snapshot

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Kinds are the kinds in a snapshot: each kind as an API server names its resource and its group, with an empty object
// of it.
var Kinds = []struct {
	Kind, Resource string
	New            func() any
	Wanted         bool // without any of it something is not known
}{
	{"v1 Node", "nodes", func() any { return &corev1.Node{} }, true},
	{"v1 Pod", "pods", func() any { return &corev1.Pod{} }, true},
	{"v1 ResourceQuota", "resourcequotas", func() any { return &corev1.ResourceQuota{} }, false},
	{"v1 LimitRange", "limitranges", func() any { return &corev1.LimitRange{} }, false},
	{"v1 Namespace", "namespaces", func() any { return &corev1.Namespace{} }, false},
	{"v1 PersistentVolume", "persistentvolumes", func() any { return &corev1.PersistentVolume{} }, false},
	{"apps/v1 ReplicaSet", "replicasets.apps", func() any { return &appsv1.ReplicaSet{} }, false},
	{"apps/v1 Deployment", "deployments.apps", func() any { return &appsv1.Deployment{} }, true},
	{"apps/v1 StatefulSet", "statefulsets.apps", func() any { return &appsv1.StatefulSet{} }, false},
	{"apps/v1 DaemonSet", "daemonsets.apps", func() any { return &appsv1.DaemonSet{} }, false},
	{"batch/v1 Job", "jobs.batch", func() any { return &batchv1.Job{} }, false},
	{"autoscaling/v2 HorizontalPodAutoscaler", "horizontalpodautoscalers.autoscaling",
		func() any { return &autoscalingv2.HorizontalPodAutoscaler{} }, false},
	{"policy/v1 PodDisruptionBudget", "poddisruptionbudgets.policy",
		func() any { return &policyv1.PodDisruptionBudget{} }, false},
	{"scheduling.k8s.io/v1 PriorityClass", "priorityclasses.scheduling.k8s.io",
		func() any { return &schedulingv1.PriorityClass{} }, false},
	{"storage.k8s.io/v1 CSINode", "csinodes.storage.k8s.io", func() any { return &storagev1.CSINode{} }, false},
	{"storage.k8s.io/v1 VolumeAttachment", "volumeattachments.storage.k8s.io",
		func() any { return &storagev1.VolumeAttachment{} }, false},
	{"admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
		"mutatingwebhookconfigurations.admissionregistration.k8s.io",
		func() any { return &admissionv1.MutatingWebhookConfiguration{} }, false},
	{"admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
		"validatingwebhookconfigurations.admissionregistration.k8s.io",
		func() any { return &admissionv1.ValidatingWebhookConfiguration{} }, false},
	{"karpenter.sh/v1 NodePool", "nodepools.karpenter.sh", func() any { return &unstructured.Unstructured{} }, false},
	{"karpenter.sh/v1beta1 NodePool", "nodepools.karpenter.sh", func() any { return &unstructured.Unstructured{} }, false},
}

// AddObjects takes the objects of a stream, as `kubectl get … -o yaml` and -o json print them: lists
// and single objects, in one document or several. Kinds that a snapshot has nothing of are left out.
// Errors: [ErrSnapshot], with the file, the number of the document and of the object in it.
func (c *Collector) AddObjects(file string, in io.Reader) error {
	dec := yaml.NewYAMLOrJSONDecoder(bufio.NewReaderSize(in, 1<<16), 1<<16)
	for n := 1; ; n++ {
		var doc json.RawMessage
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return nil
		}
		where := fmt.Sprintf("%s: document %d", file, n)
		if err != nil {
			return fmt.Errorf("%w: %s: is neither YAML nor JSON, or was cut off: %s", ErrSnapshot, where,
				strings.Join(strings.Fields(err.Error()), " "))
		}
		if len(doc) == 0 || string(doc) == "null" {
			continue
		}
		if err := c.document(where, doc); err != nil {
			return err
		}
	}
}

func (c *Collector) document(where string, doc json.RawMessage) error {
	var list struct {
		Kind, APIVersion string
		Items            *[]json.RawMessage
	}
	if err := json.Unmarshal(doc, &list); err != nil {
		return fmt.Errorf("%w: %s: is not an object of Kubernetes; give what `kubectl get … -o yaml` prints", ErrSnapshot,
			where)
	}
	if list.Kind == Kind {
		return fmt.Errorf("%w: %s: is a snapshot already", ErrSnapshot, where)
	}
	if !strings.HasSuffix(list.Kind, "List") {
		return c.object(where, "", doc)
	}
	if list.Items == nil {
		return fmt.Errorf("%w: %s: a list without items", ErrSnapshot, where)
	}
	kind := ""
	if one := strings.TrimSuffix(list.Kind, "List"); one != "" { // a list of one kind, whose items may not say it
		kind = list.APIVersion + " " + one
	}
	for i, item := range *list.Items {
		if err := c.object(fmt.Sprintf("%s: item %d", where, i+1), kind, item); err != nil {
			return err
		}
	}
	return nil
}

// immense are numbers that upstream's quantities take too long for.
var immense = regexp.MustCompile(`"[-+]?[0-9.]+[eE][-+]?[0-9]{3,}"|[0-9][eE][-+]?[0-9]{4,}`)

func (c *Collector) object(where, kind string, data json.RawMessage) error {
	var head struct {
		Kind, APIVersion string
		Metadata         struct{ Name, Namespace string }
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("%w: %s: is not an object of Kubernetes", ErrSnapshot, where)
	}
	if head.Kind != "" {
		kind = head.APIVersion + " " + head.Kind
	}
	for _, k := range Kinds {
		if k.Kind != kind {
			continue
		}
		if head.Metadata.Name == "" {
			return fmt.Errorf("%w: %s: a %s without a name", ErrSnapshot, where, head.Kind)
		}
		if immense.Match(data) {
			return fmt.Errorf("%w: %s: %s %s: a number that is not a quantity", ErrSnapshot, where, head.Kind,
				quote(head.Metadata.Name))
		}
		o := k.New()
		if err := json.Unmarshal(data, o); err != nil {
			return fmt.Errorf("%w: %s: %s %s: %s", ErrSnapshot, where, head.Kind, quote(head.Metadata.Name),
				strings.Join(strings.Fields(err.Error()), " "))
		}
		c.seen[k.Resource] = true
		c.Add(o)
	}
	return nil
}

// NameGaps notes which of the wanted kinds a stream had none of.
func (c *Collector) NameGaps() {
	for _, k := range Kinds {
		if k.Wanted && !c.seen[k.Resource] {
			c.Gap(k.Resource, "none was read")
		}
	}
}
