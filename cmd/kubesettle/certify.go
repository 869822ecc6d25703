package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/verify/certificate"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// certify writes the certificates of a result to the file that was asked for, each of which was checked.
func (f *runFlags) certify(r *finding.Result) error {
	if f.certificate == "" {
		return nil
	}
	file := certificate.File{Schema: certificate.Schema, Certificates: []certificate.Certificate{}}
	for _, x := range r.Coverage.Certified {
		c := certificate.Rolling(x.Workload, x.MaxSurge, x.MaxUnavailable)
		if err := c.Check(); err != nil {
			return &exit{exitAnalysis, err}
		}
		file.Certificates = append(file.Certificates, c)
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return &exit{exitAnalysis, err}
	}
	if err := replaceFile(f.certificate, append(text, '\n')); err != nil {
		return &exit{exitUsage, fmt.Errorf("--certificate: %w", err)}
	}
	return nil
}

func newCertify(p *process) *cobra.Command {
	return &cobra.Command{
		Use:   "certify FILE",
		Short: "Check the proofs that 'check --certificate FILE' wrote",
		Long: `Certify checks each proof in the file: its invariant holds at the start of a rollout,
every step keeps the invariant and lowers the ranking, and a rollout that is not done has
a step left. The check shares no code with the search.`,
		Example: `  kubesettle check --certificate rollout.json
  kubesettle certify rollout.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := os.ReadFile(args[0])
			if err != nil {
				return &exit{exitUsage, err}
			}
			var file certificate.File
			if err := json.Unmarshal(text, &file); err != nil {
				return &exit{exitUsage, fmt.Errorf("%s: %w", args[0], err)}
			}
			switch err := file.Check(); {
			case errors.Is(err, certificate.ErrRefused):
				return &exit{exitFinding, err}
			case err != nil:
				return &exit{exitAnalysis, err}
			}
			for _, c := range file.Certificates {
				fmt.Fprintf(p.stdout, "%s: proved for any number of nodes and replicas: %s\n", visible(c.Workload), c.Says())
			}
			return nil
		},
	}
}
