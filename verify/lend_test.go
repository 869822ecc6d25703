package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// actingKind is a document of a kind that acts on workloads of other releases.
var actingKind = regexp.MustCompile(`(?m)^kind: (` + strings.Join(slice.ActingKinds(policies.Default()), "|") + `)$`)

// TestTwoReleasesOfOneCluster holds that splitting a release into two of one cluster changes no finding: the scripts
// that have objects which act on workloads find the same where some of these are in a release of their own.
func TestTwoReleasesOfOneCluster(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for n, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		manifests := slices.ContainsFunc(ar.Files, func(f txtar.File) bool {
			return strings.HasPrefix(f.Name, "head/") && actingKind.Match(f.Data)
		})
		charts := slices.ContainsFunc(ar.Files, func(f txtar.File) bool {
			name := path.Base(f.Name)
			return name == "Chart.yaml" || name == "kustomization.yaml" || strings.Contains(string(f.Data), "kind: Application") ||
				strings.Contains(string(f.Data), "toolkit.fluxcd.io")
		})
		based := slices.ContainsFunc(ar.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "base/") })
		if !manifests || charts || !based || testing.Short() && n%8 != 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(n), 38))
			away := map[string]bool{}
			want := splitRun(t, ar, func(string) bool { return false })
			got := splitRun(t, ar, func(id string) bool {
				if _, known := away[id]; !known {
					away[id] = len(away) == 0 || r.IntN(3) > 0
				}
				return away[id]
			})
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("in two releases (-one +two):\n%s", d)
			}
		})
	}
}

