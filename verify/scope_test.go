package verify

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// teams is a change of three releases, each with or without a finding, of base or new.
func teams(t *testing.T, r *rand.Rand) (ch *object.Changes, releases []string) {
	t.Helper()
	ar := &txtar.Archive{}
	for _, team := range []string{"a", "b", "c"} {
		web := fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web-%s, namespace: default}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: %[1]s}}\n"+
			"  template:\n    metadata: {labels: {app: %[1]s}}\n    spec: {containers: [{name: c, image: %[1]s}]}\n", team)
		pdb := fmt.Sprintf("---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: p, namespace: default}\nspec: {minAvailable: 2, selector: {matchLabels: {app: %s}}}\n", team)
		has := r.Intn(3) // nobody, head, both
		for i, side := range []string{"base", "head"} {
			text := web
			if has > 1-i {
				text += pdb
			}
			if i == 1 && r.Intn(2) == 0 {
				text += fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\n", team)
			}
			ar.Files = append(ar.Files, txtar.File{Name: side + "/" + team + "/kustomization.yaml", Data: []byte("resources: [all.yaml]\n")},
				txtar.File{Name: side + "/" + team + "/all.yaml", Data: []byte(text)})
		}
		releases = append(releases, team)
	}
	ch, err := render.Diff(scriptRevision(t, ar, "base"), scriptRevision(t, ar, "head"))
	if err != nil {
		t.Fatal(err)
	}
	return ch, releases
}

// However releases are split among policies that say the same, the result is the same; and what several gates make of it
// is the worst of what each makes of its own releases.
func TestPoliciesOfFoldersAreEachForTheirOwn(t *testing.T) {
	worse := func(codes []int) int {
		for _, c := range []int{1, 3, 4} {
			if slices.Contains(codes, c) {
				return c
			}
		}
		return 0
	}
	split, blocked := 0, 0
	for seed := range int64(8) {
		r := rand.New(rand.NewSource(seed))
		ch, releases := teams(t, r)
		check := func(opt Options) *finding.Result { return verdict(t)(Check(context.Background(), ch, opt)) }
		plain := check(Options{Policy: policies.Default()})
		if len(plain.Releases) != len(releases) {
			t.Fatalf("releases are %v", plain.Releases)
		}
		opt := Options{Policy: policies.Default()}
		var codes []int
		gates := map[string]finding.Gate{}
		for _, id := range releases {
			p := policies.Default()
			p.File = id + "/.kubesettle.yaml"
			gates[id] = []finding.Gate{{FailOn: string(rules.Off)}, {FailOn: string(rules.Warning), OnlyNew: true}, {FailOn: string(rules.Warning)}}[r.Intn(3)]
			if r.Intn(4) > 0 {
				opt.Scopes = append(opt.Scopes, run.Scope{Policy: p, Declared: p.Gate.Gate, Releases: []string{id}})
			}
		}
		same := check(opt)
		same.Scopes, same.Notices, plain.Notices = nil, nil, nil
		if len(opt.Scopes) > 0 && text(t, same) != text(t, plain) {
			t.Errorf("seed %d: %d policies that say the same give\n%s\none gives\n%s", seed, len(opt.Scopes), text(t, same), text(t, plain))
		}
		for i, s := range opt.Scopes {
			opt.Scopes[i].Policy.Gate.Gate, opt.Scopes[i].Declared = gates[s.Releases[0]], gates[s.Releases[0]]
			split++
		}
		got := check(opt)
		for _, id := range releases {
			gate := opt.Policy.Gate.Gate
			if slices.ContainsFunc(opt.Scopes, func(s run.Scope) bool { return s.Releases[0] == id }) {
				gate = gates[id]
			}
			alone := *plain
			alone.Findings = slices.DeleteFunc(slices.Clone(plain.Findings), func(f finding.Finding) bool { return f.Release != id })
			alone.Judge(gate)
			codes = append(codes, alone.ExitCode(gate))
		}
		if code := got.ExitCode(opt.Policy.Gate.Gate); code != worse(codes) {
			t.Errorf("seed %d: exit code %d, of the releases by themselves %v", seed, code, codes)
		} else if blocked += code; (code == 1) != (got.Verdict == finding.Fail) {
			t.Errorf("seed %d: exit code %d, verdict %s", seed, code, got.Verdict)
		}
	}
	if split < 8 || blocked == 0 {
		t.Errorf("%d policies of folders, %d blocked: too few to show anything", split, blocked)
	}
}
