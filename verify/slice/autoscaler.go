package slice

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// readAutoscaler takes a Deployment that runs the cluster autoscaler of Kubernetes.
func (c *configurations) readAutoscaler(release string, o *object.Object) {
	d, ok := o.Typed.(*appsv1.Deployment)
	if !ok || o.Hook {
		return
	}
	i := slices.IndexFunc(d.Spec.Template.Spec.Containers, isAutoscaler)
	if i < 0 {
		return
	}
	prefix := fmt.Sprintf("spec.template.spec.containers[%d]", i)
	container := &d.Spec.Template.Spec.Containers[i]
	f := &found{controller: foundAutoscaler, release: release, at: o.Locate(prefix), lines: map[string]int{},
		autoscaler: &state.ClusterAutoscalerFlags{}, object: o.ID.String(), flags: map[string]string{}}
	for _, list := range []struct {
		field string
		words []string
	}{{"command", container.Command}, {"args", container.Args}} {
		for k := range list.words {
			name, value := flagAt(list.words, k)
			if name != "" {
				f.flags[name] = value
			}
			known, err := setFlag(f.autoscaler, name, value)
			if err != nil {
				c.notices = append(c.notices, f.say(finding.FlagUnread, name, err))
			} else if known {
				if at := o.Locate(fmt.Sprintf("%s.%s[%d]", prefix, list.field, k)); at.File == f.at.File {
					f.lines[name] = at.StartLine
				}
			}
		}
	}
	c.list = append(c.list, f)
}

// flagAt is the flag that begins in a word of a command line, with its value: after "=", or in the next word where it
// is not yes or no. The name is "" where no flag begins.
func flagAt(words []string, k int) (name, value string) {
	if !strings.HasPrefix(words[k], "-") {
		return "", ""
	}
	name, value, given := strings.Cut(strings.TrimLeft(words[k], "-"), "=")
	if !given && k+1 < len(words) && !strings.HasPrefix(words[k+1], "-") && !yesOrNo[name] {
		value = words[k+1]
	}
	return name, strings.TrimSpace(value)
}

var (
	errNotBool  = errors.New("true or false")
	errNotShare = errors.New("a share")
)

// yesOrNo are the flags that need no value, and take none from the next word.
var yesOrNo = map[string]bool{nodes.FlagScaleDown: true, nodes.FlagLocal: true, nodes.FlagSystem: true,
	"skip-nodes-with-custom-controller-pods": true, "balance-similar-node-groups": true}

// setFlag takes a flag that the model follows, and reports whether it is one. A flag of yes or no
// without a value says yes.
func setFlag(to *state.ClusterAutoscalerFlags, name, value string) (known bool, err error) {
	if name == nodes.FlagThreshold {
		share, err := strconv.ParseFloat(value, 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return false, errNotShare
		}
		to.Threshold = &share
		return true, nil
	}
	off, found := map[string]*bool{nodes.FlagScaleDown: &to.KeepNodes, nodes.FlagLocal: &to.MovesLocal,
		nodes.FlagSystem: &to.MovesSystem}[name]
	if !found {
		return false, nil
	}
	on := true
	if value != "" {
		if on, err = strconv.ParseBool(value); err != nil {
			return false, errNotBool
		}
	}
	*off = !on
	return true, nil
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
