package validation

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateService is its namesake, as far as ports, type and external name go.
func validateService(s *corev1.Service) field.ErrorList {
	var out field.ErrorList
	headless := isHeadlessService(s)
	if len(s.Spec.Ports) == 0 && !headless && s.Spec.Type != corev1.ServiceTypeExternalName {
		out = append(out, field.Required(specPath.Child("ports"), ""))
	}
	types := []corev1.ServiceType{corev1.ServiceTypeClusterIP, corev1.ServiceTypeExternalName,
		corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort}
	switch s.Spec.Type {
	case corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort:
		if headless {
			out = append(out, field.Invalid(specPath.Child("clusterIPs").Index(0), s.Spec.ClusterIPs[0],
				"may not be set to 'None' for "+string(s.Spec.Type)+" services"))
		}
	case corev1.ServiceTypeExternalName:
		if len(s.Spec.ClusterIPs) > 0 {
			out = append(out, field.Forbidden(specPath.Child("clusterIPs"), "may not be set for ExternalName services"))
		}
		at := specPath.Child("externalName")
		name := strings.TrimSuffix(s.Spec.ExternalName, ".")
		if name == "" {
			out = append(out, field.Required(at, ""))
		} else {
			for _, msg := range validation.IsDNS1123Subdomain(name) {
				out = append(out, field.Invalid(at, name, msg))
			}
		}
	}
	if !slices.Contains(types, s.Spec.Type) {
		out = append(out, field.NotSupported(specPath.Child("type"), s.Spec.Type, types))
	}
	if affinities := []corev1.ServiceAffinity{corev1.ServiceAffinityClientIP,
		corev1.ServiceAffinityNone}; !slices.Contains(affinities, s.Spec.SessionAffinity) {
		out = append(out, field.NotSupported(specPath.Child("sessionAffinity"), s.Spec.SessionAffinity, affinities))
	}
	out = append(out, metav1validation.ValidateLabels(s.Spec.Selector, specPath.Child("selector"))...)
	return append(out, validateServicePorts(s)...)
}

// validateServicePorts is validateServicePort for each port, and that they differ.
func validateServicePorts(s *corev1.Service) field.ErrorList {
	type key struct {
		protocol corev1.Protocol
		port     int32
	}
	var out field.ErrorList
	names, ports, nodePorts := map[string]bool{}, map[key]bool{}, map[key]bool{}
	for i := range s.Spec.Ports {
		p, at := &s.Spec.Ports[i], specPath.Child("ports").Index(i)
		if p.Name != "" {
			out = append(out, dnsLabel(p.Name, at.Child("name"))...)
			if names[p.Name] {
				out = append(out, field.Duplicate(at.Child("name"), p.Name))
			}
			names[p.Name] = true
		} else if len(s.Spec.Ports) > 1 {
			out = append(out, field.Required(at.Child("name"), ""))
		}
		out = append(out, portNumber(p.Port, at.Child("port"))...)
		out = append(out, validateProtocol(p.Protocol, at.Child("protocol"))...)
		if p.TargetPort.Type == intstr.Int {
			out = append(out, portNumber(p.TargetPort.IntVal, at.Child("targetPort"))...)
		} else {
			for _, msg := range validation.IsValidPortName(p.TargetPort.StrVal) {
				out = append(out, field.Invalid(at.Child("targetPort"), p.TargetPort.StrVal, msg))
			}
		}
		if p.NodePort != 0 && s.Spec.Type == corev1.ServiceTypeClusterIP {
			out = append(out, field.Forbidden(at.Child("nodePort"), "may not be used when `type` is 'ClusterIP'"))
		}
		if k := (key{p.Protocol, p.NodePort}); p.NodePort != 0 {
			if nodePorts[k] {
				out = append(out, field.Duplicate(at.Child("nodePort"), p.NodePort))
			}
			nodePorts[k] = true
		}
		if k := (key{p.Protocol, p.Port}); ports[k] {
			out = append(out, field.Duplicate(at, p.Port))
		} else {
			ports[k] = true
		}
	}
	return out
}

func isHeadlessService(s *corev1.Service) bool {
	return len(s.Spec.ClusterIPs) == 1 && s.Spec.ClusterIPs[0] == corev1.ClusterIPNone
}

