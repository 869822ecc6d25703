package slice

import (
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// mostRequeues is the largest backoffLimitCount that is followed: a larger one is taken for none.
const mostRequeues = 100

// readyWait reads waitForPodsReady of Kueue's configuration in a ConfigMap; nil: it has none, or it is switched off. A
// missing field is not taken for the default, which differs by release.
//
// Upstream: kueue v0.19.2, apis/config/v1beta1: Convert_v1beta1_Configuration_To_v1beta2_Configuration,
// SetDefaults_Configuration, and v1beta2's; pkg/controller/core: waitForPodsReady; cmd/kueue: blockForPodsReady.
func readyWait(o *object.Object) *state.ReadyWait {
	if o.ID.Kind != "ConfigMap" || o.ID.Group != "" {
		return nil
	}
	text, _ := ValueAt(o.Content, "data", "controller_manager_config.yaml").(string)
	var c struct {
		APIVersion       string `json:"apiVersion"`
		Kind             string `json:"kind"`
		WaitForPodsReady *struct {
			Enable            bool   `json:"enable"` // v1beta1
			BlockAdmission    *bool  `json:"blockAdmission"`
			RecoveryTimeout   string `json:"recoveryTimeout"`
			RequeuingStrategy struct {
				BackoffLimitCount *int `json:"backoffLimitCount"`
			} `json:"requeuingStrategy"`
		} `json:"waitForPodsReady"`
	}
	if text == "" || yaml.Unmarshal([]byte(text), &c) != nil || c.Kind != "Configuration" || c.WaitForPodsReady == nil {
		return nil
	}
	version, kueue := strings.CutPrefix(c.APIVersion, "config."+KueueGroup+"/")
	if !kueue || version == "v1beta1" && !c.WaitForPodsReady.Enable {
		return nil
	}
	w := &state.ReadyWait{
		Object: o.ID.String(), Limit: c.WaitForPodsReady.RequeuingStrategy.BackoffLimitCount,
		Block: version == "v1beta1",
	}
	if block := c.WaitForPodsReady.BlockAdmission; block != nil {
		w.Block = *block
	}
	if d, err := time.ParseDuration(c.WaitForPodsReady.RecoveryTimeout); err == nil && d <= 0 {
		w.NoRecovery = true
	}
	if w.Limit != nil && (*w.Limit < 0 || *w.Limit > mostRequeues) {
		w.Limit = nil
	}
	return w
}
