package validation

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// jobUID stands for the UID that the API server gives a Job.
const jobUID = "uid"

// generateSelector is what (jobStrategy).PrepareForCreate adds to a Job: its selector and the
// labels of its pods.
func generateSelector(job *batchv1.Job) {
	if job.Spec.ManualSelector != nil && *job.Spec.ManualSelector {
		return
	}
	t := &job.Spec.Template
	if t.Labels == nil {
		t.Labels = map[string]string{}
	}
	for key, value := range generatedLabels(job.Name) {
		if _, found := t.Labels[key]; !found {
			t.Labels[key] = value
		}
	}
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	if job.Spec.Selector.MatchLabels == nil {
		job.Spec.Selector.MatchLabels = map[string]string{}
	}
	if _, found := job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel]; !found {
		job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] = jobUID
	}
}

// generatedLabels are those of the pods of a Job.
func generatedLabels(name string) map[string]string {
	return map[string]string{
		"controller-uid": jobUID, batchv1.ControllerUidLabel: jobUID, "job-name": name, batchv1.JobNameLabel: name,
	}
}

// validateGeneratedSelector is its namesake.
func validateGeneratedSelector(job *batchv1.Job) field.ErrorList {
	if job.Spec.Selector == nil || job.Spec.ManualSelector != nil && *job.Spec.ManualSelector {
		return nil
	}
	var out field.ErrorList
	want := generatedLabels(job.Name)
	at := specPath.Child("template", "metadata", "labels")
	for key, value := range want { // ValidateHasLabel
		if got := job.Spec.Template.Labels[key]; got != value {
			out = append(out, field.Invalid(at.Key(key), got, "must be '"+value+"'"))
		}
	}
	if selector, err := metav1.LabelSelectorAsSelector(job.Spec.Selector); err == nil &&
		!selector.Matches(labels.Set(want)) {
		out = append(out, field.Invalid(specPath.Child("selector"), job.Spec.Selector, "`selector` not auto-generated"))
	}
	return out
}

// validateJob is ValidateJob.
func validateJob(job *batchv1.Job) field.ErrorList {
	out := validateObjectMeta(&job.ObjectMeta, true, subdomain)
	out = append(out, validateGeneratedSelector(job)...)
	out = append(out, validateSelectedJob(&job.Spec)...)
	if s := &job.Spec; indexed(s) && s.Completions != nil && *s.Completions > 0 {
		host := fmt.Sprintf("%s-%d", job.Name, *s.Completions-1)
		if len(validation.IsDNS1123Label(host)) > 0 {
			out = append(out, field.Invalid(field.NewPath("metadata", "name"), job.Name,
				"will not able to create pod with invalid DNS label: "+host))
		}
	}
	return out
}

func indexed(spec *batchv1.JobSpec) bool {
	return spec.CompletionMode != nil && *spec.CompletionMode == batchv1.IndexedCompletion
}

// validateSelectedJob is ValidateJobSpec.
func validateSelectedJob(spec *batchv1.JobSpec) field.ErrorList {
	out := validateJobSpec(spec, specPath)
	if spec.Selector == nil {
		out = append(out, field.Required(specPath.Child("selector"), ""))
	} else {
		out = append(out, strictSelector(spec.Selector, specPath.Child("selector"))...)
	}
	if selector, err := metav1.LabelSelectorAsSelector(spec.Selector); err == nil &&
		!selector.Matches(labels.Set(spec.Template.Labels)) {
		out = append(out, unmatched(&spec.Template, specPath.Child("template")))
	}
	return out
}

