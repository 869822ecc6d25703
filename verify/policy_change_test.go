package verify

import (
	"context"
	"fmt"
	"math/rand"
	"path"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/accept"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// A policyPair is a random change of a policy, with or without one of the objects beside it.
type policyPair struct {
	ch         *object.Changes
	base, head *policies.Policy
	releases   []string
}

// loopTexts are what a random policy says of loops: of each at most one line.
var loopTexts = [][]string{
	{"  nodeFailure: {budget: 1}"},
	{"  badRevision: {budget: 1}"},
	{"  drain: {concurrent: 1, budget: 1}", "  drain: {concurrent: 1, budget: 1, respectPDB: false}"},
	{"  loadChange: {budget: 1}"},
}

func randomPolicyText(r *rand.Rand) string {
	text := "cluster:\n  nodePools:\n  - name: n\n"
	n := 2 + r.Intn(4)/3
	text += fmt.Sprintf("    count: {min: %d, max: %[1]d}\n    allocatable: {cpu: \"2\", memory: 8Gi}\n", n)
	if r.Intn(3) == 0 {
		text += "controllers:\n  gitops: {selfHeal: true}\n"
	}
	text += "events:\n  none: true\n"
	for _, of := range loopTexts {
		if r.Intn(3) == 0 {
			text += of[r.Intn(len(of))] + "\n"
		}
	}
	if r.Intn(8) == 0 {
		text += "timing: {crash: 1}\n"
	}
	return text
}

func randomObjects(r *rand.Rand, image string) string {
	text := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec:\n  replicas: 2\n" +
		"  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n"
	if r.Intn(2) == 0 {
		text += "      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
			"[{labelSelector: {matchLabels: {app: web}}, topologyKey: kubernetes.io/hostname}]}}\n"
	}
	text += "      containers: [{name: c, image: '" + image + "', resources: {requests: {cpu: 700m}}}]\n"
	if r.Intn(2) == 0 {
		text += fmt.Sprintf("---\napiVersion: policy/v1\nkind: PodDisruptionBudget\n"+
			"metadata: {name: p, namespace: default}\nspec: {minAvailable: %d, selector: {matchLabels: {app: web}}}\n", 1+r.Intn(2))
	}
	if r.Intn(3) == 0 {
		text += "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: default}\n" +
			"spec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  minReplicas: 2\n  maxReplicas: 3\n" +
			"  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]\n"
	}
	return text
}

func randomPolicyPair(t *testing.T, r *rand.Rand) policyPair {
	t.Helper()
	ar := &txtar.Archive{}
	var out policyPair
	objects, seed := "", r.Int63()
	for i, side := range []string{"base", "head"} {
		if i == 0 || r.Intn(3) == 0 {
			objects = randomObjects(rand.New(rand.NewSource(seed)), "web:"+side)
		}
		text := randomPolicyText(r)
		p, err := policies.Load(".kubesettle.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if i == 0 {
			out.base = p
		} else {
			out.head = p
		}
		ar.Files = append(ar.Files, txtar.File{Name: side + "/all.yaml", Data: []byte(objects)},
			txtar.File{Name: side + "/.kubesettle.yaml", Data: []byte(text)})
	}
	var err error
	if out.ch, err = render.Diff(scriptRevision(t, ar, "base"), scriptRevision(t, ar, "head")); err != nil {
		t.Fatal(err)
	}
	for _, rel := range out.ch.Head.Releases {
		out.releases = append(out.releases, rel.ID)
	}
	return out
}

func (p policyPair) check(t *testing.T, of *policies.Policy, changes ...run.PolicyChange) *finding.Result {
	return verdict(t)(Check(context.Background(), p.ch, Options{Policy: of, PolicyChanges: changes}))
}

func (p policyPair) verify(t *testing.T, of *policies.Policy) []finding.Finding {
	return verdict(t)(Verify(context.Background(), p.ch.Head, Options{Policy: of})).Findings
}

// said words a finding without what the policy's change adds.
func said(f finding.Finding) string {
	return fmt.Sprintln(f.Rule, f.Workload, f.Status, f.Severity, f.Message, f.Fingerprint)
}

// A changed policy loosens nothing: all that base's shows is in the result as it is without. What it adds holds under
// head's policy and not, or less gravely, under base's, and is blamed on a line of the policy that the change edits; all
// that holds so is added. Nothing is called fixed that is not fixed under base's policy, and what head's hides is said.
func TestAChangedPolicyAddsAndLoosensNothing(t *testing.T) {
	added, hid, moved := 0, 0, 0
	for seed := range int64(9) {
		p := randomPolicyPair(t, rand.New(rand.NewSource(seed)))
		plain := p.check(t, p.base)
		got := p.check(t, p.base, run.PolicyChange{Base: p.base, Head: p.head, Releases: p.releases})
		var extra []finding.Finding
		rest := slices.Clone(plain.Findings)
		for _, f := range got.Findings {
			if i := slices.IndexFunc(rest, func(o finding.Finding) bool { return said(o) == said(f) }); i >= 0 {
				rest = slices.Delete(rest, i, i+1)
				continue
			}
			extra = append(extra, f)
		}
		if len(rest) > 0 || plain.Verdict == finding.Fail && got.Verdict != finding.Fail {
			t.Errorf("seed %d: a change of the policy takes away %v, or a verdict: %s was %s", seed, rest, got.Verdict,
				plain.Verdict)
		}
		before, after := p.verify(t, p.base), p.verify(t, p.head)
		moving := p.check(t, p.head).Findings
		for _, f := range extra {
			if f.Status != finding.New && f.Status != finding.Worsened {
				t.Errorf("seed %d: %s of %s is %s", seed, f.Rule, f.Workload, f.Status)
			}
			if accept.Graver(f, after) && accept.Graver(f, moving) {
				t.Errorf("seed %d: %s of %s (%s) does not hold under head's policy", seed, f.Rule, f.Workload, f.Severity)
			}
			moves := slices.ContainsFunc(moving,
				func(o finding.Finding) bool { return accept.Agree(o, f) && o.Status != finding.Existing })
			if !accept.Graver(f, before) && !moves || !accept.Graver(f, plain.Findings) {
				t.Errorf("seed %d: %s of %s holds under base's policy as well", seed, f.Rule, f.Workload)
			}
			if l := f.Locations[0]; path.Base(l.File) != ".kubesettle.yaml" || l.Side == "head" && !l.InDiff {
				t.Errorf("seed %d: %s of %s is blamed on %s:%d", seed, f.Rule, f.Workload, l.File, l.StartLine)
			}
			if f.Scenario == "change" {
				moved++
			}
		}
		added += len(extra)
		for _, f := range after {
			if len(f.Interleaving) > 0 && accept.Graver(f, before) && accept.Graver(f, plain.Findings) && accept.Graver(f, extra) {
				t.Errorf("seed %d: %s of %s holds under head's policy alone, and is not said", seed, f.Rule, f.Workload)
			}
		}
		hides := slices.ContainsFunc(before, func(f finding.Finding) bool {
			return len(f.Interleaving) > 0 && !slices.ContainsFunc(append(moving, after...),
				func(o finding.Finding) bool { return accept.Agree(o, f) })
		})
		if hides {
			hid++
		}
		if hides && !hasKind(got.Notices, finding.PolicyHides) {
			t.Errorf("seed %d: what head's policy hides is not said: %v", seed, got.Notices)
		}
	}
	if added < 5 || hid < 2 || moved < 2 {
		t.Errorf("the draws are too tame: %d findings added, %d pairs that hide some, %d moving", added, hid, moved)
	}
	t.Logf("%d added, %d hide, %d moving", added, hid, moved)
}
