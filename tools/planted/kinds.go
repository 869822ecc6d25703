package planted

import (
	"fmt"
	"maps"
	"slices"
)

// A mistake is an addition to a release that a person could make: objects, fields of the workload, and the values that
// charts commonly have for them.
type mistake struct {
	objects []map[string]any
	fields  []field
	knobs   []knob
	shows   []string // fields of the workload that a knob may change in place of the first of fields
	rules   []string // one of these must be found
}

// A field of the workload, and its value; nil takes it out.
type field struct {
	path  []string
	value any
}

// A knob sets values of a chart: below a mapping of one of these names, or, where there is
// one name in sub only and it is empty, the key of that name itself.
type knob struct {
	names []string
	sub   map[string]any // nil: value takes the place of the key
	value any
}

// A kind makes its mistake in a target, if that can have it.
type kind struct {
	name string
	make func(t target) (mistake, bool)
}

// kinds are the mistakes, in the order of the table.
var kinds = []kind{
	{"budget allows nothing", func(t target) (mistake, bool) {
		m := budget(t, "minAvailable", t.replicas)
		return m, !t.autoscaled()
	}},
	{"budget in percent", func(t target) (mistake, bool) { return budget(t, "minAvailable", "90%"), t.replicas < 10 }},
	{"two budgets", func(t target) (mistake, bool) {
		m := budget(t, "maxUnavailable", 1)
		second := budget(t, "maxUnavailable", 1)
		second.objects[0]["metadata"].(map[string]any)["name"] = t.name + "-pdb-again"
		m.objects = append(m.objects, second.objects...)
		m.knobs = nil
		return m, t.replicas > 1
	}},
	{"budget equals the autoscaler's minimum", func(t target) (mistake, bool) {
		m := budget(t, "minAvailable", 2)
		m.objects = append(m.objects, autoscaler(t, t.name, 2))
		m.knobs = nil
		return m, !t.autoscaled() && requests(t)
	}},
	{"one writer, rolling update", oneWriter},
	{"quota equals the steady state", func(t target) (mistake, bool) {
		hard := map[string]any{"pods": fmt.Sprint(t.pods())}
		return mistake{objects: []map[string]any{{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta(t, t.name), "spec": map[string]any{"hard": hard}}},
			rules: []string{"rollout-stuck"}}, !t.autoscaled() && surges(t)
	}},
	{"host port and surge", hostPort},
	{"required anti-affinity and surge", func(t target) (mistake, bool) {
		term := map[string]any{"topologyKey": "kubernetes.io/hostname", "labelSelector": map[string]any{"matchLabels": labels(t)}}
		v := map[string]any{"podAntiAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{term}}}
		return mistake{fields: []field{{[]string{"spec", "template", "spec", "affinity"}, v}}, knobs: []knob{{names: []string{"affinity"}, value: v}},
			rules: []string{"rollout-stuck", "unschedulable"}}, surges(t)
	}},
	{"hard spread", func(t target) (mistake, bool) {
		v := []any{map[string]any{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
			"labelSelector": map[string]any{"matchLabels": labels(t)}}}
		return mistake{fields: []field{{[]string{"spec", "template", "spec", "topologySpreadConstraints"}, v}},
			knobs: []knob{{names: []string{"topologySpreadConstraints"}, value: v}},
			rules: []string{"spread-violated", "rollout-stuck", "unschedulable", "single-domain"}}, t.replicas > 1
	}},
	{"replicas beside an autoscaler", func(t target) (mistake, bool) {
		_, set := number(t.object.Content, "spec", "replicas")
		return mistake{objects: []map[string]any{autoscaler(t, t.name, 2)}, rules: []string{"replicas-reset", "replica-oscillation"}},
			set && !t.autoscaled() && requests(t)
	}},
	{"autoscaler of nothing", func(t target) (mistake, bool) {
		return mistake{objects: []map[string]any{autoscaler(t, t.name+"-web", 2)}, rules: []string{"any"}}, !t.autoscaled()
	}},
	{"autoscaler of pods without requests", func(t target) (mistake, bool) {
		return mistake{objects: []map[string]any{autoscaler(t, t.name, 2)}, rules: []string{"never-settles"}}, !t.autoscaled() && !requests(t)
	}},
	{"budget of no pods", func(t target) (mistake, bool) {
		m := budget(t, "maxUnavailable", 1)
		selector := m.objects[0]["spec"].(map[string]any)["selector"].(map[string]any)["matchLabels"].(map[string]any)
		for k, v := range selector {
			selector[k] = fmt.Sprint(v) + "s"
		}
		m.knobs, m.rules = nil, []string{"any"}
		return m, true
	}},
	{"selector changed", func(t target) (mistake, bool) {
		v := map[string]any{"tier": "backend"}
		return mistake{fields: []field{{[]string{"spec", "selector", "matchLabels", "tier"}, "backend"}, {[]string{"spec", "template", "metadata", "labels", "tier"}, "backend"}},
			knobs: []knob{{names: []string{"selectorLabels", "matchLabels", "commonLabels"}, sub: v}}, rules: []string{"apply-rejected"}}, true
	}},
	{"webhook guards itself", ownWebhook},
	{"tolerates every taint", func(t target) (mistake, bool) {
		v := []any{map[string]any{"operator": "Exists"}}
		return mistake{fields: []field{{[]string{"spec", "template", "spec", "tolerations"}, v}}, knobs: []knob{{names: []string{"tolerations"}, value: v}},
			rules: []string{"eviction-loop", "drain-blocked", "never-replaced"}}, true
	}},
	{"Ingress aimed at no Service", func(t target) (mistake, bool) {
		name, port := t.service()
		return ingress(t, misspelt(name), port), name != ""
	}},
	{"Ingress aimed at no port", func(t target) (mistake, bool) {
		name, port := t.service()
		return ingress(t, name, port+1), name != ""
	}},
	{"NetworkPolicy aimed at no pods", func(t target) (mistake, bool) {
		spec := map[string]any{"podSelector": map[string]any{"matchLabels": misspeltLabels(labels(t))}, "policyTypes": []any{"Ingress"}}
		return mistake{objects: []map[string]any{{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta(t, t.name), "spec": spec}},
			rules: []string{"dangling-target"}}, true
	}},
	{"monitor aimed at no pods", func(t target) (mistake, bool) {
		spec := map[string]any{"selector": map[string]any{"matchLabels": misspeltLabels(labels(t))}, "podMetricsEndpoints": []any{map[string]any{"port": "metrics"}}}
		return mistake{objects: []map[string]any{{"apiVersion": "monitoring.coreos.com/v1", "kind": "PodMonitor", "metadata": meta(t, t.name), "spec": spec}},
			rules: []string{"dangling-target"}}, true
	}},
}

// misspelt is a name with a letter typed twice, as happens.
func misspelt(name string) string {
	if name == "" {
		return ""
	}
	i := len(name) / 2
	return name[:i+1] + name[i:]
}

// misspeltLabels misspells the value of the first label.
func misspeltLabels(of map[string]any) map[string]any {
	for _, k := range slices.Sorted(maps.Keys(of)) {
		of[k] = misspelt(fmt.Sprint(of[k]))
		break
	}
	return of
}

// ingress leads to a port of a Service.
func ingress(t target, service string, port int64) mistake {
	backend := map[string]any{"service": map[string]any{"name": service, "port": map[string]any{"number": port}}}
	return mistake{objects: []map[string]any{{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": meta(t, t.name),
		"spec": map[string]any{"defaultBackend": backend}}}, rules: []string{"dangling-target"}}
}

// labels are the selector's, as YAML writes them.
func labels(t target) map[string]any {
	out := map[string]any{}
	for k, v := range t.labels {
		out[k] = v
	}
	return out
}

// meta is a new object's metadata; an overlay sets its own namespace.
func meta(t target, name string) map[string]any {
	m := map[string]any{"name": name}
	if ns := text(t.object.Content, "metadata", "namespace"); ns != "" && t.release.Kind != "helm" {
		m["namespace"] = ns
	}
	return m
}

func budget(t target, key string, value any) mistake {
	spec := map[string]any{key: value, "selector": map[string]any{"matchLabels": labels(t)}}
	other := map[string]any{"minAvailable": "maxUnavailable", "maxUnavailable": "minAvailable"}[key].(string)
	return mistake{
		objects: []map[string]any{{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta(t, t.name+"-pdb"), "spec": spec}},
		knobs: []knob{{names: []string{"podDisruptionBudget", "pdb", "disruptionBudget"},
			sub: map[string]any{"enabled": true, key: value, other: nil}}},
		rules: []string{"drain-blocked"},
	}
}

func autoscaler(t target, name string, least int) map[string]any {
	metric := map[string]any{"type": "Resource", "resource": map[string]any{"name": "cpu", "target": map[string]any{"type": "Utilization", "averageUtilization": 70}}}
	return map[string]any{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": meta(t, t.name), "spec": map[string]any{
		"scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
		"minReplicas":    least, "maxReplicas": 6, "metrics": []any{metric}}}
}

