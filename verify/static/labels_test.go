package static

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"testing"

	kjson "sigs.k8s.io/json"
)

// Labels are what the API server's decoder makes of them, whatever of null, strings and nothing is written: what a
// Service selects by and what its pods have are then one text on both sides.
func TestLabelsAreReadAsTheAPIServerReadsThem(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	values := []any{nil, "", "web", "<nil>", "null", "1"}
	for range 200 {
		written := map[string]any{}
		for _, k := range []string{"app", "tier", "app.kubernetes.io/name", "part"}[:r.IntN(5)] {
			written[k] = values[r.IntN(len(values))]
		}
		b, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(b, &want); err != nil {
			t.Fatal(err)
		}
		if got := labelSet(written); !maps.Equal(got, want) {
			t.Fatalf("labels %s are read as %v, upstream's decoder gives %v", b, got, want)
		}
	}
}
