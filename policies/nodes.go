package policies

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// ErrNodes says that a file of nodes cannot be used.
var ErrNodes = errors.New("nodes")

const (
	maxNodesBytes = 64 << 20
	maxNodes      = 5000 // the size Kubernetes is tested for
)

// SetNodes reads a file of Node objects (see [ParseNodes]) into the cluster, which is then declared. The policy's own
// cluster.nodes is added to the pools; any other file replaces the whole declared cluster. Errors: [ErrNodes].
func (p *Policy) SetNodes(file string, data []byte) error {
	nodes, err := ParseNodes(file, data)
	if err != nil {
		return err
	}
	if file != p.Cluster.NodesFile || p.Cluster.Assumed {
		p.Cluster.Pools = nil
	}
	p.Cluster.NodesFile, p.Cluster.Nodes, p.Cluster.Assumed = file, nodes, false
	return nil
}

// ParseNodes reads Node objects as `kubectl get nodes -o yaml` or -o json prints them: a List, a single Node, or
// several documents of these. It keeps the fields that placement can depend on: names, labels, taints,
// spec.unschedulable, status.allocatable and status.images. Errors: [ErrNodes], naming the file, the line and the node.
func ParseNodes(file string, data []byte) ([]*corev1.Node, error) {
	if len(data) > maxNodesBytes {
		return nil, fmt.Errorf("%w: %s has %d bytes, at most %d can be read; leave out status.images, or give node pools instead", ErrNodes, file, len(data), maxNodesBytes)
	}
	r := nodeReader{file: file, lines: map[string]int{}}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s is neither YAML nor JSON: %s", ErrNodes, file,
				oneLine(strings.TrimPrefix(err.Error(), "yaml: ")))
		}
		if err := r.object(doc.Content[0]); err != nil {
			return nil, err
		}
	}
	if len(r.nodes) == 0 {
		return nil, fmt.Errorf("%w: %s holds no Node; write it with `kubectl get nodes -o yaml`", ErrNodes, file)
	}
	return r.nodes, nil
}

// nodeReader collects the nodes of one file.
type nodeReader struct {
	file  string
	nodes []*corev1.Node
	lines map[string]int // of each node's name
}

func (r *nodeReader) errorf(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%w: %s:%d: %s", ErrNodes, r.file, n.Line, oneLine(fmt.Sprintf(format, args...)))
}

// object reads a Node or a list of them.
func (r *nodeReader) object(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil // an empty document
	}
	kind := field(n, "kind")
	if kind == nil || kind.Kind != yaml.ScalarNode {
		return r.errorf(n, "an object without a kind; Node objects are wanted, as `kubectl get nodes -o yaml` prints them")
	}
	switch kind.Value {
	case "Node":
		return r.node(n)
	case "List", "NodeList":
	default:
		return r.errorf(kind, "an object of kind %s; only Node objects are wanted", quote(kind.Value))
	}
	items := field(n, "items")
	if items == nil || items.Kind != yaml.SequenceNode {
		return r.errorf(n, "a list without items")
	}
	for _, item := range items.Content {
		if k := field(item, "kind"); k != nil && k.Value != "Node" {
			return r.errorf(k, "an object of kind %s; only Node objects are wanted", quote(k.Value))
		}
		if err := r.node(item); err != nil {
			return err
		}
	}
	return nil
}

func (r *nodeReader) node(n *yaml.Node) error {
	full, err := typedNode(n)
	if err != nil {
		return r.errorf(n, "is not a Node: %s", err)
	}
	name := full.Name
	if why := validation.IsDNS1123Subdomain(name); len(why) > 0 {
		return r.errorf(n, "metadata.name %s", refusal(name, why))
	}
	if line := r.lines[name]; line != 0 {
		return r.errorf(n, "node %s is also in line %d", name, line)
	}
	if len(r.nodes) == maxNodes {
		return r.errorf(n, "more than %d nodes; give node pools instead", maxNodes)
	}
	r.lines[name] = n.Line
	node := &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: full.Labels},
		Spec:       corev1.NodeSpec{Taints: full.Spec.Taints, Unschedulable: full.Spec.Unschedulable},
		Status:     corev1.NodeStatus{Allocatable: full.Status.Allocatable, Images: full.Status.Images},
	}
	if node.Status.Allocatable == nil { // upstream v1.36.3: SetDefaults_NodeStatus
		node.Status.Allocatable = full.Status.Capacity
	}
	if why := unusable(node); why != "" {
		return r.errorf(n, "node %s: %s", name, why)
	}
	for i := range node.Spec.Taints {
		node.Spec.Taints[i].TimeAdded = nil
	}
	r.nodes = append(r.nodes, node)
	return nil
}

// unusable says why the API server would not hold a node like this, or why its capacity
// is not known; "" if all is well.
func unusable(n *corev1.Node) string {
	for _, k := range slices.Sorted(maps.Keys(n.Labels)) {
		if why := cmp.Or(qualifiedName(k), labelValue(n.Labels[k])); why != "" {
			return "metadata.labels: " + why
		}
	}
	effects := []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule,
		corev1.TaintEffectNoExecute}
	for i, t := range n.Spec.Taints {
		if why := cmp.Or(qualifiedName(t.Key), labelValue(t.Value)); why != "" {
			return fmt.Sprintf("spec.taints[%d]: %s", i, why)
		}
		if !slices.Contains(effects, t.Effect) {
			return fmt.Sprintf("spec.taints[%d].effect: %s is not an effect", i, quote(string(t.Effect)))
		}
		if slices.ContainsFunc(n.Spec.Taints[:i], func(o corev1.Taint) bool { return o.MatchTaint(&t) }) {
			return fmt.Sprintf("spec.taints[%d]: a second taint of this key and effect", i)
		}
	}
	for _, k := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods} {
		if q, ok := n.Status.Allocatable[k]; !ok || q.Sign() < 0 {
			return fmt.Sprintf("status.allocatable[%s] is missing; print whole objects with `kubectl get nodes -o yaml`", k)
		}
	}
	return ""
}

// typedNode decodes a Node as upstream does: leniently, as newer servers have more fields.
func typedNode(n *yaml.Node) (*corev1.Node, error) {
	var content map[string]any
	if err := n.Decode(&content); err != nil {
		return nil, err
	}
	if status, ok := content["status"].(map[string]any); ok {
		for _, k := range []string{"allocatable", "capacity"} {
			if err := plainResources(status[k]); err != nil {
				return nil, fmt.Errorf("status.%s%w", k, err)
			}
		}
	}
	data, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	var out corev1.Node
	return &out, json.Unmarshal(data, &out)
}

// plainResources refuses what upstream's decoder takes too long for; see plainQuantity.
func plainResources(list any) error {
	resources, _ := list.(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(resources)) {
		switch v := resources[k].(type) {
		case string, int, int64, uint64, float64:
			if _, err := quantity(fmt.Sprint(v)); err == nil {
				continue
			}
		}
		return fmt.Errorf("[%s] is not a quantity", k)
	}
	return nil
}

// field is the value of a key of a mapping, or nil.
func field(n *yaml.Node, key string) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
