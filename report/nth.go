package report

import (
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Nth is a result with one of its findings and what else its cause leads to, in the order in which the text has them,
// and how many there are. It is nil if there is none of this number, from 1.
func Nth(r *finding.Result, n int) (*finding.Result, int) {
	fresh, existing, _ := byStatus(r.Findings)
	blocks, before := causes(fresh, existing)
	blocks = append(blocks, before...)
	if n < 1 || n > len(blocks) {
		return nil, len(blocks)
	}
	return withFindings(r, blocks[n-1]), len(blocks)
}

// AtFile is a result with the findings that stand in a file, which is named from the root of the repository or by its
// last parts.
func AtFile(r *finding.Result, file string) *finding.Result {
	var at []finding.Finding
	for _, f := range r.Findings {
		if slices.ContainsFunc(f.Locations, func(l finding.Location) bool {
			return l.File == file || strings.HasSuffix(l.File, "/"+file) || strings.HasSuffix(file, "/"+l.File)
		}) {
			at = append(at, f)
		}
	}
	return withFindings(r, at)
}

func withFindings(r *finding.Result, fs []finding.Finding) *finding.Result {
	c := *r
	c.Findings = fs
	return &c
}