// splitRun checks a script with some of its acting objects, by kind and name, in another release of the same cluster.
func splitRun(t *testing.T, ar *txtar.Archive, away func(id string) bool) []string {
	t.Helper()
	sides := map[string]map[string]string{"base": {}, "head": {}}
	for _, f := range ar.Files {
		side, name, ok := strings.Cut(f.Name, "/")
		if !ok || sides[side] == nil {
			continue
		}
		of := map[string][]string{}
		for _, doc := range strings.Split("\n"+string(f.Data), "\n---") {
			dir := "app"
			if m := actingKind.FindString(doc); m != "" && away(m+" "+objectName(doc)) {
				dir = "platform"
			}
			of[dir] = append(of[dir], strings.TrimPrefix(doc, "\n"))
		}
		for dir, docs := range of {
			sides[side][dir+"/"+name] = strings.Join(docs, "\n---\n")
		}
	}
	opt, _ := scriptOptions(t, ar)
	pol := policies.Default()
	for _, f := range ar.Files {
		if f.Name == "policy.yaml" {
			p, err := policies.Load(f.Name, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			pol = p
		}
	}
	for _, f := range ar.Files {
		if f.Name == pol.Controllers.DeschedulerPolicy {
			d, err := policies.LoadDescheduler(f.Name, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			pol.Controllers.Descheduler, pol.Controllers.DeschedulerLines = d, policies.FieldLines(f.Data)
		}
		if f.Name == pol.Cluster.NodesFile {
			if err := pol.SetNodes(f.Name, f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	pol.Cluster.Releases = []string{"**"}
	opt.Policy, opt.Workers = pol, 2
	lines := verdictLines(verdict(t)(Check(context.Background(), clusterChanges(t, sides["base"], sides["head"]), opt)))
	for i := range lines {
		// Another fix may be the first that breaks nothing else: whether a revert comes back is asked of one release.
		lines[i], _, _ = strings.Cut(lines[i], "; fix ")
	}
	return lines
}

var nameOf = regexp.MustCompile(`(?m)^metadata: *(?:\n  name:|\{.*?name:) *([^\s,}]+)`)

func objectName(doc string) string {
	if m := nameOf.FindStringSubmatch(doc); m != nil {
		return m[1]
	}
	return doc
}

// clusterChanges renders two sides as the command line does.
func clusterChanges(t *testing.T, was, is map[string]string, p ...*policies.Policy) *object.Changes {
	t.Helper()
	base, err := tree.Map("base", was)
	if err != nil {
		t.Fatal(err)
	}
	head, err := tree.Map("head", is)
	if err != nil {
		t.Fatal(err)
	}
	b, h, err := render.RenderBoth(context.Background(), base, head,
		render.Options{Concerns: slice.Concerns(), Leftovers: run.Leftovers(), Acting: slice.ActingKinds(append(p, policies.Default())[0]),
			Referred: run.Referred(), Beside: func(r release.Release) bool {
				return len(p) > 0 && (p[0].Cluster.Runs(r.ID, r.Path) || slice.Limited(p[0]) && r.Delivery.Tool != "")
			}})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := render.Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// verdictLines are the findings of a result, one a line: what is found of whom, how surely and gravely, and who is to blame.
func verdictLines(r *finding.Result) []string {
	var out []string
	for _, f := range r.Findings {
		if f.Status == finding.Fixed && f.Workload == "" {
			continue
		}
		var blame []string
		for _, b := range f.Blame {
			blame = append(blame, b.Object+" "+b.Path)
		}
		slices.Sort(blame)
		fix := ""
		if f.Fix != nil {
			fix = f.Fix.Text
		}
		message, _, _ := strings.Cut(f.Message, ": the loop starts at") // of a cycle that runs found, it may be entered elsewhere
		out = append(out, fmt.Sprintf("%s %s %s %s %s: %s; blame %v; fix %s", f.Status, f.Severity, f.Certainty, f.Rule,
			f.Workload, message, blame, fix))
	}
	slices.Sort(out)
	return append(out, string(r.Verdict))
}

const (
	shopWeb = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: %s
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      priorityClassName: %q
      containers:
      - {name: web, image: "web:1", resources: {requests: {%s}}}
`
	shopAgent = `apiVersion: v1
kind: Pod
metadata: {name: agent, namespace: shop, labels: {app: agent}}
spec: {containers: [{name: agent, image: "agent:1", resources: {requests: {cpu: 500m}}}]}
`
	shopBudget = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {%s, selector: {matchLabels: {app: web}}}
`
	shopQuota = `apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: shop}
spec: {hard: {%s}}
`
	shopRange = `apiVersion: v1
kind: LimitRange
metadata: {name: team, namespace: shop}
spec: {limits: [{type: Container, %s}]}
`
	shopSpace = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: %s}}
`
	shopPolicy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: guard}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: ["*"], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [%s]}]
  validations: [{expression: %q}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: guard}
spec: {policyName: guard, validationActions: [Deny]}
`
	shopPatch = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: grow}
spec:
  failurePolicy: Fail
  reinvocationPolicy: Never
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: ["*"], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [%s]}]
  matchConditions: [{name: cheap, expression: "!has(%s.priorityClassName)"}]
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: %q}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: grow}
spec: {policyName: grow, paramRef: {name: grow, namespace: shop, parameterNotFoundAction: Deny}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: grow, namespace: shop}
data: {cpu: %s}
`
	frontClass = `apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: front}
value: %s
`
	shopScaler = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: %s
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
`
	twoSmallNodes = `
cluster:
  nodePools: [{name: general, count: {min: 2, max: 2}, zones: [a], allocatable: {cpu: "1", memory: 16Gi, pods: "110"}}]
`
	smallNode = `
cluster:
  nodePools: [{name: general, count: {min: 1, max: 1}, zones: [a], allocatable: {cpu: "1", memory: 32Gi, pods: "110"}}]
`
)

const (
	twoZones = `
cluster:
  nodePools: [{name: general, count: {min: 4, max: 4}, zones: [a, b], allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}]
`
	zonalClass = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
`
)

// set is a StatefulSet whose pods go to a zone, with a claim for each.
func set(zone string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      nodeSelector: {topology.kubernetes.io/zone: %s}
      containers: [{name: db, image: "db:1", resources: {requests: {cpu: 10m}}}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}
`, zone)
}

