package verify

import (
	"fmt"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
)

// A Job whose name holds the time, or chance, is another one at each apply: another image is no change of the one
// before. One with a name that stays is refused.
func TestNamesOfTheTimeAreNoRefusal(t *testing.T) {
	const chart = "apiVersion: v2\nname: c\nversion: 0.1.0\n"
	for _, x := range []struct {
		suffix  string
		refused bool
	}{
		{"{{ now | unixEpoch }}", false},
		{"{{ randAlphaNum 5 | lower }}", false},
		{"{{ print .Values.a (now | unixEpoch) | adler32sum }}", false},
		{"{{ uuidv4 }}", false},
		{"{{ print .Values.a | adler32sum }}", true},
		{"once", true},
	} {
		var sides []tree.Tree
		for _, image := range []string{"one", "two"} {
			side, err := tree.Map("side", map[string]string{
				"c/Chart.yaml": chart, "c/values.yaml": "a: b\n",
				"c/templates/a.yaml": fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata: {name: 'migrate-%s'}\n"+
					"spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: 'a:%s'}]}}}\n", x.suffix, image),
			})
			if err != nil {
				t.Fatal(err)
			}
			sides = append(sides, side)
		}
		if r := checkSides(t, sides[0], sides[1]); len(r.Findings) > 0 != x.refused {
			t.Errorf("%s: findings %+v, want some: %v", x.suffix, r.Findings, x.refused)
		}
	}
}
