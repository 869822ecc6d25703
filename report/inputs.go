package report

import "strings"

// inputWords are phrases of ours that name flags of the command line, each with what a workflow has for it. A test
// finds phrases that are not here.
var inputWords = strings.NewReplacer(
	"(--time-budget)", "(input time-budget)",
	"raise --time-budget", "raise the input time-budget",
	"with --time-budget", "with the input time-budget",
	"split the run with --shard", "split the run (kubesettle plan)",
	"(give --nodes or --snapshot)", "(declare cluster.nodes or cluster.snapshot)",
	"cluster.nodePools or --snapshot", "cluster.nodePools or cluster.snapshot",
	"with --allow-host ", "with the input allow-hosts ",
	`"--snapshot"`, `"cluster.snapshot"`,
	"declare it: --snapshot", "declare it: cluster.snapshot",
	"--verbose, or --output html=report.html", "the job summary, or the input html-file",
	"in --verbose, --output html and json", "in the job summary, the HTML and the JSON report",
	"without --offline", "without the input offline",
	"with --registry-config", "with the input registry-config",
	"into --registry-config", "into the file of the input registry-config",
	"--registry-config ", "the input registry-config ",
	"--base was left out", "the input base was left out",
	"--base-dir and --head-dir", "kubesettle check --base-dir and --head-dir",
	"with --base and --head", "with kubesettle check --base and --head",
	"let --write-baseline", "let kubesettle check --write-baseline",
)

// AsInputs has our words name a workflow's inputs where they name flags.
func AsInputs(text string) string { return inputWords.Replace(text) }

// words are those of a text: of a workflow, where it is for one.
func (t *textWriter) words(text string) string {
	if t.opt.Inputs {
		return AsInputs(text)
	}
	return text
}