const shopDaemon = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: kube-system}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: "agent:1", resources: {requests: {cpu: %s}}}]}
`

// otherWeb is another workload of the namespace.
func otherWeb(replicas string) string {
	return strings.NewReplacer("name: web", "name: api", "app: web", "app: api").Replace(web(replicas, "", "cpu: 10m"))
}

func web(replicas, class, requests string) string {
	return fmt.Sprintf(shopWeb, replicas, class, requests)
}

// patches is a policy that sets the requests of all containers, on pods or on Deployments.
func patches(kind, cpu string) string {
	of := map[string]string{"pods": "object.spec", "deployments": "object.spec.template.spec"}[kind]
	as := strings.Replace(of, "object", "Object", 1)
	text := fmt.Sprintf("%[2]s{containers: %[1]s.containers.map(c, %[2]s.containers{name: c.name, resources: "+
		"%[2]s.containers.resources{requests: {'cpu': params.data.cpu}}})}", of, as)
	for at := as; strings.Contains(at, "."); {
		up, field := at[:strings.LastIndexByte(at, '.')], at[strings.LastIndexByte(at, '.')+1:]
		text, at = up+"{"+field+": "+text+"}", up
	}
	return fmt.Sprintf(shopPatch, kind, of, text, cpu)
}

// grows is a policy of Kyverno that sets the requests of all containers.
func grows(cpu string) string {
	return fmt.Sprintf(`apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: grow}
