package scale

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/state"
)

// numbersOf is a workload as the test writes it; a nil pointer is not declared.
type numbersOf struct {
	replicas           int
	surge, unavailable intstr.IntOrString
	low, high          int // of an autoscaler; 0: none
	minAvailable       *intstr.IntOrString
	maxUnavailable     *intstr.IntOrString
	apart              bool
}

func (n numbersOf) manifest() state.Manifest {
	replicas := int32(n.replicas)
	d := &appsv1.Deployment{}
	d.Spec.Replicas = &replicas
	d.Spec.Strategy = appsv1.DeploymentStrategy{
		Type:          appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &n.surge, MaxUnavailable: &n.unavailable},
	}
	if n.apart {
		d.Spec.Template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: corev1.LabelHostname}},
		}}
	}
	m := state.Manifest{Deployment: d}
	if n.high > 0 {
		low := int32(n.low)
		m.HPA = &autoscalingv2.HorizontalPodAutoscaler{}
		m.HPA.Spec.MinReplicas, m.HPA.Spec.MaxReplicas = &low, int32(n.high)
	}
	if n.minAvailable != nil || n.maxUnavailable != nil {
		b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
		b.Spec.MinAvailable, b.Spec.MaxUnavailable = n.minAvailable, n.maxUnavailable
		m.PDBs = append(m.PDBs, b)
	}
	return m
}

func specOf(base, head numbersOf, nodes int) *state.Spec {
	node := &corev1.Node{}
	var classes []state.NodeClass
	for z := range 3 {
		node := node.DeepCopy()
		node.Labels = map[string]string{corev1.LabelTopologyZone: fmt.Sprint(z)}
		classes = append(classes, state.NodeClass{
			Name: fmt.Sprint("n-", z), Node: node, Min: nodes / 2 / 3, Max: (nodes + 2) / 3, Pool: "n", PoolMin: nodes / 2, PoolMax: nodes,
		})
	}
	return &state.Spec{Classes: classes, Workloads: []state.Workload{{ID: "w", Manifests: [2]state.Manifest{base.manifest(), head.manifest()}}}}
}

func words(s *state.Spec) string {
	out := ""
	for _, m := range s.Workloads[0].Manifests {
		r := m.Deployment.Spec.Strategy.RollingUpdate
		out += fmt.Sprintf("[%d +%s -%s", *m.Deployment.Spec.Replicas, r.MaxSurge, r.MaxUnavailable)
		if m.HPA != nil {
			out += fmt.Sprintf(" hpa %d..%d", *m.HPA.Spec.MinReplicas, m.HPA.Spec.MaxReplicas)
		}
		for _, b := range m.PDBs {
			if b.Spec.MinAvailable != nil {
				out += " keep " + b.Spec.MinAvailable.String()
			} else {
				out += " lose " + b.Spec.MaxUnavailable.String()
			}
		}
		out += "]"
	}
	for _, c := range s.Classes {
		out += fmt.Sprintf(" %d..%d", c.Min, c.Max)
	}
	return out + fmt.Sprintf(" of %d..%d", s.Classes[0].PoolMin, s.Classes[0].PoolMax)
}

func number(n int32) *intstr.IntOrString   { v := intstr.FromInt32(n); return &v }
func percentage(p int) *intstr.IntOrString { v := intstr.FromString(fmt.Sprint(p, "%")); return &v }
func shares(n int32, p int) [2]intstr.IntOrString {
	return [2]intstr.IntOrString{*number(n), *percentage(p)}
}

func TestReduce(t *testing.T) {
	quarter := *percentage(25)
	one, zero := *number(1), *number(0)
	for _, tt := range []struct {
		title      string
		base, head numbersOf
		nodes, gap int
		want       string
	}{
		{"few pods stay as they are",
			numbersOf{replicas: 2, surge: quarter, unavailable: quarter}, numbersOf{replicas: 3, surge: quarter, unavailable: quarter}, 6, 2,
			"[2 +25% -25%][3 +25% -25%] 1..2 1..2 1..2 of 3..6"},
		{"a percentage that comes to a pod still does",
			numbersOf{replicas: 50, surge: quarter, unavailable: *percentage(10)}, numbersOf{replicas: 500, surge: quarter, unavailable: *percentage(10)}, 6, 2,
			"[5 +25% -20%][7 +25% -20%] 1..2 1..2 1..2 of 3..6"},
		{"a budget that allows one, and one that allows none",
			numbersOf{replicas: 50, surge: one, unavailable: zero, minAvailable: number(49)},
			numbersOf{replicas: 50, surge: one, unavailable: zero, minAvailable: number(50)}, 6, 2,
			"[6 +1 -0 keep 5][6 +1 -0 keep 6] 1..2 1..2 1..2 of 3..6"},
		{"an autoscaler from 3 to 500",
			numbersOf{replicas: 3, surge: quarter, unavailable: quarter, low: 3, high: 500},
			numbersOf{replicas: 1, surge: quarter, unavailable: quarter, low: 3, high: 500}, 6, 2,
			"[3 +25% -25% hpa 3..5][1 +25% -25% hpa 3..5] 1..2 1..2 1..2 of 3..6"},
		{"kept apart, nodes count: one node more than pods",
			numbersOf{replicas: 59, surge: quarter, unavailable: quarter, apart: true},
			numbersOf{replicas: 60, surge: quarter, unavailable: quarter, apart: true}, 60, 2,
			"[8 +25% -25%][9 +25% -25%] 2..3 2..3 2..3 of 6..9"},
	} {
		t.Run(tt.title, func(t *testing.T) {
			got, _, err := Reduce(specOf(tt.base, tt.head, tt.nodes), tt.gap, nil)
			if err != nil {
				t.Fatal(err)
			}
			if words(got) != tt.want {
				t.Errorf("got  %s\nwant %s", words(got), tt.want)
			}
		})
	}
}

