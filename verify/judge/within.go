package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Within records for findings in several releases in which of these their edits cure them.
func Within(fs []finding.Finding) {
	for i := range fs {
		fs[i].Fix, fs[i].OtherFix = healsHere(fs[i].Fix, &fs[i]), healsHere(fs[i].OtherFix, &fs[i])
	}
}

// mostMends bounds the releases that a fix names as those that it repairs.
const mostMends = 5

// healsHere is a fix of a finding that stands in several releases: an edit of what not all of them read says which of
// them it repairs. That of a file which another one may read, too, says so beside it.
func healsHere(x *finding.Fix, f *finding.Finding) *finding.Fix {
	if x == nil || !x.Mechanical {
		return x
	}
	reads := func(id string) bool { return slices.Contains(x.AlsoChanges, id) || slices.Contains(x.MayChange, id) }
	mends := []string{f.Release}
	for _, id := range f.AlsoIn {
		if reads(id) {
			mends = append(mends, id)
		}
	}
	if len(mends) > len(f.AlsoIn) {
		return x
	}
	names := strings.Join(mends[:min(len(mends), mostMends)], ", ")
	if n := len(mends) - mostMends; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	one := *x
	one.Text += fmt.Sprintf(" (fixes %s only, %d of %d releases)", names, len(mends), len(f.AlsoIn)+1)
	return &one
}
