package policies

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/kubesettle/kubesettle/verify/snapshot"
)

// The flags of a snapshot's control loops that a model follows, by program.
const (
	hpaTolerance  = "horizontal-pod-autoscaler-tolerance"
	hpaDownWindow = "horizontal-pod-autoscaler-downscale-stabilization"
	scaleDown     = "scale-down-enabled"
	scaleDownAt   = "scale-down-utilization-threshold"
)

// setFlags takes the flags of control loops that a snapshot has. Those of a cluster autoscaler that
// the manifests hold come before these: a change may set them. Errors: [snapshot.ErrSnapshot] for a
// value that the program itself would refuse.
func (p *Policy) setFlags(s *snapshot.Snapshot) error {
	manager, autoscaler := flagsOf(s, "kube-controller-manager"), flagsOf(s, "cluster-autoscaler")
	wrong := func(program, flag, value, want string) error {
		return fmt.Errorf("%w: controllers: %s: --%s is %q: give %s", snapshot.ErrSnapshot, program, flag, value, want)
	}
	hpa, ca := &p.Cluster.HPA, &p.Controllers.AutoscalerFlags
	if text, ok := manager[hpaTolerance]; ok {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
			return wrong("kube-controller-manager", hpaTolerance, text, "a number of at least 0")
		}
		hpa.Tolerance = &f
	}
	if text, ok := manager[hpaDownWindow]; ok {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || d > time.Duration(math.MaxInt32)*time.Second {
			return wrong("kube-controller-manager", hpaDownWindow, text, "a duration such as 5m0s")
		}
		seconds := int32(d / time.Second)
		hpa.DownWindow = &seconds
	}
	if text, ok := autoscaler[scaleDown]; ok {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return wrong("cluster-autoscaler", scaleDown, text, "true or false")
		}
		ca.KeepNodes = !on
	}
	if text, ok := autoscaler[scaleDownAt]; ok {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return wrong("cluster-autoscaler", scaleDownAt, text, "a number from 0 to 1")
		}
		ca.Threshold = &f
	}
	return nil
}

// flagsOf are the flags of a program that a snapshot has; nil: it has none.
func flagsOf(s *snapshot.Snapshot, program string) map[string]string {
	i := slices.IndexFunc(s.Controllers, func(c snapshot.Controller) bool { return c.Name == program })
	if i < 0 {
		return nil
	}
	return s.Controllers[i].Flags
}
