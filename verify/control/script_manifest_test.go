package control_test

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/state"
)

// addVPA: vpa base|head|both NAME [mode=Recreate] [min=REPLICAS] [cpu=MAXALLOWED] [least=CPU, its
// MINALLOWED] [only=RESOURCE] [requests].
func (s *script) addVPA(bare []string, opt map[string]string) {
	a := &state.VPA{Name: bare[2], Mode: state.VPARecreate, MinReplicas: number(opt, "min", 0)}
	if opt["mode"] != "" {
		a.Mode = state.VPAMode(opt["mode"])
	}
	p := state.VPAPolicy{Container: "*", Controlled: []corev1.ResourceName{"cpu", "memory"}, RequestsOnly: slices.Contains(bare, "requests")}
	if opt["cpu"] != "" {
		p.MaxAllowed = corev1.ResourceList{"cpu": resource.MustParse(opt["cpu"])}
	}
	if opt["least"] != "" {
		p.MinAllowed = corev1.ResourceList{"cpu": resource.MustParse(opt["least"])}
	}
	if opt["only"] != "" {
		p.Controlled = []corev1.ResourceName{corev1.ResourceName(opt["only"])}
	}
	a.Policies = []state.VPAPolicy{p}
	w := s.workload(bare[2])
	for _, v := range versionsOf(bare[1]) {
		w.Manifests[v].VPA = a
	}
}

// addPDB: pdb NAME unavailable=N [in=base|head], else for both versions.
func (s *script) addPDB(bare []string, opt map[string]string) {
	w, n := s.workload(bare[1]), intstr.Parse(opt["unavailable"])
	for _, v := range versionsOf(cmp.Or(opt["in"], "both")) {
		w.Manifests[v].PDBs = append(w.Manifests[v].PDBs, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: w.Name, Namespace: "default"},
			Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &n, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": w.Name}}},
		})
	}
}

// addDeployment: base|head|both NAME [replicas=N] [image=v1] [cpu=500m] [limit=1] [surge=25%]
// [unavailable=25%] [step=N] [replaced] [app=LABEL] [minready=SECONDS] [node=n-1] [tolerate=SECONDS] [volume=CLAIM] [port=N] [priority=N] [recreate] [paused] [sidecar] [never] [apart], and of other kinds [job|cronjob|stateful|alone|rollout|daemon|bare].
func (s *script) addDeployment(bare []string, opt map[string]string) {
	w := s.workload(bare[1])
	w.Step = number(opt, "step", w.Step)
	for _, v := range versionsOf(bare[0]) {
		d := deploymentOf(w.Name, bare[2:], opt)
		w.Manifests[v].Deployment, w.Manifests[v].DeclaresReplicas = d, opt["replicas"] != ""
		w.Manifests[v].Replaced = slices.Contains(bare, "replaced")
		for _, kind := range []string{"job", "cronjob"} {
			if slices.Contains(bare, kind) {
				w.Manifests[v].Deployment, w.Manifests[v].DeclaresReplicas = nil, false
				jobOf(w, v, d, kind, opt)
			}
		}
		if slices.Contains(bare, "stateful") {
			w.ID = "apps/StatefulSet default/" + w.Name
			w.Manifests[v].Deployment, w.Manifests[v].StatefulSet = nil, statefulSetOf(d, bare, opt)
		}
		if slices.Contains(bare, "alone") {
			w.ID = "apps/ReplicaSet default/" + w.Name
			w.Manifests[v].Deployment, w.Manifests[v].ReplicaSet = nil, &appsv1.ReplicaSet{
				ObjectMeta: d.ObjectMeta,
				Spec:       appsv1.ReplicaSetSpec{Replicas: d.Spec.Replicas, Selector: d.Spec.Selector, Template: d.Spec.Template},
			}
		}
		if slices.Contains(bare, "bare") {
			w.ID = "Pod default/" + w.Name
			m, _ := state.ManifestOf(&corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: w.Name, Namespace: "default", Labels: d.Spec.Template.Labels}, Spec: d.Spec.Template.Spec,
			})
			w.Manifests[v].Deployment, w.Manifests[v].Bare = nil, m.Bare
		}
		if slices.Contains(bare, "rollout") {
			w.ID = "argoproj.io/Rollout default/" + w.Name
			w.Manifests[v].Deployment, w.Manifests[v].Rollout = nil, rolloutOf(d, bare, opt)
		}
		if slices.Contains(bare, "daemon") {
			w.ID = "apps/DaemonSet default/" + w.Name
			w.Manifests[v].Deployment, w.Manifests[v].DaemonSet = nil, daemonSetOf(d, bare, opt)
		}
	}
}

