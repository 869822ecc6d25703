package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Unknown is an undeclared fact that verdicts depend on.
type Unknown struct {
	What    string `json:"what"`
	File    string `json:"file,omitempty"` // where it is first asked for
	Line    int    `json:"line,omitempty"`
	Times   int    `json:"times"` // how many objects ask for it; 0: it is of the whole cluster
	Declare string `json:"declare"`
}

// Unknowns lists the facts that a revision leaves open: first those of the whole cluster, then the named objects that
// are missing, the most used ones first.
func Unknowns(rev *object.Revision, p *policies.Policy) []Unknown {
	out := unknownCluster(p)
	u := unknowns{byName: map[string]*Unknown{}, there: map[string]bool{}, labels: map[string]bool{}}
	for _, c := range p.NodeClasses(nil) {
		for key := range c.Node.Labels {
			u.labels[key] = true
		}
	}
	for _, rel := range rev.Releases {
		for _, o := range rel.Objects {
			switch o.Typed.(type) {
			case *schedulingv1.PriorityClass, *storagev1.StorageClass, *corev1.PersistentVolumeClaim:
				u.there[o.ID.Kind+" "+o.ID.Namespace+"/"+o.ID.Name] = true
			}
		}
	}
	for _, rel := range rev.Releases {
		for _, o := range rel.Objects {
			u.object(o, p.Cluster.Assumed)
		}
	}
	var asked []Unknown
	for _, name := range slices.Sorted(maps.Keys(u.byName)) {
		asked = append(asked, *u.byName[name])
	}
	slices.SortStableFunc(asked, func(a, b Unknown) int { return cmp.Compare(b.Times, a.Times) })
	return append(out, asked...)
}

// unknownCluster is what the policy could say of the cluster, and does not.
func unknownCluster(p *policies.Policy) []Unknown {
	var out []Unknown
	say := func(open bool, what, declare string) {
		if open {
			out = append(out, Unknown{What: what, Declare: declare})
		}
	}
	say(p.Cluster.Assumed, "the nodes: number, zones, size",
		"kubectl get nodes -o yaml > nodes.yaml; kubesettle init --nodes nodes.yaml")
	say(p.Cluster.Snapshot == nil && !p.Cluster.Assumed, "other pods on the nodes",
		"cluster.snapshot (kubesettle snapshot) or cluster.releases")
	say(p.Controllers.Scheduler == nil, "the scheduler's configuration: assumed to be upstream's default",
		"controllers.scheduler.config")
	say(p.Controllers.Descheduler == nil, "whether a descheduler runs: assumed not to", "controllers.descheduler.policy")
	say(p.Controllers.GitOps == nil, "whether Argo CD or Flux syncs by itself: assumed not to", "controllers.gitops")
	return out
}

// unknowns gathers what objects ask for by name.
type unknowns struct {
	byName map[string]*Unknown
	there  map[string]bool // "KIND NAMESPACE/NAME" of declared objects
	labels map[string]bool // of declared nodes
}

func (u *unknowns) object(o *object.Object, assumed bool) {
	if c, ok := o.Typed.(*corev1.PersistentVolumeClaim); ok {
		u.storage(o, c.Spec.StorageClassName, "spec.storageClassName")
	}
	if s, ok := o.Typed.(*appsv1.StatefulSet); ok {
		for i, c := range s.Spec.VolumeClaimTemplates {
			u.storage(o, c.Spec.StorageClassName, fmt.Sprintf("spec.volumeClaimTemplates[%d].spec.storageClassName", i))
		}
	}
	m, ok := state.ManifestOf(o.Typed)
	if !ok {
		return
	}
	spec := &m.Template().Spec
	if c := spec.PriorityClassName; c != "" && !strings.HasPrefix(c, "system-") && !u.there["PriorityClass /"+c] {
		u.add(o, m.Kind().Own("spec.template.spec.priorityClassName"), "PriorityClass "+c+": its value", "add it to the repository")
	}
	for i := range spec.Volumes {
		c := spec.Volumes[i].PersistentVolumeClaim
		if c != nil && !u.there["PersistentVolumeClaim "+o.ID.Namespace+"/"+c.ClaimName] {
			u.add(o, m.Kind().Own(fmt.Sprintf("spec.template.spec.volumes[%d]", i)), "PersistentVolumeClaim "+o.ID.Namespace+"/"+c.ClaimName+": where its volume is", "add it to the repository")
		}
	}
	for key := range spec.NodeSelector {
		if !assumed && !u.labels[key] {
			u.add(o, m.Kind().Own("spec.template.spec.nodeSelector"), "node label "+key+": no declared node has it", "labels of cluster.nodePools or cluster.nodes")
		}
	}
}

func (u *unknowns) storage(o *object.Object, class *string, path string) {
	if class != nil && *class != "" && !u.there["StorageClass /"+*class] {
		u.add(o, path, "StorageClass "+*class+": when it binds, and where", "add it to the repository")
	}
}

func (u *unknowns) add(o *object.Object, path, what, declare string) {
	have := u.byName[what]
	if have == nil {
		at := o.Locate(path)
		have = &Unknown{What: what, File: at.File, Line: at.StartLine, Declare: declare}
		u.byName[what] = have
	}
	have.Times++
}