spec:
  rules:
  - name: grow
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate: {patchStrategicMerge: {spec: {containers: [{(name): "*", resources: {requests: {cpu: %s}}}]}}}
`, cpu)
}

func scopedQuota(hard, scope string) string {
	return strings.Replace(fmt.Sprintf(shopQuota, hard), "spec: {", "spec: {scopes: ["+scope+"], ", 1)
}

// mistakes are changes that break what runs, as objects of two parts of a cluster: that of the application and that of
// the platform. One of the parts changes.
var mistakes = []struct {
	name, policy  string
	app, platform [2]string // base and head
}{
	{"budget", "", [2]string{web("2", "", "cpu: 10m"), ""},
		[2]string{fmt.Sprintf(shopBudget, "maxUnavailable: 1"), fmt.Sprintf(shopBudget, "maxUnavailable: 0")}},
	{"replicas under a budget", "", [2]string{web("2", "", "cpu: 10m"), web("1", "", "cpu: 10m")},
		[2]string{fmt.Sprintf(shopBudget, "minAvailable: 1"), ""}},
	{"quota", "", [2]string{web("4", "", "cpu: 10m"), ""},
		[2]string{fmt.Sprintf(shopQuota, `pods: "10"`), fmt.Sprintf(shopQuota, `pods: "3"`)}},
	{"quota with a scope", "", [2]string{web("4", "front", "cpu: 10m"), ""},
		[2]string{scopedQuota(`pods: "10"`, "PriorityClass"), scopedQuota(`pods: "3"`, "PriorityClass")}},
	{"pods that enter a scope", "", [2]string{web("4", "", "cpu: 10m"), web("4", "", "")},
		[2]string{scopedQuota(`pods: "3"`, "BestEffort"), ""}},
	{"replicas over a quota", "", [2]string{web("2", "", "cpu: 10m"), web("5", "", "cpu: 10m")},
		[2]string{fmt.Sprintf(shopQuota, `pods: "4"`), ""}},
	{"range", "", [2]string{web("2", "", "cpu: 10m"), ""},
		[2]string{fmt.Sprintf(shopRange, "min: {cpu: 5m}"), fmt.Sprintf(shopRange, "min: {cpu: 1}")}},
	{"request under a range", "", [2]string{web("2", "", "cpu: 10m"), web("2", "", "cpu: 3")},
		[2]string{fmt.Sprintf(shopRange, "max: {cpu: 1}"), ""}},
	{"level of Pod Security", "", [2]string{web("2", "", "cpu: 10m"), ""},
		[2]string{fmt.Sprintf(shopSpace, "privileged"), fmt.Sprintf(shopSpace, "restricted")}},
	{"pods under a level of Pod Security", "", [2]string{web("2", "", "cpu: 10m"),
		strings.Replace(web("2", "", "cpu: 10m"), "containers:", "hostNetwork: true\n      containers:", 1)},
		[2]string{fmt.Sprintf(shopSpace, "baseline"), ""}},
	{"policy on pods", "", [2]string{web("2", "", "cpu: 10m"), ""}, [2]string{fmt.Sprintf(shopPolicy, "pods", "true"),
		fmt.Sprintf(shopPolicy, "pods", "has(object.spec.securityContext.runAsNonRoot)")}},
	{"pods under a policy", "", [2]string{web("2", "", "cpu: 10m"), web("2", "", "cpu: 90m")},
		[2]string{fmt.Sprintf(shopPolicy, "pods", "object.spec.containers.all(c, string(c.resources.requests.cpu) == '10m')"), ""}},
	{"parameters of a policy that mutates pods", smallNode, [2]string{web("2", "", "cpu: 10m"), ""},
		[2]string{patches("pods", "200m"), patches("pods", "600m")}},
	{"policy that mutates pods", smallNode, [2]string{web("2", "", "cpu: 10m"), ""},
		[2]string{strings.ReplaceAll(patches("pods", "600m"), "[pods]", "[secrets]"), patches("pods", "600m")}},
	{"binding of a policy that mutates pods", smallNode, [2]string{web("2", "", "cpu: 10m"), ""},
		[2]string{strings.Replace(patches("pods", "600m"), "policyName: grow", "policyName: other", 1),
			patches("pods", "600m")}},
	{"pods under a policy that mutates them", smallNode, [2]string{web("1", "", "cpu: 10m"), web("2", "", "cpu: 10m")},
		[2]string{patches("pods", "600m"), ""}},
	{"policy that mutates Deployments", smallNode, [2]string{web("2", "", "cpu: 10m"), ""},
		[2]string{patches("deployments", "200m"), patches("deployments", "600m")}},
	{"Deployments under a policy that mutates them", smallNode,
		[2]string{web("1", "", "cpu: 10m"), web("2", "", "cpu: 10m")}, [2]string{patches("deployments", "600m"), ""}},
	{"policy that fails to mutate pods", "", [2]string{web("2", "", "cpu: 10m"), ""},
		[2]string{patches("pods", "20m"), strings.Replace(patches("pods", "20m"), "params.data.cpu", "params.data.memory", 1)}},
	{"policy of Kyverno", smallNode, [2]string{web("2", "", "cpu: 10m"), ""}, [2]string{grows("200m"), grows("600m")}},
	{"pods under a policy of Kyverno", smallNode, [2]string{web("1", "", "cpu: 10m"), web("2", "", "cpu: 10m")},
		[2]string{grows("600m"), ""}},
	{"pods under a webhook beside another workload", smallNode, [2]string{app("web", "", ""), strings.Replace(app("web", "", ""), "web:1", "web:2", 1)},
		[2]string{app("db", "", "") + "---\n" + fmt.Sprintf(guardHook, "web"), ""}},
	{"replicas under a policy", "", [2]string{web("3", "", "cpu: 10m"), web("2", "", "cpu: 10m")},
		[2]string{fmt.Sprintf(shopPolicy, "deployments", "object.spec.replicas >= 3"), ""}},
	{"policy on workloads", "", [2]string{web("2", "", "cpu: 10m"), ""}, [2]string{
		fmt.Sprintf(shopPolicy, "deployments", "true"), fmt.Sprintf(shopPolicy, "deployments", "object.spec.replicas >= 3")}},
	{"request less in a counted namespace", "", [2]string{web("2", "", "cpu: 10m"), web("2", "", "memory: 10Mi")},
		[2]string{fmt.Sprintf(shopQuota, `requests.cpu: "4"`), ""}},
	{"replicas of another release over a quota", "", [2]string{web("4", "", "cpu: 10m") + "---\n" +
		fmt.Sprintf(shopQuota, `pods: "6"`), ""}, [2]string{otherWeb("1"), otherWeb("5")}},
	{"DaemonSet on full nodes", twoSmallNodes, [2]string{web("2", "", "cpu: 600m"), ""},
		[2]string{fmt.Sprintf(shopDaemon, "100m"), fmt.Sprintf(shopDaemon, "500m")}},
	{"StatefulSet leaves the zone of its volumes", twoZones, [2]string{set("a"), set("b")}, [2]string{zonalClass, ""}},
	{"class", smallNode, [2]string{shopAgent + "---\n" + web("1", "front", "cpu: 600m"), ""},
		[2]string{fmt.Sprintf(frontClass, "0"), fmt.Sprintf(frontClass, "1000")}},
	{"request of a class", smallNode, [2]string{shopAgent + "---\n" + web("1", "", "cpu: 250m"), shopAgent + "---\n" + web("1", "front", "cpu: 600m")},
		[2]string{fmt.Sprintf(frontClass, "1000"), ""}},
	{"autoscaler", twoSmallNodes, [2]string{web("2", "", "cpu: 600m"), ""},
		[2]string{fmt.Sprintf(shopScaler, "2"), fmt.Sprintf(shopScaler, "3")}},
	{"replicas of an autoscaler", "", [2]string{strings.Replace(web("2", "", "cpu: 10m"), "replicas: 2", "paused: false", 1),
		web("2", "", "cpu: 10m")}, [2]string{fmt.Sprintf(shopScaler, "4"), ""}},
	{"descheduler", twoNodes, [2]string{bigPod, ""},
		[2]string{strings.TrimPrefix(deschedulerMap("d", 70), "---\n"), strings.TrimPrefix(deschedulerMap("d", 50), "---\n")}},
	{"request over a descheduler's target", twoNodes, [2]string{strings.Replace(bigPod, "2500m", "500m", 1), bigPod},
		[2]string{strings.TrimPrefix(deschedulerMap("d", 50), "---\n"), ""}},
}

// layout puts two parts of a cluster into a repository.
type layout func(app, platform string) map[string]string

func application(name, path, cluster string) string {
	return fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: %s, namespace: argocd}
spec:
  project: default
  source: {repoURL: "https://example.org/repo.git", path: %s, targetRevision: HEAD}
  destination: {name: %s, namespace: shop}
`, name, path, cluster)
}

