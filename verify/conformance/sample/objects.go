package sample

import (
	"strings"
)

// plainObjects are objects that nothing refuses.
var plainObjects = map[string]string{
	"Deployment":                       `{metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, template: ` + plainTemplate + `}}`,
	"StatefulSet":                      `{metadata: {name: web, namespace: shop}, spec: {serviceName: web, selector: {matchLabels: {app: web}}, volumeClaimTemplates: [{metadata: {name: disk}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}], template: ` + plainTemplate + `}}`,
	"DaemonSet":                        `{metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, template: ` + plainTemplate + `}}`,
	"Job":                              `{metadata: {name: web, namespace: shop}, spec: {template: ` + endingTemplate() + `}}`,
	"CronJob":                          `{metadata: {name: web, namespace: shop}, spec: {schedule: "0 1 * * *", jobTemplate: {spec: {template: ` + endingTemplate() + `}}}}`,
	"Service":                          `{metadata: {name: web, namespace: shop}, spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{port: 80, name: http}]}}`,
	"PersistentVolumeClaim":            `{metadata: {name: disk, namespace: shop}, spec: {storageClassName: fast, volumeName: pv-1, accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}}`,
	"ConfigMap":                        `{metadata: {name: web, namespace: shop}, data: {a: "1"}}`,
	"Secret":                           `{metadata: {name: web, namespace: shop}, data: {a: MQ==}}`,
	"HorizontalPodAutoscaler":          `{metadata: {name: web, namespace: shop}, spec: {minReplicas: 2, maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`,
	"PodDisruptionBudget":              `{metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, minAvailable: 1}}`,
	"PriorityClass":                    `{metadata: {name: high}, value: 1000}`,
	"Pod":                              `{metadata: {name: web, namespace: shop, labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}, {name: log, image: "log:1"}], tolerations: [{key: a, operator: Exists}]}}`,
	"Ingress":                          `{metadata: {name: web, namespace: shop}, spec: {ingressClassName: nginx, tls: [{hosts: [a.example.com], secretName: a}], rules: [{host: a.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}}`,
	"NetworkPolicy":                    `{metadata: {name: web, namespace: shop}, spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress, Egress], ingress: [{from: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: 80}]}], egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}}`,
	"ResourceQuota":                    `{metadata: {name: quota, namespace: shop}, spec: {hard: {requests.cpu: "4", pods: "10"}}}`,
	"LimitRange":                       `{metadata: {name: limits, namespace: shop}, spec: {limits: [{type: Container, default: {cpu: 500m}, defaultRequest: {cpu: 100m}, max: {cpu: "2"}, min: {cpu: 10m}}]}}`,
	"Namespace":                        `{metadata: {name: team, labels: {pod-security.kubernetes.io/enforce: baseline}}}`,
	"RuntimeClass":                     `{metadata: {name: fast}, handler: fast, overhead: {podFixed: {cpu: 10m}}}`,
	"IngressClass":                     `{metadata: {name: fast}, spec: {controller: example.com/ingress}}`,
	"Role":                             `{metadata: {name: web, namespace: shop}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
	"ClusterRole":                      `{metadata: {name: web}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
	"ServiceAccount":                   `{metadata: {name: web, namespace: shop}, automountServiceAccountToken: false}`,
	"ValidatingAdmissionPolicy":        `{metadata: {name: one}, spec: {failurePolicy: Fail, ` + constraints + `, validations: [{expression: "object.spec.replicas < 5", message: few}]}}`,
	"ValidatingAdmissionPolicyBinding": `{metadata: {name: one}, spec: {policyName: one, validationActions: [Deny], ` + selection + `}}`,
	"MutatingAdmissionPolicy":          `{metadata: {name: one}, spec: {failurePolicy: Fail, reinvocationPolicy: Never, ` + constraints + `, mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"}}]}}`,
	"MutatingAdmissionPolicyBinding":   `{metadata: {name: one}, spec: {policyName: one, ` + selection + `}}`,
	"ValidatingWebhookConfiguration":   `{metadata: {name: one}, webhooks: [` + hook + `]}`,
	"MutatingWebhookConfiguration":     `{metadata: {name: one}, webhooks: [` + hook + `]}`,
	"StorageClass":                     `{metadata: {name: fast}, provisioner: ebs.csi.aws.com, parameters: {type: gp3}, reclaimPolicy: Delete, volumeBindingMode: Immediate}`,
	"RoleBinding":                      `{metadata: {name: web, namespace: shop}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: web}, subjects: [{kind: ServiceAccount, name: web, namespace: shop}]}`,
	"ClusterRoleBinding":               `{metadata: {name: web}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: web}, subjects: [{kind: ServiceAccount, name: web, namespace: shop}]}`,
}

// what admission policies and webhooks are asked about: a namespace that is not there.
const (
	rule        = `{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}`
	away        = `namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: away}}`
	constraints = `matchConstraints: {` + away + `, resourceRules: [` + rule + `]}`
	selection   = `matchResources: {` + away + `}`
	hook        = `{name: a.example.com, ` + away + `, admissionReviewVersions: [v1], sideEffects: None, rules: [` + rule + `], clientConfig: {service: {name: web, namespace: shop}}}`
)

// APIVersions are those of the kinds.
var APIVersions = map[string]string{
	"Deployment": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1",
	"Service": "v1", "PersistentVolumeClaim": "v1", "ConfigMap": "v1", "Secret": "v1", "Pod": "v1",
	"HorizontalPodAutoscaler": "autoscaling/v2", "PodDisruptionBudget": "policy/v1",
	"PriorityClass": "scheduling.k8s.io/v1", "StorageClass": "storage.k8s.io/v1",
	"RoleBinding": "rbac.authorization.k8s.io/v1", "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
	"Role": "rbac.authorization.k8s.io/v1", "ClusterRole": "rbac.authorization.k8s.io/v1", "ServiceAccount": "v1",
	"Ingress": "networking.k8s.io/v1", "NetworkPolicy": "networking.k8s.io/v1", "IngressClass": "networking.k8s.io/v1",
	"ResourceQuota": "v1", "LimitRange": "v1", "Namespace": "v1", "RuntimeClass": "node.k8s.io/v1",
	"ValidatingAdmissionPolicy": admission, "ValidatingAdmissionPolicyBinding": admission,
	"MutatingAdmissionPolicy": admission, "MutatingAdmissionPolicyBinding": admission,
	"ValidatingWebhookConfiguration": admission, "MutatingWebhookConfiguration": admission,
}

const admission = "admissionregistration.k8s.io/v1"

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
		{"spec.containers.0.env", []any{[]any{object("name", "A", "value", "1"), object("name", "A", "value", "2")}, []any{object("name", "A", "value", "1"), object("name", "B", "value", "$(A)")}, []any{object("name", "A b=", "value", "1")}, []any{object("name", "A", "value", "1", "valueFrom", object("fieldRef", object("fieldPath", "metadata.name")))}}},
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

	"Pod": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"spec.containers.0.image", []any{"web:2", "web:latest", nil}}, edits{"spec.containers.0.command", []any{[]any{"a"}}},
		edits{"spec.restartPolicy", []any{"Never", "Sometimes"}}, edits{"spec.activeDeadlineSeconds", []any{int64(10), int64(5), nil}},
		edits{"spec.tolerations", []any{nil, []any{object("key", "a", "operator", "Exists"), object("key", "b", "operator", "Exists")}}},
		edits{"spec.terminationGracePeriodSeconds", []any{int64(5), int64(-1)}}, edits{"spec.schedulingGates", []any{[]any{object("name", "a")}}},
		edits{"spec.nodeSelector", []any{object("a", "b")}}, edits{"spec.priorityClassName", []any{"none", "system-node-critical"}},
		edits{"spec.containers.0.resources.requests.cpu", []any{"100m", "200m", "2"}}, edits{"spec.containers.0.resources.limits.cpu", []any{"1", nil}}),
	"Ingress": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"spec.ingressClassName", []any{"nginx", "Nginx", nil}}, edits{"metadata.annotations", []any{object("kubernetes.io/ingress.class", "nginx")}},
		edits{"spec.rules", []any{nil}}, edits{"spec.rules.0.host", []any{"*.example.com", "10.0.0.1", "A.example.com", "a_b", nil}},
		edits{"spec.rules.0.http.paths", []any{nil, []any{}}}, edits{"spec.rules.0.http.paths.0.path", []any{"/a", "a", "/a//b", nil, "/%2f"}},
		edits{"spec.rules.0.http.paths.0.pathType", []any{"Exact", "ImplementationSpecific", "Like", nil}},
		edits{"spec.rules.0.http.paths.0.backend.service.name", []any{"web", "Web", "", "1web"}},
		edits{"spec.rules.0.http.paths.0.backend.service.port", []any{object("name", "http"), object("name", "http", "number", int64(80)), object(), object("number", int64(0)), object("number", int64(70000))}},
		edits{"spec.rules.0.http.paths.0.backend.resource", []any{object("apiGroup", "a.example.com", "kind", "Bucket", "name", "b")}},
		edits{"spec.defaultBackend", []any{object("service", object("name", "web", "port", object("number", int64(80)))), object()}},
		edits{"spec.tls.0.secretName", []any{"a", "A b", nil}}, edits{"spec.tls.0.hosts", []any{[]any{"*.example.com"}, []any{"a b"}, []any{"*.*.example.com"}}}),
	"NetworkPolicy": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"spec.podSelector", []any{object(), object("matchLabels", object("a", "b c")), nil}}, edits{"spec.policyTypes", []any{[]any{"Ingress"}, []any{"Both"}, nil, []any{"Ingress", "Egress", "Ingress"}}},
		edits{"spec.ingress.0.from.0", []any{object(), object("ipBlock", object("cidr", "10.0.0.0/8", "except", []any{"10.1.0.0/16"})), object("ipBlock", object("cidr", "10.0.0.0/8", "except", []any{"11.1.0.0/16"})), object("ipBlock", object("cidr", "10.0.0.1")), object("podSelector", object(), "ipBlock", object("cidr", "10.0.0.0/8"))}},
		edits{"spec.ingress.0.ports.0", []any{object("port", "http"), object("port", "HTTP"), object("port", int64(0)), object("port", int64(80), "endPort", int64(90)), object("port", int64(80), "endPort", int64(70)), object("endPort", int64(70)), object("protocol", "ICMP")}},
		edits{"spec.egress.0.to.0.ipBlock.cidr", []any{"10.0.0.0/33", "::/0", "010.0.0.0/8"}}),
	"ResourceQuota": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"spec.hard.pods", []any{"5", "-1", "1.5", nil}}, edits{"spec.hard.requests~cpu", []any{"500m", "0", "-1"}}, edits{"spec.hard.gpus", []any{"1"}}, edits{"spec.hard.limits~memory", []any{"1Gi"}},
		edits{"spec.hard.count/deployments~apps", []any{"2", "500m"}}, edits{"spec.hard.requests~nvidia~com/gpu", []any{"2", "1500m"}}, edits{"spec.hard.limits~nvidia~com/gpu", []any{"2"}},
		edits{"spec.hard.services", []any{"2"}}, edits{"spec.hard.fast~storageclass~storage~k8s~io/requests~storage", []any{"2Gi"}},
		edits{"spec.scopes", []any{[]any{"BestEffort"}, []any{"Terminating", "NotTerminating"}, []any{"NotTerminating"}, []any{"Some"}, []any{"PriorityClass"}, []any{"CrossNamespacePodAffinity"}, nil}},
		edits{"spec.scopeSelector", []any{object("matchExpressions", []any{object("scopeName", "PriorityClass", "operator", "In", "values", []any{"high"})}), object("matchExpressions", []any{object("scopeName", "PriorityClass", "operator", "In")}), object("matchExpressions", []any{object("scopeName", "BestEffort", "operator", "In", "values", []any{"a"})}), object("matchExpressions", []any{object("scopeName", "Terminating", "operator", "Exists")})}}),
	"LimitRange": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"spec.limits.0.type", []any{"Pod", "PersistentVolumeClaim", "Node", "example.com/Thing", nil}}, edits{"spec.limits.0.default.cpu", []any{"3", "50m", nil, "5m"}},
		edits{"spec.limits.0.defaultRequest.cpu", []any{"3", "600m", nil, "5m"}}, edits{"spec.limits.0.max.cpu", []any{"1m", "400m", "-1", nil}}, edits{"spec.limits.0.min.cpu", []any{"4", "150m", nil}},
		edits{"spec.limits.0.maxLimitRequestRatio.cpu", []any{"2", "500m", "300"}}, edits{"spec.limits.0.max.storage", []any{"1Gi"}}, edits{"spec.limits.0.default", []any{nil}}, edits{"spec.limits.0.defaultRequest", []any{nil}},
		edits{"spec.limits", []any{[]any{object("type", "Container"), object("type", "Container")}, nil}}, edits{"spec.limits.0.max.gpus", []any{"1"}}),
	"Namespace": {
		{"metadata.name", []any{"Team", "a.b", "kube-mine"}}, {"metadata.labels.pod-security~kubernetes~io/enforce", []any{"restricted", "privileged", "tight", "", nil}},
		{"metadata.labels.pod-security~kubernetes~io/enforce-version", []any{"v1.20", "latest", "1.20", "v1.x"}}, {"metadata.labels.pod-security~kubernetes~io/warn", []any{"restricted", "bad"}},
		{"metadata.labels.kubernetes~io/metadata~name", []any{"other"}}, {"metadata.labels.a", []any{"b", "b c"}}, {"spec.finalizers", []any{[]any{"kubernetes"}, []any{"mine"}}},
		{"metadata.finalizers", []any{[]any{"example.com/a"}, []any{"mine"}}},
	},
	"RuntimeClass": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"handler", []any{"other", "A b", "", nil}}, edits{"overhead.podFixed.cpu", []any{"20m", "-1"}}, edits{"overhead.podFixed.gpus", []any{"1"}},
		edits{"scheduling", []any{object("nodeSelector", object("a", "b")), object("nodeSelector", object("a", "b c")), object("tolerations", []any{object("key", "a", "operator", "Like")})}}),
	"IngressClass": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"spec.controller", []any{"example.com/other", "ingress", "", nil}},
		edits{"spec.parameters", []any{object("kind", "A", "name", "a", "apiGroup", "k8s.example.com"), object("kind", "A"), object("kind", "A", "name", "a", "scope", "Namespace"), object("kind", "A", "name", "a", "scope", "Cluster", "namespace", "b")}}),
	"Role": append(ruleEdits, metadataEdits...), "ClusterRole": append(append(ruleEdits[:len(ruleEdits):len(ruleEdits)], metadataEdits...),
		edits{"rules.0", []any{object("nonResourceURLs", []any{"/metrics"}, "verbs", []any{"get"})}},
		edits{"aggregationRule", []any{object(), object("clusterRoleSelectors", []any{object("matchLabels", object("a", "b"))}), object("clusterRoleSelectors", []any{object("matchLabels", object("a", "b c"))})}}),
	"ServiceAccount": append(metadataEdits[:len(metadataEdits):len(metadataEdits)],
		edits{"automountServiceAccountToken", []any{true}}, edits{"imagePullSecrets", []any{[]any{object("name", "a")}}}, edits{"secrets", []any{[]any{object("name", "a")}}}),

	"ValidatingAdmissionPolicy": append(policyEdits[:len(policyEdits):len(policyEdits)],
		edits{"spec.validations.0.expression", []any{"object.spec.replicas < 3", "object.spec.replicas <", "1", "params.a == 1", "has(object.spec)", "authorizer.group('').resource('pods').check('get').allowed()", "request.userInfo.username != 'a'", "variables.a", "nothing.a", ""}},
		edits{"spec.validations.0.messageExpression", []any{"'a'", "1", "object.metadata.name"}}, edits{"spec.validations.0.message", []any{nil, "a\nb", " "}},
		edits{"spec.validations.0.reason", []any{"Invalid", "Because"}}, edits{"spec.validations", []any{nil, []any{}}},
		edits{"spec.auditAnnotations", []any{[]any{object("key", "a", "valueExpression", "'a'")}, []any{object("key", "a b", "valueExpression", "'a'")}, []any{object("key", "a", "valueExpression", "1 +")}}}),
	"MutatingAdmissionPolicy": append(policyEdits[:len(policyEdits):len(policyEdits)],
		edits{"spec.reinvocationPolicy", []any{"IfNeeded", "Never", "Often", nil}},
		edits{"spec.mutations", []any{nil, []any{}}}, edits{"spec.mutations.0.patchType", []any{"JSONPatch", "Other", nil}},
		edits{"spec.mutations.0.jsonPatch", []any{object("expression", "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]"), object("expression", "1")}},
		edits{"spec.mutations.0.applyConfiguration", []any{nil, object("expression", "Object{}"), object("expression", "Object{nothing: 1}"), object("expression", "")}}),
	"ValidatingAdmissionPolicyBinding": append(bindingEdits[:len(bindingEdits):len(bindingEdits)],
		edits{"spec.validationActions", []any{[]any{"Warn", "Audit"}, []any{"Deny", "Warn"}, []any{"Deny", "Deny"}, []any{"Block"}, []any{}, nil}}),
	"MutatingAdmissionPolicyBinding": bindingEdits,
	"ValidatingWebhookConfiguration": hookEdits, "MutatingWebhookConfiguration": append(hookEdits[:len(hookEdits):len(hookEdits)],
		edits{"webhooks.0.reinvocationPolicy", []any{"IfNeeded", "Often"}}),
}

