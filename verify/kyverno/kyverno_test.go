package kyverno_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/defaults"
	"github.com/kubesettle/kubesettle/verify/kyverno"
)

const (
	pod = `apiVersion: v1
kind: Pod
metadata: {generateName: web-, namespace: shop, labels: {app: web}, annotations: {here: "1"}}
spec:
  containers:
  - {name: a, image: "r.example.org/a:latest"}
  - {name: b, image: "b:2", resources: {limits: {cpu: "1"}}}
`
	deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: "r.example.org/a:latest"}]}
`
	cronJob = `apiVersion: batch/v1
kind: CronJob
metadata: {name: web, namespace: shop}
spec:
  schedule: "* * * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a:latest"}]}}}}
`
	onPods = `match: {any: [{resources: {kinds: [Pod]}}]}`
	pull   = `mutate: {patchStrategicMerge: {spec: {containers: [{(image): "*:latest", imagePullPolicy: IfNotPresent}]}}}`
)

// What rules make of objects is written as the fields that differ, sorted; what is open as its reason. The examples of
// Kyverno's documentation are among them.
func TestMutate(t *testing.T) {
	for _, tt := range []struct {
		name, rule, object string
		want               []string
	}{
		{"a condition on a list", onPods + "\n" + pull, pod,
			[]string{`spec.containers[0].imagePullPolicy: IfNotPresent`}},
		{"of a Deployment", onPods + "\n" + pull, deployment,
			[]string{`spec.template.spec.containers[0].imagePullPolicy: IfNotPresent`}},
		{"of a CronJob", onPods + "\n" + pull, cronJob,
			[]string{`spec.jobTemplate.spec.template.spec.containers[0].imagePullPolicy: IfNotPresent`}},
		{"not of a Deployment if it names pods", "match: {any: [{resources: {kinds: [Pod], names: ['web*']}}]}\n" + pull,
			deployment, nil},
		{"but of the pod", "match: {any: [{resources: {kinds: [Pod], names: ['web*']}}]}\n" + pull, pod,
			[]string{`spec.containers[0].imagePullPolicy: IfNotPresent`}},
		{"in the older form", "match: {resources: {kinds: [v1/Pod], namespaces: ['sh?p'], selector: {matchLabels: {app: web}}}}\n" +
			pull, pod, []string{`spec.containers[0].imagePullPolicy: IfNotPresent`}},
		{"another namespace", "match: {resources: {kinds: [Pod], namespaces: [prod]}}\n" + pull, pod, nil},
		{"a namespace by its labels", "match: {resources: {kinds: [Pod], namespaceSelector: {matchLabels: {tier: gold}}}}\n" +
			pull, pod, []string{`spec.containers[0].imagePullPolicy: IfNotPresent`}},
		{"excluded", onPods + "\nexclude: {any: [{resources: {selector: {matchLabels: {app: web}}}}]}\n" + pull, pod, nil},
		{"all of them", "match: {all: [{resources: {kinds: [Pod]}}, {resources: {names: [db]}}]}\n" + pull, pod, nil},
		{"a subresource", "match: {any: [{resources: {kinds: [Pod/exec]}}]}\n" + pull, pod, nil},
		{"add what is missing", onPods + `
mutate: {patchStrategicMerge: {metadata: {annotations: {+(here): "2", +(there): "2"}}}}`, pod,
			[]string{`metadata.annotations.there: 2`}},
		{"add to every container", onPods + `
mutate: {patchStrategicMerge: {spec: {containers: [{(name): "*", resources: {limits: {memory: 300Mi}}}]}}}`, pod,
			[]string{`spec.containers[0].resources.limits.memory: 300Mi`, `spec.containers[0].resources.requests.memory: 300Mi`,
				`spec.containers[1].resources.limits.memory: 300Mi`, `spec.containers[1].resources.requests.memory: 300Mi`}},
		{"add to some, which sets it in all", onPods + `
mutate: {patchStrategicMerge: {spec: {containers: [{(name): "*", resources: {limits: {+(cpu): "2"}}}]}}}`, pod,
			[]string{"open: its patch adds to one element of a list what another one has"}},
		{"a condition of the pod", onPods + `
mutate: {patchStrategicMerge: {spec: {(hostNetwork): true, dnsPolicy: ClusterFirstWithHostNet}}}`, pod, nil},
		{"a new container comes first", onPods + `
mutate: {patchStrategicMerge: {spec: {initContainers: [{name: first, image: "i:1"}]}}}`, pod,
			[]string{`spec.initContainers[0].image: i:1`, `spec.initContainers[0].imagePullPolicy: IfNotPresent`,
				`spec.initContainers[0].name: first`, `spec.initContainers[0].terminationMessagePath: /dev/termination-log`,
				`spec.initContainers[0].terminationMessagePolicy: File`}},
		{"a patch of RFC 6902", onPods + `
