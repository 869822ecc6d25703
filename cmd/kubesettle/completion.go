package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/kubesettle/kubesettle/policies/rules"
)

// values are what flags take that take words of a list, by the flag's name; --output's depend
// on its command, see [outputs.flags].
func values() map[string][]string {
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID+"\t"+r.Title)
	}
	severities := []string{"error", "warning", "note"}
	failOn := []string{"off\tnothing fails"}
	for _, s := range severities {
		failOn = append(failOn, s, "new-"+s+"\tnew findings only", "any-"+s+"\tfindings of base, too")
	}
	return map[string][]string{
		"rule": ids, "fail-on": failOn, "on-inconclusive": {"warn", "fail"},
		"report-level": severities, "color": {"auto", "always", "never"}, "note": {"auto", "always", "never"},
	}
}

// complete lets shells complete the values of a command's flags, and of those below it.
func complete(cmd *cobra.Command, values map[string][]string) {
	for name, list := range values {
		if cmd.Flags().Lookup(name) != nil {
			// It fails for a flag that has a function already, and only then.
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for _, c := range cmd.Commands() {
		complete(c, values)
	}
}

// completeOutput completes FORMAT, and the file of FORMAT=FILE.
func completeOutput(formats []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, given string) ([]string, cobra.ShellCompDirective) {
		if strings.Contains(given, "=") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return formats, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

func newMan(p *process) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages into a folder",
		Hidden: true, // for those who pack it
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := time.Unix(0, 0).UTC() // so that a page is the same whenever it is written
			if s, err := strconv.ParseInt(p.getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
				at = time.Unix(s, 0).UTC()
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return usage("%w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Date: &at, Source: tool(), Manual: "Kubesettle"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return usage("%w", fmt.Errorf("manual pages: %w", err))
			}
			return nil
		},
	}
}
