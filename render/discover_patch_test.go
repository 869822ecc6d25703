package render

import (
	"context"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// TestAPatchIsNoManifest: a file of patches in a folder of manifests is none of them, unless it was an object on base.
func TestAPatchIsNoManifest(t *testing.T) {
	job := "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n"
	for _, c := range []struct {
		base, head string
		objects    int // of head
	}{
		{"", "$patch: delete\n" + job, 0},
		{"$patch: delete\n" + job, "$patch: delete\n" + job + "---\n$patch: delete\n" + job, 0},
		{job, "$patch: delete\n" + job, 1},
		{"", "$patch: delete\n" + job + "---\n" + job, 1},
	} {
		revision := func(text string) tree.Tree {
			files := map[string]string{"x/other.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"}
			if text != "" {
				files["x/a.yaml"] = text
			}
			of, err := tree.Map("t", files)
			if err != nil {
				t.Fatal(err)
			}
			return of
		}
		_, head, err := RenderBoth(context.Background(), revision(c.base), revision(c.head), Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		objects := 0
		for _, r := range head.Releases {
			for _, o := range r.Objects {
				if o.ID.Kind == "Job" {
					objects++
				}
			}
		}
		if objects != c.objects {
			t.Errorf("base %q, head %q: %d Jobs, want %d", c.base, c.head, objects, c.objects)
		}
	}
}

// named is an object with a name.
func named(version, kind, rest string) string {
	return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: a}\n" + rest + "\n"
}

// lacking are objects that the API server does not create as they stand, and enough those that it may.
var lacking, enough = []string{
	named("apps/v1", "Deployment", "spec: {template: {spec: {containers: [{name: a, image: a}]}}}"),
	named("apps/v1", "StatefulSet", "spec: {selector: {matchLabels: {a: a}}, replicas: 2}"),
	named("apps/v1", "DaemonSet", "spec: {selector: {matchLabels: {a: a}}, template: {spec: {containers: [{name: a}]}}}"),
	named("batch/v1", "CronJob", "spec: {suspend: true, schedule: '@daily'}"),
	named("v1", "Pod", "spec: {containers: [{name: a}]}"),
	named("v1", "Service", "spec: {type: LoadBalancer}"),
	named("v1", "PersistentVolumeClaim", "spec: {resources: {requests: {storage: 1Gi}}}"),
	named("autoscaling/v2", "HorizontalPodAutoscaler", "spec: {maxReplicas: 5}"),
	named("networking.k8s.io/v1", "Ingress", "spec: {ingressClassName: a}"),
}, []string{
	named("apps/v1", "Deployment", "spec:\n  selector: {matchLabels: {a: a}}\n"+
		"  template: {metadata: {labels: {a: a}}, spec: {containers: [{name: a, image: a}]}}"),
	named("v1", "Service", "spec: {clusterIP: None}"),
	named("serving.knative.dev/v1", "Service", "spec: {template: {}}"),
	named("networking.k8s.io/v1", "Ingress", "spec: {defaultBackend: {resource: {kind: A, name: a}}}"),
	named("v1", "ConfigMap", "data: {}"),
}

// TestAPatchThatNothingListsIsNoManifest: a file that the API server would refuse, among those that a kustomization
// takes as patches, is a patch that it does not list, whether or not the kustomization renders or can be read. What can
// be applied stays a manifest, and so does what base has as one.
func TestAPatchThatNothingListsIsNoManifest(t *testing.T) {
	const (
		lists   = "resources: [own.yaml]\npatches: [{path: p/other.yaml}, {path: p/a.yaml}]\n"
		leaves  = "resources: [own.yaml]\npatches: [{path: p/other.yaml}]\n"
		none    = "resources: [own.yaml]\n"
		missing = "resources: [own.yaml, gone.yaml]\npatches: [{path: p/other.yaml}]\n"
		remote  = "resources: [own.yaml, https://example.com/x.yaml]\npatches: [{path: p/other.yaml}]\n"
		broken  = "resources: [own.yaml\n"
	)
	made := func(kustomization, a string) tree.Tree {
		files := map[string]string{"x/p/other.yaml": lacking[0],
			"x/own.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n", "y/b.yaml": enough[4]}
		if kustomization != "" {
			files["x/kustomization.yaml"] = kustomization
		}
		if a != "" {
			files["x/p/a.yaml"] = a
		}
		of, err := tree.Map("t", files)
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	manifest := func(base, head tree.Tree) bool {
		_, rev, err := RenderBoth(context.Background(), base, head, Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(rev.Releases, func(r *object.Rendered) bool {
			return r.Kind == object.Manifests && slices.Contains(r.Reads, "x/p/a.yaml")
		})
	}
	for _, a := range lacking {
		for _, c := range []struct {
			base, head, was string
			want            bool
		}{
			{leaves, leaves, "", false}, {leaves, leaves, a + "# before\n", false}, {none, leaves, "", false},
			{lists, leaves, a, false}, {lists, none, a, false}, {lists, missing, a, false}, {lists, broken, a, false},
			{leaves, missing, "", false}, {leaves, remote, "", false}, {remote, remote, "", false},
			{leaves, broken, "", false}, {broken, broken, "", false}, {broken, broken, a + "# before\n", false},
			{none, none, "", true}, {"", "", "", true}, {none, none, a + "# before\n", true},
			{none, leaves, a + "# before\n", true}, {"", leaves, a + "# before\n", true}, {none, lists, a, true},
			{leaves, leaves, enough[0], true}, {leaves, broken, enough[4], true},
		} {
			if got := manifest(made(c.base, c.was), made(c.head, a)); got != c.want {
				t.Errorf("%sbase %q with %q, head %q: a manifest: %v, want %v", a, c.base, c.was, c.head, got, c.want)
			}
		}
	}
	for _, a := range append(enough, enough[0]+"---\n"+lacking[4]) {
		for _, head := range []string{leaves, none, missing, broken} {
			if !manifest(made(leaves, ""), made(head, a)) {
				t.Errorf("%scan be applied, and is no manifest below %q", a, head)
			}
		}
	}
}
