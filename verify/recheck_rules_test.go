package verify

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// read makes an object of its manifest.
func read[T any](t *testing.T, manifest string) *T {
	t.Helper()
	out := new(T)
	if err := yaml.UnmarshalStrict([]byte(manifest), out); err != nil {
		t.Fatalf("%v\n%s", err, manifest)
	}
	return out
}

// stage is a cluster of two nodes in two zones, with pods web of a Deployment in two sets (0 old,
// 1 new), and one api beside them (2).
func stage(t *testing.T, web, api string) *Frame {
	t.Helper()
	f := &Frame{Pods: map[Group]int{}, Namespaces: map[string]map[string]string{"other": {"team": "a"}}}
	for _, n := range []string{"a", "b"} {
		f.Nodes = append(f.Nodes, Node{Node: read[corev1.Node](t, `
metadata: {name: `+n+`, labels: {kubernetes.io/hostname: `+n+`, zone: z`+n+`}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "3"}}`)})
	}
	for i, spec := range []string{web, web, api} {
		name, hash := "web", []string{"old", "new", "x"}[i]
		if i == 2 {
			name = "api"
		}
		pod := read[corev1.Pod](t, `{metadata: {name: `+name+`, namespace: default, labels: {app: `+name+`, pod-template-hash: `+hash+`}}, spec: `+spec+`}`)
		f.Kinds = append(f.Kinds, Kind{Pod: pod, Workload: i / 2, Set: i, Ordinal: -1})
	}
	f.Workloads = []Workload{
		{ID: "web", Deployment: read[appsv1.Deployment](t, `spec: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}}`), Replicas: 2, Newest: 1, Sizes: map[int]int{0: 2, 1: 0}, Scales: true},
		{ID: "api", Replicas: 1, Newest: 2, Scales: true},
	}
	return f
}

const plain = `{containers: [{name: c, resources: {requests: {cpu: "1"}}}]}`

