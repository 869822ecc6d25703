package verify

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// slipMade is a mistake in one field: what it is set to, and was.
type slipMade struct {
	kind, group, path, key string // the field, and its key in the values of a chart
	was, is                string
}

var slipsMade = []slipMade{
	{"PodDisruptionBudget", "policy/v1", "spec/minAvailable", "least", "1", "2"},
	{"PodDisruptionBudget", "policy/v1", "spec/selector/matchLabels/app", "selects", "catalog", "cattalog"},
	{"HorizontalPodAutoscaler", "autoscaling/v2", "spec/scaleTargetRef/name", "scales", "catalog", "catallog"},
}

const overlaidShop = `apiVersion: apps/v1
kind: Deployment
metadata: {name: catalog}
spec:
  selector: {matchLabels: {app: catalog}}
  template:
    metadata: {labels: {app: catalog}}
    spec:
      containers:
      - name: catalog
        image: catalog:1
        resources: {requests: {cpu: 100m}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: catalog}
spec:
  minAvailable: <least>
  selector:
    matchLabels:
      app: <selects>
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: catalog}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: <scales>}
  minReplicas: 2
  maxReplicas: 4
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}
`

// overlayWays are ways to make several releases of one base: patches that merge, of JSON and in the kustomization; values
// of a HelmRelease, and of an Application as text and as an object.
var overlayWays = []string{"merge", "json", "inline", "release", "application", "object"}

// overlaidSides draws a repository of which two releases are made of one base, in one of these ways, and a change that makes one mistake in the base or in what one release has of its own.
func overlaidSides(r *rand.Rand, style string) (base, head map[string]string, own string) {
	m := slipsMade[r.IntN(len(slipsMade))]
	helm := slices.Contains([]string{"release", "application", "object"}, style)
	alone := r.IntN(2) == 0
	files := func(shared, mine string) map[string]string {
		out := map[string]string{}
		fill := func(value func(slipMade) string) string {
			text := overlaidShop
			for _, s := range slipsMade {
				text = strings.ReplaceAll(text, "<"+s.key+">", value(s))
			}
			return text
		}
		given := func(s slipMade) string {
			if s == m {
				return shared
			}
			return s.was
		}
		if helm {
			values := ""
			for _, s := range slipsMade {
				values += s.key + ": " + given(s) + "\n"
			}
			out["chart/Chart.yaml"] = "apiVersion: v2\nname: shop\nversion: 1.0.0\n"
			out["chart/values.yaml"] = values
			out["chart/templates/shop.yaml"] = fill(func(s slipMade) string { return "{{ .Values." + s.key + " }}" })
		} else {
			out["base/kustomization.yaml"] = "resources: [shop.yaml]\n"
			out["base/shop.yaml"] = fill(given)
		}
		for i, env := range []string{"dev", "prod"} {
			set := ""
			if i == 1 && alone {
				set = mine
			}
			for name, text := range overlaid(style, env, m, set) {
				out[name] = text
			}
		}
		return out
	}
	if alone {
		return files(m.was, m.was), files(m.was, m.is), ":prod"
	}
	return files(m.was, ""), files(m.is, ""), ""
}

