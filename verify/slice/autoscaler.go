package slice

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/state"
)

// readAutoscaler takes a Deployment that runs the cluster autoscaler of Kubernetes.
func (c *configurations) readAutoscaler(release string, o *render.Object) {
	d, ok := o.Typed.(*appsv1.Deployment)
	if !ok || o.Hook {
		return
	}
	i := slices.IndexFunc(d.Spec.Template.Spec.Containers, isAutoscaler)
	if i < 0 {
		return
	}
	container := &d.Spec.Template.Spec.Containers[i]
	f := &found{controller: foundAutoscaler, release: release,
		at: o.Locate(fmt.Sprintf("spec.template.spec.containers[%d]", i)), autoscaler: &state.ClusterAutoscalerFlags{}}
	for _, arg := range slices.Concat(container.Command, container.Args) {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch name {
		case "scale-down-enabled":
			f.autoscaler.KeepNodes = value == "false"
		case "scale-down-utilization-threshold":
			share, err := strconv.ParseFloat(value, 64)
			if err != nil || share < 0 || share > 1 {
				c.notices = append(c.notices,
					fmt.Sprintf("%s runs a cluster autoscaler whose --%s is not a share: upstream's default is taken", f.where(),
						name))
				continue
			}
			f.autoscaler.Threshold = &share
		}
	}
	c.list = append(c.list, f)
}

const autoscalerName = "cluster-autoscaler"

// isAutoscaler reports whether a container runs the cluster autoscaler.
func isAutoscaler(c corev1.Container) bool {
	if words := slices.Concat(c.Command, c.Args); len(words) > 0 && path.Base(words[0]) == autoscalerName {
		return true
	}
	image, _, _ := strings.Cut(path.Base(c.Image), ":")
	return image == autoscalerName
}
