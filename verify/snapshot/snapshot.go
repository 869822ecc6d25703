// Package snapshot records a live cluster in one file: nodes, the placement and requests of pods, live replica counts,
// and everything else that affects capacity.
//
// Its fields are an allow-list, which README.md explains: only they can leave a cluster. It knows neither a client (see
// package live) nor how a snapshot is used.
package snapshot

import (
	"cmp"
	"slices"
	"time"
)

// APIVersion and Kind begin every file.
const (
	APIVersion = "kubesettle.dev/v1alpha1"
	Kind       = "Snapshot"
)

// Snapshot is one cluster at one moment. Lists are sorted, so that equal clusters give equal bytes.
type Snapshot struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	// Taken is when, in RFC 3339 and UTC.
	Taken      string `yaml:"taken"`
	Anonymised bool   `yaml:"anonymised,omitempty"` // names are replaced
	Server     Server `yaml:"server,omitempty"`
	// Gaps are the kinds that are unknown in whole or in part.
	Gaps            []Gap           `yaml:"gaps,omitempty"`
	Nodes           []Node          `yaml:"nodes"`
	Workloads       []Workload      `yaml:"workloads,omitempty"`
	Autoscalers     []Autoscaler    `yaml:"autoscalers,omitempty"`
	Budgets         []Budget        `yaml:"budgets,omitempty"`
	PriorityClasses []PriorityClass `yaml:"priorityClasses,omitempty"`
	Quotas          []Quota         `yaml:"quotas,omitempty"`
	Volumes         []Volume        `yaml:"volumes,omitempty"`
	LimitRanges     []LimitRange    `yaml:"limitRanges,omitempty"`
	Webhooks        []Webhook       `yaml:"webhooks,omitempty"`
	Namespaces      []Namespace     `yaml:"namespaces,omitempty"`
	Controllers     []Controller    `yaml:"controllers,omitempty"`
	NodePools       []NodePool      `yaml:"nodePools,omitempty"`
	// Totals end the file: one that was cut off lacks them, one that was edited contradicts them.
	Totals Totals `yaml:"totals"`
}

// Server holds the API server's description of itself.
type Server struct {
	Version      string          `yaml:"version,omitempty"`
	FeatureGates map[string]bool `yaml:"featureGates,omitempty"` // that differ from their default, where flags tell
}

// Gap is a kind, as resource and group, that could not be read.
type Gap struct {
	Kind   string `yaml:"kind"`
	Reason string `yaml:"reason"`
}

// Resources are amounts by resource name, as Kubernetes writes quantities.
type Resources map[string]string

// Node is one node.
type Node struct {
	Name          string            `yaml:"name"`
	Labels        map[string]string `yaml:"labels,omitempty"`
	Taints        []Taint           `yaml:"taints,omitempty"`
	Unschedulable bool              `yaml:"unschedulable,omitempty"`
	Allocatable   Resources         `yaml:"allocatable"`
	// Conditions are those that are not as they should be: "Ready=False", "DiskPressure=True".
	Conditions []string `yaml:"conditions,omitempty"`
	// CapacityType is the provider's: "spot" or "on-demand"; "" where no label tells.
	CapacityType string `yaml:"capacityType,omitempty"`
	// VolumeLimits are the most volumes of each CSI driver, and Attached those that are attached.
	VolumeLimits map[string]int `yaml:"volumeLimits,omitempty"`
	Attached     map[string]int `yaml:"attached,omitempty"`
}

// Taint is a node's taint.
type Taint struct {
	Key    string `yaml:"key"`
	Value  string `yaml:"value,omitempty"`
	Effect string `yaml:"effect"`
}

// Workload is an owner of pods, or a Pod without one ("Pod"), with its live numbers.
type Workload struct {
	Kind      string `yaml:"kind"` // with its group: "apps/Deployment"
	Namespace string `yaml:"namespace"`
	Name      string `yaml:"name"`
	// Replicas is the live spec.replicas; nil where the kind has none or the object was not read.
	Replicas *int `yaml:"replicas,omitempty"`
	// Revision is that of the object's current template, as its pods name it; "" where unknown.
	Revision string `yaml:"revision,omitempty"`
	Paused   bool   `yaml:"paused,omitempty"`
	Pods     []Pods `yaml:"pods,omitempty"`
}

// ID is the workload as findings name it: "apps/Deployment default/web".
func (w *Workload) ID() string {
	if w.Namespace == "" {
		return w.Kind + " " + w.Name
	}
	return w.Kind + " " + w.Namespace + "/" + w.Name
}

// Pods are pods of one revision that ask for the same.
type Pods struct {
	Revision string    `yaml:"revision,omitempty"`
	Requests Resources `yaml:"requests,omitempty"`
	// Scored is what the scheduler's scores count of cpu and memory, where that is more than requests.
	Scored        Resources `yaml:"scored,omitempty"`
	Priority      int32     `yaml:"priority,omitempty"`
	PriorityClass string    `yaml:"priorityClass,omitempty"`
	// HostPorts are such as "8080/TCP" or "10.0.0.1:53/UDP".
	HostPorts []string `yaml:"hostPorts,omitempty"`
	Pending   int      `yaml:"pending,omitempty"` // without a node
	// PendingOrdinals are those of a StatefulSet's pods without a node.
	PendingOrdinals []int    `yaml:"pendingOrdinals,omitempty,flow"`
	On              []Placed `yaml:"placed,omitempty"`
}

