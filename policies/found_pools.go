package policies

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
)

// A FoundPool is a pool of nodes that a file declares to the tool that makes them.
type FoundPool struct {
	Name, At string // At: file and line
	Min, Max int
	Zones    []string
	Labels   map[string]string
	Taints   []corev1.Taint
	Scaled   bool // an autoscaler changes their number
	Trial    bool // of a cluster on one machine, such as kind's
}

// mostFound bounds the nodes of a pool whose tool says no number.
const mostFound = 6

// makers read what their tools read of pools, by API group and kind.
//
// Upstream: eksctl.io/v1alpha5 ClusterConfig; kops.k8s.io/v1alpha2 InstanceGroup; cluster.x-k8s.io MachineDeployment,
// MachinePool and the annotations of the cluster autoscaler's provider; karpenter.sh NodePool; kind.x-k8s.io/v1alpha4
// Cluster; k3d.io Simple.
var makers = map[string]func([]byte) []FoundPool{
	"eksctl.io/ClusterConfig":            eksctlPools,
	"kops.k8s.io/InstanceGroup":          kopsPools,
	"cluster.x-k8s.io/MachineDeployment": machinePools,
	"cluster.x-k8s.io/MachinePool":       machinePools,
	NodePoolGroup + "/" + NodePoolKind:   nodePoolPools,
	"kind.x-k8s.io/Cluster":              kindPools,
	"k3d.io/Simple":                      k3dPools,
}

// PoolsIn are the pools that a file of YAML declares, up to a document that cannot be read.
func PoolsIn(file string, data []byte) []FoundPool {
	named := func(kind string) bool {
		group, _, _ := strings.Cut(kind, "/")
		return bytes.Contains(data, []byte(group))
	}
	if len(data) > maxFileBytes || !slices.ContainsFunc(slices.Collect(maps.Keys(makers)), named) {
		return nil
	}
	var out []FoundPool
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		var content map[string]any
		if dec.Decode(&doc) != nil || doc.Decode(&content) != nil {
			return out
		}
		out = append(out, poolsOf(content, fmt.Sprintf("%s:%d", file, doc.Content[0].Line))...)
	}
}

// poolsOf are those of an object; none for one of another kind, or one that cannot be read. at is its file and line.
func poolsOf(content map[string]any, at string) []FoundPool {
	version, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	group, _, _ := strings.Cut(version, "/")
	read := makers[group+"/"+kind]
	b, err := json.Marshal(content)
	if read == nil || err != nil {
		return nil
	}
	out := read(b)
	for i := range out {
		p := &out[i]
		p.Name, p.At = poolName(p.Name), at
		p.Min = max(p.Min, 1)
		p.Max = max(p.Min, p.Max)
		slices.Sort(p.Zones)
		p.Zones = slices.Compact(p.Zones)
	}
	return slices.DeleteFunc(out, func(p FoundPool) bool { return !p.declarable() })
}

// declarable reports whether a policy can have the pool: its numbers and names are within a policy's limits.
func (f FoundPool) declarable() bool {
	_, err := Load("pool.yaml", []byte("apiVersion: "+APIVersion+"\nkind: "+PolicyKind+"\ncluster:\n  nodePools:\n"+
		f.starter().yaml()))
	return err == nil
}

// objectMeta has the fields that are read of the metadata of an object.
type objectMeta struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func eksctlPools(b []byte) []FoundPool {
	type group struct {
		Name    string            `json:"name"`
		Min     *int              `json:"minSize"`
		Max     *int              `json:"maxSize"`
		Desired *int              `json:"desiredCapacity"`
		Zones   []string          `json:"availabilityZones"`
		Labels  map[string]string `json:"labels"`
		Taints  []corev1.Taint    `json:"taints"`
	}
	var o struct {
		Zones   []string `json:"availabilityZones"`
		Managed []group  `json:"managedNodeGroups"`
		Own     []group  `json:"nodeGroups"`
	}
	if json.Unmarshal(b, &o) != nil {
		return nil
	}
	var out []FoundPool
	for _, g := range slices.Concat(o.Managed, o.Own) {
		n := numberOf(2, g.Desired, g.Min, g.Max) // eksctl's default
		p := FoundPool{Name: g.Name, Min: numberOf(n, g.Min), Max: numberOf(n, g.Max), Zones: g.Zones, Labels: g.Labels,
			Taints: g.Taints}
		if p.Scaled = p.Max > p.Min; len(p.Zones) == 0 {
			p.Zones = slices.Clone(o.Zones)
		}
		out = append(out, p)
	}
	return out
}

