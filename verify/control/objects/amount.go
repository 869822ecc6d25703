package objects

import (
	"fmt"
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// AmountOf words the use of a resource, in thousandths of its unit: CPU in millicores, as kubectl top does, all else as
// [Quantity] does: "250m", "64Mi".
func AmountOf(name corev1.ResourceName, milli int64) string {
	if name == corev1.ResourceCPU {
		return fmt.Sprintf("%dm", milli)
	}
	return Quantity(name, milli)
}

// Quantity words an amount of a resource, in thousandths of its unit, in Kubernetes' canonical form: "250m", "2",
// "64Mi", "500M". Bytes that have no short one are rounded to three digits or four: "18.4Gi", "1009Mi".
func Quantity(name corev1.ResourceName, milli int64) string {
	if !inBytes(name) || milli < 0 {
		return resource.NewMilliQuantity(milli, resource.DecimalSI).String()
	}
	n := milli / 1000
	best := resource.NewQuantity(n, resource.BinarySI).String()
	if s := resource.NewQuantity(n, resource.DecimalSI).String(); len(s) < len(best) {
		best = s
	}
	if n < 1024 || len(best) <= len("1536Mi") {
		return best
	}
	at, unit := float64(n), 0
	for ; at >= 1023.5; unit++ {
		at /= 1024
	}
	digits := 2
	if at >= 9.995 {
		digits = 1
	}
	if at >= 99.95 {
		digits = 0
	}
	s := fmt.Sprintf("%.*f", digits, at)
	if digits > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}[unit]
}

// Quantities words amounts that stand side by side: exactly, where two that differ would read alike.
func Quantities(name corev1.ResourceName, milli ...int64) []string {
	out, of := make([]string, len(milli)), map[string]int64{}
	for i, n := range milli {
		out[i] = Quantity(name, n)
		if was, ok := of[out[i]]; ok && was != n {
			for i, n := range milli {
				out[i] = resource.NewMilliQuantity(n, resource.DecimalSI).String()
			}
			return out
		}
		of[out[i]] = n
	}
	return out
}

// Milli is an amount in thousandths of its unit, the largest number for those beyond it.
func Milli(amount float64) int64 {
	if amount >= math.MaxInt64/1000 {
		return math.MaxInt64
	}
	return int64(math.Round(amount * 1000))
}

// inBytes reports whether a resource, or a quota on it, is counted in bytes.
func inBytes(name corev1.ResourceName) bool {
	s := string(name)
	for _, prefix := range []string{"requests.", "limits."} {
		s = strings.TrimPrefix(s, prefix)
	}
	switch corev1.ResourceName(s) {
	case corev1.ResourceMemory, corev1.ResourceStorage, corev1.ResourceEphemeralStorage:
		return true
	}
	return strings.HasPrefix(s, corev1.ResourceHugePagesPrefix) ||
		strings.HasSuffix(s, ".storageclass.storage.k8s.io/requests.storage")
}
