package control_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestDeschedulerScripts plays testdata/descheduler_*. Beside the commands of
// [TestLoops] they have, in this order:
//
//	nodes        lines NAME COUNT [cpu=4] [pods=110] [zone=a] [label=k:v] [taint=k:v:EFFECT] [scheduler.Cordoned] [elastic]
//	manifests    Deployments, PodDisruptionBudgets, PriorityClasses and Namespaces
//	scheduler    a KubeSchedulerConfiguration; upstream's default without one
//	descheduler  a DeschedulerPolicy; then the manifests are installed
//	rule ID      a search for a violation of a rule of policies, from the present state
func TestDeschedulerScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/descheduler_*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			x := &deschedScript{}
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				out, err := x.play(d)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				return out
			})
		})
	}
}

type deschedScript struct{ script }

func (x *deschedScript) play(d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "nodes":
		x.script = script{spec: &state.Spec{}, max: 64}
		for _, line := range strings.Split(d.Input, "\n") {
			bare, opt := words(line)
			x.addNodes(append([]string{"nodes"}, bare...), opt)
			if err := decorate(&x.spec.Classes[len(x.spec.Classes)-1], bare[2:], opt); err != nil {
				return "", err
			}
		}
		return "", nil
	case "manifests":
		return "", addManifests(x.spec, d.Input)
	case "scheduler":
		var err error
		if x.spec.Scheduler, err = policies.LoadScheduler("scheduler.yaml", []byte(d.Input)); err != nil {
			return "error: " + err.Error() + "\n", nil
		}
		return "", nil
	case "descheduler":
		var err error
		if x.spec.Descheduler, err = policies.LoadDescheduler("descheduler.yaml", []byte(d.Input)); err != nil {
			return "error: " + err.Error() + "\n", nil
		}
		if err := x.build(); err != nil {
			return "refused: " + err.Error() + "\n", nil
		}
		return x.show(), nil
	case "rule":
		return x.rule(d.CmdArgs[0].Key)
	}
	return x.run(d)
}

func decorate(class *state.NodeClass, flags []string, opt map[string]string) error {
	if k, v, ok := strings.Cut(opt["label"], ":"); ok {
		class.Node.Labels[k] = v
	}
	if opt["taint"] != "" {
		part := strings.Split(opt["taint"], ":")
		class.Node.Spec.Taints = append(class.Node.Spec.Taints,
			corev1.Taint{Key: part[0], Value: part[1], Effect: corev1.TaintEffect(part[2])})
	}
	for _, f := range flags {
		switch f {
		case "cordoned":
			class.Node.Spec.Unschedulable = true
		case "autoscaled", "spot", "karpenter", "when-empty": // read already
		case "elastic":
			class.Elastic = true
		default:
			return fmt.Errorf("unknown flag %q", f)
		}
	}
	return nil
}

// addManifests adds objects to both versions of a slice, as verify's slices do.
func addManifests(spec *state.Spec, input string) error {
	var budgets []*policyv1.PodDisruptionBudget
	for _, doc := range strings.Split(input, "\n---\n") {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(doc), &kind); err != nil {
			return err
		}
		into := map[string]any{
			"Deployment": &appsv1.Deployment{}, "PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
			"PriorityClass": &schedulingv1.PriorityClass{}, "Namespace": &corev1.Namespace{},
		}[kind.Kind]
		if into == nil {
			return fmt.Errorf("kind %q is not played here", kind.Kind)
		}
		if err := yaml.UnmarshalStrict([]byte(doc), into); err != nil {
			return err
		}
		switch o := into.(type) {
		case *appsv1.Deployment:
			addDeploymentObject(spec, o)
		case *policyv1.PodDisruptionBudget:
			budgets = append(budgets, o)
		case *schedulingv1.PriorityClass:
			if spec.PriorityClasses == nil {
				spec.PriorityClasses = map[string]int32{}
			}
			spec.PriorityClasses[o.Name] = o.Value
		case *corev1.Namespace:
			if spec.Namespaces == nil {
				spec.Namespaces = map[string]map[string]string{}
			}
			spec.Namespaces[o.Name] = o.Labels
		}
	}
	return addBudgets(spec, budgets)
}