func deploymentOf(name string, flags []string, opt map[string]string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	if opt["app"] != "" {
		labels["app"] = opt["app"]
	}
	c := corev1.Container{Name: "main", Image: name + ":" + opt["image"]}
	c.Resources.Requests = corev1.ResourceList{}
	for _, name := range []string{"cpu", "memory"} {
		if opt[name] != "" {
			c.Resources.Requests[corev1.ResourceName(name)] = resource.MustParse(opt[name])
		}
	}
	if opt["limit"] != "" {
		c.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse(opt["limit"])}
	}
	if n := number(opt, "port", 0); n > 0 {
		c.Ports = []corev1.ContainerPort{{ContainerPort: int32(n), HostPort: int32(n)}}
	}
	replicas := int32(number(opt, "replicas", 1))
	fence := func(key string) *intstr.IntOrString {
		v := intstr.FromString("25%")
		if opt[key] != "" {
			v = intstr.Parse(opt[key])
		}
		return &v
	}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, MinReadySeconds: int32(number(opt, "minready", 0)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{c}, NodeName: opt["node"]},
			},
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: fence("surge"), MaxUnavailable: fence("unavailable")},
			},
		},
	}
	if n := int64(number(opt, "tolerate", -1)); n >= 0 { // every taint, for so long; 0: for ever
		d.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		if n > 0 {
			d.Spec.Template.Spec.Tolerations[0].Effect = corev1.TaintEffectNoExecute
			d.Spec.Template.Spec.Tolerations[0].TolerationSeconds = &n
		}
	}
	if opt["volume"] != "" {
		d.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: opt["volume"]},
		}}}
	}
	if opt["cost"] != "" {
		d.Spec.Template.Annotations = map[string]string{corev1.PodDeletionCost: opt["cost"]}
	}
	if opt["priority"] != "" {
		n := int32(number(opt, "priority", 0))
		d.Spec.Template.Spec.Priority = &n
	}
	for _, f := range flags {
		switch f {
		case "never":
			never := corev1.PreemptNever
			d.Spec.Template.Spec.PreemptionPolicy = &never
		case "recreate":
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		case "sidecar": // an init container that runs as long as the pod, without requests
			always := corev1.ContainerRestartPolicyAlways
			d.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "mesh", Image: "mesh", RestartPolicy: &always}}
		case "paused":
			d.Spec.Paused = true
		case "aside": // the same, preferred
			term := corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: d.Spec.Selector}
			d.Spec.Template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: term}},
			}}
		case "apart": // required anti-affinity against itself, by host
			d.Spec.Template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
					TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
				}},
			}}
		}
	}
	return d
}

// addClaim: claim NAME [shared] [once] [zone] [node] [immediate] [pv=LABEL:VALUE].
func (s *script) addClaim(bare []string, opt map[string]string) {
	has := func(word string) bool { return slices.Contains(bare, word) }
	c := state.Claim{Namespace: "default", Name: bare[1], Exclusive: !has("shared"), OncePod: has("once"), Immediate: has("immediate")}
	switch {
	case has("zone"):
		c.Reach = state.WithinZone
	case has("node"):
		c.Reach = state.OnNode
	}
	if key, value, ok := strings.Cut(opt["pv"], ":"); ok {
		c.Affinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}},
		}}}}
	}
	s.spec.Claims = append(s.spec.Claims, c)
}

// addQuota: quota RESOURCE=HARD…, in both versions.
func (s *script) addQuota(opt map[string]string) {
	q := &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{}}}
	for name, hard := range opt {
		q.Spec.Hard[corev1.ResourceName(name)] = resource.MustParse(hard)
	}
	s.spec.Quotas = append(s.spec.Quotas, state.Quota{Namespace: "default", Name: "team", Objects: [2]*corev1.ResourceQuota{q, q}})
}

// addQueue: queue NAME of=WORKLOAD[+WORKLOAD…] cpu=NOMINAL [cohort=NAME] [borrow=CPU] [lend=CPU] [others=CPU] [within=POLICY]
// [reclaim=POLICY] [while-borrowing] [first=WORKLOAD] [ready=LIMIT|endless] [block]
// [no-recovery], in both versions.
func (s *script) addQueue(bare []string, opt map[string]string) {
	cpu := func(key string) *int64 {
		if opt[key] == "" {
			return nil
		}
		n := resource.MustParse(opt[key])
		milli := n.MilliValue()
		return &milli
	}
	q := &state.Queue{
		Object: "kueue.x-k8s.io/ClusterQueue " + bare[1], Cohort: opt["cohort"], Within: state.PreemptionOf(opt["within"]), Reclaim: state.PreemptionOf(opt["reclaim"]), WhileBorrowing: slices.Contains(bare, "while-borrowing"),
		Limits: []state.QueueLimit{{Resource: corev1.ResourceCPU, Nominal: *cpu("cpu"), Borrowing: cpu("borrow"), Lending: cpu("lend")}},
	}
	if opt["ready"] != "" {
		q.Ready = &state.ReadyWait{Object: "ConfigMap kueue-system/kueue-manager-config", Block: slices.Contains(bare, "block"),
			NoRecovery: slices.Contains(bare, "no-recovery")}
		if n, err := strconv.Atoi(opt["ready"]); err == nil {
			q.Ready.Limit = &n
		}
	}
	others := corev1.ResourceList{}
	if opt["others"] != "" {
		others[corev1.ResourceCPU] = resource.MustParse(opt["others"])
	}
	s.spec.Quotas = append(s.spec.Quotas, state.Quota{Name: bare[1], Queues: [2]*state.Queue{q, q}, Others: [2]corev1.ResourceList{others, others}})
	for _, name := range strings.Split(opt["of"], "+") {
		for i := range s.spec.Workloads {
			if w := &s.spec.Workloads[i]; w.Name == name {
				w.Manifests[state.Base].Queue, w.Manifests[state.Head].Queue = bare[1], bare[1]
				if name == opt["first"] {
					rank := int32(10)
					w.Manifests[state.Base].QueuePriority, w.Manifests[state.Head].QueuePriority = &rank, &rank
				}
			}
		}
	}
}

