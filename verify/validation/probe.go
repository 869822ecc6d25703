package validation

import (
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateProbes is validateLivenessProbe, validateReadinessProbe and validateStartupProbe of a container. A
// successThreshold of 0 is defaulted to 1.
func validateProbes(c *corev1.Container, at *field.Path) field.ErrorList {
	var out field.ErrorList
	for _, p := range []struct {
		of *corev1.Probe
		at *field.Path
	}{{c.LivenessProbe, at.Child("livenessProbe")}, {c.StartupProbe, at.Child("startupProbe")}} {
		out = append(out, validateProbe(p.of, p.at)...)
		if p.of != nil && p.of.SuccessThreshold > 1 {
			out = append(out, field.Invalid(p.at.Child("successThreshold"), p.of.SuccessThreshold, "must be 1"))
		}
	}
	at = at.Child("readinessProbe")
	out = append(out, validateProbe(c.ReadinessProbe, at)...)
	if p := c.ReadinessProbe; p != nil && p.TerminationGracePeriodSeconds != nil {
		out = append(out, field.Invalid(at.Child("terminationGracePeriodSeconds"), *p.TerminationGracePeriodSeconds,
			"must not be set for readinessProbes"))
	}
	return out
}

// validateProbe is its namesake.
func validateProbe(p *corev1.Probe, at *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	out := validateHandler(&p.ProbeHandler, at)
	for _, n := range []struct {
		field string
		value int32
	}{{"initialDelaySeconds", p.InitialDelaySeconds}, {"timeoutSeconds", p.TimeoutSeconds},
		{"periodSeconds", p.PeriodSeconds},
		{"successThreshold", p.SuccessThreshold}, {"failureThreshold", p.FailureThreshold}} {
		out = append(out, apivalidation.ValidateNonnegativeField(int64(n.value), at.Child(n.field))...)
	}
	if g := p.TerminationGracePeriodSeconds; g != nil && *g <= 0 {
		out = append(out, field.Invalid(at.Child("terminationGracePeriodSeconds"), *g, "must be greater than 0"))
	}
	return out
}

// validateHandler is its namesake, but for what an exec or an HTTP request says beside its port.
func validateHandler(h *corev1.ProbeHandler, at *field.Path) field.ErrorList {
	var out field.ErrorList
	handlers := 0
	one := func(name string, check func(*field.Path) field.ErrorList) {
		if handlers++; handlers > 1 {
			out = append(out, field.Forbidden(at.Child(name), "may not specify more than 1 handler type"))
		} else if check != nil {
			out = append(out, check(at.Child(name))...)
		}
	}
	port := func(p intstr.IntOrString) func(*field.Path) field.ErrorList {
		return func(at *field.Path) field.ErrorList { return validatePortNumOrName(p, at.Child("port")) }
	}
	if h.Exec != nil {
		one("exec", nil)
	}
	if h.HTTPGet != nil {
		one("httpGet", port(h.HTTPGet.Port))
	}
	if h.TCPSocket != nil {
		one("tcpSocket", port(h.TCPSocket.Port))
	}
	if h.GRPC != nil {
		one("grpc", port(intstr.FromInt32(h.GRPC.Port)))
	}
	if handlers == 0 {
		out = append(out, field.Required(at, "must specify a handler type"))
	}
	return out
}

// validatePortNumOrName is its namesake.
func validatePortNumOrName(port intstr.IntOrString, at *field.Path) field.ErrorList {
	var out field.ErrorList
	if port.Type == intstr.Int {
		for _, msg := range validation.IsValidPortNum(port.IntValue()) {
			out = append(out, field.Invalid(at, port.IntValue(), msg))
		}
		return out
	}
	for _, msg := range validation.IsValidPortName(port.StrVal) {
		out = append(out, field.Invalid(at, port.StrVal, msg))
	}
	return out
}
