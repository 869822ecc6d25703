package control_test

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// jobOf gives a workload the Job or CronJob that the flags job and cronjob and the options
// parallelism, completions, deadline and concurrency ask for in place of a Deployment.
func jobOf(w *state.Workload, v state.Version, d *appsv1.Deployment, kind string, opt map[string]string) {
	parallelism, completions := int32(number(opt, "parallelism", 1)), int32(number(opt, "completions", 1))
	spec := batchv1.JobSpec{Parallelism: &parallelism, Completions: &completions, Template: d.Spec.Template}
	if n := int64(number(opt, "deadline", 0)); n > 0 {
		spec.ActiveDeadlineSeconds = &n
	}
	if kind == "job" {
		w.ID = "batch/Job default/" + w.Name
		w.Manifests[v].Job = &batchv1.Job{ObjectMeta: d.ObjectMeta, Spec: spec}
		return
	}
	w.ID = "batch/CronJob default/" + w.Name
	w.Manifests[v].CronJob = &batchv1.CronJob{ObjectMeta: d.ObjectMeta, Spec: batchv1.CronJobSpec{
		Schedule: "*/5 * * * *", ConcurrencyPolicy: batchv1.ConcurrencyPolicy(opt["concurrency"]),
		JobTemplate: batchv1.JobTemplateSpec{Spec: spec},
	}}
}
