//go:build replay

package replay

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/conformance/sample"
	"github.com/kubesettle/kubesettle/verify/finding"
)

var (
	admittedPairs = flag.Int("pairs", 3, "pairs of base and head to apply, of each kind and way")
	admittedPods  = flag.Int("pods", 20, "templates whose pods are created")
	admittedSeed  = flag.Uint64("seed", 1, "of what is drawn")
	admittedKind  = flag.String("kind", "", "the one kind to draw")
)

// ways are how a change is applied.
var ways = []string{"server-side", "client-side", "helm", "replace"}

// change is an object on base and on head, and what made them of the plain one.
type change struct {
	kind, way  string
	base, head map[string]any
	edits      [2][]sample.Edit
	lax        bool // what is applied is not validated against the schema
}

// gone reports whether a Job is deleted once it has finished: a check takes it to be.
func (c *change) gone() bool {
	_, ends, _ := unstructured.NestedFieldNoCopy(c.base, "spec", "ttlSecondsAfterFinished")
	return c.kind == "Job" && ends
}

func (c *change) String() string {
	return fmt.Sprintf("%s, %s: %v, then %v", c.kind, c.way, c.edits[0], c.edits[1])
}

func drawPair(t *testing.T, r *rand.Rand, kind, way, namespace string) *change {
	t.Helper()
	c := &change{kind: kind, way: way}
	c.edits[0] = sample.Draw(r, kind, nil, true)
	c.edits[1] = sample.Draw(r, kind, c.edits[0], true)
	for side, to := range []*map[string]any{&c.base, &c.head} {
		content, err := sample.Object(kind, c.edits[side])
		if err != nil {
			t.Fatal(err)
		}
		content["apiVersion"], content["kind"] = sample.APIVersions[kind], kind
		*to = content
	}
	inPlace(c, namespace)
	return c
}

// inPlace gives both sides one name, and a namespace that no other pair has.
func inPlace(c *change, namespace string) {
	base, _ := c.base["metadata"].(map[string]any)
	head, _ := c.head["metadata"].(map[string]any)
	if c.kind == "Service" { // one address each
		for _, o := range []map[string]any{c.base, c.head} {
			if spec, _ := o["spec"].(map[string]any); spec["clusterIP"] == "10.0.0.1" {
				spec["clusterIP"] = "10.0.0.11"
			}
		}
	}
	for _, m := range []map[string]any{base, head} {
		if m["namespace"] != nil {
			m["namespace"] = namespace
		}
	}
	if name, _ := base["name"].(string); slices.Contains([]string{"team", "fast", "high"}, name) {
		base["name"] = namespace
	} else if name == "kube-mine" {
		base["name"] = "kube-" + namespace
	}
	head["name"] = base["name"]
}

// TestAdmitted applies base and head of random changes to an API server, and compares which it refuses with the
// findings of a check.
func TestAdmitted(t *testing.T) {
	ctx := t.Context()
	plane, err := StartAPI(ctx, os.Getenv(BinaryEnv))
	if err != nil {
		t.Fatal(err)
	}
	defer plane.Stop()
	s := &server{t: t, plane: plane}
	if s.dyn, err = dynamic.NewForConfig(plane.Config); err != nil {
		t.Fatal(err)
	}
	s.mapper = newApplier(s.dyn, plane.Client.Discovery(), false).mapper
	s.prepare(ctx)
	for _, kind := range slices.Sorted(maps.Keys(sample.APIVersions)) {
		if *admittedKind != "" && *admittedKind != kind {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			s.t = t
			r := rand.New(rand.NewPCG(*admittedSeed, 31))
			asked, refused := 0, 0
			for i := range *admittedPairs {
				for k, way := range ways {
					namespace := strings.ToLower(fmt.Sprintf("%.20s-%d-%d", kind, i, k))
					c := drawPair(t, r, kind, way, namespace)
					if kind == "PriorityClass" && strings.HasPrefix(dig(c.base, "metadata", "name"), "system-c") {
						continue // every cluster has it
					}
					n, no := s.compare(ctx, c)
					asked, refused = asked+n, refused+no
				}
			}
			t.Logf("%d answers, %d of them a refusal", asked, refused)
		})
	}
}

