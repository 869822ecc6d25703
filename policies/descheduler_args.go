package policies

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/verify/state"
)

// argsReader reads the mapping of a plugin's arguments.
type argsReader func(fs fields, required ...string)

// labelQuery wants a label selector in kubectl's notation.
func labelQuery(s string) string {
	if _, err := labels.Parse(s); err != nil {
		return quote(s) + " is not a label selector: " + err.Error()
	}
	return ""
}

// selectionFields adds namespaces and labelSelector to a plugin's fields.
func (d *decoder) selectionFields(s *state.PodSelection, fs fields) fields {
	fs["namespaces"], fs["labelSelector"] = d.includeExclude(&s.Namespaces), d.labelSelector(&s.LabelSelector)
	return fs
}

func (d *decoder) includeExclude(dst *state.Namespaces) read {
	return func(n *yaml.Node, at string) {
		d.object(n, at, fields{"include": d.texts(&dst.Include), "exclude": d.texts(&dst.Exclude)})
		if len(dst.Include) > 0 && len(dst.Exclude) > 0 {
			d.fail(n, at, "has include and exclude; give one of them")
		}
	}
}

func (d *decoder) labelSelector(dst **metav1.LabelSelector) read {
	return func(n *yaml.Node, at string) {
		s := &metav1.LabelSelector{}
		d.object(n, at, fields{
			"matchLabels": func(n *yaml.Node, at string) {
				s.MatchLabels = map[string]string{}
				d.entries(n, at, func(key *yaml.Node) read {
					return func(n *yaml.Node, at string) {
						if v, ok := d.scalar(n, at, "a string", "!!str"); ok {
							s.MatchLabels[key.Value] = v
						}
					}
				})
			},
			"matchExpressions": d.list(func(n *yaml.Node, at string) {
				var r metav1.LabelSelectorRequirement
				d.object(n, at, fields{
					"key": d.text(&r.Key),
					"operator": oneOf(d, &r.Operator, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn,
						metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist),
					"values": d.texts(&r.Values),
				}, "key", "operator")
				s.MatchExpressions = append(s.MatchExpressions, r)
			}),
		})
		if _, err := metav1.LabelSelectorAsSelector(s); err != nil {
			d.fail(n, at, "is not a label selector: %s", err)
			return
		}
		*dst = s
	}
}

func (d *decoder) spreadArgs(with argsReader) any {
	a := &state.SpreadArgs{BalanceFit: true}
	with(d.selectionFields(&a.PodSelection, fields{
		"constraints": d.list(func(n *yaml.Node, at string) {
			var c corev1.UnsatisfiableConstraintAction
			if oneOf(d, &c, corev1.DoNotSchedule, corev1.ScheduleAnyway)(n, at); c != "" {
				a.Constraints = append(a.Constraints, c)
			}
		}),
		"topologyBalanceNodeFit": d.flag(&a.BalanceFit),
	}))
	if len(a.Constraints) == 0 {
		a.Constraints = []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule}
	}
	return a
}

// thresholds reads percentages by resource.
func (d *decoder) thresholds(dst *state.ResourceThresholds) read {
	return func(n *yaml.Node, at string) {
		out := state.ResourceThresholds{}
		d.entries(n, at, func(key *yaml.Node) read {
			return func(n *yaml.Node, at string) {
				s, ok := d.scalar(n, at, "a percentage from 0 to 100", "!!int", "!!float")
				if !ok {
					return
				}
				v, err := strconv.ParseFloat(s, 64)
				if err != nil || !(v >= 0 && v <= 100) {
					d.fail(n, at, "must be a percentage from 0 to 100, not %s", quote(s))
					return
				}
				out[corev1.ResourceName(key.Value)] = v
			}
		})
		if len(out) == 0 {
			d.fail(n, at, "names no resource; give at least one, such as cpu: 20")
		}
		*dst = out
	}
}

// evictableNamespaces reads the namespaces whose pods a utilization plugin leaves alone.
func (d *decoder) evictableNamespaces(dst *[]string) read {
	return func(n *yaml.Node, at string) { d.object(n, at, fields{"exclude": d.texts(dst)}) }
}

