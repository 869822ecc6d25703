package conformance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// edit sets one field of an object, by a path with dots; a nil value takes it out.
type edit struct {
	path  string
	value any
}

// edits are the values that a field may get.
type edits struct {
	path   string
	values []any
}

func (e edits) draw(r *rand.Rand) edit { return edit{e.path, e.values[r.IntN(len(e.values))]} }

func (e edit) apply(content map[string]any) error {
	var at any = content
	steps := strings.Split(e.path, ".")
	for i, step := range steps {
		step = strings.ReplaceAll(step, "~", ".")
		last := i == len(steps)-1
		switch x := at.(type) {
		case map[string]any:
			switch {
			case last && e.value == nil:
				delete(x, step)
			case last:
				x[step] = e.value
			case x[step] == nil:
				if _, err := strconv.Atoi(steps[i+1]); err == nil {
					return nil // an edit before has taken the list out
				}
				x[step] = map[string]any{}
			}
			at = x[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil {
				return fmt.Errorf("%s: no element %s", e.path, step)
			}
			if n >= len(x) {
				return nil
			}
			if last {
				x[n] = e.value
			}
			at = x[n]
		}
	}
	return nil
}

func plainObject(t *testing.T, kind string) map[string]any {
	t.Helper()
	var content map[string]any
	check(t, yaml.Unmarshal([]byte(plainObjects[kind]), &content, func(d *json.Decoder) *json.Decoder { d.UseNumber(); return d }))
	return numbers(content).(map[string]any)
}

// numbers makes the numbers of a decoded document those that typed objects have.
func numbers(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			x[k] = numbers(x[k])
		}
	case []any:
		for i := range x {
			x[i] = numbers(x[i])
		}
	case interface{ Int64() (int64, error) }:
		n, _ := x.Int64()
		return n
	}
	return v
}

const plainTemplate = `{metadata: {labels: {app: web, chart: "1"}}, spec: {containers: [
  {name: web, image: "web:1", ports: [{containerPort: 80, name: http}], resources: {requests: {cpu: 100m}}},
  {name: log, image: "log:1", volumeMounts: [{name: data, mountPath: /data}]}], initContainers: [{name: init, image: "init:1"}],
  volumes: [{name: data, emptyDir: {}}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}],
  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: host, labelSelector: {matchLabels: {app: web}}}]}},
  tolerations: [{key: a, operator: Exists}]}}`

// plainObjects are objects that nothing refuses.
var plainObjects = map[string]string{
	"Deployment":              `{metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, template: ` + plainTemplate + `}}`,
	"StatefulSet":             `{metadata: {name: web, namespace: shop}, spec: {serviceName: web, selector: {matchLabels: {app: web}}, volumeClaimTemplates: [{metadata: {name: disk}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}], template: ` + plainTemplate + `}}`,
	"DaemonSet":               `{metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, template: ` + plainTemplate + `}}`,
	"Job":                     `{metadata: {name: web, namespace: shop}, spec: {template: ` + endingTemplate() + `}}`,
	"CronJob":                 `{metadata: {name: web, namespace: shop}, spec: {schedule: "0 1 * * *", jobTemplate: {spec: {template: ` + endingTemplate() + `}}}}`,
	"Service":                 `{metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{port: 80, name: http}]}}`,
	"PersistentVolumeClaim":   `{metadata: {name: disk, namespace: shop}, spec: {storageClassName: fast, volumeName: pv-1, accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}}`,
	"ConfigMap":               `{metadata: {name: web, namespace: shop}, data: {a: "1"}}`,
	"Secret":                  `{metadata: {name: web, namespace: shop}, data: {a: MQ==}}`,
	"HorizontalPodAutoscaler": `{metadata: {name: web, namespace: shop}, spec: {minReplicas: 2, maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`,
	"PodDisruptionBudget":     `{metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, minAvailable: 1}}`,
	"PriorityClass":           `{metadata: {name: high}, value: 1000}`,
	"StorageClass":            `{metadata: {name: fast}, provisioner: ebs.csi.aws.com, parameters: {type: gp3}, reclaimPolicy: Delete, volumeBindingMode: Immediate}`,
	"RoleBinding":             `{metadata: {name: web, namespace: shop}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: web}, subjects: [{kind: ServiceAccount, name: web, namespace: shop}]}`,
	"ClusterRoleBinding":      `{metadata: {name: web}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: web}, subjects: [{kind: ServiceAccount, name: web, namespace: shop}]}`,
}

