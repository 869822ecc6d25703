package control_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestLoops plays the scripts of testdata. Their commands:
//
//	cluster        the slice: lines of nodes, base, head, hpa, keda, vpa, pdb, quota, queue, webhook, limit-range, events, gitops, cluster-autoscaler, server-side, straight, helm; then version base is installed
//	install V      version V on an empty cluster
//	set            the state by hand: lines of a workload, or of a revision as workload@old
//	step A…        one step of each actor; a#2 takes its second choice, a*3 takes three steps
//	choices A      every successor of an actor
//	run            all but the environment move, first actor and first choice first, until none can
//	settle         the same, the state only
//	state          the state
//	check RULE     a search from the state; see check_test.go
func TestLoops(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.HasPrefix(filepath.Base(path), "descheduler_") {
			t.Skip("played by TestDeschedulerScripts")
		}
		s := &script{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := s.run(d)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			return out
		})
	})
}

// script is a problem with its present state.
type script struct {
	spec   *state.Spec
	nodes  []int
	max    int
	cfg    *state.Config
	actors []actor.Actor
	now    state.State
}

func (s *script) run(d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "cluster":
		if err := s.cluster(d.Input); err != nil {
			return "refused: " + err.Error() + "\n", nil
		}
		return s.show(), nil
	case "install":
		v := state.Base
		if d.CmdArgs[0].Key == "head" {
			v = state.Head
		}
		s.now = gitops.Install(s.cfg, v)
		return s.show(), nil
	case "set":
		if err := s.set(d.Input); err != nil {
			return "", err
		}
		return s.show(), nil
	case "step":
		return s.steps(d.CmdArgs)
	case "choices":
		return s.choices(d.CmdArgs[0].Key)
	case "run":
		return s.settle()
	case "settle":
		if _, err := s.settle(); err != nil {
			return "", err
		}
		return s.show(), nil
	case "state":
		return s.show(), nil
	case "check":
		return s.check(d.CmdArgs[0].String())
	}
	return "", fmt.Errorf("unknown command %q", d.Cmd)
}

// words splits a line into its bare words and its key=value pairs.
func words(line string) (bare []string, opt map[string]string) {
	opt = map[string]string{}
	for _, f := range strings.Fields(line) {
		if k, v, ok := strings.Cut(f, "="); ok {
			opt[k] = v
			continue
		}
		bare = append(bare, f)
	}
	return bare, opt
}

func number(opt map[string]string, key string, otherwise int) int {
	if n, err := strconv.Atoi(opt[key]); err == nil {
		return n
	}
	return otherwise
}

func (s *script) cluster(input string) error {
	*s = script{spec: &state.Spec{}, max: 64}
	for _, line := range strings.Split(input, "\n") {
		bare, opt := words(line)
		switch bare[0] {
		case "nodes":
			s.addNodes(bare, opt)
		case "base", "head", "both":
			s.addDeployment(bare, opt)
		case "hpa":
			s.addHPA(bare, opt)
		case "events":
			s.spec.Events = state.Events{
				Apply: number(opt, "apply", 0), LoadChange: number(opt, "load", 0), Drain: number(opt, "drain", 0),
				DrainConcurrency: number(opt, "at-once", 0), NodeFailure: number(opt, "failures", 0),
				NodeAdded: number(opt, "added", 0), NodeRemoved: number(opt, "removed", 0),
				SpotReclaim: number(opt, "reclaims", 0), SpotLost: opt["lost"] != "",
				StartupSpike: number(opt, "spike", 0), NodePanic: number(opt, "panic", 0),
				PodCrash: number(opt, "crashes", 0), BadRevision: number(opt, "bad", 0), ManagerRestart: number(opt, "restarts", 0),
				StaleWrites: number(opt, "stale", 0),
				JobOverrun:  number(opt, "overrun", 0), KeepsBare: opt["unforced"] != "",
				Rollback: opt["rollback"] != "", Revert: opt["revert"] != "", OutOfService: opt["out-of-service"] != "",
				IdleMemory: number(opt, "idle", 0), DiskPressure: number(opt, "disk", 0), MemoryPressure: number(opt, "memory", 0),
			}
		case "keda": // keda base|head|both NAME: to zero without load, beside a line hpa
			w := s.workload(bare[2])
			for _, v := range versionsOf(bare[1]) {
				w.Manifests[v].KEDA = &state.KEDA{Name: w.Name, ToZero: true}
			}
		case "vpa":
			s.addVPA(bare, opt)
		case "pdb":
			s.addPDB(bare, opt)
		case "quota":
			s.addQuota(opt)
		case "queue":
			s.addQueue(bare, opt)
		case "webhook":
			s.addWebhook(bare, opt)
		case "limit-range":
			s.addLimitRange(opt)
		case "claim":
			s.addClaim(bare, opt)
		case "cluster-autoscaler":
			s.spec.ClusterAutoscaler = true
		case "gitops":
			s.spec.GitOps = &state.GitOps{SelfHeal: true}
		case "own":
			s.addOwn(bare, opt)
		case "server-side":
			s.spec.Apply = state.ServerSide
		case "helm":
			s.addRemediation(bare, opt)
		case "straight":
			s.spec.Straight = true
		default:
			return fmt.Errorf("unknown line %q", line)
		}
	}
	s.spec = autoscaling.Sized(s.spec)
	b, err := control.NewBuilder(s.spec, s.nodes, s.max)
	if err != nil {
		return err
	}
	if s.actors, err = control.All(b); err != nil {
		return err
	}
	if s.cfg, err = b.Freeze(); err != nil {
		return err
	}
	s.now = gitops.Install(s.cfg, state.Base)
	return nil
}

