package typed

import (
	"strings"
	"testing"
	"time"
)

// A quantity whose parsing does not end is refused with its field, at once; numbers that
// are merely odd, and text elsewhere, pass.
func TestEndlessQuantitiesAreRefused(t *testing.T) {
	pod := func(cpu, label string) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{"name": "p", "labels": map[string]any{"l": label}},
			"spec": map[string]any{"containers": []any{map[string]any{
				"name": "c", "resources": map[string]any{"requests": map[string]any{"cpu": cpu}},
			}}},
		}
	}
	for _, tt := range []struct {
		cpu     string
		refused bool
	}{
		{"1e-1000000000", true}, {"1E+99999", true}, {strings.Repeat("9", 5000), true}, {strings.Repeat("1", 2000) + "Mi", true},
		{"100m", false}, {"1e3", false}, {"1E-9", false}, {"0.5", false},
	} {
		done := make(chan error, 1)
		go func() {
			d, err := Decode(pod(tt.cpu, "1e-1000000000"))
			if err == nil {
				err = d.cannotBe(nil)
			}
			done <- err
		}()
		select {
		case err := <-done:
			if (err != nil) != tt.refused {
				t.Errorf("cpu %.20s: got %v, want refused %v", tt.cpu, err, tt.refused)
			}
			if tt.refused && !strings.Contains(err.Error(), "spec.containers[0].resources.requests[cpu]") {
				t.Errorf("cpu %.20s: the error is %v", tt.cpu, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("cpu %.20s: no answer", tt.cpu)
		}
	}
}