// validateServiceUpdate is ValidateServiceUpdate, on what (alloc).patchAllocatedValues and
// dropTypeDependentFields make of the two.
func validateServiceUpdate(now, was *corev1.Service) field.ErrorList {
	had, needs := was.Spec.Type != corev1.ServiceTypeExternalName, now.Spec.Type != corev1.ServiceTypeExternalName
	switch {
	case had && needs && len(was.Spec.ClusterIPs) == 0 && !isHeadlessService(now):
		was.Spec.ClusterIPs = now.Spec.ClusterIPs // what was allocated is not known: taken to be what is asked for
	case had && needs && len(was.Spec.ClusterIPs) == 0:
		was.Spec.ClusterIPs = []string{"allocated"}
	case had && needs && len(now.Spec.ClusterIPs) == 0:
		now.Spec.ClusterIPs = was.Spec.ClusterIPs
	case had && !needs && slices.Equal(now.Spec.ClusterIPs, was.Spec.ClusterIPs):
		now.Spec.ClusterIPs = nil
	}
	var out field.ErrorList
	if had && needs && !(isHeadlessService(was) && isHeadlessService(now)) { // validateUpgradeDowngradeClusterIPs
		for i := range min(len(was.Spec.ClusterIPs), len(now.Spec.ClusterIPs)) {
			if was.Spec.ClusterIPs[i] != now.Spec.ClusterIPs[i] {
				out = append(out, field.Invalid(specPath.Child("clusterIPs").Index(i), now.Spec.ClusterIPs,
					"may not change once set"))
			}
		}
	}
	const balancer = corev1.ServiceTypeLoadBalancer
	if was.Spec.Type == balancer && now.Spec.Type == balancer &&
		!same(was.Spec.LoadBalancerClass, now.Spec.LoadBalancerClass) {
		out = append(out, field.Invalid(specPath.Child("loadBalancerClass"), now.Spec.LoadBalancerClass,
			"may not change once set"))
	}
	return append(out, validateService(now)...)
}

// Live is what the cluster has once an object was applied over another: of a Service without an
// address the one that it had.
func Live(obj, old runtime.Object) runtime.Object {
	now, ok := prepare(obj).(*corev1.Service)
	was, also := prepare(old).(*corev1.Service)
	if !ok || !also || now.Spec.Type == corev1.ServiceTypeExternalName ||
		was.Spec.Type == corev1.ServiceTypeExternalName || len(now.Spec.ClusterIPs) > 0 {
		return obj
	}
	now.Spec.ClusterIPs = was.Spec.ClusterIPs // (alloc).patchAllocatedValues
	return now
}

// validatePersistentVolumeClaimSpec is ValidatePersistentVolumeClaimSpec, but for data sources.
func validatePersistentVolumeClaimSpec(spec *corev1.PersistentVolumeClaimSpec, at *field.Path) field.ErrorList {
	var out field.ErrorList
	if len(spec.AccessModes) == 0 {
		out = append(out, field.Required(at.Child("accessModes"), "at least 1 access mode is required"))
	}
	known := []corev1.PersistentVolumeAccessMode{corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOnce,
		corev1.ReadWriteOncePod}
	for _, mode := range spec.AccessModes {
		if !slices.Contains(known, mode) {
			out = append(out, field.NotSupported(at.Child("accessModes"), mode, known))
		}
	}
	if slices.Contains(spec.AccessModes, corev1.ReadWriteOncePod) &&
		slices.ContainsFunc(spec.AccessModes, func(m corev1.PersistentVolumeAccessMode) bool {
			return m != corev1.ReadWriteOncePod && slices.Contains(known, m)
		}) {
		out = append(out, field.Forbidden(at.Child("accessModes"), "may not use ReadWriteOncePod with other access modes"))
	}
	if spec.Selector != nil {
		out = append(out, strictSelector(spec.Selector, at.Child("selector"))...)
	}
	storage := at.Child("resources").Key(string(corev1.ResourceStorage))
	if q, ok := spec.Resources.Requests[corev1.ResourceStorage]; !ok {
		out = append(out, field.Required(storage, ""))
	} else if q.Sign() <= 0 {
		out = append(out, field.Invalid(storage, q.String(), "must be greater than zero"))
	}
	if spec.StorageClassName != nil && *spec.StorageClassName != "" {
		for _, msg := range subdomain(*spec.StorageClassName, false) {
			out = append(out, field.Invalid(at.Child("storageClassName"), *spec.StorageClassName, msg))
		}
	}
	return out
}

// validatePersistentVolumeClaimUpdate is ValidatePersistentVolumeClaimUpdate, of a claim that
// is bound and has the size it asked for.
func validatePersistentVolumeClaimUpdate(now, was *corev1.PersistentVolumeClaim) field.ErrorList {
	out := validatePersistentVolumeClaimSpec(&now.Spec, specPath)
	clone, old := now.Spec.DeepCopy(), was.Spec.DeepCopy()
	if clone.VolumeName == "" || old.VolumeName == "" { // of a bound claim the cluster has filled it in
		clone.VolumeName, old.VolumeName = "", ""
	}
	if old.StorageClassName == nil && clone.StorageClassName != nil { // validateStorageClassUpgradeFromNil
		clone.StorageClassName = nil
	}
	size := clone.Resources.Requests[corev1.ResourceStorage]
	had := old.Resources.Requests[corev1.ResourceStorage]
	if clone.Resources.Requests != nil {
		clone.Resources.Requests[corev1.ResourceStorage] = had
	}
	clone.VolumeAttributesClassName = old.VolumeAttributesClassName
	if !same(*clone, *old) {
		out = append(out, field.Forbidden(specPath,
			"spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"))
	}
	if size.Cmp(had) < 0 {
		out = append(out, field.Forbidden(specPath.Child("resources", "requests", "storage"),
			"field can not be less than status.capacity"))
	}
	return append(out, immutable(now.Spec.VolumeMode, was.Spec.VolumeMode, field.NewPath("volumeMode"))...)
}