// Placed are pods on one node, by phase.
type Placed struct {
	Node        string `yaml:"node"`
	Ready       int    `yaml:"ready,omitempty"`
	Starting    int    `yaml:"starting,omitempty"`    // bound and not ready
	Terminating int    `yaml:"terminating,omitempty"` // with a deletion timestamp
	Ordinals    []int  `yaml:"ordinals,omitempty,flow"`
}

// Total is the number of pods, of any phase.
func (p Placed) Total() int { return p.Ready + p.Starting + p.Terminating }

// Autoscaler is a HorizontalPodAutoscaler with its status.
type Autoscaler struct {
	Namespace string `yaml:"namespace"`
	Name      string `yaml:"name"`
	Target    string `yaml:"target"` // "apps/Deployment web"
	Min       int    `yaml:"min"`
	Max       int    `yaml:"max"`
	Current   int    `yaml:"current"`
	Desired   int    `yaml:"desired"`
}

// Budget is a PodDisruptionBudget with its status.
type Budget struct {
	Namespace      string `yaml:"namespace"`
	Name           string `yaml:"name"`
	MinAvailable   string `yaml:"minAvailable,omitempty"`
	MaxUnavailable string `yaml:"maxUnavailable,omitempty"`
	Expected       int    `yaml:"expected"`
	Healthy        int    `yaml:"healthy"`
	Allowed        int    `yaml:"allowed"` // disruptions
}

// PriorityClass is a priority that pods can ask for by name.
type PriorityClass struct {
	Name    string `yaml:"name"`
	Value   int32  `yaml:"value"`
	Default bool   `yaml:"default,omitempty"`
	Never   bool   `yaml:"neverPreempts,omitempty"`
}

// Quota is a ResourceQuota with its use.
type Quota struct {
	Namespace string    `yaml:"namespace"`
	Name      string    `yaml:"name"`
	Scopes    []string  `yaml:"scopes,omitempty,flow"`
	Hard      Resources `yaml:"hard"`
	Used      Resources `yaml:"used,omitempty"`
}

// Volume is a PersistentVolume and the claim that it is for.
type Volume struct {
	Claim       string   `yaml:"claim"` // "namespace/name"
	Class       string   `yaml:"class,omitempty"`
	Driver      string   `yaml:"driver,omitempty"`
	AccessModes []string `yaml:"accessModes,omitempty,flow"`
	Zones       []string `yaml:"zones,omitempty,flow"`
	Node        string   `yaml:"node,omitempty"`     // that alone can use it
	Attached    []string `yaml:"attached,omitempty"` // nodes
}

// Webhook guards the creation of pods.
type Webhook struct {
	Name      string `yaml:"name"`
	Type      string `yaml:"type"` // mutating or validating
	OnFailure string `yaml:"onFailure"`
	Service   string `yaml:"service,omitempty"` // "namespace/name" that answers
	// Configuration is the object that has it; "" in a file of before it was kept.
	Configuration string    `yaml:"configuration,omitempty"`
	Namespaces    *Selector `yaml:"namespaceSelector,omitempty"` // nil: all
	Pods          *Selector `yaml:"objectSelector,omitempty"`    // nil: all
	Conditional   bool      `yaml:"matchConditions,omitempty"`   // it has such, which are not read
}

// Selector is a label selector.
type Selector struct {
	Labels      map[string]string `yaml:"matchLabels,omitempty"`
	Expressions []Expression      `yaml:"matchExpressions,omitempty"`
}

// Expression is one requirement of a selector.
type Expression struct {
	Key      string   `yaml:"key"`
	Operator string   `yaml:"operator"`
	Values   []string `yaml:"values,omitempty,flow"`
}

// Namespace has those labels of a namespace that selectors of webhooks ask for.
type Namespace struct {
	Name   string            `yaml:"name"`
	Labels map[string]string `yaml:"labels"`
}

// LimitRange is what a namespace fills in of requests and limits, and what it refuses.
type LimitRange struct {
	Namespace string  `yaml:"namespace"`
	Name      string  `yaml:"name"`
	Limits    []Limit `yaml:"limits"`
}

// Limit is one item of a LimitRange.
type Limit struct {
	Type           string    `yaml:"type"` // Container, Pod or PersistentVolumeClaim
	Default        Resources `yaml:"default,omitempty"`
	DefaultRequest Resources `yaml:"defaultRequest,omitempty"`
	Min            Resources `yaml:"min,omitempty"`
	Max            Resources `yaml:"max,omitempty"`
	Ratio          Resources `yaml:"maxLimitRequestRatio,omitempty"`
}