// facts lists what controllers compare, up to a gap: the order of all numbers and how
// far apart they are, and whether each share of each number of replicas is none, some or
// all of it.
func facts(s *state.Spec, gap int, further []int) []string {
	var named []struct {
		name string
		n    int
	}
	add := func(n int, format string, args ...any) {
		named = append(named, struct {
			name string
			n    int
		}{fmt.Sprintf(format, args...), n})
	}
	add(0, "nothing")
	for i, n := range further {
		add(n, "further %d", i)
	}
	var out []string
	for v, m := range s.Workloads[0].Manifests {
		add(int(*m.Deployment.Spec.Replicas), "replicas of %d", v)
		if m.HPA != nil {
			add(int(*m.HPA.Spec.MinReplicas), "low of %d", v)
			add(int(m.HPA.Spec.MaxReplicas), "high of %d", v)
		}
		for _, b := range m.PDBs {
			if a := b.Spec.MinAvailable; a != nil && a.Type == intstr.Int {
				add(a.IntValue(), "keep of %d", v)
			}
		}
	}
	for v, m := range s.Workloads[0].Manifests {
		r := m.Deployment.Spec.Strategy.RollingUpdate
		for k, n := range replicaNumbers(&s.Workloads[0]) {
			share := func(name string, x *intstr.IntOrString, up bool) {
				if x == nil {
					return
				}
				got, err := intstr.GetScaledValueFromIntOrPercent(x, n, up)
				if err != nil {
					panic(err)
				}
				out = append(out, fmt.Sprintf("%s of %d at %d: %d", name, v, k, extentOf(got, n)))
			}
			share("surge", r.MaxSurge, true)
			share("unavailable", r.MaxUnavailable, false)
			for _, b := range m.PDBs {
				if a := b.Spec.MinAvailable; a != nil && a.Type == intstr.String {
					share("keep", a, true)
				}
				share("lose", b.Spec.MaxUnavailable, true)
			}
		}
	}
	for _, a := range named {
		for _, b := range named {
			out = append(out, fmt.Sprintf("%s against %s: %d, %d", a.name, b.name, cmp.Compare(a.n, b.n), min(max(a.n-b.n, -gap), gap)))
		}
	}
	return out
}

// TestReduceKeepsRelations draws specs and compares what controllers compare.
func TestReduceKeepsRelations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	draw := func() numbersOf {
		n := numbersOf{replicas: r.IntN([]int{5, 60, 600}[r.IntN(3)])}
		of := func() intstr.IntOrString {
			return shares(int32(r.IntN(n.replicas+3)), r.IntN(101))[r.IntN(2)]
		}
		n.surge, n.unavailable = of(), of()
		if r.IntN(2) == 0 {
			n.low = 1 + r.IntN(20)
			n.high = n.low + r.IntN(600)
		}
		x := of()
		switch r.IntN(3) {
		case 0:
			n.minAvailable = &x
		case 1:
			n.maxUnavailable = &x
		}
		n.apart = r.IntN(3) == 0
		return n
	}
	refused := 0
	for i := range 3000 {
		spec := specOf(draw(), draw(), 1+r.IntN(40))
		gap := 2 + r.IntN(4)
		further := []int{r.IntN(100)}
		before := words(spec)
		got, counts, err := Reduce(spec, gap, further)
		if words(spec) != before {
			t.Fatalf("%d: the spec itself was changed", i)
		}
		if err != nil {
			refused++
			continue
		}
		far := gap
		if keptApart(spec) {
			far = 0 // nodes that zones share evenly may stretch a distance: the order is kept
		}
		a, b := facts(spec, far, further), facts(got, far, []int{counts.Of(further[0])})
		for k := range a {
			if a[k] != b[k] {
				t.Fatalf("%d, gap %d: %s\nas  %s\nwas %s\nis  %s", i, gap, before, words(got), a[k], b[k])
			}
		}
		if Pods(got) > Pods(spec) {
			t.Fatalf("%d: %s grew to %s", i, before, words(got))
		}
		same, _, err := Reduce(spec, 10_000, further)
		if err != nil || !reflect.DeepEqual(same, spec) {
			t.Fatalf("%d: a gap longer than all changes %s to %s (%v)", i, before, words(same), err)
		}
	}
	if refused > 300 {
		t.Errorf("%d of 3000 specs cannot be scaled down", refused)
	}
	t.Logf("%d of 3000 specs cannot be scaled down", refused)
}

func TestCountsKeepOrder(t *testing.T) {
	c := compress([]int{50, 400, 500}, nil, 3, 2)
	if c.Of(500) == 500 {
		t.Error("nothing was reduced")
	}
	last := -1
	for n := range 700 {
		if got := c.Of(n); got < last || got > n {
			t.Fatalf("%d becomes %d, after %d", n, got, last)
		} else {
			last = got
		}
	}
	if got := []int{c.Of(0), c.Of(3), c.Of(50), c.Of(400), c.Of(500)}; !slices.Equal(got, []int{0, 3, 5, 7, 9}) {
		t.Errorf("got %v", got)
	}
}
