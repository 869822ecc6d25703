package state

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Share is a number of pods, or a percentage of them, read once. The zero Share is none.
type Share struct {
	value   int
	percent bool
}

// ShareOf reads a number or a percentage; it must be one.
func ShareOf(v *intstr.IntOrString) (Share, error) {
	value, err := intstr.GetScaledValueFromIntOrPercent(v, 100, false)
	if err != nil {
		return Share{}, fmt.Errorf("%q is neither a number nor a percentage", v.String())
	}
	return Share{value: value, percent: v.Type == intstr.String}, nil
}

// Of is the share of a number of pods, as intstr.GetScaledValueFromIntOrPercent has it.
func (s Share) Of(total int, roundUp bool) int {
	if !s.percent {
		return s.value
	}
	exact := float64(s.value) * float64(total) / 100
	if roundUp {
		return int(math.Ceil(exact))
	}
	return int(math.Floor(exact))
}