// Controller is a control loop that runs, with those of its flags that decide something.
type Controller struct {
	Name  string            `yaml:"name"` // such as kube-scheduler
	Flags map[string]string `yaml:"flags,omitempty"`
}

// NodePool is one of Karpenter's.
type NodePool struct {
	Name               string            `yaml:"name"`
	Labels             map[string]string `yaml:"labels,omitempty"`
	Taints             []Taint           `yaml:"taints,omitempty"`
	Limits             Resources         `yaml:"limits,omitempty"`
	Consolidation      string            `yaml:"consolidationPolicy,omitempty"`
	ConsolidateAfter   string            `yaml:"consolidateAfter,omitempty"`
	ExpireAfter        string            `yaml:"expireAfter,omitempty"`
	TerminationGrace   string            `yaml:"terminationGracePeriod,omitempty"`
	DisruptionBudgets  []PoolBudget      `yaml:"disruptionBudgets,omitempty"`
	Replicas           *int              `yaml:"replicas,omitempty"`
	BudgetsAreDeclared bool              `yaml:"budgetsAreDeclared,omitempty"`
}

// PoolBudget is how many nodes of a pool may go at a time.
type PoolBudget struct {
	Nodes    string   `yaml:"nodes"`
	Reasons  []string `yaml:"reasons,omitempty,flow"`
	Schedule string   `yaml:"schedule,omitempty"`
}

// Totals count what the file holds.
type Totals struct {
	Nodes     int `yaml:"nodes"`
	Workloads int `yaml:"workloads"`
	Pods      int `yaml:"pods"`
}

// count gives the totals of what a snapshot holds.
func (s *Snapshot) count() Totals {
	t := Totals{Nodes: len(s.Nodes), Workloads: len(s.Workloads)}
	for i := range s.Workloads {
		for _, p := range s.Workloads[i].Pods {
			t.Pods += p.Pending
			for _, on := range p.On {
				t.Pods += on.Total()
			}
		}
	}
	return t
}

// Age is how long before a moment the snapshot was taken.
func (s *Snapshot) Age(now time.Time) time.Duration {
	taken, err := time.Parse(time.RFC3339, s.Taken)
	if err != nil {
		return 0 // [Read] lets none pass
	}
	return now.Sub(taken)
}

// Missing says why nothing, or not all, is known of a kind, such as "pods"; "" where all is.
func (s *Snapshot) Missing(kind string) string {
	for _, g := range s.Gaps {
		if g.Kind == kind {
			return g.Reason
		}
	}
	return ""
}

// sort puts every list in its order.
func (s *Snapshot) sort() {
	slices.SortFunc(s.Gaps, func(a, b Gap) int { return cmp.Compare(a.Kind, b.Kind) })
	slices.SortFunc(s.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	for i := range s.Nodes {
		slices.SortFunc(s.Nodes[i].Taints, func(a, b Taint) int {
			return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Effect, b.Effect), cmp.Compare(a.Value, b.Value))
		})
		slices.Sort(s.Nodes[i].Conditions)
	}
	slices.SortFunc(s.Workloads, func(a, b Workload) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	for i := range s.Workloads {
		pods := s.Workloads[i].Pods
		slices.SortStableFunc(pods, func(a, b Pods) int { return cmp.Compare(a.key(), b.key()) })
		for k := range pods {
			slices.SortFunc(pods[k].On, func(a, b Placed) int { return cmp.Compare(a.Node, b.Node) })
			slices.Sort(pods[k].PendingOrdinals)
			for j := range pods[k].On {
				slices.Sort(pods[k].On[j].Ordinals)
			}
		}
	}
	byName := func(aSpace, aName, bSpace, bName string) int {
		return cmp.Or(cmp.Compare(aSpace, bSpace), cmp.Compare(aName, bName))
	}
	slices.SortFunc(s.Autoscalers, func(a, b Autoscaler) int { return byName(a.Namespace, a.Name, b.Namespace, b.Name) })
	slices.SortFunc(s.Budgets, func(a, b Budget) int { return byName(a.Namespace, a.Name, b.Namespace, b.Name) })
	slices.SortFunc(s.Quotas, func(a, b Quota) int { return byName(a.Namespace, a.Name, b.Namespace, b.Name) })
	slices.SortFunc(s.PriorityClasses, func(a, b PriorityClass) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Volumes, func(a, b Volume) int { return cmp.Compare(a.Claim, b.Claim) })
	slices.SortFunc(s.LimitRanges, func(a, b LimitRange) int { return byName(a.Namespace, a.Name, b.Namespace, b.Name) })
	slices.SortFunc(s.Webhooks, func(a, b Webhook) int {
		return cmp.Or(byName(a.Type, a.Configuration, b.Type, b.Configuration), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(s.Namespaces, func(a, b Namespace) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Controllers, func(a, b Controller) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.NodePools, func(a, b NodePool) int { return cmp.Compare(a.Name, b.Name) })
	s.Totals = s.count()
}
