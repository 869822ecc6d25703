package judge

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// notBlamed are the fields of a workload's spec that no aspect has, and why.
var notBlamed = map[string]string{
	"selector":                             "immutable: an apply that changes it is refused",
	"serviceName":                          "immutable, and no loop reads it",
	"revisionHistoryLimit":                 "counts what no pod belongs to",
	"progressDeadlineSeconds":              "says when a rollout is called stuck, not whether it is",
	"persistentVolumeClaimRetentionPolicy": "is about volumes of pods that are gone",
	"podFailurePolicy":                     "a failed pod of a Job is started again in the model",
	"successPolicy":                        "a Job of the model is done when all its completions are",
	"backoffLimitPerIndex":                 "a failed pod of a Job is started again in the model",
	"maxFailedIndexes":                     "a failed pod of a Job is started again in the model",
	"manualSelector":                       "immutable",
	"ttlSecondsAfterFinished":              "takes away what holds nothing",
	"completionMode":                       "immutable",
	"podReplacementPolicy":                 "a replacement waits or not; what is at rest is the same",
	"managedBy":                            "immutable",
	"timeZone":                             "the schedule is due at any time",
	"startingDeadlineSeconds":              "the schedule is due at any time",
	"successfulJobsHistoryLimit":           "counts what has ended",
	"failedJobsHistoryLimit":               "counts what has ended",
}

// notBlamedOfPods are those of a Pod that is a workload itself. Templates have them as well.
func notBlamedOfPods() map[string]string {
	out := map[string]string{}
	for name, why := range kube.Elsewhere {
		f, _ := reflect.TypeFor[corev1.PodSpec]().FieldByName(name)
		path, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out[path] = why
	}
	return out
}

// Every field of the spec of every kind of workload is put back by an aspect when a finding
// is blamed, or stands on the list of those that nothing rests on, with its reason. A new
// kind, or a new field of an old one, has to say which.
func TestEveryFieldOfEveryKindIsAnAspect(t *testing.T) {
	objects := []any{&corev1.Pod{}}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[state.Manifest]()) {
		if f.Type.Kind() != reflect.Pointer {
			continue
		}
		object := reflect.New(f.Type.Elem()).Interface()
		if _, ok := state.ManifestOf(object); ok {
			objects = append(objects, object)
		}
	}
	if len(objects) < 8 {
		t.Fatalf("only %d kinds", len(objects))
	}
	for _, object := range objects {
		m, ok := state.ManifestOf(object)
		if !ok {
			t.Fatalf("%T is no workload", object)
		}
		all := aspects(&m)
		spec := reflect.TypeOf(object).Elem()
		field, _ := spec.FieldByName("Spec")
		for _, path := range specPaths(field.Type) {
			covered := slices.ContainsFunc(all, func(a aspect) bool {
				return a.kind == workloadObject && (a.covers(m.Kind().Common("spec."+path)) || strings.HasPrefix(a.path, "spec."+path+"."))
			})
			list := notBlamed
			if m.Kind().Bare() {
				list = notBlamedOfPods()
			}
			switch _, listed := list[path]; {
			case !covered && !listed:
				t.Errorf("%s: spec.%s is no aspect, and not on the list of fields that nothing rests on", m.Kind(), path)
			case covered && listed:
				t.Errorf("%s: spec.%s is an aspect, and on the list of fields that nothing rests on", m.Kind(), path)
			}
		}
	}
}

// specPaths are the fields of a spec; those of a CronJob's Jobs stand among its own.
func specPaths(of reflect.Type) []string {
	var out []string
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name == "jobTemplate" {
			inner, _ := of.Field(i).Type.FieldByName("Spec")
			out = append(out, specPaths(inner.Type)...)
			continue
		}
		out = append(out, name)
	}
	return out
}