// TestUnfit has a pod that may be placed, and the same one for each reason why it may not.
func TestUnfit(t *testing.T) {
	apart := `{containers: [{name: c}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: web}}, topologyKey: zone}]}}}`
	near := strings.Replace(apart, "podAntiAffinity", "podAffinity", 1)
	spread := `{containers: [{name: c}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]}`
	port := `{containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]}`
	for _, tt := range []struct {
		name, web, api string
		with           func(*Frame) // what stands on the first node
		kind           int
		want           string // part of why; "": it may
	}{
		{"room", plain, plain, func(f *Frame) { f.Pods[Group{0, 0, Available}] = 1 }, 2, ""},
		{"no CPU", plain, plain, func(f *Frame) { f.Pods[Group{0, 0, Available}] = 2 }, 2, "of cpu"},
		{"no CPU beside what stops", plain, plain, func(f *Frame) { f.Pods[Group{0, 0, Terminating}] = 2 }, 2, "of cpu"},
		{"a limit is a request", plain, `{containers: [{name: c, resources: {limits: {cpu: "3"}}}]}`, func(*Frame) {}, 2, "of cpu"},
		{"nobody knows the capacity", plain, plain, func(f *Frame) { f.Pods[Group{0, 0, Available}] = 2; f.Nodes[0].Unknown = true }, 2, ""},
		{"no slot", `{containers: [{name: c}]}`, plain, func(f *Frame) { f.Pods[Group{0, 0, Available}] = 3 }, 2, "pods where"},
		{"taken by others", plain, plain, func(f *Frame) { f.Nodes[0].Taken = f.Nodes[0].Status.Allocatable }, 2, "pods where"},
		{"port", port, port, func(f *Frame) { f.Pods[Group{0, 0, Starting}] = 1 }, 2, "port 80"},
		{"port of another protocol", port, strings.Replace(port, "hostPort", "protocol: UDP, hostPort", 1), func(f *Frame) { f.Pods[Group{0, 0, Starting}] = 1 }, 2, ""},
		{"port of the host network", port, `{hostNetwork: true, containers: [{name: c, ports: [{containerPort: 80}]}]}`, func(f *Frame) { f.Pods[Group{0, 0, Starting}] = 1 }, 2, "port 80"},
		{"taint", plain, plain, func(f *Frame) { f.Nodes[0].Spec.Taints = []corev1.Taint{{Key: "own", Effect: "NoSchedule"}} }, 2, "taint own"},
		{"soft taint", plain, plain, func(f *Frame) { f.Nodes[0].Spec.Taints = []corev1.Taint{{Key: "own", Effect: "PreferNoSchedule"}} }, 2, ""},
		{"tolerated", plain, `{containers: [{name: c}], tolerations: [{key: own, operator: Exists}]}`, func(f *Frame) { f.Nodes[0].Spec.Taints = []corev1.Taint{{Key: "own", Effect: "NoSchedule"}} }, 2, ""},
		{"cordoned", plain, plain, func(f *Frame) { f.Nodes[0].Spec.Unschedulable = true }, 2, "unschedulable"},
		{"cordoned, for a DaemonSet", plain, plain, func(f *Frame) { f.Nodes[0].Spec.Unschedulable, f.Workloads[1].DaemonSet = true, &appsv1.DaemonSet{} }, 2, ""},
		{"selector", plain, `{containers: [{name: c}], nodeSelector: {zone: zb}}`, func(*Frame) {}, 2, "nodeSelector"},
		{"apart", apart, plain, func(f *Frame) { f.Pods[Group{0, 0, Ready}] = 1 }, 1, "anti-affinity"},
		{"apart, elsewhere", apart, plain, func(f *Frame) { f.Pods[Group{0, 1, Ready}] = 1 }, 1, ""},
		{"kept away by what is there", plain, apart, func(f *Frame) { f.Pods[Group{2, 0, Terminating}] = 1 }, 1, "anti-affinity of pods"},
		{"near", plain, near, func(f *Frame) { f.Pods[Group{0, 0, Ready}] = 1 }, 2, ""},
		{"not near", plain, near, func(f *Frame) { f.Pods[Group{0, 1, Ready}] = 1 }, 2, "no pod that its affinity"},
		{"nobody to be near", plain, near, func(*Frame) {}, 2, "no pod that its affinity"},
		{"the first of its like", near, plain, func(*Frame) {}, 0, ""},
		{"even", spread, plain, func(f *Frame) { f.Pods[Group{0, 0, Ready}], f.Pods[Group{0, 1, Ready}] = 1, 1 }, 1, ""},
		{"skewed", spread, plain, func(f *Frame) { f.Pods[Group{0, 0, Ready}] = 1 }, 1, "maxSkew 1"},
		{"what stops does not count", spread, plain, func(f *Frame) { f.Pods[Group{0, 0, Terminating}] = 1 }, 1, ""},
		{"revisions apart", strings.Replace(spread, "maxSkew", "matchLabelKeys: [pod-template-hash], maxSkew", 1), plain, func(f *Frame) { f.Pods[Group{0, 0, Ready}] = 1 }, 1, ""},
		{"too few domains", strings.Replace(spread, "maxSkew", "minDomains: 3, maxSkew", 1), plain, func(f *Frame) { f.Pods[Group{0, 0, Ready}], f.Pods[Group{0, 1, Ready}] = 1, 1 }, 1, "least is 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := stage(t, tt.web, tt.api)
			tt.with(f)
			if got := f.Unfit(tt.kind, 0); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestStep has a step that is right, and those that are wrong for one reason each.
func TestStep(t *testing.T) {
	deployment := Move{Actor: "deployment/default/web", Action: "scale-replicaset"}
	drain := Move{Actor: "drain", Action: "evict-pod"}
	set := func() Workload {
		return Workload{ID: "web", StatefulSet: &appsv1.StatefulSet{}, Replicas: 2, Newest: 1, Scales: true}
	}
	for _, tt := range []struct {
		name        string
		before, now func(*Frame)
		move        Move
		want        string
	}{
		{"binding", func(f *Frame) { f.Pods[Group{0, -1, Pending}] = 1 }, func(f *Frame) { delete(f.Pods, Group{0, -1, Pending}); f.Pods[Group{0, 0, Starting}] = 1 }, Move{Actor: "scheduler", Action: "bind"}, ""},
		{"binding where there is no room", func(f *Frame) { f.Pods[Group{0, -1, Pending}], f.Pods[Group{2, 0, Ready}] = 1, 2 }, func(f *Frame) { delete(f.Pods, Group{0, -1, Pending}); f.Pods[Group{0, 0, Starting}] = 1 }, Move{Actor: "scheduler", Action: "bind"}, "of cpu"},
		{"start on a lost node", func(f *Frame) { f.Pods[Group{0, 0, Starting}] = 1; f.Nodes[0].Down = true }, func(f *Frame) { delete(f.Pods, Group{0, 0, Starting}); f.Pods[Group{0, 0, Available}] = 1 }, Move{Actor: "kubelet-start/default/web", Action: "start-pod"}, "which is lost"},
		{"surge", func(*Frame) {}, func(f *Frame) { f.Workloads[0].Sizes = map[int]int{0: 2, 1: 1} }, deployment, ""},
		{"too much surge", func(*Frame) {}, func(f *Frame) { f.Workloads[0].Sizes = map[int]int{0: 2, 1: 2} }, deployment, "a surge of 1"},
		{"too few left", func(f *Frame) { f.Pods[Group{0, 0, Available}] = 2 }, func(f *Frame) { f.Workloads[0].Sizes = map[int]int{0: 1, 1: 0} }, deployment, "keeps 1 pods available of 2"},
		{"the new pod stands in", func(f *Frame) {
			f.Pods[Group{0, 0, Available}], f.Pods[Group{1, 1, Available}], f.Workloads[0].Sizes = 2, 1, map[int]int{0: 2, 1: 1}
		}, func(f *Frame) { f.Workloads[0].Sizes = map[int]int{0: 1, 1: 1} }, deployment, ""},
		{"the new pod is not available yet", func(f *Frame) {
			f.Pods[Group{0, 0, Available}], f.Pods[Group{1, 1, Ready}], f.Workloads[0].Sizes = 2, 1, map[int]int{0: 2, 1: 1}
		}, func(f *Frame) { f.Workloads[0].Sizes = map[int]int{0: 1, 1: 1} }, deployment, "keeps 1 pods"},
		{"recreate beside the old", func(f *Frame) {
			f.Workloads[0].Deployment.Spec.Strategy.Type, f.Pods[Group{0, 0, Terminating}] = "Recreate", 1
			f.Workloads[0].Sizes = map[int]int{0: 0, 1: 0}
		}, func(f *Frame) { f.Workloads[0].Sizes = map[int]int{0: 0, 1: 2} }, deployment, "(Recreate)"},
		{"more pods than asked for", func(f *Frame) { f.Pods[Group{0, 0, Available}] = 2 }, func(f *Frame) { f.Pods[Group{0, -1, Pending}] = 1 }, Move{Actor: "replicaset/default/web@old", Action: "create-pod"}, "asks for 2"},
		{"over the quota", func(f *Frame) {
			f.Quotas = []Quota{{ResourceQuota: read[corev1.ResourceQuota](t, `{metadata: {name: q, namespace: default}, spec: {hard: {requests.cpu: "1"}}}`)}}
			f.Pods[Group{2, 0, Available}] = 1
		}, func(f *Frame) { f.Pods[Group{0, -1, Pending}] = 1 }, Move{Actor: "replicaset/default/web@old", Action: "create-pod"}, "the quota q"},
		{"within the budget", budget(t, "minAvailable: 1"), gone, drain, ""},
		{"over the budget", budget(t, "minAvailable: 2"), gone, drain, "no pod to spare"},
		{"over a budget in percent", budget(t, "minAvailable: 51%"), gone, drain, "no pod to spare"},
		{"within a budget of what may be missing", budget(t, "maxUnavailable: 1"), gone, drain, ""},
		{"over a budget of what may be missing", budget(t, "maxUnavailable: 0"), gone, drain, "no pod to spare"},
		{"two budgets", func(f *Frame) { budget(t, "minAvailable: 0")(f); budget(t, "minAvailable: 0")(f) }, gone, drain, "more than one"},
		{"a drain that does not ask", budget(t, "minAvailable: 2"), gone, Move{Actor: "drain", Action: "evict-pod", Forced: true}, ""},
		{"preemption of an equal", func(f *Frame) { f.Pods[Group{2, -1, Pending}], f.Pods[Group{0, 0, Available}] = 1, 1 }, func(f *Frame) { delete(f.Pods, Group{0, 0, Available}) }, Move{Actor: "scheduler", Action: "preempt"}, "is preempted"},
		{"preemption", func(f *Frame) {
			f.Pods[Group{2, -1, Pending}], f.Pods[Group{0, 0, Available}] = 1, 1
			f.Kinds[2].Priority = [2]int32{5, 5}
		}, func(f *Frame) { delete(f.Pods, Group{0, 0, Available}) }, Move{Actor: "scheduler", Action: "preempt"}, ""},
		{"two of one ordinal", func(f *Frame) {
			f.Workloads[0] = set()
			f.Kinds[0].Ordinal, f.Kinds[1].Ordinal = 0, 0
			f.Pods[Group{0, 0, Terminating}] = 1
		},
			func(f *Frame) { f.Pods[Group{1, -1, Pending}] = 1 }, Move{Actor: "statefulset/default/web", Action: "create-pod"}, "have the ordinal 0"},
		{"before its predecessor", func(f *Frame) {
			f.Workloads[0] = set()
			f.Kinds[0].Ordinal, f.Kinds[1].Ordinal = 0, 1
			f.Pods[Group{0, 0, Starting}] = 1
		},
			func(f *Frame) { f.Pods[Group{1, -1, Pending}] = 1 }, Move{Actor: "statefulset/default/web", Action: "create-pod"}, "before its predecessor"},
		{"before its successor", func(f *Frame) {
			f.Workloads[0] = set()
			f.Kinds[0].Ordinal, f.Kinds[1].Ordinal = 0, 1
			f.Pods[Group{0, 0, Ready}] = 1
		},
			func(f *Frame) { delete(f.Pods, Group{0, 0, Ready}) }, Move{Actor: "statefulset/default/web", Action: "delete-pod"}, "before its successor"},
		{"two on a node", func(f *Frame) {
			f.Workloads[0] = Workload{ID: "web", DaemonSet: &appsv1.DaemonSet{}, Newest: 1}
			f.Pods[Group{0, 0, Available}] = 1
		},
			func(f *Frame) { f.Pods[Group{1, 0, Starting}] = 1 }, Move{Actor: "daemonset/default/web", Action: "create-pod"}, "2 pods of web on a"},
		{"two nodes without", func(f *Frame) {
			f.Workloads[0] = Workload{ID: "web", DaemonSet: &appsv1.DaemonSet{}, Newest: 1}
			f.Pods[Group{0, 0, Available}], f.Pods[Group{1, 1, Starting}] = 1, 1
		},
			func(f *Frame) { delete(f.Pods, Group{0, 0, Available}) }, Move{Actor: "daemonset/default/web", Action: "delete-pod"}, "no ready pod on 2 nodes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := stage(t, plain, plain)
			tt.before(before)
			after := before.copy()
			after.Workloads = append([]Workload(nil), before.Workloads...)
			tt.now(after)
			got := strings.Join(Step(before, after, tt.move), "; ")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// budget puts two pods on the first node, and a budget on them.
func budget(t *testing.T, spec string) func(*Frame) {
	return func(f *Frame) {
		b := read[policyv1.PodDisruptionBudget](t, `{metadata: {name: web, namespace: default}, spec: {selector: {matchLabels: {app: web}}, `+spec+`}}`)
		f.Budgets = append(f.Budgets, b)
		f.Pods[Group{0, 0, Available}] = 2
	}
}

func gone(f *Frame) { f.Pods[Group{0, 0, Available}], f.Pods[Group{0, 0, Terminating}] = 1, 1 }

// TestRest has a pod that waits though a node would take it, and one that has to wait.
func TestRest(t *testing.T) {
	f := stage(t, plain, plain)
	f.Pods[Group{0, -1, Pending}] = 1
	none := func(int) bool { return false }
	if got := Rest(f, none); len(got) != 2 {
		t.Errorf("a pod waits beside two free nodes: %q", got)
	}
	f.Nodes[0].Spec.Unschedulable, f.Nodes[1].Absent = true, true
	if got := Rest(f, none); len(got) != 0 {
		t.Errorf("no node takes it, yet: %q", got)
	}
}

// TestTermsReachOtherNamespaces has a term that names namespaces by their labels.
func TestTermsReachOtherNamespaces(t *testing.T) {
	f := stage(t, plain, plain)
	other := f.Kinds[2].Pod.DeepCopy()
	other.Namespace = "other"
	term := corev1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{}}
	if f.matches(f.Kinds[0].Pod, &term, other) {
		t.Error("a term without namespaces is about those of its own")
	}
	term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}}
	if !f.matches(f.Kinds[0].Pod, &term, other) {
		t.Error("the namespace has the label that the term asks for")
	}
}
