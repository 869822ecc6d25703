package snapshot

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// deciding are the control loops whose flags are read, and which of these. A flag that is not
// listed does not leave the cluster.
var deciding = map[string][]string{
	"kube-apiserver": {"enable-admission-plugins", "disable-admission-plugins",
		"default-not-ready-toleration-seconds", "default-unreachable-toleration-seconds", "feature-gates"},
	"kube-controller-manager": {"horizontal-pod-autoscaler-sync-period",
		"horizontal-pod-autoscaler-downscale-stabilization", "horizontal-pod-autoscaler-tolerance",
		"horizontal-pod-autoscaler-initial-readiness-delay", "horizontal-pod-autoscaler-cpu-initialization-period",
		"node-monitor-grace-period", "node-eviction-rate", "secondary-node-eviction-rate",
		"unhealthy-zone-threshold", "feature-gates"},
	"kube-scheduler": {"feature-gates", "leader-elect"},
	"cluster-autoscaler": {"nodes", "scale-down-enabled", "scale-down-utilization-threshold",
		"scale-down-unneeded-time", "scale-down-delay-after-add", "expander", "balance-similar-node-groups",
		"skip-nodes-with-local-storage", "skip-nodes-with-system-pods", "max-nodes-total", "ignore-daemonsets-utilization"},
	"descheduler": {"descheduling-interval", "dry-run", "feature-gates"},
	"karpenter":   {"feature-gates", "batch-max-duration", "batch-idle-duration"},
}

// flagValue is what a flag's value may look like; another is left out.
var flagValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\w.:=,/%+*-]{0,300}$`)
})

// flags reads the flags of a pod that runs one of the control loops.
func (c *Collector) flags(o *corev1.Pod) {
	for i := range o.Spec.Containers {
		words := slices.Concat(o.Spec.Containers[i].Command, o.Spec.Containers[i].Args)
		name := c.loop(&o.Spec.Containers[i], words)
		if name == "" {
			continue
		}
		if c.controllers[name] == nil {
			c.controllers[name] = map[string]string{}
		}
		values := map[string]string{}
		for k := 0; k < len(words); k++ {
			if !strings.HasPrefix(words[k], "-") {
				continue
			}
			flag, value, given := strings.Cut(strings.TrimLeft(words[k], "-"), "=")
			if !given {
				if value = "true"; k+1 < len(words) && !strings.HasPrefix(words[k+1], "-") {
					value = words[k+1]
				}
			}
			if !slices.Contains(deciding[name], flag) || !flagValue().MatchString(value) {
				continue
			}
			if have := values[flag]; have != "" && flag == "nodes" { // once a node group
				value = have + "," + value
			}
			values[flag] = value
		}
		maps.Copy(c.controllers[name], values)
	}
}

// loop names the control loop that a container runs; "" is none.
func (c *Collector) loop(o *corev1.Container, words []string) string {
	image, _, _ := strings.Cut(path.Base(o.Image), ":")
	image, _, _ = strings.Cut(image, "@")
	candidates := []string{image}
	if len(words) > 0 {
		candidates = append(candidates, path.Base(words[0]))
	}
	for _, name := range candidates {
		if _, ok := deciding[name]; ok {
			return name
		}
	}
	return ""
}

// control enters the configuration of control loops, and the feature gates that flags set.
func (c *Collector) control() {
	gates := map[string]bool{}
	for name, flags := range c.controllers {
		for _, pair := range strings.Split(flags["feature-gates"], ",") {
			if gate, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, "kube-") {
				if on, err := strconv.ParseBool(value); err == nil {
					gates[gate] = on
				}
			}
		}
		if len(flags) == 0 {
			flags = nil
		}
		c.snap.Controllers = append(c.snap.Controllers, Controller{Name: name, Flags: flags})
	}
	if len(gates) > 0 {
		c.snap.Server.FeatureGates = gates
	}
}

// nodePool keeps the fields of Karpenter's NodePool that a snapshot has, and reports whether it is one.
func (c *Collector) nodePool(o *unstructured.Unstructured) bool {
	if gv := o.GroupVersionKind(); gv.Group != "karpenter.sh" || gv.Kind != "NodePool" {
		return false
	}
	var spec struct {
		Spec struct {
			Replicas   *int              `json:"replicas"`
			Limits     map[string]string `json:"limits"`
			Disruption struct {
				ConsolidationPolicy string        `json:"consolidationPolicy"`
				ConsolidateAfter    string        `json:"consolidateAfter"`
				ExpireAfter         string        `json:"expireAfter"`
				Budgets             *[]PoolBudget `json:"budgets"`
			} `json:"disruption"`
			Template struct {
				Metadata struct {
					Labels map[string]string `json:"labels"`
				} `json:"metadata"`
				Spec struct {
					Taints       []Taint `json:"taints"`
					Requirements []struct {
						Key      string   `json:"key"`
						Operator string   `json:"operator"`
						Values   []string `json:"values"`
					} `json:"requirements"`
					ExpireAfter            string `json:"expireAfter"`
					TerminationGracePeriod string `json:"terminationGracePeriod"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}
	data, err := json.Marshal(o.Object)
	if err == nil {
		err = json.Unmarshal(data, &spec)
	}
	if err != nil {
		c.Gap("nodepools.karpenter.sh", "a NodePool cannot be read")
		return true
	}
	d, t := spec.Spec.Disruption, spec.Spec.Template
	p := NodePool{
		Name: o.GetName(), Labels: map[string]string{}, Taints: t.Spec.Taints, Limits: spec.Spec.Limits,
		Replicas:      spec.Spec.Replicas,
		Consolidation: d.ConsolidationPolicy, ConsolidateAfter: d.ConsolidateAfter,
		ExpireAfter: t.Spec.ExpireAfter, TerminationGrace: t.Spec.TerminationGracePeriod,
	}
	if p.ExpireAfter == "" {
		p.ExpireAfter = d.ExpireAfter // v1beta1
	}
	if p.BudgetsAreDeclared = d.Budgets != nil; p.BudgetsAreDeclared {
		p.DisruptionBudgets = *d.Budgets
	}
	for _, r := range t.Spec.Requirements {
		if r.Operator == string(corev1.NodeSelectorOpIn) && len(r.Values) == 1 {
			p.Labels[r.Key] = r.Values[0]
		}
	}
	maps.Copy(p.Labels, t.Metadata.Labels)
	c.snap.NodePools = append(c.snap.NodePools, p)
	return true
}
