package clones

import (
	"encoding/json"
	"testing"

	"github.com/kubesettle/kubesettle/verify/judge"
)

// What is read of a finding is what is published of it: a blamed field keeps its file and line.
func TestBlameIsReadAsPublished(t *testing.T) {
	at := &judge.Location{File: "app/values.yaml", StartLine: 12, EndLine: 13, Side: "head"}
	const object = "apps/v1/Deployment shop/web"
	for want, b := range map[string]judge.Blame{
		"app/values.yaml:12 spec.replicas": {Object: object, Path: "spec.replicas", Location: at},
		"app/values.yaml:12 " + object:     {Object: object, Location: at},
		"spec.replicas":                    {Object: object, Path: "spec.replicas"},
	} {
		raw, err := json.Marshal(judge.Finding{Blame: []judge.Blame{b}})
		if err != nil {
			t.Fatal(err)
		}
		var got Finding
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Blame) != 1 || got.Blame[0].String() != want {
			t.Errorf("blame %v, want %s", got.Blame, want)
		}
		for line := 11; line <= 14; line++ {
			on := b.Location != nil && line >= 12 && line <= 13
			if got.At("app/values.yaml", []int{line}) != on {
				t.Errorf("%s: at line %d: %t, want %t", want, line, !on, on)
			}
		}
	}
}