// requests says that every container requests CPU.
func requests(t target) bool {
	for _, c := range list(t.object.Content, "spec", "template", "spec", "containers") {
		if at(c, "resources", "requests", "cpu") == nil && at(c, "resources", "limits", "cpu") == nil {
			return false
		}
	}
	return true
}

// surges says that a rollout makes a pod before it takes one away.
func surges(t target) bool {
	if text(t.object.Content, "spec", "strategy", "type") == "Recreate" {
		return false
	}
	surge := at(t.object.Content, "spec", "strategy", "rollingUpdate", "maxSurge")
	unavailable, set := number(t.object.Content, "spec", "strategy", "rollingUpdate", "maxUnavailable")
	return surge != float64(0) && surge != "0" && surge != "0%" && (!set && t.replicas < 4 || set && unavailable == 0)
}

func container(t target) map[string]any {
	c, _ := list(t.object.Content, "spec", "template", "spec", "containers")[0].(map[string]any)
	return c
}

// oneWriter gives a claim for one node to a Deployment that rolls, or lets one that has
// such a claim, and re-creates its pod, roll.
func oneWriter(t target) (mistake, bool) {
	rules := []string{"rollout-stuck"}
	for _, v := range list(t.object.Content, "spec", "template", "spec", "volumes") {
		if at(v, "persistentVolumeClaim") != nil && text(t.object.Content, "spec", "strategy", "type") == "Recreate" {
			roll := map[string]any{"type": "RollingUpdate"}
			return mistake{fields: []field{{[]string{"spec", "strategy"}, roll}},
				knobs: []knob{{names: []string{"strategy", "updateStrategy", "deploymentStrategy"}, value: roll}, {names: []string{"strategyType"}, value: "RollingUpdate"}}, rules: rules}, true
		}
	}
	if !surges(t) || t.replicas > 1 {
		return mistake{}, false
	}
	claim := map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta(t, t.name+"-data"), "spec": map[string]any{
		"accessModes": []any{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}}}
	volumes := append(slices.Clone(list(t.object.Content, "spec", "template", "spec", "volumes")),
		map[string]any{"name": "planted", "persistentVolumeClaim": map[string]any{"claimName": t.name + "-data"}})
	return mistake{objects: []map[string]any{claim}, fields: []field{{[]string{"spec", "template", "spec", "volumes"}, volumes}},
		knobs: []knob{{names: []string{"persistence"}, sub: map[string]any{"enabled": true}}}, rules: rules}, true
}

