// Package kyverno runs the mutate rules of Kyverno's policies whose patch is plain, as Kyverno's webhook does: rules on
// pods, those that it derives from them for the controllers of pods, and rules on these controllers. It knows neither
// files nor searches.
//
// A rule is plain if what it matches, and what it makes of that, follow from the object alone: there are no variables,
// context, preconditions, loops or targets, and its anchors are +(key), and (key) with a value that is no map, list or
// comparison. A rule that is not plain, and matches or may match, is open.
//
// Upstream: kyverno, pkg/autogen/v1: CanAutoGen, generateRule; pkg/engine/utils: MatchesResourceDescription;
// pkg/engine/mutate/patch: strategicMergePatch, PreProcessPattern, applyPatchesWithOptions. A test compares merging
// with kustomize's code, which merges there.
package kyverno

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/render/defaults"
)

// Group is that of the policies.
const Group = "kyverno.io"

// Policy is a policy with rules that mutate.
type Policy struct {
	ID        string // as its owner calls it
	Namespace string // that it is for; "": all
	rules     []rule
	why       string // it cannot be run; "": it can
}

// rule is a rule that mutates, or one that is derived of it.
type rule struct {
	match, exclude block
	kinds          []string // that stand for Pod in a derived rule; nil: it is none
	merge          map[string]any
	patches        string // of RFC 6902
	why            string // it cannot be run; "": it can
}

// Request is an object on its way to the API server.
type Request struct {
	Kind                schema.GroupVersionKind
	Namespace           string
	NamespaceLabels     map[string]string
	Object              runtime.Object
	Name, GeneratedFrom string // metadata.name and metadata.generateName
}

// Mutation is what becomes of a request.
type Mutation struct {
	Object runtime.Object
	By     []string    // policies that changed it
	Open   [][2]string // policies that match, or may, and cannot be run, with the reason
}

// spec is the part of a policy that is read; other fields of a rule that mutates make it open.
type spec struct {
	Rules      []map[string]json.RawMessage `json:"rules"`
	Admission  *bool                        `json:"admission"`
	ApplyRules string                       `json:"applyRules"`
	Conditions json.RawMessage              `json:"webhookConfiguration"`
}

// Read reads a policy; nil: an object is none, or mutates nothing.
func Read(id string, kind schema.GroupKind, namespace string, content map[string]any) *Policy {
	if kind.Group != Group || kind.Kind != "ClusterPolicy" && kind.Kind != "Policy" {
		return nil
	}
	text, err := json.Marshal(content)
	if err != nil {
		return nil
	}
	var o struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     spec              `json:"spec"`
	}
	out := &Policy{ID: id}
	if kind.Kind == "Policy" {
		out.Namespace = namespace
	}
	if err := json.Unmarshal(text, &o); err != nil {
		if strings.Contains(string(text), `"mutate":`) {
			out.why, out.rules = "it cannot be read", []rule{{why: "it cannot be read", match: block{open: true}}}
			return out
		}
		return nil
	}
	if o.Spec.Admission != nil && !*o.Spec.Admission {
		return nil
	}
	derived := controllers(&o.Metadata, &o.Spec)
	for _, r := range o.Spec.Rules {
		if len(r["mutate"]) == 0 || string(r["mutate"]) == "{}" {
			continue
		}
		plain := readRule(r)
		out.rules = append(out.rules, plain)
		out.rules = append(out.rules, derive(plain, derived)...)
	}
	if o.Spec.ApplyRules == "One" && len(o.Spec.Rules) > 1 {
		out.why = "it applies one of its rules"
	}
	if strings.Contains(string(o.Spec.Conditions), "matchConditions") {
		out.why = "it has conditions for its webhook"
	}
	if len(out.rules) == 0 {
		return nil
	}
	return out
}

// Doubt says why a policy cannot be run.
func (p *Policy) Doubt(why string) { p.why = why }

// Excepted are the names of policies that an object makes exceptions from.
func Excepted(kind schema.GroupKind, content map[string]any) []string {
	if kind.Group != Group || kind.Kind != "PolicyException" {
		return nil
	}
	var out []string
	spec, _ := content["spec"].(map[string]any)
	list, _ := spec["exceptions"].([]any)
	for _, x := range list {
		e, _ := x.(map[string]any)
		if name, _ := e["policyName"].(string); name != "" {
			out = append(out, name[strings.LastIndexByte(name, '/')+1:])
		}
	}
	return out
}