var ruleEdits = []edits{
	{"rules.0.verbs", []any{nil, []any{}, []any{"*"}, []any{"get", "get"}}}, {"rules.0.apiGroups", []any{nil, []any{"apps"}}}, {"rules.0.resources", []any{nil, []any{"deployments"}}},
	{"rules.0.nonResourceURLs", []any{[]any{"/metrics"}}}, {"rules.0.resourceNames", []any{[]any{"a"}}},
}

var matchEdits = []edits{
	{"resourceRules", []any{nil, []any{}}}, {"resourceRules.0.operations", []any{[]any{"*"}, []any{"*", "CREATE"}, []any{"MAKE"}, []any{"CONNECT"}, nil}}, {"resourceRules.0.apiGroups", []any{[]any{"*"}, []any{"*", "apps"}, nil}},
	{"resourceRules.0.resources", []any{[]any{"*/*", "pods"}, []any{"pods", "pods/status"}, []any{"*", "pods"}, nil}}, {"resourceRules.0.scope", []any{"Namespaced", "Global"}},
	{"namespaceSelector", []any{object("matchLabels", object("a", "b c")), object("matchLabels", object("kubernetes.io/metadata.name", "away", "a", "b"))}}, {"matchPolicy", []any{"Exact", "Like"}}, {"objectSelector", []any{object("matchLabels", object("a", "b")), object("matchExpressions", []any{object("key", "a", "operator", "Is")})}},
}

