// Package live reads a cluster through its API server into a snapshot: it lists, page by page, and
// does nothing else. What it may not list is a named gap of the snapshot.
package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/kubesettle/kubesettle/verify/snapshot"
)

// pageSize is how many objects are asked for at a time.
const pageSize = 500

// Config finds the cluster: of a kubeconfig file ("" for where kubectl looks) and a context of it
// ("" for the current one), or that of the pod it runs in.
func Config(file, context string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	c, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster to read (%w): name a kubeconfig with --kubeconfig, or give files of objects", err)
	}
	return c, nil
}

// lister lists one page of one kind.
type lister func(ctx context.Context, opt metav1.ListOptions) (runtime.Object, error)

// source is one kind of a cluster.
type source struct {
	resource string // as gaps name it
	list     lister
	optional bool // no gap where the cluster does not know the kind
}

// kind is one of Kubernetes itself.
type kind struct {
	of       schema.GroupVersion
	resource string
	list     func() runtime.Object // what a list of it is decoded into
}

// kinds are those that a snapshot is made of.
var kinds = []kind{
	{corev1.SchemeGroupVersion, "nodes", func() runtime.Object { return &corev1.NodeList{} }},
	{corev1.SchemeGroupVersion, "pods", func() runtime.Object { return &corev1.PodList{} }},
	{corev1.SchemeGroupVersion, "resourcequotas", func() runtime.Object { return &corev1.ResourceQuotaList{} }},
	{corev1.SchemeGroupVersion, "limitranges", func() runtime.Object { return &corev1.LimitRangeList{} }},
	{corev1.SchemeGroupVersion, "namespaces", func() runtime.Object { return &corev1.NamespaceList{} }},
	{corev1.SchemeGroupVersion, "persistentvolumes", func() runtime.Object { return &corev1.PersistentVolumeList{} }},
	{appsv1.SchemeGroupVersion, "replicasets", func() runtime.Object { return &appsv1.ReplicaSetList{} }},
	{appsv1.SchemeGroupVersion, "deployments", func() runtime.Object { return &appsv1.DeploymentList{} }},
	{appsv1.SchemeGroupVersion, "statefulsets", func() runtime.Object { return &appsv1.StatefulSetList{} }},
	{appsv1.SchemeGroupVersion, "daemonsets", func() runtime.Object { return &appsv1.DaemonSetList{} }},
	{batchv1.SchemeGroupVersion, "jobs", func() runtime.Object { return &batchv1.JobList{} }},
	{autoscalingv2.SchemeGroupVersion, "horizontalpodautoscalers",
		func() runtime.Object { return &autoscalingv2.HorizontalPodAutoscalerList{} }},
	{policyv1.SchemeGroupVersion, "poddisruptionbudgets",
		func() runtime.Object { return &policyv1.PodDisruptionBudgetList{} }},
	{schedulingv1.SchemeGroupVersion, "priorityclasses",
		func() runtime.Object { return &schedulingv1.PriorityClassList{} }},
	{storagev1.SchemeGroupVersion, "csinodes", func() runtime.Object { return &storagev1.CSINodeList{} }},
	{storagev1.SchemeGroupVersion, "volumeattachments",
		func() runtime.Object { return &storagev1.VolumeAttachmentList{} }},
	{admissionv1.SchemeGroupVersion, "mutatingwebhookconfigurations",
		func() runtime.Object { return &admissionv1.MutatingWebhookConfigurationList{} }},
	{admissionv1.SchemeGroupVersion, "validatingwebhookconfigurations",
		func() runtime.Object { return &admissionv1.ValidatingWebhookConfigurationList{} }},
}