// DoesMore reports whether a policy has rules that do not mutate.
func DoesMore(content map[string]any) bool {
	spec, _ := content["spec"].(map[string]any)
	list, _ := spec["rules"].([]any)
	return slices.ContainsFunc(list, func(x any) bool {
		r, _ := x.(map[string]any)
		return r["mutate"] == nil
	})
}

// known are the fields of a rule that do not matter, or are read.
var known = []string{"name", "match", "exclude", "mutate", "skipBackgroundRequests", "reportProperties"}

func readRule(fields map[string]json.RawMessage) rule {
	var out rule
	open := func(why string) {
		if out.why == "" {
			out.why = why
		}
	}
	for name := range fields {
		if !slices.Contains(known, name) {
			open("a rule of it has more than a plain patch")
		}
	}
	var mutate map[string]json.RawMessage
	if json.Unmarshal(fields["mutate"], &mutate) != nil {
		open("a rule of it cannot be read")
	}
	for name, text := range mutate {
		switch {
		case strings.Contains(string(text), "{{") || strings.Contains(string(text), "$("):
			open("its patch has variables")
		case name == "patchStrategicMerge":
			if json.Unmarshal(text, &out.merge) != nil {
				open("its patch cannot be read")
			}
		case name == "patchesJson6902":
			if json.Unmarshal(text, &out.patches) != nil {
				open("its patch cannot be read")
			}
		case name == "mutateExistingOnPolicyUpdate":
		case name == "targets":
			open("it changes objects that exist")
			out.match.open = true
		default:
			open("a rule of it has more than a plain patch")
		}
	}
	if why := oddAnchors(out.merge); why != "" {
		open(why)
	}
	targets := out.match.open
	out.match = readBlock(fields["match"])
	out.match.open = out.match.open || targets
	out.exclude = readBlock(fields["exclude"])
	return out
}

// Sees reports whether a policy has rules for objects of a kind.
func (p *Policy) Sees(kind schema.GroupVersionKind) bool {
	return slices.ContainsFunc(p.rules, func(r rule) bool { return r.match.sees(kind, r.kinds) })
}

// filtered are the namespaces that Kyverno's configuration leaves out, if it is as it is installed.
var filtered = []string{"kube-system", "kube-public", "kube-node-lease", "kyverno"}

// Mutate has policies mutate an object, in the order of the list.
func Mutate(list []*Policy, r Request) Mutation {
	out := Mutation{Object: r.Object}
	for _, p := range list {
		if p.Namespace != "" && p.Namespace != r.Namespace {
			continue
		}
		before := out.Object
		for _, x := range p.rules {
			now := r
			now.Object = out.Object
			matches, sure := x.matches(now)
			if !matches && sure {
				continue
			}
			why := p.why
			switch {
			case why != "":
			case x.why != "":
				why = x.why
			case !sure:
				why = "whom it matches is not known"
			case slices.Contains(filtered, r.Namespace):
				why = "whether Kyverno leaves out the namespace is in its configuration"
			default:
				var patched runtime.Object
				if patched, why = x.patch(now); why == "" {
					out.Object = patched
					continue
				}
			}
			out.Open = append(out.Open, [2]string{p.ID, why})
			break
		}
		if !equality.Semantic.DeepEqual(before, out.Object) {
			out.By = append(out.By, p.ID)
		}
	}
	return out
}

// patch is what a rule makes of an object, or why that is not known.
func (x rule) patch(r Request) (runtime.Object, string) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r.Object)
	if err != nil || !defaults.Scheme().Recognizes(r.Kind) {
		return nil, "the schema of " + r.Kind.Kind + " is not known"
	}
	content["apiVersion"], content["kind"] = r.Kind.GroupVersion().String(), r.Kind.Kind
	why := ""
	if x.merge != nil {
		content, why = merged(x.merge, content)
	}
	text, err := json.Marshal(content)
	if err != nil || why != "" {
		return nil, cmp.Or(why, "what it makes of the object cannot be read")
	}
	if x.patches != "" {
		if text, why = patchedBy(text, x.patches); why != "" {
			return nil, why
		}
	}
	out, err := defaults.Scheme().New(r.Kind)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		return nil, "what it makes of the object cannot be read"
	}
	defaults.Set(out)
	out.GetObjectKind().SetGroupVersionKind(r.Kind)
	return out, ""
}
