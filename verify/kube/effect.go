package kube

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// PlacesPods reports whether a field of a pod spec matters to where its pods are and what they hold there:
// "containers[0].resources.requests[cpu]". One that is not known does.
func PlacesPods(field string) bool {
	steps := strings.FieldsFunc(field, func(r rune) bool { return r == '.' || r == '[' })
	if len(steps) == 0 {
		return true
	}
	if why, ok := Elsewhere[goName[corev1.PodSpec](steps[0])]; ok {
		return why == "refused"
	}
	if len(steps) < 3 {
		return true
	}
	switch steps[0] {
	case "containers", "initContainers":
		return !slices.Contains(within, goName[corev1.Container](steps[2]))
	case "volumes":
		return steps[2] == "persistentVolumeClaim" || steps[2] == "ephemeral"
	}
	return true
}

// goName is the name in Go of a field by its name in JSON.
func goName[T any](name string) string {
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return t.Field(i).Name
		}
	}
	return name
}
