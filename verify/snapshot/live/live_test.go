package live

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clients "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubesettle/kubesettle/verify/snapshot"
)

func node(name string) *corev1.Node {
	n := &corev1.Node{}
	n.Name = name
	return n
}

// Only lists are asked for, of the kinds that the ClusterRole names and of no others; what is
// forbidden is a gap of that kind.
func TestListsOnly(t *testing.T) {
	client := clients.NewClientset(node("n1"))
	dyn := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		{Group: "karpenter.sh", Version: "v1", Resource: "nodepools"}: "NodePoolList",
	})
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", fmt.Errorf("no"))
	})
	c := snapshot.NewCollector(time.Unix(0, 0))
	if err := collect(context.Background(), sources(client, dyn), c); err != nil {
		t.Fatal(err)
	}
	s, err := c.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Missing("pods"); !strings.HasPrefix(got, "forbidden") {
		t.Errorf("pods that may not be listed: %q", got)
	}
	if len(s.Gaps) != 1 {
		t.Errorf("gaps %v", s.Gaps)
	}
	role := ClusterRole()
	for _, a := range append(client.Actions(), dyn.Actions()...) {
		if a.GetVerb() != "list" {
			t.Errorf("%s of %s", a.GetVerb(), a.GetResource().Resource)
		}
		if !strings.Contains(role, a.GetResource().Resource) || !strings.Contains(role, fmt.Sprintf("%q", a.GetResource().Group)) {
			t.Errorf("the ClusterRole does not name %v", a.GetResource())
		}
	}
	if n := len(client.Actions()) + len(dyn.Actions()); n != strings.Count(role, ",")+strings.Count(role, "resources:") {
		t.Errorf("%d kinds are listed, and the ClusterRole is\n%s", n, role)
	}
	if strings.Count(role, "verbs:") != strings.Count(role, "verbs: [list]\n") {
		t.Errorf("the ClusterRole lets more than list:\n%s", role)
	}
}

// A list of several pages is read to its end, and without nodes there is no snapshot.
func TestPages(t *testing.T) {
	pages := 0
	list := func(_ context.Context, opt metav1.ListOptions) (runtime.Object, error) {
		pages++
		if opt.Limit != pageSize {
			t.Errorf("a page of %d", opt.Limit)
		}
		out := &corev1.NodeList{Items: []corev1.Node{*node(fmt.Sprint("n", pages))}}
		if pages < 3 {
			out.Continue = "more"
		}
		return out, nil
	}
	c := snapshot.NewCollector(time.Unix(0, 0))
	if err := collect(context.Background(), []source{{"nodes", list, false}}, c); err != nil {
		t.Fatal(err)
	}
	if s, err := c.Snapshot(); err != nil || len(s.Nodes) != 3 {
		t.Errorf("%v, %v", s, err)
	}
	none := func(context.Context, metav1.ListOptions) (runtime.Object, error) {
		return nil, apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", fmt.Errorf("no"))
	}
	err := collect(context.Background(), []source{{"nodes", none, false}}, snapshot.NewCollector(time.Unix(0, 0)))
	if err == nil || !strings.Contains(err.Error(), "--rbac") {
		t.Errorf("without nodes: %v", err)
	}
}