// hostPort gives the first port of the first container to the node as well.
func hostPort(t target) (mistake, bool) {
	containers := slices.Clone(list(t.object.Content, "spec", "template", "spec", "containers"))
	ports := slices.Clone(list(container(t), "ports"))
	if len(ports) == 0 || !surges(t) {
		return mistake{}, false
	}
	port, ok := number(ports[0], "containerPort")
	if !ok {
		return mistake{}, false
	}
	ports[0] = with(ports[0], "hostPort", port)
	containers[0] = with(containers[0], "ports", ports)
	return mistake{fields: []field{{[]string{"spec", "template", "spec", "containers"}, containers}},
		knobs: []knob{{names: []string{"hostNetwork"}, value: true}, {names: []string{"hostPort"}, sub: map[string]any{"enabled": true}}},
		shows: []string{"spec.template.spec.hostNetwork"}, rules: []string{"rollout-stuck", "unschedulable"}}, true
}

func with(m any, key string, value any) map[string]any {
	out := maps.Clone(m.(map[string]any))
	out[key] = value
	return out
}

// ownWebhook makes the target the webhook of every pod, its own included.
func ownWebhook(t target) (mistake, bool) {
	service, _ := t.service()
	if service == "" {
		return mistake{}, false
	}
	ns := text(t.object.Content, "metadata", "namespace")
	if ns == "" {
		ns = "default"
	}
	hook := map[string]any{"name": "pods.example.com", "admissionReviewVersions": []any{"v1"}, "sideEffects": "None", "failurePolicy": "Fail",
		"clientConfig": map[string]any{"service": map[string]any{"name": service, "namespace": ns, "path": "/check"}},
		"rules":        []any{map[string]any{"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "operations": []any{"CREATE"}, "resources": []any{"pods"}}}}
	return mistake{objects: []map[string]any{{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"metadata": map[string]any{"name": t.name}, "webhooks": []any{hook}}}, rules: []string{"never-replaced", "rollout-stuck", "below-floor"}}, true
}
