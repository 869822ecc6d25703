package verify

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// A bad first revision blocks the drain of its node exactly where a budget covers it that keeps pods that are not ready,
// whatever its numbers: none is ready, and upstream lets go of one only above a positive floor. It blocks its own fix
// exactly where a StatefulSet starts one pod after the other. Both are notes, and there is neither where the policy has no
// bad revision.
func TestABadFirstRevisionBlocksDrainAndFix(t *testing.T) {
	notUnderRace(t)
	drains, fixes := 0, 0
	for seed := range int64(16) {
		r := rand.New(rand.NewSource(seed))
		text := "apiVersion: apps/v1\nkind: Deployment\n"
		ordered := false
		spec := "  strategy: {type: Recreate}\n"
		if r.Intn(2) == 0 {
			text, spec = "apiVersion: apps/v1\nkind: StatefulSet\n", "  serviceName: web\n"
			if ordered = r.Intn(2) == 0; !ordered {
				spec += "  podManagementPolicy: Parallel\n"
			}
		}
		text += fmt.Sprintf("metadata: {name: web, namespace: default}\nspec:\n  replicas: %d\n%s", 1+r.Intn(2), spec) +
			"  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n" +
			"    spec: {containers: [{name: c, image: 'web:1'}]}\n"
		keeps := false
		if r.Intn(4) > 0 {
			budget := []string{"minAvailable: 0", "minAvailable: 1", "maxUnavailable: 1", "maxUnavailable: 100%",
				"minAvailable: 50%"}[r.Intn(5)]
			if keeps = r.Intn(3) > 0; !keeps {
				budget += ", unhealthyPodEvictionPolicy: AlwaysAllow"
			}
			text += "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: p, namespace: default}\n" +
				fmt.Sprintf("spec: {%s, selector: {matchLabels: {app: web}}}\n", budget)
		}
		rev := scriptRevision(t, &txtar.Archive{Files: []txtar.File{{Name: "head/all.yaml", Data: []byte(text)}}}, "head")
		found := func(p *policies.Policy, failing bool) map[string]finding.Finding {
			out := map[string]finding.Finding{}
			for _, f := range verdict(t)(Verify(context.Background(), rev, Options{Policy: p})).Findings {
				if slices.Contains(f.Events, "bad-revision") == failing {
					out[f.Rule] = f
				}
			}
			return out
		}
		p := policies.Default()
		bad, well := found(p, true), found(p, false)
		if _, told := well["drain-blocked"]; !told && (bad["drain-blocked"].Severity == "note") != keeps {
			t.Errorf("seed %d: drain-blocked is %q\n%s", seed, bad["drain-blocked"].Severity, text)
		}
		if (bad["rollout-stuck"].Severity == "note") != ordered {
			t.Errorf("seed %d: rollout-stuck is %q\n%s", seed, bad["rollout-stuck"].Severity, text)
		}
		for rule, f := range bad {
			if f.Severity != "note" || f.Certainty != finding.Inevitable || f.Fix == nil {
				t.Errorf("seed %d: %s is %s, %s, with fix %v\n%s", seed, rule, f.Severity, f.Certainty, f.Fix, text)
			}
		}
		p.Events.BadRevision = 0
		if none := found(p, true); len(none) > 0 {
			t.Errorf("seed %d: without bad revisions there is %v", seed, none)
		}
		drains, fixes = drains+len(bad["drain-blocked"].Rule)/13, fixes+len(bad["rollout-stuck"].Rule)/13
	}
	if drains < 3 || fixes < 3 {
		t.Errorf("the draws are too tame: %d drains and %d fixes are blocked", drains, fixes)
	}
}