// addWebhook: webhook SERVER: it guards the pods of every workload, in both versions.
func (s *script) addWebhook(bare []string, _ map[string]string) {
	h := state.Webhook{Name: bare[1] + ".example.com", Object: "admissionregistration.k8s.io/ValidatingWebhookConfiguration " + bare[1], Field: "webhooks[0]"}
	for i := range s.spec.Workloads {
		if s.spec.Workloads[i].Name == bare[1] {
			h.Servers = append(h.Servers, i)
		}
	}
	for v := range h.Guards {
		h.Guards[v] = slices.Repeat([][2]bool{{true, true}}, len(s.spec.Workloads))
	}
	s.spec.Admission.Webhooks = append(s.spec.Admission.Webhooks, h)
}

// addLimitRange: limit-range [default=CPU] [max=CPU] of a container, in both versions.
func (s *script) addLimitRange(opt map[string]string) {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer}
	for key, list := range map[string]*corev1.ResourceList{"default": &item.Default, "max": &item.Max} {
		if opt[key] != "" {
			*list = corev1.ResourceList{"cpu": resource.MustParse(opt[key])}
		}
	}
	r := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "limits", Namespace: "default"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}}
	for v := range s.spec.Admission.LimitRanges {
		s.spec.Admission.LimitRanges[v] = append(s.spec.Admission.LimitRanges[v], r)
	}
}

// addHPA: hpa base|head|both NAME (a second one is its rival) min=N max=N [target=PERCENT] [average=500m] [memory=PERCENT]
// [queue=AVERAGE] [container=PERCENT] [disk=PERCENT] [up=…] [down=…]; up and down are a
// selectPolicy, policies and a window, such as Min,2pods,50%,60s.
func (s *script) addHPA(bare []string, opt map[string]string) {
	w := s.workload(bare[2])
	low := int32(number(opt, "min", 1))
	h := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: w.Name, Namespace: "default"},
		Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: &low, MaxReplicas: int32(number(opt, "max", 1))},
	}
	metric := func(name corev1.ResourceName, t autoscalingv2.MetricTarget) {
		h.Spec.Metrics = append(h.Spec.Metrics, autoscalingv2.MetricSpec{
			Type:     autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{Name: name, Target: t},
		})
	}
	if opt["target"] != "" {
		p := int32(number(opt, "target", 0))
		metric("cpu", autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &p})
	}
	if opt["average"] != "" {
		q := resource.MustParse(opt["average"])
		metric("cpu", autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &q})
	}
	if opt["memory"] != "" {
		p := int32(number(opt, "memory", 0))
		metric("memory", autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &p})
	}
	h.Spec.Metrics = append(h.Spec.Metrics, otherMetrics(opt)...)
	if opt["up"] != "" || opt["down"] != "" {
		h.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{
			ScaleUp: rulesOf(opt["up"]), ScaleDown: rulesOf(opt["down"]),
		}
	}
	for _, v := range versionsOf(bare[1]) {
		if m := &w.Manifests[v]; m.HPA == nil {
			m.HPA = h
		} else {
			m.Rivals = append(m.Rivals, h)
		}
	}
}

func rulesOf(text string) *autoscalingv2.HPAScalingRules {
	if text == "" {
		return nil
	}
	r := &autoscalingv2.HPAScalingRules{}
	for _, word := range strings.Split(text, ",") {
		p := autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PodsScalingPolicy, PeriodSeconds: 60}
		switch {
		case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "pods"):
			n, _ := strconv.Atoi(strings.TrimSuffix(word, "s"))
			window := int32(n)
			r.StabilizationWindowSeconds = &window
			continue
		case strings.HasSuffix(word, "pods"):
			n, _ := strconv.Atoi(strings.TrimSuffix(word, "pods"))
			p.Value = int32(n)
		case strings.HasSuffix(word, "%"):
			n, _ := strconv.Atoi(strings.TrimSuffix(word, "%"))
			p.Type, p.Value = autoscalingv2.PercentScalingPolicy, int32(n)
		default:
			selects := autoscalingv2.ScalingPolicySelect(word)
			r.SelectPolicy = &selects
			continue
		}
		r.Policies = append(r.Policies, p)
	}
	return r
}
