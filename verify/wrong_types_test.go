package verify

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// typedLines are objects whose fields say in a comment what type they have.
const typedLines = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  annotations: {a: b} # map
spec:
  replicas: 2 # int
  paused: false # bool
  minReadySeconds: 5 # int
  selector: {matchLabels: {app: web}} # map
  strategy:
    type: RollingUpdate # string
    rollingUpdate:
      maxSurge: 25% # either
      maxUnavailable: 0 # either
  template:
    metadata:
      labels:
        app: web # string
        tier: front # string
    spec:
      terminationGracePeriodSeconds: 30 # int
      nodeSelector: {disk: ssd} # map
      tolerations: [{key: a, operator: Exists}] # list
      containers:
      - name: web # string
        image: web:1 # string
        args: [a] # list
        env:
        - name: PORT
          value: "8080" # string
        ports: [{name: http, containerPort: 8080}] # list
        resources:
          requests:
            cpu: 500m # quantity
            memory: 128Mi # quantity
          limits: {memory: 256Mi} # map
        readinessProbe:
          periodSeconds: 5 # int
          httpGet:
            path: / # string
            port: http # either
---
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
spec:
  type: ClusterIP # string
  selector: {app: web} # map
  ports:
  - port: 80 # int
    targetPort: 8080 # either
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: shop
spec:
  minReplicas: 2 # int
  maxReplicas: 4 # int
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web} # map
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}] # list
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
  namespace: shop
  creationTimestamp: "2024-01-02T03:04:05Z" # time
spec:
  maxUnavailable: 1 # either
  selector: {matchLabels: {app: web}} # map
`

// wrongly has values of other types for each.
var wrongly = map[string][]string{
	"int":      {`two`, `"2"`, `[2]`, `{a: b}`, `1.5`, `true`, `99999999999999999999`, `"99999999999"`},
	"bool":     {`"false"`, `yes please`, `0`, `[]`},
	"string":   {`5`, `true`, `[a]`, `{a: b}`, `0755`},
	"map":      {`a`, `5`, `[a]`, `[{a: b}]`},
	"list":     {`a`, `5`, `{a: b}`},
	"either":   {`[1]`, `{a: b}`, `1.5`, `true`},
	"quantity": {`128mb`, `500 m`, `"1 Gi"`, `lots`, `[1]`, `{a: b}`, `1e99999`},
	"time":     {`yesterday`, `5`, `[a]`},
}

var typedLine = regexp.MustCompile(`: .* # ([a-z]+)$`)

// TestWrongTypesAreRefused sets random fields to values of other types: that is a finding at the line, gates if it is
// new, and hides no other one.
func TestWrongTypesAreRefused(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	lines := strings.Split(typedLines, "\n")
	var leaves []int
	for i, l := range lines {
		if typedLine.MatchString(l) {
			leaves = append(leaves, i)
		}
	}
	rounds := 150
	if testing.Short() {
		rounds = 8
	}
	const other = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: other, namespace: shop}\nspec:\n" +
		"  selector: {matchLabels: {%: other}}\n  template:\n    metadata: {labels: {app: other, tier: other}}\n" +
		"    spec: {containers: [{name: a, image: a}]}\n"
	before, after := strings.ReplaceAll(other, "%", "app"), strings.ReplaceAll(other, "%", "tier")
	onHead, gate := rules.ApplyRejected, policies.Default().Gate.Gate
	for range rounds {
		wrong := slices.Clone(lines)
		at := leaves[r.IntN(len(leaves))]
		kind := typedLine.FindStringSubmatch(lines[at])[1]
		key, _, _ := strings.Cut(lines[at], ": ")
		wrong[at] = key + ": " + wrongly[kind][r.IntN(len(wrongly[kind]))]
		side := func(app []string, rest string) tree.Tree {
			m, err := tree.Map("side", map[string]string{"shop/web.yaml": strings.Join(app, "\n"), "shop/other.yaml": rest})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		rejected := func(res *finding.Result, file string, line int, status finding.Status) bool {
			return slices.ContainsFunc(res.Findings, func(f finding.Finding) bool {
				return f.Rule == onHead && f.Status == status && slices.ContainsFunc(f.Locations, func(l finding.Location) bool {
					return l.File == file && l.StartLine <= line && line <= max(l.StartLine, l.EndLine)
				})
			})
		}
		for _, x := range []struct {
			name       string
			base, head tree.Tree
			status     finding.Status
			code       int
		}{
			{"new", side(lines, before), side(wrong, after), finding.New, 1},
			{"mended", side(wrong, before), side(lines, after), finding.Fixed, 1},
			{"on both sides", side(wrong, before), side(wrong, after), finding.Existing, 1},
			{"on both sides alone", side(wrong, before), side(wrong, before+"# again\n"), finding.Existing, 0},
		} {
			res := checkSides(t, x.base, x.head)
			if got := res.ExitCode(gate); got != x.code {
				t.Errorf("%s: %q: exit code %d: %+v", x.name, wrong[at], got, res.Releases)
			}
			if !rejected(res, "shop/web.yaml", at+1, x.status) {
				t.Errorf("%s: %q: no %s finding at line %d: %+v", x.name, wrong[at], x.status, at+1, res.Findings)
			}
			if x.code == 1 && !rejected(res, "shop/other.yaml", 5, finding.New) {
				t.Errorf("%s: %q: the other finding is lost: %+v", x.name, wrong[at], res.Findings)
			}
			for _, f := range res.Findings {
				if x.status == finding.Existing && f.Status == finding.New && f.Workload != "apps/Deployment shop/other" {
					t.Errorf("%s: %q: a new %s: %s", x.name, wrong[at], f.Rule, f.Message)
				}
			}
		}
	}
}
