package scheduler

import (
	"fmt"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// schedScript plays the scripts of testdata/scheduler_*:
//
//	cluster            one line a node class: NAME COUNT zone=a cpu=4 memory=8Gi pods=110
//	                   label=KEY=VALUE taint=KEY=VALUE:EFFECT image=NAME:BYTES elastic cordoned
//	manifest [base|head]  Deployments, PriorityClasses and Namespaces; both versions by default
//	place              one line a pod class: web/old pending=1 ready=a-1:2,b-1 starting=… terminating=…
//	decide CLASS       feasible nodes, scores, the best
//	why CLASS          what keeps its pods from each node, and the fields that ask for it
//	step               every successor, as it is described
type schedScript struct {
	spec     *state.Spec
	topology []int
	cfg      *state.Config
	actor    *Scheduler
	now      state.State
}

func TestSchedulerScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scheduler_*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			x := &schedScript{}
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string { return x.run(t, d) })
		})
	}
}

func (x *schedScript) run(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	var out string
	var err error
	switch d.Cmd {
	case "cluster":
		x.spec, x.topology, x.cfg = &state.Spec{}, nil, nil
		err = x.cluster(d.Input)
	case "manifest":
		err = x.manifest(d)
	case "place":
		err = x.place(d.Input)
	case "decide", "why":
		var p int
		if p, err = x.class(d.CmdArgs[0].Key); err == nil && d.Cmd == "why" {
			out = x.why(p)
		} else if err == nil {
			out = x.decide(p)
		}
	case "step":
		out = x.step()
	default:
		t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	}
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return out
}

func (x *schedScript) cluster(input string) error {
	for _, line := range strings.Split(strings.TrimSpace(input), "\n") {
		f := strings.Fields(line)
		count, err := strconv.Atoi(f[1])
		if err != nil {
			return err
		}
		class := state.NodeClass{Name: f[0], Min: count, Max: count, Node: &corev1.Node{}}
		class.Node.Labels = map[string]string{}
		class.Node.Status.Allocatable = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("110")}
		for _, option := range f[2:] {
			key, value, _ := strings.Cut(option, "=")
			switch key {
			case "zone":
				class.Node.Labels[corev1.LabelTopologyZone] = value
			case "label":
				k, v, _ := strings.Cut(value, "=")
				class.Node.Labels[k] = v
			case "taint":
				pair, effect, _ := strings.Cut(value, ":")
				k, v, _ := strings.Cut(pair, "=")
				class.Node.Spec.Taints = append(class.Node.Spec.Taints,
					corev1.Taint{Key: k, Value: v, Effect: corev1.TaintEffect(effect)})
			case "image":
				i := strings.LastIndex(value, ":")
				size := resource.MustParse(value[i+1:])
				class.Node.Status.Images = append(class.Node.Status.Images,
					corev1.ContainerImage{Names: []string{value[:i]}, SizeBytes: size.Value()})
			case "elastic":
				class.Elastic = true
			case "cordoned":
				class.Node.Spec.Unschedulable = true
			default:
				q, err := resource.ParseQuantity(value)
				if err != nil {
					return fmt.Errorf("%s: %w", option, err)
				}
				class.Node.Status.Allocatable[corev1.ResourceName(key)] = q
			}
		}
		x.spec.Classes = append(x.spec.Classes, class)
		x.topology = append(x.topology, count)
	}
	return nil
}

func (x *schedScript) manifest(d *datadriven.TestData) error {
	versions := []state.Version{state.Base, state.Head}
	if d.HasArg("base") {
		versions = versions[:1]
	} else if d.HasArg("head") {
		versions = versions[1:]
	}
	for _, doc := range strings.Split(d.Input, "\n---\n") {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(doc), &kind); err != nil {
			return err
		}
		if err := x.object(kind.Kind, doc, versions); err != nil {
			return err
		}
	}
	return x.build()
}

func (x *schedScript) object(kind, doc string, versions []state.Version) error {
	switch kind {
	case "Deployment":
		o := &appsv1.Deployment{}
		if err := yaml.UnmarshalStrict([]byte(doc), o); err != nil {
			return err
		}
		if o.Namespace == "" {
			o.Namespace = "default"
		}
		id := "apps/Deployment " + o.Namespace + "/" + o.Name
		w := -1
		for i := range x.spec.Workloads {
			if x.spec.Workloads[i].ID == id {
				w = i
			}
		}
		if w < 0 {
			w = len(x.spec.Workloads)
			x.spec.Workloads = append(x.spec.Workloads, state.Workload{ID: id, Namespace: o.Namespace, Name: o.Name})
		}
		for _, v := range versions {
			x.spec.Workloads[w].Manifests[v].Deployment = o
		}
	case "PriorityClass":
		o := &schedulingv1.PriorityClass{}
		if err := yaml.UnmarshalStrict([]byte(doc), o); err != nil {
			return err
		}
		if x.spec.PriorityClasses == nil {
			x.spec.PriorityClasses = map[string]int32{}
		}
		x.spec.PriorityClasses[o.Name] = o.Value
	case "Namespace":
		o := &corev1.Namespace{}
		if err := yaml.UnmarshalStrict([]byte(doc), o); err != nil {
			return err
		}
		if x.spec.Namespaces == nil {
			x.spec.Namespaces = map[string]map[string]string{}
		}
		x.spec.Namespaces[o.Name] = o.Labels
	default:
		return fmt.Errorf("kind %q is not played here", kind)
	}
	return nil
}