func (d *decoder) lowUtilizationArgs(n *yaml.Node, at string, with argsReader) any {
	a := &state.LowNodeUtilizationArgs{}
	with(fields{
		"useDeviationThresholds": d.flag(&a.Deviation),
		"thresholds":             d.thresholds(&a.Thresholds),
		"targetThresholds":       d.thresholds(&a.TargetThresholds),
		"numberOfNodes":          d.number(&a.NumberOfNodes, 0, 1_000_000),
		"metricsUtilization": func(n *yaml.Node, at string) {
			a.Metrics = true
			d.unread("metricsServer", "source", "prometheus")(n, at)
		},
		"evictableNamespaces": d.evictableNamespaces(&a.ExcludeNamespaces),
		"evictionLimits": func(n *yaml.Node, at string) {
			d.object(n, at, fields{"node": d.limit(&a.MaxPerNode)})
		},
	}, "thresholds", "targetThresholds")
	different := len(a.Thresholds) != len(a.TargetThresholds)
	for name, low := range a.Thresholds {
		high, ok := a.TargetThresholds[name]
		different = different || !ok
		if ok && low > high && !a.Deviation {
			d.fail(n, at+".thresholds."+string(name), "is greater than that of targetThresholds; lower it or raise the other")
		}
	}
	if different && a.Thresholds != nil && a.TargetThresholds != nil {
		d.fail(n, at, "thresholds and targetThresholds name different resources; give both the same")
	}
	return a
}

func (d *decoder) highUtilizationArgs(with argsReader) any {
	a := &state.HighNodeUtilizationArgs{}
	with(fields{
		"thresholds":    d.thresholds(&a.Thresholds),
		"numberOfNodes": d.number(&a.NumberOfNodes, 0, 1_000_000),
		"evictionModes": d.list(func(n *yaml.Node, at string) {
			var mode string
			if oneOf(d, &mode, "OnlyThresholdingResources")(n, at); mode != "" {
				a.OnlyThresholding = true
			}
		}),
		"evictableNamespaces": d.evictableNamespaces(&a.ExcludeNamespaces),
	}, "thresholds")
	return a
}

func (d *decoder) nodeAffinityTypes(dst *[]string) read {
	items := d.list(func(n *yaml.Node, at string) {
		var kind string
		oneOf(d, &kind, "requiredDuringSchedulingIgnoredDuringExecution",
			"preferredDuringSchedulingIgnoredDuringExecution")(n, at)
		if kind != "" {
			*dst = append(*dst, kind)
		}
	})
	return func(n *yaml.Node, at string) {
		if items(n, at); n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			d.fail(n, at, "is empty; name a type of node affinity")
		}
	}
}

func (d *decoder) taintArgs(n *yaml.Node, at string, with argsReader) any {
	a := &state.NodeTaintsArgs{}
	with(d.selectionFields(&a.PodSelection, fields{
		"includePreferNoSchedule": d.flag(&a.PreferNoSchedule),
		"excludedTaints":          d.texts(&a.Excluded),
		"includedTaints":          d.texts(&a.Included),
	}))
	if len(a.Excluded) > 0 && len(a.Included) > 0 {
		d.fail(n, at, "has includedTaints and excludedTaints; give one of them")
	}
	return a
}

func (d *decoder) restartsArgs(n *yaml.Node, at string, with argsReader) any {
	a := &state.RestartsArgs{}
	threshold, ignored := 0, false
	var states []string // a pod that restarts is in one after the other
	with(d.selectionFields(&a.PodSelection, fields{
		"podRestartThreshold":     d.number(&threshold, 1, 1<<31-1),
		"includingInitContainers": d.flag(&ignored),
		"states":                  d.texts(&states),
	}), "podRestartThreshold")
	for _, s := range states {
		if s != "CrashLoopBackOff" && s != "Running" {
			d.fail(n, at, "has the state %s; states must be CrashLoopBackOff or Running", quote(s))
		}
	}
	a.Threshold = int32(threshold)
	return a
}

func (d *decoder) lifeTimeArgs(n *yaml.Node, at string, with argsReader) any {
	a := &state.PodLifeTimeArgs{}
	var ignored bool
	with(d.selectionFields(&a.PodSelection, fields{
		"ownerKinds":                   d.includeExclude(&a.OwnerKinds),
		"maxPodLifeTimeSeconds":        d.limit(&a.MaxSeconds),
		"states":                       d.texts(&a.States),
		"includingInitContainers":      d.flag(&ignored),
		"includingEphemeralContainers": d.flag(&ignored),
		"exitCodes": d.list(func(n *yaml.Node, at string) {
			code := 0
			d.number(&code, -1<<31, 1<<31-1)(n, at)
			a.ExitCodes = append(a.ExitCodes, int32(code))
		}),
		"conditions": d.list(func(n *yaml.Node, at string) {
			d.unread("type", "status", "reason", "minTimeSinceLastTransitionSeconds")(n, at)
			a.Conditions++
		}),
	}))
	if a.MaxSeconds == nil && len(a.States) == 0 && a.Conditions == 0 && len(a.ExitCodes) == 0 {
		d.fail(n, at, "has no criterion; give maxPodLifeTimeSeconds, states, conditions or exitCodes")
	}
	return a
}