func kopsPools(b []byte) []FoundPool {
	var o struct {
		Metadata objectMeta `json:"metadata"`
		Spec     struct {
			Role   string            `json:"role"`
			Min    *int              `json:"minSize"`
			Max    *int              `json:"maxSize"`
			Zones  []string          `json:"zones"`
			Labels map[string]string `json:"nodeLabels"`
			Taints []string          `json:"taints"` // key=value:effect
		} `json:"spec"`
	}
	if json.Unmarshal(b, &o) != nil || o.Spec.Role != "" && o.Spec.Role != "Node" {
		return nil
	}
	p := FoundPool{Name: o.Metadata.Name, Min: numberOf(1, o.Spec.Min), Max: numberOf(1, o.Spec.Max, o.Spec.Min),
		Zones: o.Spec.Zones, Labels: o.Spec.Labels}
	p.Scaled = p.Max > p.Min
	for _, t := range o.Spec.Taints {
		key, effect, _ := strings.Cut(t, ":")
		key, value, _ := strings.Cut(key, "=")
		p.Taints = append(p.Taints, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
	}
	return []FoundPool{p}
}

func machinePools(b []byte) []FoundPool {
	var o struct {
		Metadata objectMeta `json:"metadata"`
		Spec     struct {
			Replicas       *int     `json:"replicas"`
			FailureDomains []string `json:"failureDomains"`
			Template       struct {
				Metadata objectMeta `json:"metadata"`
				Spec     struct {
					FailureDomain string `json:"failureDomain"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}
	if json.Unmarshal(b, &o) != nil {
		return nil
	}
	const size = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-"
	n := numberOf(1, o.Spec.Replicas)
	p := FoundPool{Name: o.Metadata.Name, Min: n, Max: n, Zones: o.Spec.FailureDomains, Labels: map[string]string{}}
	least, err := strconv.Atoi(o.Metadata.Annotations[size+"min-size"])
	most, err2 := strconv.Atoi(o.Metadata.Annotations[size+"max-size"])
	if err == nil && err2 == nil {
		p.Min, p.Max, p.Scaled = least, most, most > least
	}
	if z := o.Spec.Template.Spec.FailureDomain; z != "" {
		p.Zones = []string{z}
	}
	for k, v := range o.Spec.Template.Metadata.Labels { // those that Cluster API passes on to nodes
		domain, _, _ := strings.Cut(k, "/")
		if strings.HasPrefix(k, "node-role.kubernetes.io/") || domain == "node.cluster.x-k8s.io" ||
			strings.HasSuffix(domain, ".node.cluster.x-k8s.io") || domain == "node-restriction.kubernetes.io" {
			p.Labels[k] = v
		}
	}
	return []FoundPool{p}
}

func nodePoolPools(b []byte) []FoundPool {
	var content map[string]any
	if json.Unmarshal(b, &content) != nil {
		return nil
	}
	k, err := ReadNodePool(content)
	if err != nil {
		return nil
	}
	p := FoundPool{Name: k.NodePool, Min: 1, Max: mostFound, Labels: k.Labels, Taints: k.Taints, Scaled: true}
	if z := p.Labels[corev1.LabelTopologyZone]; z != "" {
		p.Zones = []string{z}
		delete(p.Labels, corev1.LabelTopologyZone)
	}
	return []FoundPool{p}
}

func kindPools(b []byte) []FoundPool {
	var o struct {
		Nodes []struct {
			Role   string            `json:"role"`
			Labels map[string]string `json:"labels"`
		} `json:"nodes"`
	}
	if json.Unmarshal(b, &o) != nil {
		return nil
	}
	var out []FoundPool
	for _, n := range o.Nodes {
		zone := n.Labels[corev1.LabelTopologyZone]
		delete(n.Labels, corev1.LabelTopologyZone)
		i := slices.IndexFunc(out, func(p FoundPool) bool { return fmt.Sprint(p.Labels) == fmt.Sprint(n.Labels) })
		switch {
		case n.Role != "worker":
			continue
		case i < 0:
			i = len(out)
			out = append(out, FoundPool{Name: fmt.Sprint("kind-", i+1), Labels: n.Labels, Trial: true})
		}
		out[i].Min++
		out[i].Max++
		if zone != "" && !slices.Contains(out[i].Zones, zone) {
			out[i].Zones = append(out[i].Zones, zone)
		}
	}
	return out
}

func k3dPools(b []byte) []FoundPool {
	var o struct {
		Metadata objectMeta `json:"metadata"`
		Servers  int        `json:"servers"`
		Agents   int        `json:"agents"`
	}
	if json.Unmarshal(b, &o) != nil {
		return nil
	}
	n := max(o.Servers, 1) + o.Agents // servers take pods as well
	return []FoundPool{{Name: cmp.Or(o.Metadata.Name, "k3d"), Min: n, Max: n, Trial: true}}
}

// numberOf is the first number that is given, or else the other one.
func numberOf(otherwise int, list ...*int) int {
	for _, n := range list {
		if n != nil {
			return *n
		}
	}
	return otherwise
}
