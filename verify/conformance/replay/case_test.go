package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Case is a change, or one state, of manifests with its policy: a directory with
// policy.yaml and either manifests/ or base/ and head/.
type Case struct {
	Dir    string
	Policy *policies.Policy
	// Base is nil where the case is one state.
	Base, Head *object.Revision
	// SchedulerConfig and DeschedulerPolicy are upstream's configuration; nil: none.
	SchedulerConfig, DeschedulerPolicy []byte
}

// Load reads a case. Errors name the file.
func Load(ctx context.Context, dir string) (*Case, error) {
	c := &Case{Dir: dir}
	b, err := os.ReadFile(filepath.Join(dir, "policy.yaml"))
	if err != nil {
		return nil, err
	}
	if c.Policy, err = policies.Load("policy.yaml", b); err != nil {
		return nil, err
	}
	p := c.Policy
	if f := p.Cluster.NodesFile; f != "" {
		if b, err = os.ReadFile(filepath.Join(dir, f)); err == nil {
			err = p.SetNodes(f, b)
		}
		if err != nil {
			return nil, err
		}
	}
	if f := p.Controllers.DeschedulerPolicy; f != "" {
		if c.DeschedulerPolicy, err = os.ReadFile(filepath.Join(dir, f)); err == nil {
			p.Controllers.Descheduler, err = policies.LoadDescheduler(f, c.DeschedulerPolicy)
		}
		if err != nil {
			return nil, err
		}
	}
	if f := p.Controllers.SchedulerConfig; f != "" {
		if c.SchedulerConfig, err = os.ReadFile(filepath.Join(dir, f)); err == nil {
			p.Controllers.Scheduler, err = policies.LoadScheduler(f, c.SchedulerConfig)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "base")); err != nil {
		c.Head, err = revision(ctx, filepath.Join(dir, "manifests"))
		return c, err
	}
	if c.Base, err = revision(ctx, filepath.Join(dir, "base")); err != nil {
		return nil, err
	}
	c.Head, err = revision(ctx, filepath.Join(dir, "head"))
	return c, err
}

func revision(ctx context.Context, dir string) (*object.Revision, error) {
	tree, err := tree.Dir(dir)
	if err != nil {
		return nil, err
	}
	return render.Render(ctx, tree, render.Options{})
}

// rendered is a revision of one file.
func rendered(ctx context.Context, text string) (*object.Revision, error) {
	dir, err := os.MkdirTemp("", "kubesettle-revision-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(text), 0o644); err != nil {
		return nil, err
	}
	return revision(ctx, dir)
}

// Check verifies the case.
func (c *Case) Check(ctx context.Context) (*finding.Result, error) {
	opt := verify.Options{Policy: c.Policy}
	if c.Base == nil {
		return verify.Verify(ctx, c.Head, opt)
	}
	ch, err := render.Diff(c.Base, c.Head)
	if err != nil {
		return nil, err
	}
	return verify.Check(ctx, ch, opt)
}

// objects are the objects of a revision, as they are applied; what others rest on first.
func objects(r *object.Revision) ([]map[string]any, error) {
	var first, rest []map[string]any
	for _, rel := range r.Releases {
		if rel.Err != nil {
			return nil, fmt.Errorf("release %s: %w", rel.ID, rel.Err)
		}
		for _, o := range rel.Objects {
			b, err := json.Marshal(o.Content) // numbers as the API has them
			if err != nil {
				return nil, err
			}
			var content map[string]any
			if err := json.Unmarshal(b, &content); err != nil {
				return nil, err
			}
			switch o.ID.Kind {
			case "PriorityClass", "Namespace", "PodDisruptionBudget":
				first = append(first, content)
			default:
				rest = append(rest, content)
			}
		}
	}
	return append(first, rest...), nil
}

// demands are the loads of every autoscaled workload, by "namespace/name".
func (c *Case) demands() map[string]autoscaling.Demand {
	byName := map[string]*state.Workload{}
	for v, rev := range []*object.Revision{c.Base, c.Head} {
		if rev == nil {
			continue
		}
		for _, rel := range rev.Releases {
			for _, o := range rel.Objects {
				if d, ok := o.Typed.(*appsv1.Deployment); ok {
					m := manifestOf(byName, d.Namespace, d.Name, v)
					m.Deployment = d
					spec, _ := o.Content["spec"].(map[string]any)
					_, m.DeclaresReplicas = spec["replicas"]
				}
			}
			for _, o := range rel.Objects {
				if h, ok := o.Typed.(*autoscalingv2.HorizontalPodAutoscaler); ok {
					manifestOf(byName, h.Namespace, h.Spec.ScaleTargetRef.Name, v).HPA = h
				}
			}
		}
	}
	out := map[string]autoscaling.Demand{}
	for name, w := range byName {
		out[name] = autoscaling.DemandFor(w)
	}
	return out
}

func manifestOf(byName map[string]*state.Workload, namespace, name string, v int) *state.Manifest {
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	key := namespace + "/" + name
	if byName[key] == nil {
		byName[key] = &state.Workload{Namespace: namespace, Name: name}
	}
	return &byName[key].Manifests[v]
}

// nodesFor makes the nodes on which a finding shows.
func (c *Case) nodesFor(f *finding.Finding) ([]*corev1.Node, error) {
	if len(f.Interleaving) == 0 || f.Interleaving[0].After == nil {
		return nil, fmt.Errorf("finding %s of %s has no snapshots", f.Rule, f.Workload)
	}
	classes := c.Policy.NodeClasses(nil)
	var out []*corev1.Node
	for _, n := range f.Interleaving[0].After.Nodes {
		class := classOf(classes, n)
		if class == nil {
			return nil, fmt.Errorf("node %s is of class %s, which the policy does not have", n.Name, n.Class)
		}
		node := class.Node.DeepCopy()
		node.ObjectMeta = metav1.ObjectMeta{Name: n.Name, Labels: node.Labels}
		node.Labels[corev1.LabelHostname] = n.Name
		node.Status.Allocatable = capacity(node.Status.Allocatable)
		out = append(out, node)
	}
	return out, nil
}

// classOf finds the class of a node of a snapshot; where zones made no difference to the
// finding, its class is all zones' and any of them serves.
func classOf(classes []state.NodeClass, n finding.NodeSnapshot) *state.NodeClass {
	for i := range classes {
		if classes[i].Name == n.Class {
			return &classes[i]
		}
	}
	for i := range classes {
		if strings.HasPrefix(classes[i].Name, n.Class+"-") {
			return &classes[i]
		}
	}
	return nil
}

// capacity fills in what was not declared: more than any case asks for.
func capacity(declared corev1.ResourceList) corev1.ResourceList {
	out := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("1000"), corev1.ResourceMemory: resource.MustParse("10Ti"),
		corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("10Ti"),
	}
	for name, q := range declared {
		out[name] = q
	}
	return out
}