func fluxed(name string) string {
	return fmt.Sprintf(`apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %s, namespace: flux-system}
spec: {interval: 5m, path: ./%s, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
`, name, name)
}

var layouts = map[string]layout{
	"one": func(app, platform string) map[string]string {
		return map[string]string{"app/a.yaml": app, "app/p.yaml": platform}
	},
	"one by argo": func(app, platform string) map[string]string {
		return map[string]string{"app/a.yaml": app, "app/p.yaml": platform, "argocd/app.yaml": application("app", "app", "main")}
	},
	"one by flux": func(app, platform string) map[string]string {
		return map[string]string{"app/a.yaml": app, "app/p.yaml": platform, "clusters/main/app.yaml": fluxed("app")}
	},
	"alone": func(app, platform string) map[string]string {
		return map[string]string{"app/a.yaml": app}
	},
	"without": func(app, platform string) map[string]string {
		return map[string]string{"platform/p.yaml": platform}
	},
	"plain": func(app, platform string) map[string]string {
		return map[string]string{"app/a.yaml": app, "platform/p.yaml": platform}
	},
	"argo": func(app, platform string) map[string]string {
		return map[string]string{"app/a.yaml": app, "platform/p.yaml": platform,
			"argocd/app.yaml": application("app", "app", "main"), "argocd/platform.yaml": application("platform", "platform", "main")}
	},
	"flux": func(app, platform string) map[string]string {
		return map[string]string{"app/a.yaml": app, "platform/p.yaml": platform,
			"clusters/main/app.yaml": fluxed("app"), "clusters/main/platform.yaml": fluxed("platform")}
	},
	"two clusters": func(app, platform string) map[string]string {
		return map[string]string{"app/a.yaml": app, "platform/p.yaml": platform,
			"argocd/app.yaml": application("app", "app", "east"), "argocd/platform.yaml": application("platform", "platform", "west")}
	},
}

