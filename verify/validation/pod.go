package validation

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePodTemplateSpec is ValidatePodTemplateSpec.
func validatePodTemplateSpec(t *corev1.PodTemplateSpec, at *field.Path) field.ErrorList {
	out := metav1validation.ValidateLabels(t.Labels, at.Child("labels"))
	out = append(out, apivalidation.ValidateAnnotations(t.Annotations, at.Child("annotations"))...)
	return append(out, validatePodSpec(&t.Spec, at.Child("spec"))...)
}

// validatePodSpec is ValidatePodSpec, as far as the package says.
func validatePodSpec(spec *corev1.PodSpec, at *field.Path) field.ErrorList {
	volumes, out := validateVolumes(spec.Volumes, at.Child("volumes"))
	out = append(out, validateContainers(spec, volumes, at.Child("containers"))...)
	out = append(out, validateInitContainers(spec, volumes, at.Child("initContainers"))...)
	out = append(out, metav1validation.ValidateLabels(spec.NodeSelector, at.Child("nodeSelector"))...)
	out = append(out, validateAffinity(spec.Affinity, at.Child("affinity"))...)
	for i := range spec.TopologySpreadConstraints {
		out = append(out, validateTopologySpreadConstraint(spec.TopologySpreadConstraints, i,
			at.Child("topologySpreadConstraints").Index(i))...)
	}
	if d := spec.ActiveDeadlineSeconds; d != nil && (*d < 1 || *d > 1<<31-1) {
		out = append(out, field.Invalid(at.Child("activeDeadlineSeconds"), *d, validation.InclusiveRangeError(1, 1<<31-1)))
	}
	for i := range spec.Tolerations {
		out = append(out, validateToleration(&spec.Tolerations[i], at.Child("tolerations").Index(i))...)
	}
	for _, x := range []struct{ field, name string }{{"serviceAccountName", spec.ServiceAccountName},
		{"nodeName", spec.NodeName}, {"priorityClassName", spec.PriorityClassName}} {
		if x.name == "" {
			continue
		}
		for _, msg := range apivalidation.NameIsDNSSubdomain(x.name, false) {
			out = append(out, field.Invalid(at.Child(x.field), x.name, msg))
		}
	}
	return out
}

// validateVolumes is ValidateVolumes, but for their sources; it gives the names that can be
// mounted.
func validateVolumes(volumes []corev1.Volume, at *field.Path) (map[string]bool, field.ErrorList) {
	names := map[string]bool{}
	var out field.ErrorList
	for i := range volumes {
		name, at := volumes[i].Name, at.Index(i).Child("name")
		var wrong field.ErrorList
		if name == "" {
			wrong = append(wrong, field.Required(at, ""))
		} else {
			wrong = append(wrong, dnsLabel(name, at)...)
		}
		if names[name] {
			wrong = append(wrong, field.Duplicate(at, name))
		}
		if len(wrong) == 0 {
			names[name] = true
		}
		out = append(out, wrong...)
	}
	return names, out
}

// validateContainers is its namesake.
func validateContainers(spec *corev1.PodSpec, volumes map[string]bool, at *field.Path) field.ErrorList {
	if len(spec.Containers) == 0 {
		return field.ErrorList{field.Required(at, "")}
	}
	var out field.ErrorList
	names := map[string]bool{}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		out = append(out, validateContainerCommon(c, volumes, at.Index(i))...)
		out = append(out, validateProbes(c, at.Index(i))...)
		if names[c.Name] {
			out = append(out, field.Duplicate(at.Index(i).Child("name"), c.Name))
		}
		names[c.Name] = true
	}
	return append(out, checkHostPortConflicts(spec.Containers, at)...)
}

// validateInitContainers is its namesake.
func validateInitContainers(spec *corev1.PodSpec, volumes map[string]bool, at *field.Path) field.ErrorList {
	var out field.ErrorList
	names := map[string]bool{}
	for i := range spec.Containers {
		names[spec.Containers[i].Name] = true
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		out = append(out, validateContainerCommon(c, volumes, at.Index(i))...)
		if names[c.Name] {
			out = append(out, field.Duplicate(at.Index(i).Child("name"), c.Name))
		} else if c.Name != "" {
			names[c.Name] = true
		}
		out = append(out, checkHostPortConflicts(spec.InitContainers[i:i+1], at)...)
	}
	return out
}

// validateContainerCommon is its namesake.
func validateContainerCommon(c *corev1.Container, volumes map[string]bool, at *field.Path) field.ErrorList {
	var out field.ErrorList
	if c.Name == "" {
		out = append(out, field.Required(at.Child("name"), ""))
	} else {
		out = append(out, dnsLabel(c.Name, at.Child("name"))...)
	}
	if c.Image == "" {
		out = append(out, field.Required(at.Child("image"), ""))
	}
	pull := []corev1.PullPolicy{corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever}
	if !slices.Contains(pull, c.ImagePullPolicy) {
		out = append(out, field.NotSupported(at.Child("imagePullPolicy"), c.ImagePullPolicy, pull))
	}
	out = append(out, validateContainerPorts(c.Ports, at.Child("ports"))...)
	out = append(out, validateVolumeMounts(c.VolumeMounts, volumes, at.Child("volumeMounts"))...)
	return append(out, ValidateResourceRequirements(&c.Resources, at.Child("resources"))...)
}