mutate:
  patchesJson6902: |-
    - {op: add, path: /spec/tolerations/-, value: {key: spot, operator: Exists}}
    - {op: add, path: /spec/nodeSelector/disk, value: ssd}
    - {op: remove, path: /metadata/annotations/none}
    - {op: replace, path: /metadata/annotations/here, value: "3"}`, pod,
			[]string{`metadata.annotations.here: 3`, `spec.nodeSelector.disk: ssd`, `spec.tolerations[0].key: spot`,
				`spec.tolerations[0].operator: Exists`}},
		{"has no rule for Deployments", onPods + "\nmutate: {patchesJson6902: '[{op: add, path: /spec/nodeName, value: n}]'}",
			deployment, nil},
		{"that cannot be applied", onPods + "\nmutate: {patchesJson6902: '[{op: replace, path: /spec/none, value: n}]'}", pod,
			[]string{"open: its patch changes a path that is not there: /spec/none"}},
		{"Deployments", "match: {any: [{resources: {kinds: [apps/v1/Deployment]}}]}\nmutate: {patchStrategicMerge: {spec: {replicas: 0}}}",
			deployment, []string{`spec.replicas: 0`}},
		{"variables", onPods + "\nmutate: {patchStrategicMerge: {spec: {nodeName: '{{request.object.metadata.name}}'}}}", pod,
			[]string{"open: its patch has variables"}},
		{"that others have", "match: {any: [{resources: {kinds: [Service]}}]}\nmutate: {patchStrategicMerge: {spec: {nodeName: '{{a}}'}}}",
			pod, nil},
		{"preconditions", onPods + "\npreconditions: {all: []}\n" + pull, deployment,
			[]string{"open: a rule of it has more than a plain patch"}},
		{"a loop", onPods + "\nmutate: {foreach: [{list: 'request.object.spec.containers', patchStrategicMerge: {}}]}", pod,
			[]string{"open: a rule of it has more than a plain patch"}},
		{"a global anchor", onPods + `
mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}, spec: {volumes: [{<(emptyDir): {}}]}}}`, pod,
			[]string{"open: its patch has the anchor <(emptyDir)"}},
		{"a sender", "match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: u}]}]}\n" + pull, pod,
			[]string{"open: whom it matches is not known"}},
		{"targets", "match: {any: [{resources: {kinds: [ConfigMap]}}]}\nmutate: {targets: [{apiVersion: apps/v1, kind: Deployment}], " +
			"patchStrategicMerge: {spec: {replicas: 0}}}", deployment, []string{"open: it changes objects that exist"}},
		{"creations alone", "match: {any: [{resources: {kinds: [Deployment], operations: [CREATE]}}]}\n" +
			"mutate: {patchStrategicMerge: {spec: {replicas: 0}}}", deployment, []string{"open: whom it matches is not known"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			policy := "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: r\n    " +
				strings.ReplaceAll(tt.rule, "\n", "\n    ")
			var content map[string]any
			if err := yaml.Unmarshal([]byte(policy), &content); err != nil {
				t.Fatal(err)
			}
			p := kyverno.Read("p", schema.GroupKind{Group: kyverno.Group, Kind: "ClusterPolicy"}, "", content)
			var kind struct{ APIVersion, Kind string }
			if err := yaml.Unmarshal([]byte(tt.object), &kind); err != nil {
				t.Fatal(err)
			}
			gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
			o, err := defaults.Scheme().New(gvk)
			if err == nil {
				err = yaml.Unmarshal([]byte(tt.object), o)
			}
			if err != nil {
				t.Fatal(err)
			}
			defaults.Set(o)
			r := kyverno.Request{Kind: gvk, Namespace: "shop", NamespaceLabels: map[string]string{"tier": "gold"}, Object: o, Name: "web"}
			if gvk.Kind == "Pod" {
				r.GeneratedFrom = "web-"
			}
			m := kyverno.Mutate([]*kyverno.Policy{p}, r)
			got := differences(t, o, m.Object)
			for _, x := range m.Open {
				got = append(got, "open: "+x[1])
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func differences(t *testing.T, was, is any) (out []string) {
	var walk func(at string, a, b any)
	walk = func(at string, a, b any) {
		switch y := b.(type) {
		case map[string]any:
			x, _ := a.(map[string]any)
			for _, key := range sortedKeys(x, y) {
				walk(strings.TrimPrefix(at+"."+key, "."), x[key], y[key])
			}
		case []any:
			x, _ := a.([]any)
			for i := range y {
				var before any
				if i < len(x) {
					before = x[i]
				}
				walk(fmt.Sprintf("%s[%d]", at, i), before, y[i])
			}
		default:
			if fmt.Sprint(a) != fmt.Sprint(b) {
				out = append(out, fmt.Sprintf("%s: %v", at, b))
			}
		}
	}
	walk("", plain(t, was), plain(t, is))
	return out
}

func plain(t *testing.T, o any) (out any) {
	text, err := yaml.Marshal(o)
	if err == nil {
		err = yaml.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	m := out.(map[string]any)
	delete(m, "apiVersion")
	delete(m, "kind")
	return out
}

func sortedKeys(a, b map[string]any) []string {
	all := maps.Clone(b)
	maps.Copy(all, a)
	return slices.Sorted(maps.Keys(all))
}
