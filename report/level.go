package report

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// shownAt are the findings of at least a severity, and how many are not. "" shows all. Hidden findings are counted
// wherever findings are shown, so a page never looks like a pass without reason.
func shownAt(fs []finding.Finding, level string) (shown []finding.Finding, hidden int) {
	if level == "" || level == "note" {
		return fs, 0
	}
	for _, f := range fs {
		if severityRank(f.Severity) > severityRank(level) {
			hidden++
			continue
		}
		shown = append(shown, f)
	}
	return shown, hidden
}

// hiddenText says how many findings are under the level that is reported, or "".
func hiddenText(n int, level string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s below the report level (%s) %s not shown here; the JSON, SARIF and HTML reports have %s.",
		capital(count(n, "finding")), line(level), english.PluralWord(n, "is", "are"), english.PluralWord(n, "it", "them"))
}