func endingTemplate() string {
	return strings.Replace(plainTemplate, "spec: {containers", "spec: {restartPolicy: Never, containers", 1)
}

func object(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// templateEdits are edits of a pod template at a path.
func templateEdits(at string) []edits {
	out := []edits{
		{"metadata.labels.app", []any{"web", "other", "a b"}},
		{"metadata.labels.chart", []any{"1", "2", nil}},
		{"metadata.annotations.checksum", []any{"1", "2"}},
		{"metadata.annotations.a b", []any{"1"}},
		{"spec.restartPolicy", []any{"Always", "Never", "OnFailure"}},
		{"spec.activeDeadlineSeconds", []any{int64(10), int64(0), nil}},
		{"spec.containers", []any{nil}},
		{"spec.containers.0.name", []any{"web", "log", "init", "Web"}},
		{"spec.containers.0.image", []any{"web:1", "web:2", nil}},
		{"spec.containers.0.imagePullPolicy", []any{"Always", "Sometimes"}},
		{"spec.containers.0.resources.requests.cpu", []any{"100m", "2", "-1"}},
		{"spec.containers.0.resources.limits.cpu", []any{"1", "50m", nil}},
		{"spec.containers.0.resources.requests.gpus", []any{"1"}},
		{"spec.containers.0.resources.requests.nvidia~com/gpu", []any{"1", "500m", "2"}},
		{"spec.containers.0.resources.limits.nvidia~com/gpu", []any{"1", "2"}},
		{"spec.containers.0.ports.0.containerPort", []any{int64(80), int64(0), int64(70000)}},
		{"spec.containers.0.ports.0.hostPort", []any{int64(80), int64(70000)}},
		{"spec.containers.0.ports.0.name", []any{"http", "HTTP", nil}},
		{"spec.containers.0.ports.0.protocol", []any{"UDP", "ICMP"}},
		{"spec.containers.0.livenessProbe", []any{object("httpGet", object("port", "http")), object("exec", object("command", []any{"true"}))}},
		{"spec.containers.0.livenessProbe.successThreshold", []any{int64(1), int64(2), int64(-1)}},
		{"spec.containers.0.livenessProbe.tcpSocket", []any{object("port", int64(80)), object("port", int64(0))}},
		{"spec.containers.0.readinessProbe", []any{object("tcpSocket", object("port", int64(70000))), object("periodSeconds", int64(3))}},
		{"spec.containers.0.readinessProbe.terminationGracePeriodSeconds", []any{int64(5), int64(0)}},
		{"spec.containers.0.startupProbe", []any{object("httpGet", object("port", "HTTP_"), "failureThreshold", int64(-2))}},
		{"spec.containers.1.ports", []any{[]any{object("containerPort", int64(80), "hostPort", int64(80))}}},
		{"spec.containers.1.volumeMounts.0.name", []any{"data", "disk", "none", ""}},
		{"spec.containers.1.volumeMounts.0.mountPath", []any{"/data", ""}},
		{"spec.initContainers.0.name", []any{"init", "web", ""}},
		{"spec.initContainers.0.image", []any{"init:1", nil}},
		{"spec.volumes", []any{nil, []any{object("name", "data", "emptyDir", object()), object("name", "data", "emptyDir", object())}}},
		{"spec.volumes.0.name", []any{"data", "Data", ""}},
		{"spec.nodeSelector", []any{object("zone", "a"), object("zone", "a b")}},
		{"spec.priorityClassName", []any{"high", "High"}},
		{"spec.serviceAccountName", []any{"web", nil}},
		{"spec.serviceAccount", []any{"web", "other", nil}},
		{"spec.securityContext", []any{object(), nil}},
		{"spec.topologySpreadConstraints.0.maxSkew", []any{int64(1), int64(0)}},
		{"spec.topologySpreadConstraints.0.minDomains", []any{int64(1), int64(0)}},
		{"spec.topologySpreadConstraints.0.whenUnsatisfiable", []any{"ScheduleAnyway", "Never"}},
		{"spec.topologySpreadConstraints.0.topologyKey", []any{"zone", ""}},
		{"spec.topologySpreadConstraints.0.nodeTaintsPolicy", []any{"Honor", "Maybe"}},
		{"spec.topologySpreadConstraints.0.labelSelector.matchLabels.app", []any{"web", "a b"}},
		{"spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.0.topologyKey", []any{"host", "", "a b"}},
		{"spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution", []any{[]any{object("weight", int64(0), "podAffinityTerm", object("topologyKey", "host"))}}},
		{"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms", []any{[]any{}, []any{object("matchExpressions", []any{object("key", "zone", "operator", "In")})}, []any{object("matchExpressions", []any{object("key", "zone", "operator", "Exists", "values", []any{"a b"})})}}},
		{"spec.tolerations.0.operator", []any{"Exists", "Equal", "Like"}},
		{"spec.tolerations.0.key", []any{"a", nil, "a b"}},
		{"spec.tolerations.0.effect", []any{"NoExecute", "NoRun"}},
		{"spec.tolerations.0.tolerationSeconds", []any{int64(1), nil}},
	}
	for i := range out {
		out[i].path = at + "." + out[i].path
	}
	return out
}

var metadataEdits = []edits{{"metadata.name", []any{"web", "Web", "a.b"}}, {"metadata.labels", []any{object("a", "b"), object("a", "b c")}}}

// objectEdits are those that may befall an object of a kind.
var objectEdits = map[string][]edits{
	"Deployment": append(append(templateEdits("spec.template"), metadataEdits...),
		edits{"spec.replicas", []any{int64(2), int64(-1)}},
		edits{"spec.selector", []any{nil, object(), object("matchLabels", object("app", "web", "chart", "1")), object("matchLabels", object("app", "other")), object("matchExpressions", []any{object("key", "app", "operator", "Is")})}},
		edits{"spec.strategy.type", []any{"Recreate", "RollingUpdate", "Blue"}},
		edits{"spec.strategy.rollingUpdate.maxSurge", []any{int64(0), "0%", "1%", int64(-1), "a", "200%"}},
		edits{"spec.strategy.rollingUpdate.maxUnavailable", []any{int64(0), "0%", "1%", int64(-1), "a", "200%"}},
		edits{"spec.minReadySeconds", []any{int64(5), int64(600), int64(-1)}},
		edits{"spec.revisionHistoryLimit", []any{int64(0), int64(-1)}},
		edits{"spec.progressDeadlineSeconds", []any{int64(5), int64(0), int64(600)}}),
	"StatefulSet": append(append(templateEdits("spec.template"), metadataEdits...),
		edits{"spec.replicas", []any{int64(2), int64(-1)}},
		edits{"spec.selector", []any{nil, object(), object("matchLabels", object("app", "web", "chart", "1"))}},
		edits{"spec.serviceName", []any{"web", "other", "Web", nil}},
		edits{"spec.podManagementPolicy", []any{"Parallel", "OrderedReady", "Random"}},
		edits{"spec.updateStrategy.type", []any{"OnDelete", "RollingUpdate", "Blue"}},
		edits{"spec.updateStrategy.rollingUpdate.partition", []any{int64(1), int64(-1)}},
		edits{"spec.updateStrategy.rollingUpdate.maxUnavailable", []any{int64(1), int64(0), "0%", "200%"}},
		edits{"spec.minReadySeconds", []any{int64(5), int64(-1)}},
		edits{"spec.revisionHistoryLimit", []any{int64(0)}},
		edits{"spec.ordinals.start", []any{int64(1), int64(-1)}},
		edits{"spec.persistentVolumeClaimRetentionPolicy.whenScaled", []any{"Delete", "Keep"}},
		edits{"spec.volumeClaimTemplates.0.spec.resources.requests.storage", []any{"1Gi", "2Gi", nil, "0"}},
		edits{"spec.volumeClaimTemplates.0.spec.storageClassName", []any{"fast", "Fast"}},
		edits{"spec.volumeClaimTemplates.0.metadata.labels", []any{object("chart", "2")}},
		edits{"spec.volumeClaimTemplates.0.kind", []any{"PersistentVolumeClaim", nil}},
		edits{"spec.volumeClaimTemplates.0.apiVersion", []any{"v1", nil}},
		edits{"spec.volumeClaimTemplates.0.metadata.annotations", []any{object(), nil}},
		edits{"spec.volumeClaimTemplates", []any{nil}}),
	"DaemonSet": append(append(templateEdits("spec.template"), metadataEdits...),
		edits{"spec.selector", []any{nil, object(), object("matchLabels", object("app", "web", "chart", "1"))}},
		edits{"spec.updateStrategy.type", []any{"OnDelete", "RollingUpdate", "Blue"}},
		edits{"spec.updateStrategy.rollingUpdate.maxSurge", []any{int64(1), int64(0), "0%", "200%", "a"}},
		edits{"spec.updateStrategy.rollingUpdate.maxUnavailable", []any{int64(1), int64(0), "0%", "200%"}},
		edits{"spec.minReadySeconds", []any{int64(5), int64(-1)}},
		edits{"spec.revisionHistoryLimit", []any{int64(-1)}}),
	"Job": append(append(templateEdits("spec.template"), jobEdits("spec.")...), append(metadataEdits,
		edits{"spec.manualSelector", []any{true, false}},
		edits{"spec.selector", []any{object("matchLabels", object("app", "web")), object("matchLabels", object("job-name", "web"))}})...),
	"CronJob": append(append(templateEdits("spec.jobTemplate.spec.template"), jobEdits("spec.jobTemplate.spec.")...), append(metadataEdits,
		edits{"metadata.name", []any{strings.Repeat("a", 53)}},
		edits{"spec.schedule", []any{"0 2 * * *", "", "TZ=UTC 0 1 * * *", "TZ=0", "0 25 * * *", "0 0 0 * * *", "@daily", "@dayly", "@every 1h30m", "*/0 * * * *"}},
		edits{"spec.timeZone", []any{"Europe/Berlin", "Europe/Berln", "", "local", "a//b", "../etc", "UTC"}},
		edits{"spec.concurrencyPolicy", []any{"Forbid", "Never"}},
		edits{"spec.startingDeadlineSeconds", []any{int64(5), int64(-1)}},
		edits{"spec.failedJobsHistoryLimit", []any{int64(-1)}},
		edits{"spec.jobTemplate.spec.manualSelector", []any{true}},
		edits{"spec.jobTemplate.spec.selector", []any{object("matchLabels", object("app", "web"))}})...),
	"Service": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"spec.clusterIP", []any{"10.0.0.1", "10.0.0.2", "None"}},
		edits{"spec.type", []any{"NodePort", "LoadBalancer", "ClusterIP", "Cloud"}},
		edits{"spec.ports", []any{nil, []any{object("port", int64(80)), object("port", int64(81))}, []any{object("port", int64(80), "name", "a"), object("port", int64(80), "name", "a")}}},
		edits{"spec.ports.0.port", []any{int64(81), int64(0)}},
		edits{"spec.ports.0.targetPort", []any{"http", int64(8080), "HTTP"}},
		edits{"spec.ports.0.nodePort", []any{int64(30080)}},
		edits{"spec.ports.0.protocol", []any{"UDP", "ICMP"}},
		edits{"spec.sessionAffinity", []any{"ClientIP", "None", "Cookie"}},
		edits{"spec.selector", []any{object("app", "a b"), nil}}),
	"PersistentVolumeClaim": append(metadataEdits[:1:1],
		edits{"spec.accessModes", []any{nil, []any{"ReadWriteMany"}, []any{"ReadWriteOncePod", "ReadOnlyMany"}, []any{"Any"}}},
		edits{"spec.resources.requests.storage", []any{"1Gi", "3Gi", "0", nil}},
		edits{"spec.storageClassName", []any{"fast", "slow", "Slow", nil}},
		edits{"spec.volumeMode", []any{"Filesystem", "Block"}},
		edits{"spec.selector", []any{object("matchLabels", object("a", "b c")), object("matchLabels", object("a", "b"))}},
		edits{"spec.volumeName", []any{"pv-1", "pv-2"}}),
	"ConfigMap": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"data.a", []any{"1", "2", nil}}, edits{"data.a b", []any{"1"}}, edits{"binaryData.a", []any{"MQ=="}}, edits{"binaryData.b", []any{"MQ=="}},
		edits{"immutable", []any{true, false}}),
	"Secret": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"data.a", []any{"MQ==", "Mg==", nil}}, edits{"data.a b", []any{"MQ=="}}, edits{"data.tls~crt", []any{"MQ=="}}, edits{"data.~dockerconfigjson", []any{"e30=", "MQ=="}},
		edits{"stringData.b", []any{"1"}}, edits{"data.username", []any{"MQ=="}},
		edits{"type", []any{"Opaque", "kubernetes.io/tls", "kubernetes.io/dockerconfigjson", "kubernetes.io/basic-auth", "kubernetes.io/ssh-auth", "own"}},
		edits{"immutable", []any{true, false}}),
	"HorizontalPodAutoscaler": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"spec.minReplicas", []any{int64(1), int64(5), int64(-1), nil}}, edits{"spec.maxReplicas", []any{int64(1), int64(0), int64(-1), int64(9)}},
		edits{"spec.scaleTargetRef.name", []any{"web", "", "a/b"}}, edits{"spec.scaleTargetRef.kind", []any{"StatefulSet", ""}}),
	"PodDisruptionBudget": {
		{"spec.minAvailable", []any{int64(1), "50%", "200%", int64(-1), "a", nil}}, {"spec.maxUnavailable", []any{int64(0), "50%", "200%"}},
		{"spec.selector", []any{nil, object(), object("matchLabels", object("a", "b c"))}}, {"spec.unhealthyPodEvictionPolicy", []any{"AlwaysAllow", "Never"}},
	},
	"PriorityClass": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"value", []any{int64(1), int64(-5), int64(1_000_000_001), int64(2_000_000_000)}}, edits{"preemptionPolicy", []any{"Never", "PreemptLowerPriority", "Maybe"}},
		edits{"globalDefault", []any{true, false}}, edits{"metadata.name", []any{"system-cluster-critical", "system-mine"}}),
	"StorageClass": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"provisioner", []any{"", "csi.example.com", "a b"}}, edits{"parameters.type", []any{"gp2", nil}}, edits{"reclaimPolicy", []any{"Retain", "Delete", nil}},
		edits{"volumeBindingMode", []any{"WaitForFirstConsumer", nil}}, edits{"allowVolumeExpansion", []any{true}}),
	"RoleBinding":        roleEdits,
	"ClusterRoleBinding": roleEdits,
}

var roleEdits = []edits{
	{"roleRef.name", []any{"web", "other", "", "a/b"}}, {"roleRef.kind", []any{"Role", "ClusterRole", "Group"}}, {"roleRef.apiGroup", []any{"rbac.authorization.k8s.io", "other", nil}},
	{"metadata.labels", []any{object("a", "b c")}},
}

func jobEdits(at string) []edits {
	out := []edits{
		{"parallelism", []any{int64(2), int64(-1)}}, {"completions", []any{int64(1), int64(2), int64(-1), nil}}, {"backoffLimit", []any{int64(1), int64(-1)}},
		{"activeDeadlineSeconds", []any{int64(9), int64(-1)}}, {"ttlSecondsAfterFinished", []any{int64(9), int64(-1)}},
		{"completionMode", []any{"Indexed", "NonIndexed", "Other"}}, {"backoffLimitPerIndex", []any{int64(1), int64(-1)}}, {"maxFailedIndexes", []any{int64(1), int64(5)}},
		{"suspend", []any{false}},
	}
	for i := range out {
		out[i].path = at + out[i].path
	}
	return out
}