func (x *schedScript) build() error {
	b, err := state.NewBuilder(x.spec, x.topology, 100)
	if err != nil {
		return err
	}
	if x.cfg, err = b.Freeze(); err != nil {
		return err
	}
	x.now = x.cfg.New()
	x.actor, err = NewScheduler(x.cfg)
	return err
}

// class finds a pod class by its workload's name and, where there are two, revision.
func (x *schedScript) class(name string) (int, error) {
	workload, revision, _ := strings.Cut(name, "/")
	for p := range x.cfg.Pods {
		if x.cfg.Spec.Workloads[x.cfg.Pods[p].Workload].Name == workload && x.cfg.Revision(p) == revision {
			return p, nil
		}
	}
	return 0, fmt.Errorf("no pod class %s", name)
}

func (x *schedScript) place(input string) error {
	x.now = x.cfg.New()
	for _, line := range strings.Split(strings.TrimSpace(input), "\n") {
		f := strings.Fields(line)
		p, err := x.class(f[0])
		if err != nil {
			return err
		}
		for _, option := range f[1:] {
			key, value, _ := strings.Cut(option, "=")
			if key == "pending" {
				n, err := strconv.Atoi(value)
				if err != nil {
					return err
				}
				x.now.Set(x.cfg.Class[p].Pending, n)
				continue
			}
			phase, ok := map[string]state.Phase{
				"starting": state.Starting, "ready": state.Ready, "terminating": state.Terminating}[key]
			if !ok {
				return fmt.Errorf("no phase %q", key)
			}
			for _, where := range strings.Split(value, ",") {
				if err := x.placeOn(p, phase, where); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (x *schedScript) placeOn(p int, phase state.Phase, where string) error {
	name, times, many := strings.Cut(where, ":")
	count := 1
	if many {
		var err error
		if count, err = strconv.Atoi(times); err != nil {
			return err
		}
	}
	for n := range x.cfg.Nodes {
		if x.cfg.Nodes[n].Name == name {
			x.now.Add(n, p, phase, count)
			return nil
		}
	}
	return fmt.Errorf("no node %q", name)
}

func (x *schedScript) decide(p int) string {
	d := x.actor.Decide(x.now, p)
	var b strings.Builder
	name := func(n int) string { return x.cfg.Nodes[n].Name }
	for i, n := range d.Feasible {
		fmt.Fprintf(&b, "%s:", name(n))
		for _, s := range d.Scores {
			fmt.Fprintf(&b, " %s=%d", s.Plugin, s.Final[i])
		}
		if len(d.Total) > 0 {
			fmt.Fprintf(&b, " total=%d", d.Total[i])
		}
		b.WriteByte('\n')
	}
	var best []string
	for _, n := range d.Best {
		best = append(best, name(n))
	}
	fmt.Fprintf(&b, "best: %s\n", strings.Join(best, " "))
	return b.String()
}

func (x *schedScript) why(p int) string {
	var b strings.Builder
	why := WhyPending(x.now, p)
	fmt.Fprintln(&b, FitError(len(x.cfg.Nodes), why))
	for _, r := range why {
		fmt.Fprintf(&b, "%s: %s: %s %s\n", x.cfg.Nodes[r.Node].Name, r.Text, r.Ref.Object, r.Ref.Field)
	}
	return b.String()
}

func (x *schedScript) step() string {
	var out []string
	for _, m := range schedMoves(x.actor, x.now) {
		w := x.actor.Describe(x.now, m.to, m.move)
		out = append(out, w.Text)
		for _, r := range w.Because {
			out = append(out, "  because "+r.Object+" "+r.Field)
		}
	}
	if len(out) == 0 {
		return "not enabled\n"
	}
	return strings.Join(out, "\n") + "\n"
}

// schedSink keeps the successors of one step.
type schedSink struct {
	cfg   *state.Config
	buf   []byte
	moves []schedMove
}

type schedMove struct {
	to   state.State
	move search.Move
}

func (k *schedSink) Copy(s []byte) []byte {
	k.buf = append(k.buf[:0], s...)
	return k.buf
}

func (k *schedSink) Move(m search.Move) {
	to := state.State{C: k.cfg, B: append([]byte(nil), k.buf...)}
	k.moves = append(k.moves, schedMove{to, m})
}

func schedMoves(a *Scheduler, s state.State) []schedMove {
	k := &schedSink{cfg: s.C}
	a.Step(s, actor.NewEmit(k, s.C, &actor.Scratch{}))
	return k.moves
}

// canonical is the set of canonical forms of some successors.
func canonical(moves []schedMove) []string {
	seen := map[string]bool{}
	for _, m := range moves {
		b := append([]byte(nil), m.to.B...)
		m.to.C.Canon(b)
		seen[string(b)] = true
	}
	var out []string
	for s := range seen {
		out = append(out, s)
	}
	sort.Strings(out)
	return out
}