// overlaid is what one release has of its own, with a field set where a value is given.
func overlaid(style, env string, m slipMade, value string) map[string]string {
	switch style {
	case "release":
		values := ""
		if value != "" {
			values = "    " + m.key + ": " + value + "\n"
		}
		return map[string]string{"clusters/" + env + ".yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: shop, namespace: " + env + "}\n" +
			"spec:\n  interval: 5m\n  chart:\n    spec:\n      chart: ./chart\n      sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}\n" +
			"  values:\n    env: " + env + "\n" + values}
	case "application", "object":
		at, values := "      values: |\n", "        env: "+env+"\n"
		if style == "object" {
			at = "      valuesObject:\n"
		}
		if value != "" {
			values += "        " + m.key + ": " + value + "\n"
		}
		return map[string]string{"apps/" + env + ".yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop-" + env + ", namespace: argocd}\n" +
			"spec:\n  project: default\n  destination: {server: https://kubernetes.default.svc, namespace: " + env + "}\n" +
			"  source:\n    repoURL: https://github.com/example/shop\n    path: chart\n    helm:\n" + at + values}
	}
	dir := "overlays/" + env + "/"
	out := map[string]string{}
	kustomization := "namespace: " + env + "\nresources:\n- ../../base\n"
	merge := func(pad string) string {
		text := "apiVersion: " + m.group + "\nkind: " + m.kind + "\nmetadata:\n  name: catalog\n  labels: {env: " + env + "}\n"
		if value == "" {
			return pad + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+pad) + "\n"
		}
		indent := ""
		keys := strings.Split(m.path, "/")
		for i, k := range keys {
			text += indent + k + ":"
			if i == len(keys)-1 {
				text += " " + value
			}
			text += "\n"
			indent += "  "
		}
		return pad + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+pad) + "\n"
	}
	switch style {
	case "merge":
		out[dir+"own.yaml"] = merge("")
		kustomization += "patches:\n- path: own.yaml\n"
	case "inline":
		kustomization += "patches:\n- patch: |-\n" + merge("    ")
	case "json":
		ops := "- op: add\n  path: /metadata/labels\n  value: {env: " + env + "}\n"
		if value != "" {
			ops += "- op: replace\n  path: /" + m.path + "\n  value: " + value + "\n"
		}
		out[dir+"ops.yaml"] = ops
		kustomization += "patches:\n- target: {kind: " + m.kind + "}\n  path: ops.yaml\n"
	}
	out[dir+"kustomization.yaml"] = kustomization
	return out
}

// overlaidSeeds are how many are drawn: a multiple of the ways.
const overlaidSeeds = 12

// However releases share a base or a chart and set what is their own, every edit that is offered holds: as text, the
// finding is gone from its release and nothing is new in any. Where the mistake is one release's own, so is the edit.
func TestFixesInOverlaysHold(t *testing.T) {
	found, offered, seeds := 0, 0, overlaidSeeds
	if testing.Short() {
		seeds /= 2
	}
	for seed := range uint64(seeds) {
		was, is, own := overlaidSides(rand.New(rand.NewPCG(seed, 3)), overlayWays[seed%uint64(len(overlayWays))])
		ch := changesBetween(t, was, is)
		result := verdict(t)(Check(context.Background(), ch, Options{Policy: policies.Default()}))
		for _, f := range result.Findings {
			if f.Status != finding.New && f.Status != finding.Worsened {
				continue
			}
			found++
			if f.Fix == nil || !f.Fix.Mechanical {
				t.Logf("seed %d: no edit for %s of %s in %s: %+v", seed, f.Rule, f.Workload, f.Release, f.Fix)
			}
			for _, x := range []*finding.Fix{f.Fix, f.OtherFix} {
				if x == nil || !x.Mechanical {
					continue
				}
				offered++
				if own != "" && len(x.AlsoChanges)+len(x.MayChange) > 0 {
					t.Errorf("seed %d: %q in %s changes %v %v as well", seed, x.Text, x.Location.File, x.AlsoChanges, x.MayChange)
				}
				for _, g := range againWith(t, was, is, x).Findings {
					same := func(o finding.Finding) bool { return o.Rule == g.Rule && o.Workload == g.Workload }
					if g.Status != finding.Fixed && g.Status != finding.Existing &&
						(!slices.ContainsFunc(result.Findings, same) || same(f) && g.Release == f.Release) {
						t.Errorf("seed %d: %q in %s leaves %s of %s in %s", seed, x.Text, x.Location.File, g.Rule, g.Workload, g.Release)
					}
				}
			}
		}
	}
	t.Logf("%d edits for %d findings", offered, found)
	if found < seeds || offered*100 < found*75 {
		t.Errorf("%d edits were offered for %d findings", offered, found)
	}
}

// againWith checks a change once more with an edit of head's text.
func againWith(t *testing.T, was, is map[string]string, x *finding.Fix) *finding.Result {
	t.Helper()
	is = maps.Clone(is)
	is[x.Location.File] = editedBy(t, is[x.Location.File], x)
	return verdict(t)(Check(context.Background(), changesBetween(t, was, is), Options{Policy: policies.Default()}))
}
