package static

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var renews = Analyzer{Name: "renewal", Rule: rules.ApplyRejected, Run: lapsed,
	Doc: "a Job whose next template is refused"}

// lapsed says which Jobs of releases that are applied again and again lose the property by which a new template of them
// could be applied: that they are hooks, that the tool deletes and makes them again, or that they are deleted once they
// end.
//
// Upstream: kubernetes v1.36.3, pkg/apis/batch/validation: ValidateJobSpecUpdate (the template is immutable). See
// [replaced] for what a tool does instead.
func lapsed(p *Pass) []Remark {
	if p.Head.Delivery.Forces || forTests(p.Head) || p.Head.Kind != object.Helm && p.Head.By.File == "" {
		return nil
	}
	tool, before := p.Head.Delivery.Tool, map[string]*object.Object{}
	for _, o := range p.Objects(state.Base) {
		if _, ok := o.Typed.(*batchv1.Job); ok {
			before[o.ID.String()] = o
		}
	}
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		job, ok := o.Typed.(*batchv1.Job)
		b := before[o.ID.String()]
		if !ok || b == nil || o.Hook || replaced(tool, o) || !b.Hook && !replaced(tool, b) || len(refused(o)) > 0 ||
			len(nextRender(tool, o)) > 0 || versioned(o, job) {
			continue
		}
		lost := renewal(b)
		if lost.Path == "" {
			continue
		}
		_, field, _ := strings.Cut(lost.Path, "[")
		field = strings.TrimSuffix(field, "]")
		if field == "" {
			field = strings.TrimPrefix(lost.Path, "spec.")
		}
		r := Remark{
			Object: o, Conditional: true, next: true,
			paths: []string{lost.Path},
			text: fmt.Sprintf("%s stays without %s, and a Job's template cannot be changed: the next change of it, such as "+
				"an image, is refused", o.ID, field),
			remedies: []Remedy{{Say: "keep " + field + " of the Job, or give each template its own name",
				Cost: "an old Job is deleted where a new one comes", Object: o, Set: []object.Setting{lost}}},
		}
		if b.Hook {
			r.causes = []cause{{object: b}}
		}
		out = append(out, r)
	}
	return out
}

// renewal is the property that lets a new template of a Job be applied, and its value: the annotation of a tool, or the
// time after which it is deleted; no path where it is none of these.
func renewal(o *object.Object) object.Setting {
	for _, key := range []string{"helm.sh/hook", "argocd.argoproj.io/hook", "kustomize.toolkit.fluxcd.io/force",
		"kustomize.toolkit.fluxcd.io/ssa"} {
		if v := annotation(o, key); v != "" {
			return object.Setting{Path: "metadata.annotations[" + key + "]", Value: v}
		}
	}
	if v := annotation(o, syncOptions); strings.Contains(v, "Force=true") {
		return object.Setting{Path: "metadata.annotations[" + syncOptions + "]", Value: v}
	}
	if v := slice.ValueAt(o.Content, "spec", "ttlSecondsAfterFinished"); v != nil {
		return object.Setting{Path: "spec.ttlSecondsAfterFinished", Value: v}
	}
	return object.Setting{}
}

// versioned reports whether a Job's name may be another with the next template: it has a number in it, as that of a
// revision or a checksum, or the tag of an image.
func versioned(o *object.Object, job *batchv1.Job) bool {
	if o.IsVolatile("metadata.name") || strings.ContainsAny(o.ID.Name, "0123456789") {
		return true
	}
	spec := &job.Spec.Template.Spec
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		image, _, _ := strings.Cut(c.Image, "@")
		_, tag, tagged := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], ":")
		if tagged && tag != "" && strings.Contains(o.ID.Name, strings.ToLower(strings.ReplaceAll(tag, "_", "-"))) {
			return true
		}
	}
	return false
}