// server applies what is drawn to an API server.
type server struct {
	t      *testing.T
	plane  *Plane
	dyn    dynamic.Interface
	mapper meta.RESTMapper
}

// compare applies a change, and asks a check: how often both were asked, and how often the API server refused.
func (s *server) compare(ctx context.Context, c *change) (asked, refused int) {
	t := s.t
	t.Helper()
	r, err := s.at(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	said := s.apply(ctx, r, c)
	found, words, err := c.refused(ctx)
	if err != nil {
		t.Errorf("%s: %v", c, err)
		return 2, 0
	}
	for side, err := range said {
		if err != nil && strings.Contains(err.Error(), "the storageclass that provisions the pvc must support resize") {
			continue // that of a claim that names none
		}
		if err != nil {
			refused++
		}
		if (err != nil) != found[side] {
			t.Errorf("%s\n  side %d: API server: %v\n  check: %v", c, side, err, words)
		}
	}
	return 2, refused
}

// prepare makes what objects name that no pair has: a check takes it to be there.
func (s *server) prepare(ctx context.Context) {
	for _, name := range []string{"none", "high"} {
		_, err := s.plane.Client.SchedulingV1().PriorityClasses().Create(ctx,
			&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: 1000}, metav1.CreateOptions{})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	for _, name := range []string{"fast", "slow"} {
		_, err := s.plane.Client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name},
			Provisioner: "csi.example.com", AllowVolumeExpansion: ptr.To(true)}, metav1.CreateOptions{})
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// bind binds a claim, as the volume controller does.
func (s *server) bind(ctx context.Context, r dynamic.ResourceInterface, c *change) {
	name := dig(c.base, "metadata", "name")
	live, err := r.Get(ctx, name, metav1.GetOptions{})
	if err == nil && dig(live.Object, "spec", "volumeName") == "" {
		_, err = r.Patch(ctx, name, types.MergePatchType, []byte(`{"spec": {"volumeName": "pv-0"}}`), metav1.PatchOptions{})
	}
	if err == nil {
		_, err = r.Patch(ctx, name, types.MergePatchType, []byte(fmt.Sprintf(`{"status": {"phase": "Bound", "capacity": {"storage": %q}}}`,
			dig(live.Object, "spec", "resources", "requests", "storage"))), metav1.PatchOptions{}, "status")
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// apply applies base and then head, which is not kept, and gives what the API server says of each.
func (s *server) apply(ctx context.Context, r dynamic.ResourceInterface, c *change) (said [2]error) {
	said[0] = s.send(ctx, r, c, c.base, nil, false)
	there := said[0]
	if there != nil && strings.Contains(there.Error(), "strict decoding error") { // not everyone asks for that
		c.lax = true
		there = s.send(ctx, r, c, c.base, nil, false)
		c.lax = false
	}
	if there != nil {
		said[1] = s.send(ctx, r, c, c.head, nil, true)
		return said
	}
	was := c.base
	switch {
	case c.kind == "PersistentVolumeClaim":
		s.bind(ctx, r, c)
	case c.gone():
		s.remove(ctx, r, c)
		was = nil
	}
	said[1] = s.send(ctx, r, c, c.head, was, true)
	s.remove(ctx, r, c)
	return said
}

// at is where the objects of a change are, in a namespace that is there.
func (s *server) at(ctx context.Context, c *change) (dynamic.ResourceInterface, error) {
	u := &unstructured.Unstructured{Object: c.base}
	gvk := u.GroupVersionKind()
	m, err := s.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	if m.Scope.Name() != meta.RESTScopeNameNamespace {
		return s.dyn.Resource(m.Resource), nil
	}
	ns := dig(c.base, "metadata", "namespace")
	a := &applier{dyn: s.dyn}
	if err := a.namespace(ctx, ns); err != nil {
		return nil, err
	}
	return s.dyn.Resource(m.Resource).Namespace(ns), nil
}

func dig(o map[string]any, path ...string) string {
	v, _, _ := unstructured.NestedString(o, path...)
	return v
}

// send applies an object as its way does: over was, if that is there.
func (s *server) send(ctx context.Context, r dynamic.ResourceInterface, c *change, o, was map[string]any, dry bool) error {
	u := (&unstructured.Unstructured{Object: o}).DeepCopy()
	var all []string
	if dry {
		all = []string{metav1.DryRunAll}
	}
	strict := metav1.FieldValidationStrict
	if c.way == "helm" || c.lax {
		strict = metav1.FieldValidationWarn
	}
	create := metav1.CreateOptions{DryRun: all, FieldValidation: strict}
	if c.way == "server-side" {
		data, err := json.Marshal(o)
		if err != nil {
			return err
		}
		force := true
		_, err = r.Patch(ctx, u.GetName(), types.ApplyPatchType, data, metav1.PatchOptions{
			FieldManager: "replay", Force: &force, DryRun: all, FieldValidation: strict})
		return err
	}
	if was == nil {
		_, err := r.Create(ctx, u, create)
		return err
	}
	live, err := r.Get(ctx, u.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = r.Create(ctx, u, create)
		return err
	}
	if err != nil {
		return err
	}
	if c.way == "replace" {
		if u.GetResourceVersion() == "" {
			u.SetResourceVersion(live.GetResourceVersion())
		}
		_, err = r.Update(ctx, u, metav1.UpdateOptions{DryRun: all, FieldValidation: strict})
		return err
	}
	kind, patch, err := threeWayPatch(u.GroupVersionKind(), was, u.Object, live.Object)
	if err != nil {
		return err
	}
	_, err = r.Patch(ctx, u.GetName(), kind, patch, metav1.PatchOptions{DryRun: all, FieldValidation: strict})
	return err
}

// remove deletes the object of a change; a namespace stays, as no loop empties it.
func (s *server) remove(ctx context.Context, r dynamic.ResourceInterface, c *change) {
	name, now := dig(c.base, "metadata", "name"), int64(0)
	if c.kind == "Namespace" {
		return
	}
	if err := r.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil && !apierrors.IsNotFound(err) {
		s.t.Fatal(err)
	}
	_, _ = r.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{})
}

// refused is whether a check says that each side is refused, with its words.
func (c *change) refused(ctx context.Context) (no [2]bool, words []string, err error) {
	var revs [2]*object.Revision
	for i, o := range []map[string]any{c.base, c.head} {
		text, err := yaml.Marshal(o)
		if err != nil {
			return no, nil, err
		}
		files := map[string]string{"k/all.yaml": string(text)}
		if c.way == "helm" {
			files = map[string]string{"k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "k/templates/all.yaml": string(text)}
		}
		tr, err := tree.Map([]string{"base", "head"}[i], files)
		if err != nil {
			return no, nil, err
		}
		if revs[i], err = render.Render(ctx, tr, render.Options{}); err != nil {
			return no, nil, err
		}
		for _, rel := range revs[i].Releases {
			rel.Delivery.Replaces = c.way == "replace"
		}
	}
	way := "client-side"
	if c.way == "server-side" {
		way = c.way
	}
	p, err := policies.Load("policy.yaml", []byte("apply: "+way+"\n"))
	if err != nil {
		return no, nil, err
	}
	ch, err := render.Diff(revs[0], revs[1])
	if err != nil {
		return no, nil, err
	}
	for side := range no {
		opt := verify.Options{Policy: p}
		var r *finding.Result
		if side == 0 {
			r, err = verify.Verify(ctx, revs[0], opt)
		} else {
			r, err = verify.Check(ctx, ch, opt)
		}
		if err != nil {
			return no, words, err
		}
		for _, f := range r.Findings {
			if f.Rule != "apply-rejected" || strings.HasPrefix(f.Message, "the API server drops ") {
				continue
			}
			words = append(words, fmt.Sprintf("%d %s %s: %s", side, f.Status, f.Severity, f.Message))
			if f.Status != finding.Fixed {
				no[side] = true
			}
		}
	}
	return no, words, nil
}