// addRemediation: helm rollback|uninstall|leave [retries=N] [last] [reinstalls].
func (s *script) addRemediation(bare []string, opt map[string]string) {
	undo := map[string]state.Undo{"leave": state.LeavesFailed, "rollback": state.RollsBack, "uninstall": state.Uninstalls}
	s.spec.Helm = &state.Remediation{By: "helm.toolkit.fluxcd.io/HelmRelease default/shop", Field: "spec.upgrade.remediation",
		Undo: undo[bare[1]], Retries: number(opt, "retries", 0), Last: slices.Contains(bare, "last"),
		Reinstalls: slices.Contains(bare, "reinstalls")}
}

// addNodes: nodes NAME COUNT [elastic] [min=0] [max=9] [autoscaled] [karpenter [when-empty] [budget=1] [grace=1h]] [spot] [cpu=4] [pods=110] [zone=a] [label=k:v] [taint=key:Effect].
func (s *script) addNodes(bare []string, opt map[string]string) {
	count, _ := strconv.Atoi(bare[2])
	q := func(key, otherwise string) resource.Quantity {
		if opt[key] == "" {
			return resource.MustParse(otherwise)
		}
		return resource.MustParse(opt[key])
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: bare[1], Labels: map[string]string{}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			"cpu": q("cpu", "16"), "memory": q("memory", "64Gi"), "pods": q("pods", "110"),
		}},
	}
	if z := opt["zone"]; z != "" {
		node.Labels["topology.kubernetes.io/zone"] = z
	}
	if key, effect, ok := strings.Cut(opt["taint"], ":"); ok {
		node.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffect(effect)}}
	}
	class := state.NodeClass{Name: bare[1], Node: node, Min: number(opt, "min", count), Max: number(opt, "max", count)}
	if slices.Contains(bare, "karpenter") {
		class.Karpenter = &state.Karpenter{
			NodePool: bare[1], Expires: true, Patient: opt["grace"] == "", WhenEmpty: slices.Contains(bare, "when-empty"),
			Budgets: []state.DisruptionBudget{{Nodes: cmp.Or(opt["budget"], "1")}},
		}
		bare, s.spec.ClusterAutoscaler = append(bare, "autoscaled"), true
	}
	class.Elastic = slices.Contains(bare, "elastic")
	class.Autoscaled, class.Spot = slices.Contains(bare, "autoscaled"), slices.Contains(bare, "spot")
	s.spec.Classes = append(s.spec.Classes, class)
	s.nodes = append(s.nodes, count)
}

func (s *script) workload(name string) *state.Workload {
	for i := range s.spec.Workloads {
		if s.spec.Workloads[i].Name == name {
			return &s.spec.Workloads[i]
		}
	}
	s.spec.Workloads = append(s.spec.Workloads, state.Workload{
		ID: "apps/Deployment default/" + name, Namespace: "default", Name: name,
	})
	return &s.spec.Workloads[len(s.spec.Workloads)-1]
}

func versionsOf(word string) []state.Version {
	switch word {
	case "base":
		return []state.Version{state.Base}
	case "head":
		return []state.Version{state.Head}
	}
	return []state.Version{state.Base, state.Head}
}
