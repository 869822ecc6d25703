package main

import (
	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/accept"
	"github.com/kubesettle/kubesettle/verify/finding"
)

func newMerge(p *process) *cobra.Command {
	var g gating
	var o outputs
	cmd := &cobra.Command{
		Use:   "merge RESULT.json...",
		Short: "Combine the results of --shard i/n runs into one, and judge it",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := o.list()
			if err != nil {
				return err
			}
			var parts []*finding.Result
			for _, file := range args {
				r, err := readResult(file)
				if err != nil {
					return err
				}
				parts = append(parts, r)
			}
			gate, err := g.gate(parts)
			if err != nil {
				return err
			}
			if err := g.scoped(parts); err != nil {
				return err
			}
			whole, err := accept.Merge(parts, gate)
			if err != nil {
				return usage("%w", err)
			}
			done := &finished{result: whole, gate: gate, level: lowest(g.reportLevel, gate, whole.Scopes)}
			if err := o.deliver(p, list, done); err != nil {
				return err
			}
			return ended(whole.ExitCode(gate))
		},
	}
	g.gateFlags(cmd)
	cmd.Flags().StringVar(&g.policy, "policy", "",
		"policy file with the gate, from disk (default: the gate that the parts were checked with, base's)")
	o.flags(cmd, report.SurfaceNames(false)...)
	return cmd
}

// gate is that of the policy file where one is named, else that of base's policy, which the parts say, else the
// default's; as the flags override it.
func (g *gating) gate(parts []*finding.Result) (finding.Gate, error) {
	policy := policies.Default()
	switch said, err := accept.GateOf(parts); {
	case g.policy != "":
		if policy, err = g.read(nil); err != nil {
			return finding.Gate{}, analysis(err)
		}
	case err != nil:
		return finding.Gate{}, usage("%w", err)
	case said != nil:
		policy.Gate.Gate = *said
	}
	err := g.override(&policy.Gate.Gate)
	return policy.Gate.Gate, err
}

// scoped gives the gates of folders' policies what the flags say; a file that is named stands for all of them.
func (g *gating) scoped(parts []*finding.Result) error {
	for _, r := range parts {
		if g.policy != "" {
			r.Scopes = nil
		}
		for i := range r.Scopes {
			s := &r.Scopes[i]
			gate := s.Gate
			if err := g.override(&gate); err != nil {
				return err
			}
			s.Judged = &gate
		}
	}
	return nil
}