// validateVolumeMounts is ValidateVolumeMounts, but for sub-paths.
func validateVolumeMounts(mounts []corev1.VolumeMount, volumes map[string]bool, at *field.Path) field.ErrorList {
	var out field.ErrorList
	points := map[string]bool{}
	for i := range mounts {
		m, at := &mounts[i], at.Index(i)
		if m.Name == "" {
			out = append(out, field.Required(at.Child("name"), ""))
		}
		if !volumes[m.Name] {
			out = append(out, field.NotFound(at.Child("name"), m.Name))
		}
		if m.MountPath == "" {
			out = append(out, field.Required(at.Child("mountPath"), ""))
		}
		if points[m.MountPath] {
			out = append(out, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
		points[m.MountPath] = true
	}
	return out
}

// validateContainerPorts is its namesake.
func validateContainerPorts(ports []corev1.ContainerPort, at *field.Path) field.ErrorList {
	var out field.ErrorList
	names := map[string]bool{}
	for i := range ports {
		p, at := &ports[i], at.Index(i)
		if p.Name != "" {
			msgs := validation.IsValidPortName(p.Name)
			for _, msg := range msgs {
				out = append(out, field.Invalid(at.Child("name"), p.Name, msg))
			}
			if len(msgs) == 0 && names[p.Name] {
				out = append(out, field.Duplicate(at.Child("name"), p.Name))
			}
			names[p.Name] = true
		}
		if p.ContainerPort == 0 {
			out = append(out, field.Required(at.Child("containerPort"), ""))
		} else {
			out = append(out, portNumber(p.ContainerPort, at.Child("containerPort"))...)
		}
		if p.HostPort != 0 {
			out = append(out, portNumber(p.HostPort, at.Child("hostPort"))...)
		}
		out = append(out, validateProtocol(p.Protocol, at.Child("protocol"))...)
	}
	return out
}

func portNumber(port int32, at *field.Path) field.ErrorList {
	var out field.ErrorList
	for _, msg := range validation.IsValidPortNum(int(port)) {
		out = append(out, field.Invalid(at, port, msg))
	}
	return out
}

func validateProtocol(p corev1.Protocol, at *field.Path) field.ErrorList {
	known := []corev1.Protocol{corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP}
	if !slices.Contains(known, p) {
		return field.ErrorList{field.NotSupported(at, p, known)}
	}
	return nil
}

// checkHostPortConflicts is its namesake.
func checkHostPortConflicts(containers []corev1.Container, at *field.Path) field.ErrorList {
	var out field.ErrorList
	used := map[string]bool{}
	for i := range containers {
		for j, p := range containers[i].Ports {
			if p.HostPort == 0 {
				continue
			}
			key := fmt.Sprintf("%s/%s/%d", p.Protocol, p.HostIP, p.HostPort)
			if used[key] {
				out = append(out, field.Duplicate(at.Index(i).Child("ports").Index(j).Child("hostPort"), key))
			}
			used[key] = true
		}
	}
	return out
}

// ValidateResourceRequirements is validateResourceRequirements, of a container.
func ValidateResourceRequirements(r *corev1.ResourceRequirements, at *field.Path) field.ErrorList {
	var out field.ErrorList
	for name, q := range r.Limits {
		out = append(out, validateResource(name, q.MilliValue(), at.Child("limits").Key(string(name)))...)
	}
	for name, q := range r.Requests {
		out = append(out, validateResource(name, q.MilliValue(), at.Child("requests").Key(string(name)))...)
		limit, limited := r.Limits[name]
		switch exact := !native(name) || hugePage(name); {
		case limited && exact && q.Cmp(limit) != 0:
			out = append(out, field.Invalid(at.Child("requests"), q.String(),
				fmt.Sprintf("must be equal to %s limit of %s", name, limit.String())))
		case limited && q.Cmp(limit) > 0:
			out = append(out, field.Invalid(at.Child("requests"), q.String(),
				fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String())))
		case !limited && exact:
			out = append(out, field.Required(at.Child("limits"), "Limit must be set for non overcommitable resources"))
		}
	}
	return sorted(out)
}

// validateResource is validateContainerResourceName and ValidateResourceQuantityValue.
func validateResource(name corev1.ResourceName, milli int64, at *field.Path) field.ErrorList {
	var out field.ErrorList
	for _, msg := range validation.IsQualifiedName(string(name)) {
		out = append(out, field.Invalid(at, name, msg))
	}
	standard := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}
	if !strings.Contains(string(name), "/") && !slices.Contains(standard, name) && !hugePage(name) {
		out = append(out, field.Invalid(at, name, "must be a standard resource for containers"))
	}
	if milli < 0 {
		out = append(out, field.Invalid(at, milli, apivalidation.IsNegativeErrorMsg))
	}
	if !native(name) && milli%1000 != 0 {
		out = append(out, field.Invalid(at, milli, "must be an integer"))
	}
	return out
}

// native is IsNativeResource.
func native(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

func hugePage(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}
