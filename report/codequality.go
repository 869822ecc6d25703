package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// codeQualityIssue is one entry of a Code Quality report, GitLab's subset of Code Climate's
// issue format (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format).
type codeQualityIssue struct {
	Type        string              `json:"type"` // issue
	CheckName   string              `json:"check_name"`
	Description string              `json:"description"`
	Categories  []string            `json:"categories"`
	Severity    string              `json:"severity"` // info, minor, major, critical, blocker
	Fingerprint string              `json:"fingerprint"`
	Location    codeQualityLocation `json:"location"`
}

type codeQualityLocation struct {
	Path  string           `json:"path"`
	Lines codeQualityLines `json:"lines"`
}

type codeQualityLines struct {
	Begin int `json:"begin"` // from 1
	End   int `json:"end"`
}

// CodeQuality writes the findings as a Code Quality report: a JSON list, worst first, of new findings and those that
// base has too, without waived and fixed ones. GitLab compares the fingerprints of two reports, so each entry has a
// different one. Errors: the writer's.
func CodeQuality(w io.Writer, r *finding.Result, opt Options) error {
	r = drawn(r)
	list := []codeQualityIssue{} // an empty list, never null
	seen := map[string]int{}
	add := func(i codeQualityIssue, key ...string) {
		text := strings.Join(append([]string{i.CheckName}, key...), "\x00")
		seen[text]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", text, seen[text]))
		i.Type, i.Categories, i.Fingerprint = "issue", []string{"Bug Risk"}, hex.EncodeToString(sum[:])
		list = append(list, i)
	}
	for _, rel := range failedReleases(r) {
		severity := "blocker"
		if !rel.HoldsUp() {
			severity = "major"
		}
		at := finding.Location{}
		if rel.Where != nil {
			at = *rel.Where
		}
		says := fmt.Sprintf("Release %s %s. %s %s", line(rel.ID), releaseStatus(&rel),
			releaseReason(&rel), sentence(rel.Remedy))
		add(codeQualityIssue{CheckName: "render", Severity: severity, Description: Plain(says, 1000),
			Location: codeQualityPlace(at)}, rel.ID, rel.Status)
	}
	fresh, existing, _ := byStatus(r.Findings)
	for _, f := range append(fresh, existing...) {
		at, _ := primaryLocation(&f)
		add(codeQualityIssue{
			CheckName: ruleID(&f), Severity: codeQualitySeverity(&f), Description: codeQualityText(&f),
			Location: codeQualityPlace(at),
		}, f.Fingerprint, f.Workload, f.Release)
	}
	b, err := encodeJSON(list)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// codeQualitySeverity is Code Climate's word. A finding that base has too needs no attention here. No finding is a
// blocker: that is a release that does not render.
func codeQualitySeverity(f *finding.Finding) string {
	if f.Status == finding.Existing {
		return "info"
	}
	return [...]string{"critical", "major", "minor"}[severityRank(f.Severity)]
}

// codeQualityText is the finding on one line of plain text, as the widget of a merge request
// shows it.
func codeQualityText(f *finding.Finding) string {
	says := sentence(clip(title(f), 600))
	if f.Status == finding.Existing {
		says += " Base breaks the rule in the same way."
	}
	if n := len(f.Interleaving); n > 0 {
		says += fmt.Sprintf(" The interleaving has %s.", count(n, "step"))
	}
	if f.Fix != nil {
		says += " Fix: " + fixText(f.Fix)
	}
	return Plain(says, 1500)
}

// codeQualityPlace is a place of head: a line of base stands for the beginning of its file,
// and what has no place in the repository for the policy.
func codeQualityPlace(l finding.Location) codeQualityLocation {
	file := repositoryPath(l.File)
	if file == "" {
		return codeQualityLocation{Path: fallbackFile, Lines: codeQualityLines{Begin: 1, End: 1}}
	}
	if l.Side == "base" {
		l.StartLine, l.EndLine = 1, 1
	}
	begin := max(l.StartLine, 1)
	return codeQualityLocation{Path: file, Lines: codeQualityLines{Begin: begin, End: max(l.EndLine, begin)}}
}

// repositoryPath is a file's path from the repository's root, or "" for one that is absolute,
// leaves the repository or is empty.
func repositoryPath(file string) string {
	if uri(file) == "" {
		return ""
	}
	return path.Clean(strings.ReplaceAll(line(file), "\\", "/"))
}
