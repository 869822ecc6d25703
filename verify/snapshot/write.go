package snapshot

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Write gives a snapshot as its file: the same bytes for the same cluster.
func (s *Snapshot) Write() ([]byte, error) {
	s.APIVersion, s.Kind = APIVersion, Kind
	s.sort()
	var b bytes.Buffer
	b.WriteString("# Written by kubesettle snapshot. verify/snapshot/README.md lists every field that leaves the cluster.\n")
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return b.Bytes(), enc.Close()
}

// MarshalYAML writes amounts on one line, in the order of their names.
func (r Resources) MarshalYAML() (any, error) {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, k := range slices.Sorted(maps.Keys(r)) {
		n.Content = append(n.Content, scalar(k), scalar(r[k]))
	}
	return n, nil
}

// MarshalYAML writes a placement on one line.
func (p Placed) MarshalYAML() (any, error) {
	type plain Placed
	n := &yaml.Node{}
	if err := n.Encode(plain(p)); err != nil {
		return nil, err
	}
	n.Style = yaml.FlowStyle
	return n, nil
}

func scalar(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

// key tells pods apart that do not ask for the same.
func (p *Pods) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %d %q", p.Revision, p.Priority, p.PriorityClass)
	for _, r := range []Resources{p.Requests, p.Scored} {
		for _, k := range slices.Sorted(maps.Keys(r)) {
			fmt.Fprintf(&b, " %q=%q", k, r[k])
		}
		b.WriteByte(';')
	}
	fmt.Fprintf(&b, "%q", p.HostPorts)
	return b.String()
}