// sources are all kinds that a snapshot is made of, on one connection. The client set of all of Kubernetes, which does
// the same with more types, would be a tenth of the program.
func sources(config *rest.Config) ([]source, error) {
	connection, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	var out []source
	clients := map[schema.GroupVersion]rest.Interface{}
	for _, k := range kinds {
		if clients[k.of] == nil {
			if clients[k.of], err = clientOf(config, k.of, connection); err != nil {
				return nil, err
			}
		}
		client := clients[k.of]
		out = append(out, source{schema.GroupResource{Group: k.of.Group, Resource: k.resource}.String(),
			func(ctx context.Context, opt metav1.ListOptions) (runtime.Object, error) {
				list := k.list()
				return list, client.Get().Resource(k.resource).VersionedParams(&opt, scheme.ParameterCodec).Do(ctx).Into(list)
			}, false})
	}
	dyn, err := dynamic.NewForConfigAndClient(config, connection)
	if err != nil {
		return nil, err
	}
	pools := dyn.Resource(schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1", Resource: "nodepools"})
	return append(out, source{"nodepools.karpenter.sh",
		func(ctx context.Context, opt metav1.ListOptions) (runtime.Object, error) {
			return pools.List(ctx, opt)
		}, true}), nil
}

// clientOf is the client set's client for a group and version.
func clientOf(config *rest.Config, of schema.GroupVersion, connection *http.Client) (rest.Interface, error) {
	own := rest.CopyConfig(config)
	own.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	own.ContentType = "application/vnd.kubernetes.protobuf"
	own.GroupVersion, own.NegotiatedSerializer = &of, scheme.Codecs.WithoutConversion()
	if own.APIPath = "/apis"; of.Group == "" {
		own.APIPath = "/api"
	}
	return rest.RESTClientForConfigAndClient(own, connection)
}

// serverVersion asks the API server for its version.
func serverVersion(ctx context.Context, config *rest.Config) (string, error) {
	own := rest.CopyConfig(config)
	own.GroupVersion, own.NegotiatedSerializer = &schema.GroupVersion{}, scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(own)
	if err != nil {
		return "", err
	}
	b, err := client.Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	var v version.Info
	err = json.Unmarshal(b, &v)
	return v.GitVersion, err
}

// Collect reads a cluster into a collector. Nodes have to be readable; any other kind that is not
// becomes a gap.
func Collect(ctx context.Context, config *rest.Config, c *snapshot.Collector) error {
	own := rest.CopyConfig(config)
	if own.QPS == 0 {
		own.QPS, own.Burst = 50, 100
	}
	if own.UserAgent == "" {
		own.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	if own.RateLimiter == nil { // one for all clients
		own.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(own.QPS, own.Burst)
	}
	list, err := sources(own)
	if err != nil {
		return fmt.Errorf("the cluster's configuration: %w", err)
	}
	if v, err := serverVersion(ctx, own); err == nil {
		c.SetServer(v)
	} else if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
		return fmt.Errorf("the API server at %s does not answer: %w", config.Host, err)
	}
	return collect(ctx, list, c)
}

func collect(ctx context.Context, list []source, c *snapshot.Collector) error {
	for _, s := range list {
		p := pager.New(pager.ListPageFunc(s.list))
		p.PageSize = pageSize
		err := p.EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
			c.Add(o)
			return nil
		})
		switch {
		case err == nil, s.optional && (apierrors.IsNotFound(err) || meta.IsNoMatchError(err)):
		case ctx.Err() != nil:
			return ctx.Err()
		case s.resource == "nodes":
			return fmt.Errorf("nodes cannot be listed: %s; `kubesettle snapshot --rbac` prints the ClusterRole that it needs", reason(err))
		default:
			c.Gap(s.resource, reason(err))
		}
	}
	return nil
}

// reason words why a kind could not be listed, without names of the cluster.
func reason(err error) string {
	switch {
	case apierrors.IsForbidden(err):
		return "forbidden: who took the snapshot may not list it in all namespaces"
	case apierrors.IsUnauthorized(err):
		return "unauthorized: the credentials are not accepted"
	case apierrors.IsNotFound(err):
		return "the API server does not know it"
	}
	if r := apierrors.ReasonForError(err); r != metav1.StatusReasonUnknown {
		return "the API server answered " + string(r)
	}
	return "the API server did not answer"
}

// ClusterRole is the least that reading takes, as a manifest: to list, and nothing else.
func ClusterRole() string {
	groups := map[string][]string{}
	var order []string
	for _, k := range snapshot.Kinds {
		name, group, _ := strings.Cut(k.Resource, ".")
		if slices.Contains(groups[group], name) {
			continue // in another version
		}
		if !slices.Contains(order, group) {
			order = append(order, group)
		}
		groups[group] = append(groups[group], name)
	}
	var b strings.Builder
	b.WriteString("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: kubesettle-snapshot\nrules:\n")
	for _, g := range order {
		fmt.Fprintf(&b, "- apiGroups: [%q]\n  resources: [%s]\n  verbs: [list]\n", g, strings.Join(groups[g], ", "))
	}
	return b.String()
}