// TestActsInWhateverRelease: what acts on workloads does so in whatever release of the cluster it lies, on whichever
// side the change is; where nobody says that two releases share a cluster, what needs both is a warning that says so;
// in two clusters it does nothing.
func TestActsInWhateverRelease(t *testing.T) {
	for i, m := range mistakes {
		if testing.Short() && i%2 > 0 { // each is checked eight times
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for _, part := range []*[2]string{&m.app, &m.platform} {
				if part[1] == "" {
					part[1] = part[0]
				}
			}
			check := func(name string) *finding.Result {
				l := layouts[name]
				pol, err := policies.Load("policy.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"+m.policy))
				if err != nil {
					t.Fatal(err)
				}
				ch := clusterChanges(t, l(m.app[0], m.platform[0]), l(m.app[1], m.platform[1]), pol)
				return verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 2}))
			}
			if len(broken(check("one"))) == 0 {
				t.Fatal("nothing is found in one release")
			}
			for _, by := range []string{"argo", "flux"} {
				if d := cmp.Diff(broken(check("one by "+by)), broken(check(by))); d != "" {
					t.Errorf("%s (-one release +two):\n%s", by, d)
				}
			}
			needs := broken(check("one")) // both parts
			for _, name := range []string{"alone", "without"} {
				for k := range broken(check(name)) {
					delete(needs, k)
				}
			}
			plain := check("plain")
			found := broken(plain)
			for k := range needs {
				if found[k] == "" {
					t.Errorf("plain folders: %s is not found", k)
				}
			}
			for _, f := range plain.Findings {
				held := slices.ContainsFunc(f.Holds, func(c finding.Condition) bool { return c.Declare == "cluster.releases" })
				if needs[f.Rule+" "+f.Workload] != "" && (!held || f.Severity == "error") {
					t.Errorf("plain folders: %s of %s is an %s: %s", f.Rule, f.Workload, f.Severity, f.Message)
				}
			}
			for k := range broken(check("two clusters")) {
				if needs[k] != "" {
					t.Errorf("two clusters: %s", k)
				}
			}
		})
	}
}

func stands(f finding.Finding) bool { return f.Status == finding.New || f.Status == finding.Worsened }

// broken is what a change breaks, by rule and workload, with its gravity and its line.
func broken(r *finding.Result) map[string]string {
	out := map[string]string{}
	for _, f := range r.Findings {
		if !stands(f) {
			continue
		}
		var blame []string
		for _, b := range f.Blame {
			blame = append(blame, b.Object+" "+b.Path)
		}
		slices.Sort(blame)
		out[f.Rule+" "+f.Workload] = fmt.Sprintf("%s %s %s %v", f.Status, f.Severity, f.Certainty, blame)
	}
	return out
}

// TestEnvironmentsAreApart: what changes for one environment is told of it alone, whatever tells the folders apart.
func TestEnvironmentsAreApart(t *testing.T) {
	app := web("2", "", "cpu: 10m")
	budget := func(v string) string { return fmt.Sprintf(shopBudget, "maxUnavailable: "+v) }
	overlay := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../../base]\n"
	for _, tt := range []struct {
		name  string
		files func(dev, prod string) map[string]string
		want  string // the release that is told of
	}{
		{"overlays and folders", func(dev, prod string) map[string]string {
			return map[string]string{"apps/web/base/web.yaml": app, "apps/web/base/kustomization.yaml": "resources: [web.yaml]\n",
				"apps/web/overlays/dev/kustomization.yaml": overlay, "apps/web/overlays/prod/kustomization.yaml": overlay,
				"platform/dev/p.yaml": dev, "platform/prod/p.yaml": prod}
		}, "apps/web/overlays/dev"},
		{"names of folders", func(dev, prod string) map[string]string {
			return map[string]string{"web-dev/web.yaml": app, "web-prod/web.yaml": app, "dev-platform/p.yaml": dev,
				"prod-platform/p.yaml": prod}
		}, "web-dev"},
		{"one application in two", func(dev, prod string) map[string]string {
			return map[string]string{"apps/dev/web.yaml": app, "apps/prod/web.yaml": app, "platform/dev/p.yaml": dev}
		}, "apps/dev"},
		{"clusters of Flux", func(dev, prod string) map[string]string {
			of := func(env, name string) string { return strings.ReplaceAll(fluxed(name), "./"+name, "./"+env+"/"+name) }
			return map[string]string{"dev/app/web.yaml": app, "prod/app/web.yaml": app, "dev/platform/p.yaml": dev,
				"prod/platform/p.yaml": prod, "clusters/dev/app.yaml": of("dev", "app"), "clusters/dev/platform.yaml": of("dev", "platform"),
				"clusters/prod/app.yaml": of("prod", "app"), "clusters/prod/platform.yaml": of("prod", "platform")}
		}, "flux:clusters/dev:flux-system/app"},
		{"one application under one of two platforms", func(dev, prod string) map[string]string {
			return map[string]string{"web/web.yaml": app, "platform/east/p.yaml": dev, "platform/west/p.yaml": prod}
		}, "web"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ch := clusterChanges(t, tt.files(budget("1"), budget("1")), tt.files(budget("0"), budget("1")))
			r := verdict(t)(Check(context.Background(), ch, Options{Policy: policies.Default(), Workers: 2}))
			var in []string
			for _, f := range r.Findings {
				if stands(f) {
					in = append(in, append([]string{f.Release}, f.AlsoIn...)...)
				}
			}
			if got := strings.Join(in, " "); got != tt.want {
				t.Errorf("told of %q, want %q", got, tt.want)
			}
		})
	}
}

