package policies

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/snapshot"
)

// DefaultMaxAge is how old a snapshot may be before findings that rest on it are no errors.
const DefaultMaxAge = 7 * 24 * time.Hour

// SetSnapshot reads a file that `kubesettle snapshot` wrote into the cluster, which is then that of
// the file. Pools that the policy declares stay: they are what may come to the nodes that are there.
// Errors: [snapshot.ErrSnapshot].
func (p *Policy) SetSnapshot(file string, data []byte) error {
	s, err := snapshot.Read(file, data)
	if err != nil {
		return err
	}
	if s.Anonymised {
		return fmt.Errorf("%w: %s: its names were replaced, and match no manifest: take one without --anonymise",
			snapshot.ErrSnapshot, file)
	}
	c := &p.Cluster
	if c.Assumed {
		c.Pools = nil
	}
	c.SnapshotFile, c.Snapshot, c.Assumed, c.NodesFile = file, s, false, ""
	c.Nodes = nil
	for i := range s.Nodes {
		c.Nodes = append(c.Nodes, nodeOf(&s.Nodes[i]))
	}
	p.mayCome()
	p.grow(s)
	p.setVersion(s)
	return p.setFlags(s)
}

// nodeOf is a node of a snapshot as the API server has it. One that is not ready carries the taint
// that its controller sets.
func nodeOf(n *snapshot.Node) *corev1.Node {
	out := &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: maps.Clone(n.Labels)},
		Spec:       corev1.NodeSpec{Unschedulable: n.Unschedulable},
		Status:     corev1.NodeStatus{Allocatable: corev1.ResourceList{}},
	}
	if out.Labels == nil {
		out.Labels = map[string]string{}
	}
	out.Spec.Taints = taintsOf(n.Taints)
	for _, c := range n.Conditions {
		key := map[string]string{"Ready=False": corev1.TaintNodeNotReady, "Ready=Unknown": corev1.TaintNodeUnreachable}[c]
		if key != "" && !slices.ContainsFunc(n.Taints, func(t snapshot.Taint) bool { return t.Key == key }) {
			out.Spec.Taints = append(out.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
	}
	for name, amount := range n.Allocatable {
		out.Status.Allocatable[corev1.ResourceName(name)], _ = snapshot.Quantity(amount)
	}
	return out
}

func taintsOf(list []snapshot.Taint) []corev1.Taint {
	var out []corev1.Taint
	for _, t := range list {
		out = append(out, corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)})
	}
	return out
}

// mayCome turns each declared pool into the nodes that may be added: if some existing nodes belong to it, as many as it
// lacks, otherwise as many as it declares.
func (p *Policy) mayCome() {
	c := &p.Cluster
	pools := slices.Clone(c.Pools)
	for i := range pools {
		pool := &pools[i]
		there := 0
		for _, n := range c.Nodes {
			if poolOf(n) == pool.Name {
				there++
			}
		}
		pool.Min, pool.Max = max(pool.Min-there, 0), max(pool.Max-there, 0)
	}
	c.Pools = slices.DeleteFunc(pools, func(pool NodePool) bool { return pool.Max == 0 })
}

// Grows names the component of the cluster that may bring undeclared nodes; "" if there is none.
func (c *Cluster) Grows() string {
	if c.Snapshot == nil || slices.ContainsFunc(c.Pools, func(p NodePool) bool { return p.Autoscaled && !p.Derived }) {
		return ""
	}
	if n := len(c.Snapshot.NodePools); n > 0 {
		return "Karpenter"
	}
	for _, x := range c.Snapshot.Controllers {
		if x.Name == "cluster-autoscaler" || x.Name == "karpenter" {
			return "the " + x.Name
		}
	}
	return ""
}

// Stale says how many days old a snapshot is that is older than the policy lets it be; 0: it is
// not, or there is none. The zero time is before any.
func (c *Cluster) Stale(today time.Time) int {
	if c.Snapshot == nil || today.IsZero() {
		return 0
	}
	limit := c.MaxAge
	if limit == 0 {
		limit = DefaultMaxAge
	}
	age := c.Snapshot.Age(today)
	if age <= limit {
		return 0
	}
	return max(int(age.Hours()/24), 1)
}

var age = regexp.MustCompile(`^([1-9][0-9]{0,3})([dh])$`)

// maxAge reads an age such as 7d or 12h.
func (d *decoder) maxAge(dst *time.Duration) read {
	return func(n *yaml.Node, at string) {
		s, ok := d.scalar(n, at, "an age such as 7d or 12h", "!!str")
		if !ok {
			return
		}
		m := age.FindStringSubmatch(strings.TrimSpace(s))
		if m == nil {
			d.fail(n, at, "%s is not an age: write days or hours, such as 7d or 12h", quote(s))
			return
		}
		count, _ := strconv.Atoi(m[1])
		*dst = time.Duration(count) * time.Hour
		if m[2] == "d" {
			*dst *= 24
		}
	}
}