// validateJobSpec is its namesake, but for failure and success policies.
func validateJobSpec(spec *batchv1.JobSpec, at *field.Path) field.ErrorList {
	out := orNonnegative(spec.Parallelism, at.Child("parallelism"))
	out = append(out, orNonnegative(spec.Completions, at.Child("completions"))...)
	out = append(out, orNonnegative(spec.ActiveDeadlineSeconds, at.Child("activeDeadlineSeconds"))...)
	out = append(out, orNonnegative(spec.BackoffLimit, at.Child("backoffLimit"))...)
	out = append(out, orNonnegative(spec.TTLSecondsAfterFinished, at.Child("ttlSecondsAfterFinished"))...)
	out = append(out, orNonnegative(spec.BackoffLimitPerIndex, at.Child("backoffLimitPerIndex"))...)
	if spec.MaxFailedIndexes != nil {
		out = append(out, nonnegative(int64(*spec.MaxFailedIndexes), at.Child("maxFailedIndexes"))...)
		if spec.BackoffLimitPerIndex == nil {
			out = append(out, field.Required(at.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
		}
	}
	switch {
	case spec.CompletionMode != nil && *spec.CompletionMode != batchv1.NonIndexedCompletion && !indexed(spec):
		out = append(out, field.NotSupported(at.Child("completionMode"), *spec.CompletionMode,
			[]batchv1.CompletionMode{batchv1.NonIndexedCompletion, batchv1.IndexedCompletion}))
	case indexed(spec):
		if spec.Completions == nil {
			out = append(out, field.Required(at.Child("completions"), "when completion mode is Indexed"))
		}
		if spec.Completions != nil && spec.MaxFailedIndexes != nil && *spec.MaxFailedIndexes > *spec.Completions {
			out = append(out, field.Invalid(at.Child("maxFailedIndexes"), *spec.MaxFailedIndexes,
				"must be less than or equal to completions"))
		}
	default:
		if spec.BackoffLimitPerIndex != nil {
			out = append(out, field.Invalid(at.Child("backoffLimitPerIndex"), *spec.BackoffLimitPerIndex,
				"requires indexed completion mode"))
		}
		if spec.MaxFailedIndexes != nil {
			out = append(out, field.Invalid(at.Child("maxFailedIndexes"), *spec.MaxFailedIndexes,
				"requires indexed completion mode"))
		}
	}
	out = append(out, validatePodTemplateSpec(&spec.Template, at.Child("template"))...)
	return append(out, ending(&spec.Template, at.Child("template", "spec", "restartPolicy"))...)
}

// ending is what a template has to be whose pods end.
func ending(t *corev1.PodTemplateSpec, at *field.Path) field.ErrorList {
	known := []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}
	switch p := t.Spec.RestartPolicy; p {
	case corev1.RestartPolicyAlways, "":
		return field.ErrorList{field.Required(at, `valid values: "OnFailure", "Never"`)}
	case known[0], known[1]:
		return nil
	default:
		return field.ErrorList{field.NotSupported(at, p, known)}
	}
}

// validateJobUpdate is ValidateJobUpdate, of a Job that is not suspended.
func validateJobUpdate(now, was *batchv1.Job) field.ErrorList {
	out := validateSelectedJob(&now.Spec)
	if indexed(&now.Spec) {
		if c := now.Spec.Completions; c != nil && !same(c, was.Spec.Completions) && now.Spec.Parallelism != nil &&
			*c != *now.Spec.Parallelism {
			out = append(out, field.Invalid(specPath.Child("completions"), *c,
				"can only be modified in tandem with parallelism"))
		}
	} else {
		out = append(out, immutable(now.Spec.Completions, was.Spec.Completions, specPath.Child("completions"))...)
	}
	out = append(out, immutable(now.Spec.Selector, was.Spec.Selector, specPath.Child("selector"))...)
	if was.Spec.Suspend == nil || !*was.Spec.Suspend { // a suspended one may change in part; it is let pass
		out = append(out, immutable(now.Spec.Template, was.Spec.Template, specPath.Child("template"))...)
	}
	out = append(out, immutable(now.Spec.CompletionMode, was.Spec.CompletionMode, specPath.Child("completionMode"))...)
	out = append(out, immutable(now.Spec.PodFailurePolicy, was.Spec.PodFailurePolicy,
		specPath.Child("podFailurePolicy"))...)
	out = append(out, immutable(now.Spec.BackoffLimitPerIndex, was.Spec.BackoffLimitPerIndex,
		specPath.Child("backoffLimitPerIndex"))...)
	out = append(out, immutable(now.Spec.ManagedBy, was.Spec.ManagedBy, specPath.Child("managedBy"))...)
	return append(out, immutable(now.Spec.SuccessPolicy, was.Spec.SuccessPolicy, specPath.Child("successPolicy"))...)
}

// validateCronJobCreate is ValidateCronJobCreate.
func validateCronJobCreate(c *batchv1.CronJob) field.ErrorList {
	out := append(validateObjectMeta(&c.ObjectMeta, true, subdomain), validateCronJobSpec(&c.Spec, nil)...)
	const longest = validation.DNS1035LabelMaxLength - 11 // the suffix of its Jobs
	if len(c.Name) > longest {
		out = append(out, field.Invalid(field.NewPath("metadata", "name"), c.Name,
			fmt.Sprintf("must be no more than %d characters", longest)))
	}
	return out
}

// validateCronJobSpec is its namesake. was is nil for one that is created.
func validateCronJobSpec(spec, was *batchv1.CronJobSpec) field.ErrorList {
	var out field.ErrorList
	at := specPath.Child("schedule")
	if spec.Schedule == "" {
		out = append(out, field.Required(at, ""))
	} else {
		out = append(out, validateSchedule(spec, was != nil && strings.Contains(was.Schedule, "TZ"), at)...)
	}
	if was == nil || !ptr.Equal(was.TimeZone, spec.TimeZone) {
		out = append(out, validateTimeZone(spec.TimeZone, specPath.Child("timeZone"))...)
	}
	out = append(out, orNonnegative(spec.StartingDeadlineSeconds, specPath.Child("startingDeadlineSeconds"))...)
	known := []batchv1.ConcurrencyPolicy{batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent}
	if p := spec.ConcurrencyPolicy; p != known[0] && p != known[1] && p != known[2] {
		out = append(out, field.NotSupported(specPath.Child("concurrencyPolicy"), p, known))
	}
	job, path := &spec.JobTemplate.Spec, specPath.Child("jobTemplate", "spec")
	out = append(out, validateJobSpec(job, path)...)
	if job.Selector != nil {
		out = append(out, field.Invalid(path.Child("selector"), job.Selector, "`selector` will be auto-generated"))
	}
	if job.ManualSelector != nil && *job.ManualSelector {
		out = append(out, field.NotSupported(path.Child("manualSelector"), "true", []string{"nil", "false"}))
	}
	out = append(out, orNonnegative(spec.SuccessfulJobsHistoryLimit, specPath.Child("successfulJobsHistoryLimit"))...)
	return append(out, orNonnegative(spec.FailedJobsHistoryLimit, specPath.Child("failedJobsHistoryLimit"))...)
}