// TestActsOnWhatASleeperDeclares: a Kustomization that nothing changes of, and so is not rendered, is where a quota acts
// on the workloads of the HelmReleases in it.
func TestActsOnWhatASleeperDeclares(t *testing.T) {
	files := func(pods string) map[string]string {
		return map[string]string{
			"clusters/main/apps.yaml": fluxed("apps"), "clusters/main/platform.yaml": fluxed("platform"),
			"platform/quota.yaml":   fmt.Sprintf(shopQuota, "pods: "+pods),
			"charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
			"charts/web/templates/web.yaml": strings.ReplaceAll(web("4", "", "cpu: 10m"), "namespace: shop",
				"namespace: {{ .Release.Namespace }}"),
			"apps/web.yaml": `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  interval: 5m
  chart: {spec: {chart: ./charts/web, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}
`}
	}
	ch := clusterChanges(t, files(`"10"`), files(`"3"`))
	r := verdict(t)(Check(context.Background(), ch, Options{Policy: policies.Default(), Workers: 2}))
	if got := broken(r)["rollout-stuck apps/Deployment shop/web"]; !strings.HasPrefix(got, "new error inevitable") {
		t.Errorf("told %q of it: %v", got, verdictLines(r))
	}
}

// TestParametersApart: the parameters of a policy that mutates pods act as the policy does, also in a separate file,
// while neither the policy nor the release of the pods changes.
func TestParametersApart(t *testing.T) {
	files := func(cpu string) map[string]string {
		list := strings.Split(patches("pods", cpu), "---\n")
		return map[string]string{"app/a.yaml": web("2", "", "cpu: 10m"), "platform/p.yaml": list[0] + "---\n" + list[1],
			"platform/c.yaml": list[2], "clusters/main/app.yaml": fluxed("app"), "clusters/main/platform.yaml": fluxed("platform")}
	}
	pol, err := policies.Load("policy.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"+smallNode))
	if err != nil {
		t.Fatal(err)
	}
	ch := clusterChanges(t, files("200m"), files("600m"), pol)
	r := verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 2}))
	want := map[string]string{"unschedulable apps/Deployment shop/web": "new error inevitable [ConfigMap shop/grow data[cpu]]"}
	if d := cmp.Diff(want, broken(r)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestWhatIsNotJoinedIsSaid: an object that acts on others and meets none, as nobody says where a chart runs, is said to,
// with the line of policy by which it does.
func TestWhatIsNotJoinedIsSaid(t *testing.T) {
	files := func(most string) map[string]string {
		return map[string]string{"charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
			"charts/web/templates/web.yaml": strings.ReplaceAll(web("2", "", "cpu: 10m"), ", namespace: shop", ""),
			"platform/p.yaml":               fmt.Sprintf(shopBudget, "maxUnavailable: "+most)}
	}
	ch := clusterChanges(t, files("1"), files("0"))
	r := verdict(t)(Check(context.Background(), ch, Options{Policy: policies.Default(), Workers: 2}))
	i := slices.IndexFunc(r.Assumptions, func(n finding.Note) bool { return n.Kind == finding.NotJoined })
	if i < 0 || r.Assumptions[i].Object != "policy/PodDisruptionBudget shop/web" ||
		r.Assumptions[i].Arg(0) != "releases: [{id: charts/web, chart: charts/web, namespace: shop}]" {
		t.Errorf("said %v", r.Assumptions)
	}
	if ch = clusterChanges(t, files("1"), files("1")); len(r.Findings) > 0 {
		t.Errorf("found %v", r.Findings)
	}
	if r = verdict(t)(Check(context.Background(), ch, Options{Policy: policies.Default(), Workers: 2})); slices.ContainsFunc(
		r.Assumptions, func(n finding.Note) bool { return n.Kind == finding.NotJoined }) {
		t.Error("said of what has not changed")
	}
}
