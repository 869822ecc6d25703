//go:build replay

package replay

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestRefused applies base and head of cases whose head the API server is said to refuse: it does, at the field and with
// the words of the finding, and it takes the repaired head.
func TestRefused(t *testing.T) {
	for _, dir := range []string{"failures/f12", "failures/f13", "failures/f14", "failures/f15", "failures/g41"} {
		t.Run(dir, func(t *testing.T) {
			ctx := t.Context()
			violating := load(ctx, t, dir, "violating")
			r, err := violating.Check(ctx)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == "apply-rejected" })
			if i < 0 {
				t.Fatal("no apply-rejected was found")
			}
			said := applyTwice(ctx, t, violating, others[dir])
			t.Logf("found:   %s\nrefused: %v", r.Findings[i].Message, said)
			if said == nil {
				t.Fatal("the API server takes head")
			}
			field, words := fieldOf(r.Findings[i].Message)
			if !strings.Contains(joined(said.Error()), joined(field)+": ") || !strings.Contains(said.Error(), words) {
				t.Errorf("the API server does not say %q of %s", words, field)
			}
			if err := applyTwice(ctx, t, load(ctx, t, dir, "repaired"), ""); err != nil {
				t.Errorf("repaired: %v", err)
			}
		})
	}
}

// fieldOf is the field that a finding names, and what it says of it.
func fieldOf(message string) (field, words string) {
	_, rest, _ := strings.Cut(message, ": spec")
	field, words, _ = strings.Cut("spec"+rest, ": ")
	words, _, _ = strings.Cut(words, "; ")
	return field, words
}

// joined is a text without what tells a field of the published version from one of the API server's own:
// spec.conversion.webhook.clientConfig is spec.conversion.webhookClientConfig there.
func joined(text string) string { return strings.ToLower(strings.ReplaceAll(text, ".", "")) }

// others is what others write between base and head, as a patch of the first object: cert-manager its CA.
var others = map[string]string{
	"failures/g41": `{"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": "bm9uZQ=="}}}}}`,
}

// applyTwice applies base, what others write, and then head to a control plane of its own; the error is of head.
func applyTwice(ctx context.Context, t *testing.T, c *Case, other string) error {
	t.Helper()
	plane, err := Start(ctx, os.Getenv(BinaryEnv), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plane.Stop()
	dyn, err := dynamic.NewForConfig(plane.Config)
	if err != nil {
		t.Fatal(err)
	}
	a := newApplier(dyn, plane.Client.Discovery(), c.Policy.Apply == "server-side")
	base, err := objects(c.Base)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range base {
		if err := a.apply(ctx, o); err != nil {
			t.Fatalf("%s: base: %v", filepath.Base(c.Dir), err)
		}
	}
	if other != "" {
		u := &unstructured.Unstructured{Object: base[0]}
		m, err := a.mapper.RESTMapping(u.GroupVersionKind().GroupKind())
		if err != nil {
			t.Fatal(err)
		}
		opt := metav1.PatchOptions{FieldManager: "other"}
		if _, err := dyn.Resource(m.Resource).Patch(ctx, u.GetName(), types.MergePatchType, []byte(other), opt); err != nil {
			t.Fatal(err)
		}
	}
	head, err := objects(c.Head)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range head {
		if err := a.apply(ctx, o); err != nil {
			return err
		}
	}
	return nil
}
