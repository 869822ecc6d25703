package slice

import (
	"fmt"
	"testing"

	"github.com/kubesettle/kubesettle/render"
)

// Only what the configuration says of waitForPodsReady counts: v1beta1 has a switch, v1beta2 has it on where it is
// there.
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
		{v1, "Configuration", "{enable: true, timeout: 5m}", "endless"},
		{v1, "Configuration", "{enable: false, timeout: 5m}", "off"},
		{v1, "Configuration", "{timeout: 5m}", "off"},
		{v2, "Other", "{timeout: 5m}", "off"},
		{"config.example.com/v1beta2", "Configuration", "{timeout: 5m}", "off"},
	} {
		text := fmt.Sprintf("apiVersion: %s\nkind: %s\nwaitForPodsReady: %s\n", c.version, c.kind, c.wait)
		w := readyWait(&render.Object{ID: render.ObjectID{Kind: "ConfigMap", Name: "kueue-manager-config"}, Content: map[string]any{
			"data": map[string]any{"controller_manager_config.yaml": text},
		}})
		got := "off"
		if w != nil {
			got = "endless"
			if w.Limit != nil {
				got = fmt.Sprint(*w.Limit)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", text, got, c.want)
		}
	}
}
