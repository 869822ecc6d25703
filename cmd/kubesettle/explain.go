package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify"
)

func newExplain(p *process) *cobra.Command {
	var o outputs
	var g gating
	cmd := &cobra.Command{
		Use:   "explain [RULE | FILE]",
		Short: "Explain a rule, or the interleavings of a result",
		Long: `Explain says what a rule checks, how bad a violation is and how to fix it. With a file
written by --output json, it shows the findings step by step. Without arguments, it lists
all rules, including the policy's own.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			color, err := o.colored(p)
			if err != nil {
				return err
			}
			if len(args) == 1 && isResult(args[0]) {
				r, err := readResult(args[0])
				if err != nil {
					return err
				}
				return analysis(report.Text(p.stdout, r, report.Options{Color: color, Verbose: true}))
			}
			rule := ""
			if len(args) == 1 {
				rule = args[0]
			}
			rules, err := g.explained()
			if err != nil {
				return err
			}
			err = report.Explain(p.stdout, rule, report.ExplainOptions{Color: color, Rules: rules})
			if errors.Is(err, report.ErrUnknownRule) {
				return usage("%w", err)
			}
			return analysis(err)
		},
	}
	cmd.Flags().StringVar(&g.policy, "policy", "", "policy file with more intents (default: "+policyFile+", if present)")
	cmd.Flags().StringVar(&o.color, "color", "auto", "auto, always or never")
	return cmd
}

// explained are the rules of this build and of the policy of the working directory.
func (g *gating) explained() ([]report.Rule, error) {
	file := cmp.Or(g.policy, policyFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && g.policy == "" {
		return report.Rules(), nil
	}
	if err != nil {
		return nil, usage("--policy: %w", err)
	}
	p, err := policies.Load(file, data)
	if err != nil {
		return nil, err
	}
	return rulesOf(p, nil)
}

// isResult reports whether an argument is meant as a file: it is there, or is called like one.
func isResult(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir() || filepath.Ext(arg) == ".json"
}

// maxResultBytes bounds a result that is read back; it may be another's artifact.
const maxResultBytes = 64 << 20

// readResult reads what --output json wrote. Unknown fields are tolerated, as the
// contract says; another schema version is not.
func readResult(file string) (*verify.Result, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, usage("%w", err)
	}
	if info.Size() > maxResultBytes {
		return nil, usage("%s: %d bytes are not a result of kubesettle; the limit is %d", file, info.Size(), maxResultBytes)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("%w", err)
	}
	var r verify.Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, usage("%s: not a result of --output json: %w", file, err)
	}
	if r.SchemaVersion != verify.SchemaVersion {
		return nil, &exit{exitUsage, fmt.Errorf("%s: schemaVersion is %q, this kubesettle reads %q", file, r.SchemaVersion, verify.SchemaVersion)}
	}
	return &r, nil
}
