package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// ErrSnapshot says that a file is no snapshot that can be used.
var ErrSnapshot = errors.New("snapshot")

const (
	maxBytes = 16 << 20
	maxNodes = 5000 // the size Kubernetes is tested for
	maxPods  = 150_000
)

// again is the remedy of most that can be wrong.
const again = "take it again with `kubesettle snapshot`"

// Read reads a snapshot, strictly: an unknown field, a version that is not this one's, totals that
// do not hold, a pod on a node that is not there are errors.
// Errors: [ErrSnapshot], with the file, the line and the field.
func Read(file string, data []byte) (*Snapshot, error) {
	r := reader{file: file}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("%w: %s has %d bytes, at most %d can be read", ErrSnapshot, file, len(data), maxBytes)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %s is empty: %s", ErrSnapshot, file, again)
	}
	if err != nil {
		line, why := syntax(err)
		return nil, fmt.Errorf("%w: %s:%d: is not YAML, or was cut off: %s; %s", ErrSnapshot, file, line, why, again)
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %s:%d: a second document: a snapshot is one; %s", ErrSnapshot, file,
			max(second.Line, 1), again)
	}
	r.root = doc.Content[0]
	if err := r.header(); err != nil {
		return nil, err
	}
	strict := yaml.NewDecoder(bytes.NewReader(data))
	strict.KnownFields(true)
	s := &Snapshot{}
	if err := strict.Decode(s); err != nil {
		return nil, r.untyped(err)
	}
	if err := r.check(s); err != nil {
		return nil, err
	}
	return s, nil
}

// reader finds lines in a file that is being read.
type reader struct {
	file string
	root *yaml.Node
}

// at is the line of a place, as near as the file has it.
func (r *reader) at(path ...any) int {
	n := r.root
	line := n.Line
	for _, p := range path {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		var next *yaml.Node
		switch p := p.(type) {
		case int:
			if n.Kind == yaml.SequenceNode && p < len(n.Content) {
				next = n.Content[p]
			}
		case string:
			for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == p {
					next, line = n.Content[i+1], n.Content[i].Line
				}
			}
		}
		if next == nil {
			return line
		}
		n, line = next, next.Line
	}
	return line
}

// errorf is a problem at a place.
func (r *reader) errorf(path []any, format string, args ...any) error {
	field := ""
	for _, p := range path {
		switch p := p.(type) {
		case int:
			field += fmt.Sprintf("[%d]", p)
		case string:
			if field != "" {
				field += "."
			}
			field += p
		}
	}
	if field != "" {
		field += ": "
	}
	return fmt.Errorf("%w: %s:%d: %s%s", ErrSnapshot, r.file, r.at(path...), field, fmt.Sprintf(format, args...))
}

func place(p ...any) []any { return p }

// header wants a snapshot of this version.
func (r *reader) header() error {
	var h struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
	}
	if r.root.Kind != yaml.MappingNode {
		return r.errorf(nil, "is not a mapping; expected a snapshot, as `kubesettle snapshot` writes it")
	}
	if err := r.root.Decode(&h); err != nil || h.Kind != Kind {
		if h.Kind == "List" || h.Kind == "NodeList" || h.Kind == "Node" {
			return r.errorf(place("kind"), "%s, as kubectl prints it, is not a snapshot: turn it into one with `kubesettle snapshot FILE`, or name it in cluster.nodes", quote(h.Kind))
		}
		return r.errorf(place("kind"), "must be %s, not %s", Kind, quote(h.Kind))
	}
	if h.APIVersion != APIVersion {
		return r.errorf(place("apiVersion"), "%s is not the version that is read here, %s: %s",
			quote(h.APIVersion), APIVersion, again)
	}
	return nil
}

var (
	lineOf   = regexp.MustCompile(`line (\d+): `)
	unknown  = regexp.MustCompile(`field (\S+) not found in type \S+`)
	mistyped = regexp.MustCompile(`cannot unmarshal (!!\w+) (.*) into \S+`)
)

// syntax takes the line out of a parser's words.
func syntax(err error) (line int, why string) {
	why = strings.TrimPrefix(err.Error(), "yaml: ")
	if m := lineOf.FindStringSubmatch(why); m != nil {
		line, _ = strconv.Atoi(m[1])
		why = strings.Replace(why, m[0], "", 1)
	}
	return max(line, 1), strings.Join(strings.Fields(why), " ")
}

