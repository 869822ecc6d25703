package render

import (
	"context"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
)

// A line that is only a name in capitals makes broken YAML a template, which a script fills in; within a text it is
// none, and other broken YAML fails.
func TestALineToFillInMakesATemplate(t *testing.T) {
	object := func(labels, data string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n    app: a\n" + labels + "data:\n  s: |\n" + data
	}
	for _, c := range []struct{ text, ignored, failed string }{
		{text: object("    DATE_LABEL\n    A_2_B \n", "    x\n"), ignored: "a template: DATE_LABEL in line 7"},
		{text: object("    DATE_LABEL\r\n", "    x\n"), ignored: "a template: DATE_LABEL in line 7"},
		{text: object("", "    DATE_LABEL\n")},
		{text: object("    label\n", "    x\n"), failed: "x"},
		{text: object("    DATE\n", "    x\n"), failed: "x"},
	} {
		of, err := tree.Map("t", map[string]string{"x/a.yaml": c.text})
		if err != nil {
			t.Fatal(err)
		}
		rev, err := Render(context.Background(), of, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var ignored, failed string
		for _, i := range rev.Ignored {
			ignored = i.Reason
		}
		for _, r := range rev.Releases {
			if r.Err != nil {
				failed = r.ID
			}
		}
		if ignored != c.ignored || failed != c.failed {
			t.Errorf("%q: ignored %q, failed %q; want %q and %q", c.text, ignored, failed, c.ignored, c.failed)
		}
	}
}
