package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/snapshot/live"
)

// snapshotting holds the flags of the command.
type snapshotting struct {
	kubeconfig, context, file, taken string
	anonymise, rbac                  bool
}

func newSnapshot(p *process) *cobra.Command {
	var s snapshotting
	cmd := &cobra.Command{
		Use:   "snapshot [FILE…]",
		Short: "Write the live cluster to a file: nodes, placements, live counts",
		Long: `Snapshot reads a cluster through a kubeconfig (list requests only), or from output of
'kubectl get -o yaml' or '-o json' ('-' is standard input), and writes one file for
cluster.snapshot in the policy, or --snapshot. Environment variables,
annotations, Secrets and ConfigMaps stay in the cluster; verify/snapshot/README.md lists every
field that leaves it.`,
		Example: `  kubesettle snapshot > snapshot.yaml
  kubectl get nodes,pods,deploy,rs,sts,ds,jobs,hpa,pdb,priorityclasses,quota,pv -A -o json | kubesettle snapshot - > snapshot.yaml
  kubesettle snapshot --rbac | kubectl apply -f -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.rbac {
				_, err := io.WriteString(p.stdout, live.ClusterRole())
				return err
			}
			return s.run(cmd, p, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.kubeconfig, "kubeconfig", "", "kubeconfig file (default: as kubectl finds it)")
	f.StringVar(&s.context, "context", "", "context of the kubeconfig (default: its current one)")
	f.StringVar(&s.file, "file", "", "write to this file instead of standard output")
	f.StringVar(&s.taken, "taken", "", "when the objects of FILE were read, such as 2026-01-31T06:00:00Z (default: now)")
	f.BoolVar(&s.anonymise, "anonymise", false,
		"replace chosen names consistently, to share the file; no manifest matches it")
	f.BoolVar(&s.rbac, "rbac", false, "print the ClusterRole needed to read a cluster, and exit")
	return cmd
}

func (s *snapshotting) run(cmd *cobra.Command, p *process, files []string) error {
	taken := time.Now()
	if s.taken != "" {
		at, err := time.Parse(time.RFC3339, s.taken)
		if err != nil || len(files) == 0 {
			return usage("--taken is %q: give a time such as 2026-01-31T06:00:00Z, for files of objects", s.taken)
		}
		taken = at
	}
	c := snapshot.NewCollector(taken)
	if err := s.collect(cmd, p, files, c); err != nil {
		return err
	}
	shot, err := c.Snapshot()
	if err != nil {
		return usage("snapshot: %w", err)
	}
	if s.anonymise {
		shot.Anonymise()
	}
	data, err := shot.Write()
	if err != nil {
		return err
	}
	for _, g := range shot.Gaps {
		fmt.Fprintf(p.stderr, "kubesettle: not in the snapshot: %s: %s\n", printable(g.Kind), printable(g.Reason))
	}
	if s.file == "" {
		_, err = p.stdout.Write(data)
		return err
	}
	if err := replaceFile(s.file, data); err != nil {
		return usage("%w", err)
	}
	fmt.Fprintf(p.stdout, "wrote %s: %s, %s, %s\n", printable(s.file), english.Plural(shot.Totals.Nodes, "node", ""),
		english.Plural(shot.Totals.Workloads, "workload", ""), english.Plural(shot.Totals.Pods, "pod", ""))
	return nil
}

// collect reads the files, or the cluster.
func (s *snapshotting) collect(cmd *cobra.Command, p *process, files []string, c *snapshot.Collector) error {
	if len(files) == 0 {
		config, err := live.Config(s.kubeconfig, s.context)
		if err != nil {
			return usage("snapshot: %w", err)
		}
		if err := live.Collect(cmd.Context(), config, c); err != nil {
			return &exit{exitAnalysis, fmt.Errorf("snapshot: %w", err)}
		}
		return nil
	}
	for _, name := range files {
		if err := addFile(p, name, c); err != nil {
			return err
		}
	}
	c.NameGaps()
	return nil
}

func addFile(p *process, name string, c *snapshot.Collector) (err error) {
	in, label := p.stdin, "standard input"
	if name != "-" {
		f, openErr := os.Open(name)
		if openErr != nil {
			return usage("snapshot: %w", openErr)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		in, label = f, name
	}
	if err := c.AddObjects(label, in); err != nil {
		return usage("%w", err)
	}
	return nil
}
