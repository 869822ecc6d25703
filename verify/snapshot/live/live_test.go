package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

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
	asked := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		group, versioned := "", "v1"
		if parts[0] == "apis" {
			group, versioned = parts[1], parts[1]+"/"+parts[2]
		}
		resource := parts[len(parts)-1]
		if r.URL.Path == "/version" {
			fmt.Fprint(w, `{"gitVersion":"v1.36.3"}`)
			return
		}
		if r.Method != http.MethodGet || r.URL.Query().Get("watch") != "" || r.URL.Query().Get("limit") != fmt.Sprint(pageSize) || asked[r.URL.Path] {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		asked[r.URL.Path] = true
		if role := ClusterRole(); !strings.Contains(role, resource) || !strings.Contains(role, fmt.Sprintf("%q", group)) {
			t.Errorf("the ClusterRole does not name %s", r.URL.Path)
		}
		switch {
		case resource == "pods":
			w.WriteHeader(http.StatusForbidden)
			_ = json.NewEncoder(w).Encode(apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", fmt.Errorf("no")).ErrStatus)
		case resource == "nodepools":
			http.NotFound(w, r)
		case resource == "nodes":
			fmt.Fprint(w, `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"}}]}`)
		default:
			i := slices.IndexFunc(kinds, func(k kind) bool { return k.resource == resource && k.of.String() == versioned })
			if i < 0 {
				t.Errorf("%s is of no kind", r.URL.Path)
				return
			}
			fmt.Fprintf(w, `{"kind":%q,"apiVersion":%q,"items":[]}`, reflect.TypeOf(kinds[i].list()).Elem().Name(), versioned)
		}
	}))
	defer server.Close()
	c := snapshot.NewCollector(time.Unix(0, 0))
	if err := Collect(t.Context(), &rest.Config{Host: server.URL}, c); err != nil {
		t.Fatal(err)
	}
	s, err := c.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Missing("pods"); !strings.HasPrefix(got, "forbidden") {
		t.Errorf("pods that may not be listed: %q", got)
	}
	if len(s.Gaps) != 1 || len(s.Nodes) != 1 {
		t.Errorf("gaps %v, nodes %v", s.Gaps, s.Nodes)
	}
	role := ClusterRole()
	if n := len(asked); n != strings.Count(role, ",")+strings.Count(role, "resources:") {
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
