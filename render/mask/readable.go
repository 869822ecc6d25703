package mask

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/redact"
)

var (
	tlsField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(m?tls|ssl|x509|https)$`)
	})
	certField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(tls)?[-_.]?(cert|certificate|crt|ca|ca[-_.]?cert|chain)$`)
	})

	labelValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`)
	})
	imageName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,200}(@sha256:[0-9a-f]{64})?$`)
	})
	plainPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^/?[a-z][a-z._-]{0,40}(/[a-z._-]{0,40}){0,12}$|^/$`)
	})
	choice = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z]{1,40}[46]?$`)
	})
	wordValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9*][A-Za-z0-9 ._:/*,?#=!()_-]{0,252}$`)
	})
)

// SelectorMaps are the maps whose values rules select by.
var SelectorMaps = map[string]bool{
	"labels": true, "matchLabels": true, "nodeSelector": true, "selector": true, "podLabels": true, "scopes": true,
}

// paths are fields that hold a path in a container or of a request.
var paths = map[string]bool{"path": true, "mountPath": true, "subPath": true, "workingDir": true, "devicePath": true,
	"terminationMessagePath": true}

// nameFields are the texts by which a rule, an actor or a validation finds another object or
// a node, and schedules; choices those of which upstream has a list. A field that is in
// neither is not printed.
var (
	nameFields = words(`
apiVersion kind name generateName namespace group version resource uid
serviceAccountName serviceAccount priorityClassName schedulerName runtimeClassName storageClassName volumeName claimName
secretName configMapName ingressClassName serviceName className gatewayClassName nodeName podName containerName targetRef existingSecret
topologyKey topologyKeys key values matchLabelKeys mismatchLabelKeys conditionType controlledResources resourceName
schedule timeZone portName targetPort port fieldPath divisor finalizers provisioner clusterIP
minAvailable maxUnavailable maxSurge averageValue sizeLimit cpu memory storage ephemeral-storage pods
verbs resources apiGroups resourceNames apiVersions operations consolidateAfter expireAfter
`)
	choices = words(`
operator effect whenUnsatisfiable nodeAffinityPolicy nodeTaintsPolicy restartPolicy imagePullPolicy dnsPolicy preemptionPolicy
concurrencyPolicy podManagementPolicy unhealthyPodEvictionPolicy podReplacementPolicy completionMode whenDeleted whenScaled
type strategy updateMode selectPolicy persistentVolumeClaimRetentionPolicy accessModes volumeMode volumeBindingMode reclaimPolicy
persistentVolumeReclaimPolicy mode access protocol sessionAffinity externalTrafficPolicy internalTrafficPolicy ipFamilyPolicy
scopeName scopes controlledValues scope failurePolicy matchPolicy sideEffects reinvocationPolicy appProtocol medium os procMount
fsGroupChangePolicy supplementalGroupsPolicy consolidationPolicy deletionPolicy ipFamilies
`)
)

// freeMaps are the maps that hold whatever their author likes, at any depth.
var freeMaps = words(`
data binaryData stringData encryptedData annotations parameters volumeAttributes options config values valuesObject
httpHeaders headers secretRef authenticationRef template.data attributes nodePublishSecretRef userData extraConfig env_vars
`)

func words(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}

// readable reports whether a text may be printed: because a rule reads the field that it stands in, and it has the
// usual form of that field, or because its form cannot be a secret's. The rest is shown as changed, and not as text.
func readable(p fieldpath.Path, text string) bool {
	if redact.SafeForm(text) {
		return true
	}
	parent := ""
	for i, s := range p[:len(p)-1] {
		if s.Index >= 0 {
			continue
		}
		if freeMaps[s.Key] && p[i+1].Index < 0 {
			return false
		}
		parent = s.Key
	}
	last := lastKey(p)
	switch {
	case last == "value":
		return (parent == "tolerations" || parent == "taints") && labelValue().MatchString(text)
	case p[len(p)-1].Index < 0 && SelectorMaps[parent]:
		return labelValue().MatchString(text)
	case last == "image":
		return imageName().MatchString(text)
	case paths[last]:
		return plainPath().MatchString(text)
	}
	return nameFields[last] && wordValue().MatchString(text) || choices[last] && choice().MatchString(text)
}
