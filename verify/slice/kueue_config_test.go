package slice

import (
	"fmt"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// Only what the configuration says of waitForPodsReady counts: v1beta1 has a switch, v1beta2 has it on where it is
// there. blockAdmission is on in v1beta1 unless it is switched off, and off in v1beta2.
func TestReadyWait(t *testing.T) {
	const v1, v2 = "config.kueue.x-k8s.io/v1beta1", "config.kueue.x-k8s.io/v1beta2"
	for _, c := range []struct{ version, kind, wait, want string }{
		{v2, "Configuration", "{timeout: 5m}", "endless"},
		{v2, "Configuration", "{timeout: 5m, requeuingStrategy: {backoffLimitCount: null}}", "endless"},
		{v2, "Configuration", "{requeuingStrategy: {backoffLimitCount: 0}}", "0"},
		{v2, "Configuration", "{requeuingStrategy: {backoffLimitCount: 3}}", "3"},
		{v2, "Configuration", "{requeuingStrategy: {backoffLimitCount: -1}}", "endless"},
		{v2, "Configuration", "{requeuingStrategy: {backoffLimitCount: 5000}}", "endless"},
		{v2, "Configuration", "null", "off"},
		{v2, "Configuration", "yes", "off"},
		{v1, "Configuration", "{enable: true, timeout: 5m}", "endless block"},
		{v1, "Configuration", "{enable: false, timeout: 5m}", "off"},
		{v1, "Configuration", "{timeout: 5m}", "off"},
		{v1, "Configuration", "{enable: true}", "endless block"},
		{v1, "Configuration", "{enable: true, blockAdmission: false}", "endless"},
		{v1, "Configuration", "{enable: false, blockAdmission: true}", "off"},
		{v2, "Configuration", "{blockAdmission: true}", "endless block"},
		{v2, "Configuration", "{blockAdmission: false, recoveryTimeout: 3m}", "endless"},
		{v2, "Configuration", "{blockAdmission: true, recoveryTimeout: 0s}", "endless block no-recovery"},
		{v2, "Configuration", "{recoveryTimeout: soon}", "endless"},
		{v2, "Other", "{timeout: 5m}", "off"},
		{"config.example.com/v1beta2", "Configuration", "{timeout: 5m}", "off"},
	} {
		text := fmt.Sprintf("apiVersion: %s\nkind: %s\nwaitForPodsReady: %s\n", c.version, c.kind, c.wait)
		w := readyWait(&object.Object{ID: object.ID{Kind: "ConfigMap", Name: "kueue-manager-config"}, Content: map[string]any{
			"data": map[string]any{"controller_manager_config.yaml": text},
		}})
		got := "off"
		if w != nil {
			got = "endless"
			if w.Limit != nil {
				got = fmt.Sprint(*w.Limit)
			}
			if w.Block {
				got += " block"
			}
			if w.NoRecovery {
				got += " no-recovery"
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", text, got, c.want)
		}
	}
}
