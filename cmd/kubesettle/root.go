package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/report"
)

// Exit codes; those of a verdict come from [finding.Result.ExitCode].
const (
	exitPass         = 0
	exitFinding      = 1
	exitUsage        = 2 // usage, configuration or an unsafe event
	exitAnalysis     = 3 // could not analyse
	exitInconclusive = 4 // only where the policy says fail
)

// exit ends a command with a code; err may be nil where all was said.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usage is an error of how the command was called.
func usage(format string, args ...any) error {
	return &exit{exitUsage, fmt.Errorf(format, args...)}
}

// ended is a code without an error: nil for a pass.
func ended(code int) error {
	if code == exitPass {
		return nil
	}
	return &exit{code: code}
}

// analysis gives an error of one of the other packages its exit code.
func analysis(err error) error {
	var file *policies.FileError
	var known *exit
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &file), errors.Is(err, tree.ErrNoRepository), errors.Is(err, render.ErrNoPath):
		return &exit{exitUsage, err}
	}
	return &exit{exitAnalysis, err}
}

const about = `Kubesettle renders the Helm and Kustomize output of a change at base and head and
explores every interleaving of the control loops around the workloads that change.
It says which interleaving breaks, and which changed line causes it.

Exit codes:
  0  pass, or nothing that gates
  1  a finding that gates
  2  usage, configuration, or an unsafe event
  3  the change could not be analysed and is itself the cause
  4  inconclusive, with --on-inconclusive=fail`

func newRoot(p *process) *cobra.Command {
	root := &cobra.Command{
		Use:           "kubesettle",
		Short:         "Says whether a cluster will settle after a change",
		Long:          about,
		SilenceErrors: true, // execute prints them, once
		SilenceUsage:  true,
		Version:       buildVersion(),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate(tool() + "\n")
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		newCheck(p),
		newVerify(p),
		newForesee(p),
		newRender(p),
		newDiff(p),
		newExplain(p),
		newInit(p),
		newSnapshot(p),
		newDoctor(p),
		newPlan(p),
		newMerge(p),
		newCertify(p),
		newAction(p),
		newCI(p),
		newVersion(p),
		newMan(p),
		newRenderWorker(p),
	)
	complete(root, values())
	return root
}

// execute runs one command and gives its exit code. What cobra refuses itself, such as
// an unknown flag, is usage.
func execute(ctx context.Context, p *process, args []string) int {
	root := newRoot(p)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitPass
	}
	err = cause(ctx, err)
	var e *exit
	if !errors.As(err, &e) {
		fmt.Fprintf(p.stderr, "kubesettle: %s\nRun '%s --help' for usage.\n",
			printable(redact.Text(err.Error())), cmd.CommandPath())
		return exitUsage
	}
	if e.err != nil {
		fmt.Fprintf(p.stderr, "kubesettle: %s\n", printable(redact.Text(e.err.Error())))
	}
	return e.code
}

// cause is the reason why a run's context ended: "context canceled" explains nothing.
func cause(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil && errors.Is(err, context.Canceled) {
		return &exit{exitAnalysis, why}
	}
	return err
}

// printable keeps control characters of file names and manifests off the terminal, and
// workflow commands out of a CI log.
func printable(s string) string { return report.LogText(visible(s)) }

// visible shows a control character in a readable form.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || (r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f)) {
			return r
		}
		return '\uFFFD'
	}, s)
}
