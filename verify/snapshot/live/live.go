// Package live reads a cluster through its API server into a snapshot: it lists, page by page, and
// does nothing else. What it may not list is a named gap of the snapshot.
package live

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"

	"github.com/kubesettle/kubesettle/verify/snapshot"
)

// pageSize is how many objects are asked for at a time.
const pageSize = 500

// Config finds the cluster: of a kubeconfig file ("" for where kubectl looks) and a context of it
// ("" for the current one), or that of the pod it runs in.
func Config(file, context string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	c, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
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

func from[L runtime.Object](list func(context.Context, metav1.ListOptions) (L, error)) lister {
	return func(ctx context.Context, opt metav1.ListOptions) (runtime.Object, error) { return list(ctx, opt) }
}

// sources are all kinds that a snapshot is made of.
func sources(c kubernetes.Interface, d dynamic.Interface) []source {
	all := metav1.NamespaceAll
	pools := d.Resource(schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1", Resource: "nodepools"})
	return []source{
		{"nodes", from(c.CoreV1().Nodes().List), false},
		{"pods", from(c.CoreV1().Pods(all).List), false},
		{"resourcequotas", from(c.CoreV1().ResourceQuotas(all).List), false},
		{"persistentvolumes", from(c.CoreV1().PersistentVolumes().List), false},
		{"replicasets.apps", from(c.AppsV1().ReplicaSets(all).List), false},
		{"deployments.apps", from(c.AppsV1().Deployments(all).List), false},
		{"statefulsets.apps", from(c.AppsV1().StatefulSets(all).List), false},
		{"daemonsets.apps", from(c.AppsV1().DaemonSets(all).List), false},
		{"jobs.batch", from(c.BatchV1().Jobs(all).List), false},
		{"horizontalpodautoscalers.autoscaling", from(c.AutoscalingV2().HorizontalPodAutoscalers(all).List), false},
		{"poddisruptionbudgets.policy", from(c.PolicyV1().PodDisruptionBudgets(all).List), false},
		{"priorityclasses.scheduling.k8s.io", from(c.SchedulingV1().PriorityClasses().List), false},
		{"csinodes.storage.k8s.io", from(c.StorageV1().CSINodes().List), false},
		{"volumeattachments.storage.k8s.io", from(c.StorageV1().VolumeAttachments().List), false},
		{"mutatingwebhookconfigurations.admissionregistration.k8s.io", from(c.AdmissionregistrationV1().MutatingWebhookConfigurations().List), false},
		{"validatingwebhookconfigurations.admissionregistration.k8s.io", from(c.AdmissionregistrationV1().ValidatingWebhookConfigurations().List), false},
		{"nodepools.karpenter.sh", from(pools.List), true},
	}
}

// Collect reads a cluster into a collector. Nodes have to be readable; any other kind that is not
// becomes a gap.
func Collect(ctx context.Context, config *rest.Config, c *snapshot.Collector) error {
	own := rest.CopyConfig(config)
	if own.QPS == 0 {
		own.QPS, own.Burst = 50, 100
	}
	dyn, err := dynamic.NewForConfig(own)
	if err != nil {
		return fmt.Errorf("the cluster's configuration: %w", err)
	}
	own.AcceptContentTypes, own.ContentType = "application/vnd.kubernetes.protobuf,application/json", "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(own)
	if err != nil {
		return fmt.Errorf("the cluster's configuration: %w", err)
	}
	if v, err := client.Discovery().ServerVersion(); err == nil {
		c.SetServer(v.GitVersion)
	} else if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
		return fmt.Errorf("the API server at %s does not answer: %w", config.Host, err)
	}
	return collect(ctx, sources(client, dyn), c)
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
			return fmt.Errorf("nodes cannot be listed: %s; `kubesettle snapshot --rbac` prints what it takes", reason(err))
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
