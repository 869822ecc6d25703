package fieldpath

// MergeKeys are the fields by which upstream's strategic merge tells list elements
// apart, by the name of the list (the patchMergeKey tags of k8s.io/api).
var MergeKeys = map[string][]string{
	"containers": {"name"}, "initContainers": {"name"}, "ephemeralContainers": {"name"}, "volumes": {"name"},
	"env": {"name"}, "volumeMounts": {"mountPath"}, "volumeDevices": {"devicePath"}, "imagePullSecrets": {"name"},
	"hostAliases": {"ip"}, "topologySpreadConstraints": {"topologyKey", "whenUnsatisfiable", "labelSelector"},
	"resourceClaims": {"name"}, "secrets": {"name"}, "readinessGates": {"conditionType"}, "schedulingGates": {"name"},
	"volumeClaimTemplates": {"metadata"}, "webhooks": {"name"}, "versions": {"name"}, "parameters": {"name"},
}