var policyEdits = append(append(under("spec.matchConstraints.", matchEdits), metadataEdits...),
	edits{"spec.failurePolicy", []any{"Ignore", "Fail", "Warn", nil}}, edits{"spec.matchConstraints", []any{nil}}, edits{"spec.paramKind", []any{object("apiVersion", "v1", "kind", "ConfigMap"), object("apiVersion", "a/b/c", "kind", "ConfigMap"), object("kind", "ConfigMap"), object("apiVersion", "v1")}},
	edits{"spec.matchConditions", []any{[]any{object("name", "a", "expression", "true")}, []any{object("name", "a", "expression", "1")}, []any{object("name", "a b", "expression", "true")}, []any{object("name", "a", "expression", "true"), object("name", "a", "expression", "true")}}},
	edits{"spec.variables", []any{[]any{object("name", "a", "expression", "true")}, []any{object("name", "a b", "expression", "true")}, []any{object("name", "a", "expression", "1 +")}, []any{object("name", "a", "expression", "true"), object("name", "a", "expression", "true")}}})

var bindingEdits = append(append(under("spec.matchResources.", matchEdits), metadataEdits...),
	edits{"spec.policyName", []any{"other", "A b", "", nil}},
	edits{"spec.paramRef", []any{object("name", "a", "parameterNotFoundAction", "Deny"), object("name", "a"), object("name", "a", "selector", object(), "parameterNotFoundAction", "Deny"), object("selector", object("matchLabels", object("a", "b")), "parameterNotFoundAction", "Allow"), object("name", "a", "parameterNotFoundAction", "Maybe"), object("parameterNotFoundAction", "Deny")}},
	edits{"spec.matchResources", []any{nil}})

