package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var nodeWords = Analyzer{Name: "node-words", Rule: rules.Unschedulable, Run: misspeltNodes, Compares: true,
	Doc: "a label or taint of nodes that nothing else names, and that others spell almost alike"}

// A nodeWord is a label or taint of nodes as pods name it.
type nodeWord struct {
	kind, key, value string // kind: "label" or "taint"
	path             string
}

func (w nodeWord) String() string { return w.kind + " " + w.key + "=" + w.value }

// misspeltNodes says which workloads come to name a label or taint of nodes that no other does, where others name one
// that differs by a slip. Names that differ in a number or in a short part are those of different nodes, and labels of
// Kubernetes itself have the values that clouds give.
func misspeltNodes(p *Pass) []Remark {
	base := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		own := nodeWordsOf(o)
		if len(own) == 0 || o.Hook {
			continue
		}
		was := nodeWordsOf(base.counterpart(o))
		for _, w := range own {
			same := func(x nodeWord) bool { return x.kind == w.kind && x.key == w.key && x.value == w.value }
			ofSystem := strings.Contains(w.key, "kubernetes.io/") || strings.Contains(w.key, "k8s.io/")
			if slices.ContainsFunc(was, same) {
				continue
			}
			if r, ok := unknownToKubelets(o, w, own); ok {
				out = append(out, r)
			}
			if ofSystem {
				continue
			}
			meant := map[string]bool{}
			for _, x := range p.wordsBeside(o) { // base's own may be the slip, which this mends
				switch {
				case same(x):
					meant = nil
				case meant != nil && x.kind == w.kind && x.key == w.key && slipOfNode(x.value, w.value):
					meant[x.value] = true
				}
			}
			if len(meant) != 1 {
				continue
			}
			to := slices.Collect(maps.Keys(meant))[0]
			premise := fmt.Sprintf("no node has the label %s=%s", w.key, w.value)
			if w.kind == "taint" {
				premise = fmt.Sprintf("every node that fits has the taint %s=%s", w.key, to)
			}
			out = append(out, Remark{
				Object: o, Conditional: true, paths: []string{w.path}, premise: premise,
				text: fmt.Sprintf("pods of %s can stay pending: nothing else names the node %s, and others name %s=%s",
					o.ID, w, w.key, to),
				remedies: []Remedy{{Say: "name " + to + ", as others do", Object: o,
					Set: []object.Setting{{Path: w.path, Value: to}}}},
			})
		}
	}
	return out
}

// byKubelets are the values of labels that kubelets give their nodes from GOOS and GOARCH, with which
// Kubernetes and its distributions are built.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet: (*Kubelet).initialNode; hack/lib/golang.sh: KUBE_SUPPORTED_NODE_PLATFORMS.
var byKubelets = map[string][]string{
	corev1.LabelOSStable: {"linux", "windows"}, "beta.kubernetes.io/os": {"linux", "windows"},
	corev1.LabelArchStable:    {"amd64", "arm", "arm64", "386", "ppc64le", "s390x", "riscv64", "loong64"},
	"beta.kubernetes.io/arch": {"amd64", "arm", "arm64", "386", "ppc64le", "s390x", "riscv64", "loong64"},
}

// unknownToKubelets says that no kubelet gives its node the value that pods ask for. One of several does no harm.
func unknownToKubelets(o *object.Object, w nodeWord, own []nodeWord) (Remark, bool) {
	values := byKubelets[w.key]
	if values == nil || w.kind != "label" || slices.Contains(values, w.value) ||
		slices.ContainsFunc(own, func(x nodeWord) bool { return x.key == w.key && x.value != w.value }) {
		return Remark{}, false
	}
	r := Remark{Object: o, Conditional: true, paths: []string{w.path},
		premise: fmt.Sprintf("no node has the label %s=%s", w.key, w.value),
		text: fmt.Sprintf("pods of %s can stay pending: no kubelet gives its node the label %s=%s (there is %s)", o.ID,
			w.key, w.value, strings.Join(values, ", "))}
	for _, v := range values {
		if slip(v, w.value) {
			r.remedies = append(r.remedies, Remedy{Say: "ask for " + v, Object: o,
				Set: []object.Setting{{Path: w.path, Value: v}}})
		}
	}
	return r, true
}

// slipOfNode reports whether two values differ by a slip, and in no part that is short.
func slipOfNode(a, b string) bool {
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_./", r) })
	}
	x, y := split(a), split(b)
	if !slip(a, b) || len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && min(len(x[i]), len(y[i])) < 4 {
			return false
		}
	}
	return true
}

// wordsBeside are those that the other objects of head name.
func (f *facts) wordsBeside(o *object.Object) []nodeWord {
	if f.words == nil {
		f.words = map[*object.Object][]nodeWord{}
		for _, x := range f.everywhere().objects {
			if list := nodeWordsOf(x); len(list) > 0 {
				f.words[x] = list
			}
		}
	}
	var out []nodeWord
	for x, list := range f.words {
		if x != o && identity(x) != identity(o) {
			out = append(out, list...)
		}
	}
	return out
}

// nodeWordsOf are those that an object's pods name; none for nil.
func nodeWordsOf(o *object.Object) []nodeWord {
	if o == nil {
		return nil
	}
	spec, prefix := podSpec(o)
	if spec == nil {
		return nil
	}
	var out []nodeWord
	for _, k := range slices.Sorted(maps.Keys(spec.NodeSelector)) {
		out = append(out, nodeWord{"label", k, spec.NodeSelector[k], prefix + "nodeSelector[" + k + "]"})
	}
	for i, t := range spec.Tolerations {
		if t.Key != "" && t.Value != "" {
			out = append(out, nodeWord{"taint", t.Key, t.Value, fmt.Sprintf("%stolerations[%d].value", prefix, i)})
		}
	}
	if a := spec.Affinity; a != nil && a.NodeAffinity != nil &&
		a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for i, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for k, e := range term.MatchExpressions {
				for n, v := range e.Values {
					if e.Operator == corev1.NodeSelectorOpIn {
						out = append(out, nodeWord{"label", e.Key, v, fmt.Sprintf("%saffinity.nodeAffinity.requiredDuring"+
							"SchedulingIgnoredDuringExecution.nodeSelectorTerms[%d].matchExpressions[%d].values[%d]", prefix, i, k, n)})
					}
				}
			}
		}
	}
	return out
}
