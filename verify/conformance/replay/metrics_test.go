package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

// metrics serves metrics.k8s.io for the control plane: the demand for a workload, shared
// evenly by its ready pods, each up to its limit, and what a pod uses to warm up.
type metrics struct {
	view    *view
	server  *httptest.Server
	spike   int64                  // the CPU use of a pod that warms up, in percent of its request
	warming func(*corev1.Pod) bool // whether a ready pod does

	mu     sync.Mutex
	demand map[string]int64 // in millicores, by "namespace/name"
}

// serveMetrics starts the server and registers it with the API server.
func serveMetrics(ctx context.Context, dyn dynamic.Interface, v *view) (*metrics, error) {
	m := &metrics{view: v, demand: map[string]int64{}}
	m.server = httptest.NewTLSServer(m)
	_, port, err := net.SplitHostPort(m.server.Listener.Addr().String())
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(port, 10, 32)
	if err != nil {
		return nil, err
	}
	create := func(gvr schema.GroupVersionResource, namespace string, object map[string]any) error {
		var r dynamic.ResourceInterface = dyn.Resource(gvr)
		if namespace != "" {
			r = dyn.Resource(gvr).Namespace(namespace)
		}
		_, err := r.Create(ctx, &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
		return err
	}
	if err := create(schema.GroupVersionResource{Version: "v1", Resource: "services"}, "kube-system", map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "metrics"},
		"spec": map[string]any{"type": "ExternalName", "externalName": "localhost"},
	}); err != nil {
		return nil, fmt.Errorf("register the metrics: %w", err)
	}
	if err := create(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}, "", map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": "v1beta1.metrics.k8s.io"},
		"spec": map[string]any{
			"group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": int64(100), "versionPriority": int64(100), "insecureSkipTLSVerify": true,
			"service": map[string]any{"name": "metrics", "namespace": "kube-system", "port": n},
		},
	}); err != nil {
		return nil, fmt.Errorf("register the metrics: %w", err)
	}
	// The API server asks a new APIService for a while before it passes requests on.
	pods := schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "pods"}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if _, err = dyn.Resource(pods).Namespace(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{}); err == nil {
			return m, nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			m.server.Close()
			return nil, fmt.Errorf("the API server does not serve metrics.k8s.io: %w", err)
		}
	}
}

func (m *metrics) setDemand(workload string, millicores int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.demand[workload] = millicores
}

// ServeHTTP answers discovery and lists of pods' metrics.
func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(path) == 3: // apis/metrics.k8s.io/v1beta1
		_ = json.NewEncoder(w).Encode(metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: "metrics.k8s.io/v1beta1",
			APIResources: []metav1.APIResource{{Name: "pods", Namespaced: true, Kind: "PodMetrics", Verbs: metav1.Verbs{"get", "list"}}},
		})
	case len(path) == 6 && path[3] == "namespaces" && path[5] == "pods":
		selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(m.list(path[4], selector))
	default:
		http.NotFound(w, r)
	}
}

// list is the metrics of the ready pods of a namespace.
func (m *metrics) list(namespace string, selector labels.Selector) metricsv1beta1.PodMetricsList {
	out := metricsv1beta1.PodMetricsList{TypeMeta: metav1.TypeMeta{APIVersion: "metrics.k8s.io/v1beta1", Kind: "PodMetricsList"}}
	ready := map[string][]*corev1.Pod{}
	for _, p := range m.view.pods() {
		if phaseOf(p) == "ready" {
			w, _ := workloadOf(p)
			ready[w] = append(ready[w], p)
		}
	}
	for w, pods := range ready {
		m.mu.Lock()
		demand, known := m.demand[w]
		m.mu.Unlock()
		if !known {
			continue
		}
		slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
		for i, p := range pods {
			use := demand / int64(len(pods))
			if int64(i) < demand%int64(len(pods)) {
				use++
			}
			use = cpuUse(p, use, m.spike, m.warming(p))
			if p.Namespace == namespace && selector.Matches(labels.Set(p.Labels)) {
				out.Items = append(out.Items, podMetrics(p, use))
			}
		}
	}
	slices.SortFunc(out.Items, func(a, b metricsv1beta1.PodMetrics) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// cpuUse is what a pod uses of its share, in millicores: more while it warms up, spike
// percent of its request, and never more than its limit.
func cpuUse(p *corev1.Pod, share, spike int64, warming bool) int64 {
	if warming {
		share = max(share, requested(p)*spike/100)
	}
	if limit := p.Spec.Containers[0].Resources.Limits.Cpu(); !limit.IsZero() {
		share = min(share, limit.MilliValue())
	}
	return share
}

// requested is the CPU that a pod's containers request, in millicores.
func requested(p *corev1.Pod) int64 {
	total := int64(0)
	for _, c := range p.Spec.Containers {
		total += c.Resources.Requests.Cpu().MilliValue()
	}
	return total
}

// podMetrics lays a pod's use on its first container.
func podMetrics(p *corev1.Pod, millicores int64) metricsv1beta1.PodMetrics {
	x := metricsv1beta1.PodMetrics{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.Namespace, Labels: p.Labels},
		Timestamp:  metav1.Time{Time: time.Now().Add(2 * time.Second)}, Window: metav1.Duration{Duration: time.Second},
	}
	for i, c := range p.Spec.Containers {
		use := resource.NewMilliQuantity(0, resource.DecimalSI)
		if i == 0 {
			use = resource.NewMilliQuantity(millicores, resource.DecimalSI)
		}
		x.Containers = append(x.Containers, metricsv1beta1.ContainerMetrics{Name: c.Name, Usage: corev1.ResourceList{corev1.ResourceCPU: *use}})
	}
	return x
}