func addDeploymentObject(spec *state.Spec, o *appsv1.Deployment) {
	if o.Namespace == "" {
		o.Namespace = "default"
	}
	if o.Spec.Replicas == nil {
		one := int32(1)
		o.Spec.Replicas = &one
	}
	if quarter := intstr.FromString("25%"); o.Spec.Strategy.Type == "" {
		o.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
		o.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &quarter, MaxUnavailable: &quarter}
	}
	w := state.Workload{ID: "apps/Deployment " + o.Namespace + "/" + o.Name, Namespace: o.Namespace, Name: o.Name}
	for v := range w.Manifests {
		w.Manifests[v] = state.Manifest{Deployment: o, DeclaresReplicas: true}
	}
	spec.Workloads = append(spec.Workloads, w)
}

func addBudgets(spec *state.Spec, budgets []*policyv1.PodDisruptionBudget) error {
	for _, b := range budgets {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err != nil {
			return err
		}
		for i := range spec.Workloads {
			w := &spec.Workloads[i]
			if !selector.Matches(labels.Set(w.Manifests[0].Deployment.Spec.Template.Labels)) {
				continue
			}
			for v := range w.Manifests {
				w.Manifests[v].PDBs = append(w.Manifests[v].PDBs, b)
			}
		}
	}
	return nil
}

func (x *deschedScript) build() error {
	b, err := control.NewBuilder(x.spec, x.nodes, x.max)
	if err != nil {
		return err
	}
	if x.actors, err = control.All(b); err != nil {
		return err
	}
	if x.cfg, err = b.Freeze(); err != nil {
		return err
	}
	x.now = gitops.Install(x.cfg, state.Base)
	return nil
}

// rule searches for a violation of one of the rules on any workload.
func (x *deschedScript) rule(id string) (string, error) {
	i := slices.IndexFunc(rules.All(), func(r rules.Rule) bool { return r.ID == id })
	if i < 0 {
		return "", fmt.Errorf("no rule %q", id)
	}
	sys := search.System{
		Width: x.cfg.Width(), Initial: [][]byte{x.now.B}, Actors: actor.Adapt(x.cfg, x.actors, actor.Realistic),
		Canon: x.cfg.Canon, Local: actor.NewLocal,
	}
	var props []rules.Property
	for w := range x.spec.Workloads {
		p := rules.All()[i].New(x.cfg, w)
		if p.IsZero() {
			continue
		}
		props = append(props, p)
		sys.Rules = append(sys.Rules, x.bind(strconv.Itoa(w), p))
	}
	res, err := search.Run(context.Background(), sys, search.Options{Workers: 1, MaxEvents: -1})
	if err != nil {
		return "", err
	}
	out := x.verdict(res)
	if len(res.Violations) > 0 {
		v := res.Violations[0]
		at := v.Start
		if n := v.CycleStart; n > 0 {
			at = v.Steps[n-1].To
		} else if n < 0 && len(v.Steps) > 0 {
			at = v.Steps[len(v.Steps)-1].To
		}
		out += "message: " + props[v.Rule].Message(state.State{C: x.cfg, B: at}) + "\n"
	}
	return out, nil
}

// bind makes a property a rule of the search.
func (x *deschedScript) bind(name string, p rules.Property) search.Rule {
	r := search.Rule{Name: name}
	at := func(b []byte) state.State { return state.State{C: x.cfg, B: b} }
	if p.Recurs != nil {
		r.Recurs = func(from, to []byte, _ int, _ search.Move) bool { return p.Recurs(at(from), at(to)) }
	}
	if p.BadStep != nil {
		r.BadStep = func(from, to []byte, _ int, _ search.Move) bool { return p.BadStep(at(from), at(to)) }
	}
	if p.Quiescent != nil {
		r.Quiescent = func(b []byte) bool { return p.Quiescent(at(b)) }
	}
	if p.Settles != nil {
		r.Settles = func(b []byte) bool { return p.Settles(at(b)) }
	}
	return r
}
