package verify

import (
	"context"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/run"
)

func TestEditKeepsLineEnds(t *testing.T) {
	for _, c := range []struct {
		text, want string
		e          judge.Edit
	}{
		{"a\nb\nc\n", "a\nx\ny\nc\n", judge.Edit{First: 2, Last: 2, Lines: []string{"x", "y"}}},
		{"a\nb\nc\n", "a\n", judge.Edit{First: 2, Last: 3}},
		{"a\r\nb\r\nc\r\n", "a\r\nx\r\nc\r\n", judge.Edit{First: 2, Last: 2, Lines: []string{"x"}}},
		{"a\nb", "a\nx", judge.Edit{First: 2, Last: 2, Lines: []string{"x"}}},
		{"a\nb", "a\n", judge.Edit{First: 2, Last: 2}},
		{"a\r\nb", "x\r\nb", judge.Edit{First: 1, Last: 1, Lines: []string{"x"}}},
	} {
		if got, ok := c.e.Apply(c.text); !ok || got != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, got, ok, c.want)
		}
	}
	for _, e := range []judge.Edit{{First: 0, Last: 1}, {First: 2, Last: 1}, {First: 1, Last: 3}} {
		if got, ok := e.Apply("a\nb\n"); ok {
			t.Errorf("lines %d to %d of 2: %q", e.First, e.Last, got)
		}
	}
}

const oneNode = `cluster:
  nodePools:
  - {name: n, count: {min: 1, max: 1}, zones: [a], allocatable: {cpu: "1", memory: 16Gi, pods: "110"}}
`

// checked compares one manifest with another on one node of one CPU.
func checked(t *testing.T, base, head string) *finding.Result {
	t.Helper()
	policy, err := policies.Load("policy.yaml", []byte(oneNode))
	if err != nil {
		t.Fatal(err)
	}
	return checkedWith(t, policy, base, head)
}

// checkedWith compares one manifest with another under a policy.
func checkedWith(t *testing.T, policy *policies.Policy, base, head string) *finding.Result {
	t.Helper()
	var revs [2]*object.Revision
	for i, text := range []string{base, head} {
		tree, err := tree.Map([]string{"base", "head"}[i], map[string]string{"web.yaml": text})
		if err != nil {
			t.Fatal(err)
		}
		if revs[i], err = render.Render(context.Background(), tree, render.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	ch, err := render.Diff(revs[0], revs[1])
	if err != nil {
		t.Fatal(err)
	}
	return verdict(t)(Check(context.Background(), ch, Options{Policy: policy}))
}

func webWith(container string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
` + container
}

// The fix is text that heals: head with it, checked by itself, has no such finding.
func TestFixHealsWhenItIsApplied(t *testing.T) {
	container := func(cpu string) string {
		return "      - name: web\n        image: web\n        resources:\n          requests:\n            cpu: " + cpu + "\n"
	}
	base, head := webWith(container("100m")), webWith(container("1500m"))
	r := checked(t, base, head)
	if len(r.Findings) == 0 {
		t.Fatal("nothing was found")
	}
	for _, f := range r.Findings {
		if f.Fix == nil || !f.Fix.Mechanical || !f.Fix.Verified || !f.Fix.Location.InDiff {
			t.Fatalf("%s: fix %+v", f.Rule, f.Fix)
		}
		e := judge.Edit{First: f.Fix.Location.StartLine, Last: f.Fix.Location.EndLine}
		for _, l := range judge.SplitLines(f.Fix.Replacement) {
			e.Lines = append(e.Lines, strings.TrimSuffix(l, "\n"))
		}
		mended, ok := e.Apply(head)
		if !ok {
			t.Fatalf("%s: %+v does not apply", f.Rule, f.Fix)
		}
		if again := checked(t, base, mended); len(again.Findings) > 0 {
			t.Errorf("%s with the fix: %s", f.Rule, again.Findings[0].Message)
		}
	}
}

// What could be a secret is not put back as text: the finding has its fix in words.
func TestFixShowsNoSecret(t *testing.T) {
	container := func(cpu, password string) string {
		return "      - {name: web, image: web, env: [{name: DB, value: " + password + "}], resources: {requests: {cpu: " + cpu + "}}}\n"
	}
	r := checked(t, webWith(container("100m", "hunter2-canary")), webWith(container("1500m", "hunter3-canary")))
	if len(r.Findings) == 0 {
		t.Fatal("nothing was found")
	}
	for _, f := range r.Findings {
		if f.Fix == nil || f.Fix.Mechanical || f.Fix.Replacement != "" || !f.Fix.Verified {
			t.Errorf("%s: fix %+v", f.Rule, f.Fix)
		}
	}
}

// An edit that trades one violation for another is none.
func TestFixBreaksNothingElse(t *testing.T) {
	container := func(cpu string) string {
		return "      - name: web\n        image: web\n        resources:\n          requests:\n            cpu: " + cpu + "\n"
	}
	r := checked(t, webWith(container("2500m")), webWith(container("1500m")))
	for _, f := range r.Findings {
		if f.Fix != nil && f.Fix.Mechanical {
			t.Errorf("%s %s: base breaks it as well, and is offered as its fix: %+v", f.Status, f.Rule, f.Fix)
		}
	}
}

// The searches for fixes have an allowance: without it none is tried, and the result says that there may be one.
func TestFixesHaveAnAllowance(t *testing.T) {
	container := func(cpu string) string {
		return "      - {name: web, image: web, resources: {requests: {cpu: " + cpu + "}}}\n"
	}
	ch, policy := changeOf(t, webWith(container("100m")), webWith(container("1500m")), oneNode)
	for _, c := range []struct {
		states uint64
		tried  bool
	}{{0, true}, {60_000, true}, {1, false}} {
		r := verdict(t)(Check(context.Background(), ch, Options{Policy: policy, Compare: run.Compare{FixStates: c.states}}))
		if len(r.Findings) == 0 {
			t.Fatal("nothing was found")
		}
		said := hasKind(r.Notices, finding.FixUntried)
		if said == c.tried {
			t.Errorf("with %d states: %q", c.states, r.Notices)
		}
		for _, f := range r.Findings {
			if f.Status == finding.New && ((f.Untried == 0) != c.tried || (f.Fix != nil && f.Fix.Mechanical) != c.tried) {
				t.Errorf("with %d states: %s has fix %+v, %d untried", c.states, f.Rule, f.Fix, f.Untried)
			}
		}
	}
}

// A line that has an image beside what is to blame is not put back as a whole: a new image is what a change is for.
func TestNoFixTakesAnImageBack(t *testing.T) {
	container := func(image, cpu string) string {
		return "      - {name: web, image: " + image + ", resources: {requests: {cpu: " + cpu + "}}}\n"
	}
	offered := 0
	for _, image := range []string{"web", "web:2"} {
		for _, f := range checked(t, webWith(container("web", "100m")), webWith(container(image, "3"))).Findings {
			if f.Fix == nil || !f.Fix.Back {
				continue
			}
			if f.Fix.Mechanical {
				offered++
			}
			if image != "web" && (f.Fix.Mechanical || strings.Contains(f.Fix.Text, "image")) {
				t.Errorf("%s: %s: %q", f.Rule, f.Fix.Text, f.Fix.Replacement)
			}
		}
	}
	if offered == 0 {
		t.Error("the same image is not put back with its line either")
	}
}
