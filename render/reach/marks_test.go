package reach

import (
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/side"
)

// What names a component of the cluster without being its configuration, or is of Argo's group without declaring
// anything, is as quiet as any other release; what may declare releases is not.
func TestWhatIsLoud(t *testing.T) {
	r := &reach{base: &side.Side{}, marks: []string{"cluster-autoscaler", "karpenter.sh/"}}
	for text, loud := range map[string]bool{
		"metadata:\n  annotations:\n    cluster-autoscaler.kubernetes.io/safe-to-evict: \"true\"\n": false,
		"command: [./cluster-autoscaler]\n":                                               true,
		"image: registry.k8s.io/autoscaling/cluster-autoscaler:v1.32.1\n":                 true,
		"# cluster-autoscaler.kubernetes.io/safe-to-evict\ncommand: cluster-autoscaler":   true,
		"nodeSelector: {karpenter.sh/capacity-type: spot}\n":                              false,
		"apiVersion: karpenter.sh/v1\nkind: NodePool\n":                                   true,
		"apiVersion: karpenter.sh/{{ .Values.version }}\n":                                true,
		"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n":                              false,
		"apiVersion: argoproj.io/v1alpha1\nkind: \"Rollout\" # of pods\n":                 false,
		"apiVersion: argoproj.io/v1alpha1\r\nkind: Rollout\r\n":                           false,
		"kind: Application\napiVersion: argoproj.io/v1alpha1\n":                           true,
		"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n":                        true,
		"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationList\n":                       true,
		"apiVersion: argoproj.io/v1alpha1\nkind: {{ .Values.kind }}\n":                    true,
		"{apiVersion: argoproj.io/v1alpha1, kind: Workflow}\n":                            true, // not plainly said
		"apiVersion: v1\nkind: List\nitems:\n- apiVersion: argoproj.io/v1alpha1\n":        true,
		"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n---\nspec: argoproj.io/v1\n":   true,
		"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n{{ else }}\nkind: Application": true,
		"apiVersion: {{ .v }}\nkind: Workflow\nx: argoproj.io/v1alpha1\n":                 true,
	} {
		if got := r.concerns([]byte(text), object.Helm); got != loud {
			t.Errorf("loud %v:\n%s", got, text)
		}
	}
}