// untyped words what the decoder refuses, without the names of our types.
func (r *reader) untyped(err error) error {
	var typed *yaml.TypeError
	text := err.Error()
	if errors.As(err, &typed) && len(typed.Errors) > 0 {
		text = typed.Errors[0]
	}
	line, why := syntax(errors.New(text))
	why = unknown.ReplaceAllString(why, "the field $1 is not part of a snapshot: remove it")
	why = mistyped.ReplaceAllString(why, "$2 is of the wrong type")
	return fmt.Errorf("%w: %s:%d: %s", ErrSnapshot, r.file, line, why)
}

func quote(s string) string {
	if x := []rune(s); len(x) > 60 {
		s = string(x[:60]) + "…"
	}
	return strconv.Quote(s)
}

// check verifies that a cluster like the one that was read can exist.
func (r *reader) check(s *Snapshot) error {
	if _, err := time.Parse(time.RFC3339, s.Taken); err != nil {
		return r.errorf(place("taken"), "%s is not a time such as 2026-01-31T06:00:00Z", quote(s.Taken))
	}
	if r.at("totals") == r.at() { // no such key, or nothing before it
		return r.errorf(nil, "the totals that end every snapshot are missing: the file was cut off; %s", again)
	}
	if got := s.count(); got != s.Totals {
		return r.errorf(place("totals"), "the file holds %d nodes, %d workloads and %d pods, and its totals say %d, %d and %d: it was cut off or edited; %s, or correct the totals",
			got.Nodes, got.Workloads, got.Pods, s.Totals.Nodes, s.Totals.Workloads, s.Totals.Pods, again)
	}
	switch {
	case len(s.Nodes) == 0:
		return r.errorf(place("nodes"), "there is no node; %s by somebody who may list nodes", again)
	case len(s.Nodes) > maxNodes:
		return r.errorf(place("nodes"), "%d nodes, at most %d can be read", len(s.Nodes), maxNodes)
	case s.Totals.Pods > maxPods:
		return r.errorf(place("totals", "pods"), "%d pods, at most %d can be read", s.Totals.Pods, maxPods)
	}
	nodes := map[string]bool{}
	for i := range s.Nodes {
		if err := r.node(s, i, nodes); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for i := range s.Workloads {
		if err := r.workload(&s.Workloads[i], i, nodes, seen); err != nil {
			return err
		}
	}
	if err := r.admission(s); err != nil {
		return err
	}
	for i, q := range s.Quotas {
		for _, field := range []string{"hard", "used"} {
			if err := r.amounts(map[string]Resources{"hard": q.Hard, "used": q.Used}[field], "quotas", i, field); err != nil {
				return err
			}
		}
	}
	return nil
}

// admission wants LimitRanges and selectors that an API server takes.
func (r *reader) admission(s *Snapshot) error {
	for i, l := range s.LimitRanges {
		for k, x := range l.Limits {
			for j, list := range []Resources{x.Default, x.DefaultRequest, x.Min, x.Max, x.Ratio} {
				field := []string{"default", "defaultRequest", "min", "max", "maxLimitRequestRatio"}[j]
				if err := r.amounts(list, "limitRanges", i, "limits", k, field); err != nil {
					return err
				}
			}
		}
	}
	for i := range s.Webhooks {
		for j, x := range []*Selector{s.Webhooks[i].Namespaces, s.Webhooks[i].Pods} {
			if _, err := metav1.LabelSelectorAsSelector(x.Of()); err != nil {
				return r.errorf(place("webhooks", i, []string{"namespaceSelector", "objectSelector"}[j]),
					"is not a label selector: %v", err)
			}
		}
	}
	return nil
}

func (r *reader) node(s *Snapshot, i int, seen map[string]bool) error {
	n := &s.Nodes[i]
	if why := validation.IsDNS1123Subdomain(n.Name); len(why) > 0 {
		return r.errorf(place("nodes", i, "name"), "%s is not a name of a node: %s", quote(n.Name), why[0])
	}
	if seen[n.Name] {
		return r.errorf(place("nodes", i, "name"), "a second node %s", n.Name)
	}
	seen[n.Name] = true
	for _, k := range slices.Sorted(maps.Keys(n.Labels)) {
		if why := append(validation.IsQualifiedName(k), validation.IsValidLabelValue(n.Labels[k])...); len(why) > 0 {
			return r.errorf(place("nodes", i, "labels", k), "%s", why[0])
		}
	}
	for k, t := range n.Taints {
		if why := append(validation.IsQualifiedName(t.Key), validation.IsValidLabelValue(t.Value)...); len(why) > 0 {
			return r.errorf(place("nodes", i, "taints", k), "%s", why[0])
		}
		switch corev1.TaintEffect(t.Effect) {
		case corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
		default:
			return r.errorf(place("nodes", i, "taints", k, "effect"), "%s is none", quote(t.Effect))
		}
	}
	for _, k := range []string{"cpu", "memory", "pods"} {
		if _, ok := n.Allocatable[k]; !ok {
			return r.errorf(place("nodes", i, "allocatable"), "%s is missing; %s", k, again)
		}
	}
	return r.amounts(n.Allocatable, "nodes", i, "allocatable")
}

// plain keeps texts from upstream's parser that it would not bound: it computes 10^999999999 digit by digit.
var plain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\+?[0-9.]{1,30}([eE][-+]?[0-9]{1,2}|[a-zA-Z]{0,2})$`)
})

// Quantity parses an amount; false where it is none, or less than nothing.
func Quantity(text string) (resource.Quantity, bool) {
	if !plain().MatchString(text) {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(text)
	return q, err == nil
}

func (r *reader) amounts(list Resources, at ...any) error {
	for _, k := range slices.Sorted(maps.Keys(list)) {
		if why := validation.IsQualifiedName(k); len(why) > 0 {
			return r.errorf(append(at, k), "%s", why[0])
		}
		if _, ok := Quantity(list[k]); !ok {
			return r.errorf(append(at, k), "%s is not a quantity such as 500m, 8 or 32Gi", quote(list[k]))
		}
	}
	return nil
}

func (r *reader) workload(w *Workload, i int, nodes, seen map[string]bool) error {
	switch {
	case w.Kind == "":
		return r.errorf(place("workloads", i), "kind is missing")
	case w.Name == "":
		return r.errorf(place("workloads", i), "name is missing")
	case seen[w.ID()]:
		return r.errorf(place("workloads", i), "a second %s", w.ID())
	case w.Replicas != nil && *w.Replicas < 0:
		return r.errorf(place("workloads", i, "replicas"), "%d is less than 0", *w.Replicas)
	}
	seen[w.ID()] = true
	for k, p := range w.Pods {
		at := place("workloads", i, "pods", k)
		for _, field := range []string{"requests", "scored"} {
			if err := r.amounts(map[string]Resources{"requests": p.Requests, "scored": p.Scored}[field],
				append(at, field)...); err != nil {
				return err
			}
		}
		if p.Pending < 0 {
			return r.errorf(append(at, "pending"), "%d is less than 0", p.Pending)
		}
		for _, port := range p.HostPorts {
			if _, _, _, ok := ParsePort(port); !ok {
				return r.errorf(append(at, "hostPorts"), "%s is not a port such as 8080/TCP", quote(port))
			}
		}
		for j, on := range p.On {
			switch {
			case on.Ready < 0 || on.Starting < 0 || on.Terminating < 0:
				return r.errorf(append(at, "placed", j), "less than no pod")
			case !nodes[on.Node]:
				return r.errorf(append(at, "placed", j, "node"), "%s is not a node of this snapshot; %s", quote(on.Node), again)
			}
		}
	}
	return nil
}

// ParsePort reads a host port: an address, "" for all, a number and a protocol.
func ParsePort(text string) (ip string, port int32, protocol corev1.Protocol, ok bool) {
	at, proto, found := strings.Cut(text, "/")
	if !found {
		return "", 0, "", false
	}
	if i := strings.LastIndex(at, ":"); i >= 0 {
		ip, at = strings.Trim(at[:i], "[]"), at[i+1:]
	}
	n, err := strconv.Atoi(at)
	switch corev1.Protocol(proto) {
	case corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP:
	default:
		return "", 0, "", false
	}
	return ip, int32(n), corev1.Protocol(proto), err == nil && n > 0 && n < 1<<16
}
