package state

import (
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// ErrTooLarge says that a count does not fit the abstract state (65,535 of anything).
var ErrTooLarge = errors.New("too large for the abstract state")

// PodClass is the pods of one revision of one workload: what a ReplicaSet owns. Of a
// StatefulSet it is the one pod of an ordinal and revision.
type PodClass struct {
	Workload int
	// Versions of the manifest whose template this is; both where it did not change.
	InBase, InHead bool
	Template       *corev1.PodTemplateSpec
	Namespace      string
	// Ordinal of the one pod of a StatefulSet that the class is, or [NoOrdinal].
	Ordinal int
	// Set is the class of the ReplicaSet that owns the pods: the class itself except for pods
	// of another size, of which Size is the index in [Workload.Sizes] and one; 0 is as
	// the template has it.
	Set, Size int
	// PerNode says that its pods are made for one node each, as a DaemonSet's.
	PerNode bool
	// Turned says that the class is the second revision of its template, which a restart makes; see [Declared].
	Turned bool
}

// Node is one node of the chosen topology. Nodes of one class are consecutive.
type Node struct {
	Name  string
	Class int
}

// WorkloadFields are the moving parts of one workload outside its nodes.
type WorkloadFields struct {
	Replicas Field // live .spec.replicas
	Owners   Field // field managers of .spec.replicas, as Owner bits; 0 unless Spec.Apply is ServerSide
	Load     Field // the load, as a Load
	Loads    Field // load changes left
	// Recommended is what an autoscaler's stabilization windows hold, in pods; 0: only the
	// live replicas. Laid out by the autoscaler where it makes a difference.
	Recommended Field
	Current     Field         // see [State.Current]
	Sized       Field         // the size that pods are created at, as [PodClass.Size]; laid out by the vertical autoscaler
	Ticks       Field         // see [State.TicksLeft]
	Rollout     RolloutFields // laid out by the Rollout's controller
	Turn        Field         // 1 while the revision of [PodClass.Turned] is the current one; see [State.Turn]
}

// PodClassFields are the moving parts of one pod class (one ReplicaSet).
type PodClassFields struct {
	Exists  Field // 1 once the ReplicaSet was created; of a Pod of its own see [State.FailedPod]
	Size    Field // the ReplicaSet's .spec.replicas; of a Pod of its own see [State.Owed]
	Desired Field // its deployment.kubernetes.io/desired-replicas annotation
	Max     Field // its deployment.kubernetes.io/max-replicas annotation
	Pending Field // pods without a node
	Bad     Field // 1 where its pods never become ready; see [State.Bad]
	// Nominated are pending pods by the node that preemption makes room for them on; it
	// is laid out where pods of the class may preempt others (see [Builder.Nominate]).
	Nominated NodeField
	// Displaced and Claims are of classes that Kueue lets in; see [Builder.AddDisplaced].
	Displaced, Claims Field
	// Evicted and Requeues are of Jobs that Kueue may take for ones that do not get ready; see [Builder.AddEvictions].
	Evicted, Requeues, Started Field
	// Awaited are pending pods by the node that they are made for, where pods are PerNode.
	Awaited NodeField
	// On each node, by phase.
	Phase [Phases]NodeField
}

// Config is everything constant of one problem: a slice at one topology. It is
// read-only after [Builder.Freeze] and safe for concurrent use.
type Config struct {
	Spec     *Spec
	Topology []int // nodes of each class
	MaxPods  int   // pods of one workload that can exist at once, terminating ones included
	Nodes    []Node
	Pods     []PodClass

	// ByVersion gives the pod class of a workload's template, or -1: [workload][version]. Of a
	// StatefulSet it is that of the lowest ordinal.
	ByVersion [][2]int
	// ClassesOf lists the pod classes of a workload.
	ClassesOf [][]int

	Applied   Field // version of the manifests in the API server, as a Version
	Applies   Field // applies left
	StepsLeft Field // steps of head's apply that are still to come, where there are several; see [State.StepsLeft]
	Reverts   Field // reverts left, where there are any; see [Events]
	Drains    Field // drains that may still start; see [State.DrainsLeft]
	Failures  Field // nodes that may still be lost; see [State.FailuresLeft]
	// DiskPressures and MemoryPressures are nodes that may still come under pressure; see
	// [State.PressuresLeft].
	DiskPressures, MemoryPressures Field

	Reclaims  Field // spot nodes that may still be reclaimed; see [State.ReclaimsLeft]
	Additions Field // nodes that may still be added; see [State.AdditionsLeft]
	Removals  Field // nodes that may still be removed; see [State.RemovalsLeft]
	Outgrown  Field // see [State.IsOutgrown]
	PodEvents PodEvents
	Manager   ManagerFields
	Lag       LagFields
	// Remediation remembers failed upgrades.
	Remediation RemediationFields
	// Claims are what moves of Spec.Claims; Uses lists the claims of a pod class, and Users
	// the pod classes of a claim.
	Claims      []ClaimFields
	Uses, Users [][]int
	Node        NodeFields
	Workload    []WorkloadFields
	Class       []PodClassFields
	// Rest is the count at which a workload's autoscaler would come to rest from
	// maxReplicas were there only the load, by workload, version and load: what
	// the load justifies. 0: the version has no autoscaler.
	Rest [][2][Loads]int
	// Autoscaling is what else the rules know of a workload's autoscaler, by workload and
	// version.
	Autoscaling [][2]Autoscaling
	// Refusals are those of [State.Refused], by version and pod class; nil: none.
	Refusals [2][]*Refusal
	Armed    []Field // by webhook: 1 once its server has answered

	steps   []int     // see addSteps
	notices []Field   // by declared loop: see [State.Notices]
	rolls   [][2]bool // by workload and version: see [State.Rolls]

	lingers   bool  // pods on deletion have a phase
	members   []int // 0, 1, 2, …: see [Config.Members]
	layout    layout
	firstNode []int   // first node of each class, and one past the last
	exchange  [][]int // classes that can be exchanged as a whole
}

// Builder lays out the state of one problem. Actors add the memory they need.
type Builder struct{ cfg *Config }

// NewBuilder starts the problem of spec at a topology: the number of nodes of each class. maxPods bounds the pods of
// one workload that can exist at once, terminating ones included; it must be at least the replicas and surge of every
// manifest. watch says which readers of the problem distinguish a pod on deletion from one that is gone; if it is not
// given, all of them do. Errors: [ErrTooLarge].
func NewBuilder(spec *Spec, topology []int, maxPods int, watch ...WatchesStops) (*Builder, error) {
	if len(topology) != len(spec.Classes) {
		return nil, fmt.Errorf("topology has %d numbers for %d node classes", len(topology), len(spec.Classes))
	}
	if maxPods < 1 || maxPods > 0xffff {
		return nil, fmt.Errorf("%d pods of one class, want 1 to 65535: %w", maxPods, ErrTooLarge)
	}
	c := &Config{Spec: spec, Topology: slices.Clone(topology), MaxPods: maxPods, lingers: lingers(spec, maxPods, watch)}
	for i, n := range topology {
		c.firstNode = append(c.firstNode, len(c.Nodes))
		for k := range n {
			name := fmt.Sprintf("%s-%d", spec.Classes[i].Name, k+1)
			if k < len(spec.Classes[i].Names) {
				name = spec.Classes[i].Names[k]
			}
			c.Nodes = append(c.Nodes, Node{Name: name, Class: i})
		}
	}
	c.firstNode = append(c.firstNode, len(c.Nodes))
	c.exchange = exchange(spec.Classes, topology)
	b := &Builder{cfg: c}
	c.Applied = b.Field(1)
	c.Applies = b.Field(max(spec.Events.Apply, 0))
	c.addSteps(b)
	if spec.Events.Revert {
		c.Reverts = b.Field(1)
	}
	for w := range spec.Workloads {
		c.addWorkload(b, w, maxPods)
	}
	c.addDeclared(b)
	c.addNodeFields(b)
	c.addClaims(b)
	c.admits(b)
	return b, nil
}

func (c *Config) addWorkload(b *Builder, w, maxPods int) {
	wl := &c.Spec.Workloads[w]
	c.Rest = append(c.Rest, [2][Loads]int{})
	c.Autoscaling = append(c.Autoscaling, [2]Autoscaling{})
	c.Workload = append(c.Workload, WorkloadFields{
		Replicas: b.Field(maxPods),
		Owners:   b.Field(int(Applier | Autoscaler)),
		Load:     b.Field(int(Loads) - 1),
		Loads:    b.Field(max(c.Spec.Events.LoadChange, 0)),
	})
	by := [2]int{-1, -1}
	var classes []int
	for v := range wl.Manifests {
		template := wl.Manifests[v].Template()
		if template == nil {
			continue
		}
		if v == int(Head) && by[Base] >= 0 && SameTemplate(c.Pods[by[Base]].Template, template) {
			by[Head] = by[Base]
			for _, p := range classes {
				c.Pods[p].InHead = true
			}
			continue
		}
		by[v] = len(c.Pods)
		for _, o := range wl.Ordinals() {
			classes = append(classes, len(c.Pods))
			c.Pods = append(c.Pods, PodClass{
				Workload: w, InBase: v == int(Base), InHead: v == int(Head),
				Template: template, Namespace: wl.Namespace, Ordinal: o, Set: len(c.Pods), PerNode: wl.Kind() == DaemonSet,
			})
		}
		for i := range wl.Sizes {
			p := c.Pods[by[v]]
			p.Template, p.Size = wl.Sizes[i].Apply(template), i+1
			classes = append(classes, len(c.Pods))
			c.Pods = append(c.Pods, p)
		}
	}
	classes = c.turns(b, w, classes)
	for p := len(c.Class); p < len(c.Pods); p++ {
		c.addPodClass(b, p, maxPods)
		c.members = append(c.members, p)
	}
	c.ByVersion = append(c.ByVersion, by)
	c.ClassesOf = append(c.ClassesOf, classes)
}

// addPodClass lays out what moves of class p.
func (c *Config) addPodClass(b *Builder, p, maxPods int) {
	var f PodClassFields
	set := c.Pods[p].Set
	switch {
	case c.Pods[p].PerNode:
		f.Awaited = b.NodeField(maxPods)
	case set != p: // one ReplicaSet, of several sizes
		o := &c.Class[set]
		f = PodClassFields{Exists: o.Exists, Size: o.Size, Desired: o.Desired, Max: o.Max}
	case c.Pods[p].Ordinal == NoOrdinal:
		f = PodClassFields{Exists: b.Field(1), Size: b.Field(maxPods), Desired: b.Field(maxPods), Max: b.Field(maxPods)}
	default:
		maxPods = 1
	}
	f.Pending = b.Field(maxPods)
	for ph := range f.Phase {
		if Phase(ph) == Warming && !c.warms(c.Pods[p].Workload) || Phase(ph) == Fresh && !c.ripens(p) ||
			Phase(ph) == Terminating && !c.lingers {
			continue
		}
		f.Phase[ph] = b.NodeField(maxPods)
	}
	c.Class = append(c.Class, f)
}

// SameTemplate reports whether two pod templates are one revision (upstream v1.36.3:
// deploymentutil.EqualIgnoreHash).
func SameTemplate(a, b *corev1.PodTemplateSpec) bool {
	const hash = appsv1.DefaultDeploymentUniqueLabelKey
	if a.Labels[hash] != "" || b.Labels[hash] != "" {
		a, b = a.DeepCopy(), b.DeepCopy()
		delete(a.Labels, hash)
		delete(b.Labels, hash)
	}
	return equality.Semantic.DeepEqual(a, b)
}

// Field adds a counter from 0 to max to the state.
func (b *Builder) Field(max int) Field {
	w := widthFor(max)
	f := Field{off: uint16(b.cfg.layout.head), width: w}
	b.cfg.layout.head += int(w)
	b.cfg.layout.headMost = append(b.cfg.layout.headMost, mostOf(max)...)
	return f
}

// NodeField adds a counter from 0 to max to every node's record.
func (b *Builder) NodeField(max int) NodeField {
	w := widthFor(max)
	f := NodeField{off: uint16(b.cfg.layout.record), width: w}
	b.cfg.layout.record += int(w)
	b.cfg.layout.recordMost = append(b.cfg.layout.recordMost, mostOf(max)...)
	return f
}

// Nominate lets pods of class p be nominated to nodes.
func (b *Builder) Nominate(p int) { b.cfg.Class[p].Nominated = b.NodeField(b.cfg.MaxPods) }

// Config is the problem being built: constants may be read at once, states only after [Builder.Freeze].
func (b *Builder) Config() *Config { return b.cfg }

// Freeze ends the layout.
// Errors: [ErrTooLarge] where a state would exceed 65,535 bytes.
func (b *Builder) Freeze() (*Config, error) {
	if n := b.cfg.Width(); n > 0xffff {
		return nil, fmt.Errorf("a state of %d bytes: %w", n, ErrTooLarge)
	}
	return b.cfg, nil
}

// Width is the length of every state in bytes.
func (c *Config) Width() int { return c.layout.head + len(c.Nodes)*c.layout.record }

// NodesOf gives the first node of a class and one past its last.
func (c *Config) NodesOf(class int) (first, end int) { return c.firstNode[class], c.firstNode[class+1] }

// Revision tells the pod classes of one workload apart, as results word it: "old",
// "new", or "" where there is only one; of one that is restarted "first" and "restarted".
func (c *Config) Revision(p int) string {
	switch class := &c.Pods[p]; {
	case class.Turned:
		return "restarted"
	case c.Restarts(class.Workload):
		return "first"
	case c.Revisions(class.Workload) < 2:
		return ""
	case class.InHead:
		return "new"
	default:
		return "old"
	}
}
