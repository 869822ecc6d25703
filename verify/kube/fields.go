package kube

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// places are the fields of a pod spec that the model of the scheduler reads, in the order in which they are tried for
// blame.
var places = []string{"NodeSelector", "NodeName", "Affinity", "TopologySpreadConstraints", "Tolerations",
	"PriorityClassName", "SchedulerName", "Resources", "HostNetwork", "InitContainers", "Containers", "Volumes"}

// Elsewhere are the other fields of a pod spec, and why it is not placed by them. One that is in neither list fails a
// test.
var Elsewhere = map[string]string{
	"RestartPolicy":                 "pods that end by themselves run on in the model",
	"ActiveDeadlineSeconds":         "pods that end by themselves run on in the model",
	"TerminationGracePeriodSeconds": "a pod on deletion takes any time",
	"EphemeralContainers":           "no manifest has them",
	"ReadinessGates":                "every pod that starts gets ready",
	"ResourceClaims":                "refused",
	"SchedulingGates":               "refused",
	"Priority":                      "set from the PriorityClass",
	"PreemptionPolicy":              "set from the PriorityClass",
	"Overhead":                      "set from the RuntimeClass",
	"RuntimeClassName":              "its overhead, nodeSelector and tolerations are filled in where the class is known",
	"SchedulingGroup":               "gang scheduling is ignored",
	"DNSPolicy":                     inside, "DNSConfig": inside, "ServiceAccountName": inside,
	"DeprecatedServiceAccount": inside, "AutomountServiceAccountToken": inside, "HostPID": inside, "HostIPC": inside,
	"HostUsers": inside, "ShareProcessNamespace": inside, "SecurityContext": inside, "ImagePullSecrets": inside,
	"Hostname": inside, "HostnameOverride": inside, "Subdomain": inside, "HostAliases": inside,
	"EnableServiceLinks": inside, "SetHostnameAsFQDN": inside, "OS": inside,
}

const inside = "is about what its processes see"

// A Field is one of a pod spec.
type Field struct {
	name string
	Path string // below the pod spec: "nodeSelector"
}

// Placing are the fields that place pods.
func Placing() []Field {
	var out []Field
	for _, name := range places {
		f, _ := reflect.TypeFor[corev1.PodSpec]().FieldByName(name)
		path, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, Field{name, path})
	}
	return out
}

// In is a pointer to the field in a spec.
func (f Field) In(spec *corev1.PodSpec) any {
	return reflect.ValueOf(spec).Elem().FieldByName(f.name).Addr().Interface()
}

// held are the fields of a container that count for what a pod holds where it is, or for how it may come to hold
// something else.
var held = []string{"Name", "Ports", "Resources", "RestartPolicy", "ResizePolicy", "RestartPolicyRules"}

// within are those that only matter inside of it. Its image is one: nodes are preferred by it, and where the pod is it
// changes nothing. A field in neither list is kept as if it were held.
var within = []string{"Image", "Command", "Args", "WorkingDir", "EnvFrom", "Env", "VolumeMounts", "VolumeDevices",
	"LivenessProbe", "ReadinessProbe", "StartupProbe", "Lifecycle", "TerminationMessagePath",
	"TerminationMessagePolicy", "ImagePullPolicy", "SecurityContext", "Stdin", "StdinOnce", "TTY"}

// Outside are containers without what only matters inside of them.
func Outside(list []corev1.Container) []corev1.Container {
	out := slices.Clone(list)
	for i := range out {
		v := reflect.ValueOf(&out[i]).Elem()
		for _, name := range within {
			v.FieldByName(name).SetZero()
		}
	}
	return out
}