var hookEdits = append([]edits{
	{"webhooks.0.name", []any{"a", "A.b.c", "b.example.com"}}, {"webhooks.0.sideEffects", []any{"NoneOnDryRun", "Some", nil}}, {"webhooks.0.admissionReviewVersions", []any{[]any{"v1beta1"}, []any{"v2"}, nil, []any{"v1", "v1"}}},
	{"webhooks.0.failurePolicy", []any{"Ignore", "Warn"}}, {"webhooks.0.timeoutSeconds", []any{int64(5), int64(0), int64(31)}}, {"webhooks.0.clientConfig", []any{object("url", "https://example.com"), object("url", "http://example.com"), object("url", "https://a:b@example.com"), object(), object("url", "https://a", "service", object("name", "a", "namespace", "b"))}},
	{"webhooks.0.clientConfig.service.port", []any{int64(80), int64(0), int64(70000)}}, {"webhooks.0.clientConfig.service.path", []any{"/a", "a", "/a//b"}}, {"webhooks.0.clientConfig.service.name", []any{"", nil}},
	{"webhooks.0.clientConfig.caBundle", []any{"bm90", "bm9uZQ=="}}, {"webhooks.0.matchConditions", []any{[]any{object("name", "a", "expression", "true")}, []any{object("name", "a", "expression", "1 +")}, []any{object("name", "", "expression", "true")}}},
	{"webhooks", []any{nil}}, {"webhooks.0.rules.0.operations", []any{[]any{"*", "CREATE"}, nil}}, {"webhooks.0.rules.0.resources", []any{[]any{"*/*", "pods"}, nil}},
	{"webhooks.0.matchPolicy", []any{"Exact", "Like"}}, {"webhooks.0.namespaceSelector", []any{object("matchLabels", object("a", "b c"))}},
}, metadataEdits...)

