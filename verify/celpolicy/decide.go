package celpolicy

import (
	"context"
	"fmt"
	"strings"

	celgo "github.com/google/cel-go/cel"
	celtypes "github.com/google/cel-go/common/types"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
)

var (
	isBool = []*celgo.Type{celgo.BoolType}
	isText = []*celgo.Type{celgo.StringType}
)

// expression is one of a policy, as upstream's compiler takes it.
type expression struct {
	name, text string
	is         []*celgo.Type
}

// GetExpression implements [cel.ExpressionAccessor].
func (e *expression) GetExpression() string { return e.text }

// GetName implements [cel.NamedExpressionAccessor].
func (e *expression) GetName() string { return e.name }

// ReturnTypes implements [cel.ExpressionAccessor].
func (e *expression) ReturnTypes() []*celgo.Type {
	if e.is == nil {
		return []*celgo.Type{celgo.AnyType, celgo.DynType}
	}
	return e.is
}

// Ask is what the first policy that refuses a request says; where none does, Unknown if one may.
func Ask(list []*Policy, r Request) (Answer, Denial) {
	answer := Admits
	for _, p := range list {
		if !matches(p.Spec.MatchConstraints, r) || !matchesRules(p.Spec.MatchConstraints, r) {
			continue
		}
		for _, b := range p.Bindings {
			if !matches(b.Spec.MatchResources, r) {
				continue
			}
			switch a, d := p.decide(b, r); a {
			case Denies:
				return Denies, d
			case Unknown:
				answer = Unknown
			}
		}
	}
	return answer, Denial{}
}

// decide is a policy's decision on a request under one of its bindings.
func (p *Policy) decide(b *binding, r Request) (Answer, Denial) {
	if p.hangs(r) {
		return Unknown, Denial{}
	}
	given, known := p.param(b, r)
	if !known {
		return Unknown, Denial{}
	}
	if p.once.Do(p.compile); len(p.tests.CompilationErrors())+len(p.matcher.CompilationErrors()) > 0 {
		return Admits, Denial{} // the API server refuses the policy itself
	}
	of := r.attributes()
	request := cel.CreateAdmissionRequest(of.Attributes, metav1.GroupVersionResource(resourceOf(r.Kind)),
		metav1.GroupVersionKind(r.Kind))
	home := cel.CreateNamespaceObject(r.Home)
	ctx := p.compiler.CreateContext(context.Background())
	binds := cel.OptionalVariableBindings{VersionedParams: given}
	fails := p.Spec.FailurePolicy == nil || *p.Spec.FailurePolicy == admissionv1.Fail
	conditions, _, err := p.matcher.ForInput(ctx, of, request, binds, nil, celconfig.RuntimeCELCostBudgetMatchConditions)
	wrong := err
	for _, c := range conditions {
		if c.Error == nil && c.EvalResult == celtypes.False {
			return Admits, Denial{}
		}
		if c.Error != nil && wrong == nil {
			wrong = c.Error
		}
	}
	if wrong != nil {
		return p.broken(fails, b, "spec.matchConditions", wrong)
	}
	results, left, err := p.tests.ForInput(ctx, of, request, binds, home, celconfig.RuntimeCELCostBudget)
	if err != nil {
		return p.broken(fails, b, "spec.validations", err)
	}
	for i, x := range results {
		at := fmt.Sprintf("spec.validations[%d].expression", i)
		if x.Error != nil {
			if a, d := p.broken(fails, b, at, x.Error); a == Denies {
				d.Paths = p.paths(i)
				return a, d
			}
			continue
		}
		if x.EvalResult == celtypes.True {
			continue
		}
		return Denies, Denial{Policy: p, Binding: b, Field: at, Paths: p.paths(i), Message: p.message(i, func() string {
			words, _, err := p.words.ForInput(ctx, of, request, binds, home, left)
			if err != nil || words[i].Error != nil || words[i].EvalResult == nil {
				return ""
			}
			text, _ := words[i].EvalResult.Value().(string)
			return text
		})}
	}
	return Admits, Denial{}
}

// broken is the answer where an expression cannot be evaluated.
func (p *Policy) broken(fails bool, b *binding, at string, err error) (Answer, Denial) {
	if !fails {
		return Admits, Denial{}
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return Denies, Denial{Policy: p, Binding: b, Field: at, Message: text}
}

// message is the message of a validation that is false.
func (p *Policy) message(i int, evaluated func() string) string {
	v := &p.Spec.Validations[i]
	if v.MessageExpression != "" {
		text := strings.TrimSpace(evaluated())
		if text != "" && len(text) <= celconfig.MaxEvaluatedMessageExpressionSizeBytes && !strings.Contains(text, "\n") {
			return text
		}
	}
	if text := strings.TrimSpace(v.Message); text != "" {
		return text
	}
	return "failed expression: " + strings.TrimSpace(v.Expression)
}

// param is the object that a binding gives a policy; see [paramOf].
func (p *Policy) param(b *binding, r Request) (param runtime.Object, known bool) {
	return paramOf(p.Spec.ParamKind, b.Spec.ParamRef, r)
}

// paramOf is the object that a binding gives a policy; nil where it gives none. known is false where it is not among
// the objects that are known.
func paramOf(kind *admissionv1.ParamKind, ref *admissionv1.ParamRef, r Request) (param runtime.Object, known bool) {
	if kind == nil || ref == nil {
		return nil, true
	}
	gv, err := schema.ParseGroupVersion(kind.APIVersion)
	if ref.Name == "" || r.Param == nil || err != nil {
		return nil, false
	}
	namespace := ref.Namespace
	if namespace == "" {
		namespace = r.Namespace
	}
	param = r.Param(schema.GroupKind{Group: gv.Group, Kind: kind.Kind}, namespace, ref.Name)
	return param, param != nil
}

// attributes are those of a request as upstream has them.
func (r Request) attributes() *admission.VersionedAttributes {
	operation := admission.Create
	if r.Old != nil {
		operation = admission.Update
	}
	return &admission.VersionedAttributes{
		Attributes: admission.NewAttributesRecord(r.Object, r.Old, r.Kind, r.Namespace, r.Name, resourceOf(r.Kind), "",
			operation, nil, false, &user.DefaultInfo{}),
		VersionedObject: r.Object, VersionedOldObject: r.Old, VersionedKind: r.Kind,
	}
}

// resourceOf is the resource of a kind, by the rule that all of Kubernetes' own and most others keep.
func resourceOf(kind schema.GroupVersionKind) schema.GroupVersionResource {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return plural
}

// PodKind is that of pods.
var PodKind = corev1.SchemeGroupVersion.WithKind("Pod")