// maxSecretSize is MaxSecretSize, in bytes, of ConfigMaps too.
const maxSecretSize = 1 << 20

// validateConfigMap is ValidateConfigMap.
func validateConfigMap(m *corev1.ConfigMap) field.ErrorList {
	out := validateObjectMeta(&m.ObjectMeta, true, subdomain)
	size := 0
	for key, value := range m.Data {
		at := field.NewPath("data").Key(key)
		for _, msg := range validation.IsConfigMapKey(key) {
			out = append(out, field.Invalid(at, key, msg))
		}
		if _, twice := m.BinaryData[key]; twice {
			out = append(out, field.Invalid(at, key, "duplicate of key present in binaryData"))
		}
		size += len(value)
	}
	for key, value := range m.BinaryData {
		for _, msg := range validation.IsConfigMapKey(key) {
			out = append(out, field.Invalid(field.NewPath("binaryData").Key(key), key, msg))
		}
		size += len(value)
	}
	if size > maxSecretSize {
		out = append(out, field.TooLong(field.NewPath(""), "", maxSecretSize))
	}
	return out
}

// sorted orders what comes from maps, and says nothing twice.
func sorted(list field.ErrorList) field.ErrorList {
	slices.SortStableFunc(list, func(a, b *field.Error) int {
		return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(a.ErrorBody(), b.ErrorBody()))
	})
	return slices.CompactFunc(list, func(a, b *field.Error) bool { return a.Error() == b.Error() })
}

// validateConfigMapUpdate is ValidateConfigMapUpdate.
func validateConfigMapUpdate(now, was *corev1.ConfigMap) field.ErrorList {
	var out field.ErrorList
	if isTrue(was.Immutable) {
		out = append(out, frozen("immutable", isTrue(now.Immutable))...)
		out = append(out, frozen("data", same(now.Data, was.Data))...)
		out = append(out, frozen("binaryData", same(now.BinaryData, was.BinaryData))...)
	}
	return append(out, validateConfigMap(now)...)
}

func isTrue(b *bool) bool { return b != nil && *b }

// frozen is the error of a field of an immutable object, unless it is kept.
func frozen(name string, kept bool) field.ErrorList {
	if kept {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath(name), "field is immutable when `immutable` is set")}
}

// validateSecret is ValidateSecret. No error holds a value.
func validateSecret(s *corev1.Secret) field.ErrorList {
	out := validateObjectMeta(&s.ObjectMeta, true, subdomain)
	data := field.NewPath("data")
	size := 0
	for key, value := range s.Data {
		for _, msg := range validation.IsConfigMapKey(key) {
			out = append(out, field.Invalid(data.Key(key), key, msg))
		}
		size += len(value)
	}
	if size > maxSecretSize {
		out = append(out, field.TooLong(data, "", maxSecretSize))
	}
	has := func(key string) bool { _, ok := s.Data[key]; return ok }
	need := func(keys ...string) {
		for _, key := range keys {
			if !has(key) {
				out = append(out, field.Required(data.Key(key), ""))
			}
		}
	}
	document := func(key string) {
		need(key)
		if has(key) && json.Unmarshal(s.Data[key], &map[string]any{}) != nil {
			out = append(out, field.Invalid(data.Key(key), "<secret contents redacted>", "not a JSON object"))
		}
	}
	switch s.Type {
	case corev1.SecretTypeServiceAccountToken:
		if s.Annotations[corev1.ServiceAccountNameKey] == "" {
			out = append(out, field.Required(field.NewPath("metadata", "annotations").Key(corev1.ServiceAccountNameKey), ""))
		}
	case corev1.SecretTypeDockercfg:
		document(corev1.DockerConfigKey)
	case corev1.SecretTypeDockerConfigJson:
		document(corev1.DockerConfigJsonKey)
	case corev1.SecretTypeBasicAuth:
		if !has(corev1.BasicAuthUsernameKey) && !has(corev1.BasicAuthPasswordKey) {
			need(corev1.BasicAuthUsernameKey, corev1.BasicAuthPasswordKey)
		}
	case corev1.SecretTypeSSHAuth:
		if len(s.Data[corev1.SSHAuthPrivateKey]) == 0 {
			out = append(out, field.Required(data.Key(corev1.SSHAuthPrivateKey), ""))
		}
	case corev1.SecretTypeTLS:
		need(corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	}
	return out
}

// validateSecretUpdate is ValidateSecretUpdate.
func validateSecretUpdate(now, was *corev1.Secret) field.ErrorList {
	out := immutable(now.Type, was.Type, field.NewPath("type"))
	for _, e := range out {
		e.BadValue = now.Type
	}
	if isTrue(was.Immutable) {
		out = append(out, frozen("immutable", isTrue(now.Immutable))...)
		out = append(out, frozen("data", same(now.Data, was.Data))...)
	}
	return append(out, validateSecret(now)...)
}