// under are edits below a path.
func under(at string, list []edits) []edits {
	var out []edits
	for _, e := range list {
		out = append(out, edits{at + e.path, e.values})
	}
	return out
}

// anyEdits may befall an object of any kind: what does not decode, or is not known.
var anyEdits = []edits{
	{"metadata.annotations", []any{object("a", "b"), object("a", int64(1)), object("a", true), "a"}}, {"metadata.label", []any{object("a", "b")}}, {"metadata.labels.tier", []any{"web", int64(1), "-a", nil}},
	{"metadata.finalizers", []any{[]any{"example.com/keep"}, []any{"a b"}}}, {"metadata.generateName", []any{"web-"}}, {"metadata.ownerReferences", []any{[]any{object("apiVersion", "v1", "kind", "ConfigMap", "name", "a", "uid", "1")}, []any{object("kind", "ConfigMap", "name", "a")}}},
	{"spec.surplus", []any{int64(1)}}, {"surplus", []any{"a"}}, {"metadata.annotations.example~com/a", []any{"b", "c"}}, {"metadata.labels", []any{[]any{"a"}, nil}}, {"spec.paused", []any{"true"}}, {"spec.replicas", []any{"2", 1.5}}, {"status", []any{object("replicas", int64(1)), object()}},
	{"metadata.creationTimestamp", []any{nil, "2020-01-01T00:00:00Z", "now"}}, {"metadata.clusterName", []any{"a"}},
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
