package render

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/document"
)

// blanks are what stands between and behind documents and is none.
var blanks = []string{"---\n", "---\n\n", "--- # nothing\n", "---\n# the end\n", "---\n  \n---\n#\n"}

// A file and a template may hold as many documents as the limit says, wherever blank ones stand
// between and behind them, and not one more.
func TestBlankDocumentsDoNotCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for more := range 2 {
		var file, list strings.Builder
		for i := range document.MaxDocuments + more {
			if i > 0 && r.IntN(50) == 0 || i == 0 && r.IntN(2) == 0 {
				file.WriteString(blanks[r.IntN(len(blanks))])
			}
			file.WriteString("---\na: 1\n")
		}
		file.WriteString(blanks[r.IntN(len(blanks))])
		docs, f := document.Decode("a.yaml", []byte(file.String()))
		if (f == nil) != (more == 0) || f == nil && len(docs) != document.MaxDocuments {
			t.Errorf("%d documents more than the limit: %d are decoded, failure %v", more, len(docs), f)
		}
		fmt.Fprintf(&list, "{{ range until %d }}---\n{}\n{{ end }}---\n# the end\n---\n", document.MaxDocuments+more)
		rev := renderFiles(t, map[string]string{"c/Chart.yaml": chartYAML, "c/templates/a.yaml": list.String()})
		if err := rev.Releases[0].Err; (err == nil) != (more == 0) || err != nil && !strings.Contains(err.Reason, "10001 documents, the limit is 10000") {
			t.Errorf("%d documents more than the limit in a template: %v", more, err)
		}
	}
}