func (d *decoder) failedPodsArgs(with argsReader) any {
	var s state.PodSelection
	var ignored bool
	with(d.selectionFields(&s, fields{
		"excludeOwnerKinds":       d.texts(new([]string)),
		"minPodLifetimeSeconds":   d.limit(new(*int)),
		"reasons":                 d.texts(new([]string)),
		"exitCodes":               d.list(func(*yaml.Node, string) {}),
		"includingInitContainers": d.flag(&ignored),
	}))
	return &state.FailedPodsArgs{}
}

// Pod protections of the DefaultEvictor: those that are on by default, and others.
var (
	defaultProtections = []string{"PodsWithLocalStorage", "DaemonSetPods", "SystemCriticalPods", "FailedBarePods"}
	extraProtections   = []string{"PodsWithPVC", "PodsWithoutPDB", "PodsWithResourceClaims"}
)

func (d *decoder) evictorArgs(a *state.DefaultEvictor, n *yaml.Node, at string, with argsReader) {
	var local, daemons, critical, bare, pvc, pdb bool
	var disabled, extra []string
	with(fields{
		"nodeSelector":           d.possiblyEmpty(&a.NodeSelector, labelQuery),
		"labelSelector":          d.labelSelector(&a.LabelSelector),
		"namespaceLabelSelector": d.labelSelector(&a.NamespaceLabelSelector),
		"priorityThreshold":      d.priorityThreshold(&a.PriorityThreshold),
		"nodeFit":                d.flag(&a.NodeFit),
		"minReplicas":            d.number(&a.MinReplicas, 0, 1_000_000),
		"minPodAge": func(n *yaml.Node, at string) {
			var s string
			d.text(&s, duration)(n, at)
			a.MinPodAge = s != ""
		},
		"noEvictionPolicy": func(n *yaml.Node, at string) {
			var s string
			oneOf(d, &s, "Preferred", "Mandatory")(n, at)
			a.MandatoryNoEviction = s == "Mandatory"
		},
		"evictLocalStoragePods":   d.flag(&local),
		"evictDaemonSetPods":      d.flag(&daemons),
		"evictSystemCriticalPods": d.flag(&critical),
		"evictFailedBarePods":     d.flag(&bare),
		"ignorePvcPods":           d.flag(&pvc),
		"ignorePodsWithoutPDB":    d.flag(&pdb),
		"podProtections":          d.podProtections(a, &disabled, &extra),
	})
	if (local || daemons || critical || bare || pvc || pdb) && len(disabled)+len(extra) > 0 {
		d.fail(n, at+".podProtections", "is given together with deprecated flags that mean the same; give only one")
	}
	off := func(name string) bool { return slices.Contains(disabled, name) }
	a.ProtectLocalStorage = !local && !off("PodsWithLocalStorage")
	a.ProtectDaemonSets = !daemons && !off("DaemonSetPods")
	a.ProtectSystemCritical = !critical && !off("SystemCriticalPods")
	a.ProtectPVC = pvc || slices.Contains(extra, "PodsWithPVC")
	a.ProtectWithoutPDB = pdb || slices.Contains(extra, "PodsWithoutPDB")
	a.ProtectResourceClaims = slices.Contains(extra, "PodsWithResourceClaims")
}

func (d *decoder) podProtections(a *state.DefaultEvictor, disabled, extra *[]string) read {
	among := func(known []string) func(string) string {
		return func(s string) string {
			if !slices.Contains(known, s) {
				return fmt.Sprintf("%s is not a protection that may stand here; %s", quote(s), hint(s, known))
			}
			return ""
		}
	}
	class := func(n *yaml.Node, at string) {
		var name string
		if d.object(n, at, fields{"name": d.text(&name)}, "name"); name != "" {
			a.ProtectedStorageClasses = append(a.ProtectedStorageClasses, name)
		}
	}
	return func(n *yaml.Node, at string) {
		d.object(n, at, fields{
			"defaultDisabled": d.texts(disabled, among(defaultProtections)),
			"extraEnabled":    d.texts(extra, among(extraProtections)),
			"config": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"PodsWithPVC": func(n *yaml.Node, at string) {
					d.object(n, at, fields{"protectedStorageClasses": d.list(class)})
				}})
			},
		})
	}
}

func (d *decoder) priorityThreshold(dst *state.PriorityThreshold) read {
	return func(n *yaml.Node, at string) {
		value := 0
		d.object(n, at, fields{"name": d.text(&dst.Name), "value": func(n *yaml.Node, at string) {
			d.number(&value, -1<<31, 2_000_000_000)(n, at)
			v := int32(value)
			dst.Value = &v
		}})
		if dst.Name != "" && dst.Value != nil {
			d.fail(n, at, "has name and value; give one of them")
		}
	}
}

func duration(s string) string {
	if _, err := time.ParseDuration(s); err != nil {
		return quote(s) + " is not a duration; write one such as 5m"
	}
	return ""
}
