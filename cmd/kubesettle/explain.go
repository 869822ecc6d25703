package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

func newExplain(p *process) *cobra.Command {
	var o outputs
	var g gating
	cmd := &cobra.Command{
		Use:   "explain [RULE | NUMBER | FILE]",
		Short: "Explain a rule, a finding of the last run, or a result",
		Long: `Explain says what a rule checks, how bad a violation is and how to fix it. With a number,
it shows that finding of the last run in this folder step by step; with a manifest, the
findings in it; with a file written by --output json, all findings of that result. Without
arguments, it lists all rules, including those of the policies in and below the working
directory.`,
		Example: `  kubesettle explain
  kubesettle explain rollout-stuck
  kubesettle explain 1
  kubesettle explain deploy/web.yaml`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return values()["rule"], cobra.ShellCompDirectiveDefault // a file of a result, too
		},
		RunE: func(_ *cobra.Command, args []string) error {
			color, err := o.colored(p)
			if err != nil {
				return err
			}
			rule := ""
			if len(args) == 1 {
				rule = args[0]
			}
			if asked, ok := resultAsked(rule); ok {
				r, err := asked(p, rule)
				if err != nil {
					return err
				}
				return analysis(report.Text(p.stdout, r, report.Options{Color: color, Verbose: true}))
			}
			rules, err := g.explained(p, rule)
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

// explained are the rules of this build, of the working directory's policy and, unless the asked one is among these or
// a policy file was named, of the policies of folders below. One of these that does not load is a warning.
func (g *gating) explained(p *process, rule string) ([]report.Rule, error) {
	file := cmp.Or(g.policy, policyFile)
	root := policies.Default()
	data, err := os.ReadFile(file)
	switch {
	case err == nil:
		if root, err = policies.Load(file, data); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist) || g.policy != "":
		return nil, usage("--policy: %w", err)
	}
	rules, err := rulesOf(root, nil)
	if err != nil || g.policy != "" || slices.ContainsFunc(rules, func(r report.Rule) bool { return r.ID == rule }) {
		return rules, err
	}
	t, err := tree.Dir(".")
	if err != nil {
		return rules, nil // the rules of this build need no folder
	}
	l := &layers{tree: t, by: map[string]*policies.Policy{".": root}}
	var scopes []run.Scope
	for _, file := range policyFiles(t) {
		below, err := l.of(path.Dir(file))
		if err != nil {
			fmt.Fprintf(p.stderr, "kubesettle: %s; its rules are left out\n", printable(err.Error()))
			continue
		}
		scopes = append(scopes, run.Scope{Policy: below})
	}
	return rulesOf(root, scopes)
}

// resultAsked is how to get the result that an argument asks for, if it is not a rule: a number is a finding of the
// last run, a file in JSON a result, and any other path a manifest.
func resultAsked(arg string) (func(*process, string) (*finding.Result, error), bool) {
	if _, ok := numbered(arg); ok {
		return narrowed, true
	}
	info, err := os.Stat(arg)
	there := err == nil && !info.IsDir()
	switch ext := filepath.Ext(arg); {
	case ext == ".json":
		return func(_ *process, file string) (*finding.Result, error) { return readResult(file) }, true
	case !there && strings.ContainsAny(arg, `/\`), ext == ".yaml", ext == ".yml", ext == ".tpl":
		return narrowed, true // also one that only the checked commit has
	}
	return func(_ *process, file string) (*finding.Result, error) { return readResult(file) }, there
}

// maxResultBytes bounds a result that is read back; it may be another's artifact.
const maxResultBytes = 64 << 20

// readResult reads what --output json wrote. Unknown fields are tolerated, as the
// contract says; another schema version is not.
func readResult(file string) (*finding.Result, error) {
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
	r, err := report.ReadResult(data)
	if err != nil {
		return nil, usage("%s: not a result of --output json: %w", file, err)
	}
	if r.SchemaVersion != finding.SchemaVersion {
		return nil, &exit{exitUsage,
			fmt.Errorf("%s: schemaVersion is %q, this kubesettle reads %q", file, r.SchemaVersion, finding.SchemaVersion)}
	}
	return r, nil
}
