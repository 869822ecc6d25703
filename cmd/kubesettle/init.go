package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
)

// starter is the first half of the policy that `init` writes.
//
//go:embed starter.yaml
var starter string

const starterPools = `cluster:
  # The nodes that the workloads run on, in words. Better: the real ones, with
  #   kubectl get nodes -o yaml > nodes.yaml
  # and 'nodes: nodes.yaml' in place of the pools.
  nodePools:
  - name: general
    count: {min: 1, max: 6}
    zones: [a, b, c]
    allocatable: {cpu: "4", memory: 16Gi, pods: "110"}
`

const starterGate = `
gate:
  failOn: error        # or warning, note, off
  onlyNew: true        # what base has already does not fail a change
  onInconclusive: warn # or fail

# waivers:
# - {rule: unschedulable, workload: default/legacy, reason: moves in March, owner: team-data, expires: 2027-03-31}
`

func newInit(p *process) *cobra.Command {
	var nodes string
	var force bool
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a starter policy, with the nodes of a cluster where given",
		Long: "Init writes " + policyFile + ` into DIR (default: the working directory). With --nodes, a file
that 'kubectl get nodes -o yaml' wrote, the policy refers to it.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return initPolicy(p, dir, nodes, force)
		},
	}
	cmd.Flags().StringVar(&nodes, "nodes", "", "file of Kubernetes Node objects, inside DIR")
	cmd.Flags().BoolVar(&force, "force", false, "replace a policy that is there")
	return cmd
}

func initPolicy(p *process, dir, nodes string, force bool) error {
	file := filepath.Join(dir, policyFile)
	cluster, data, err := starterCluster(dir, nodes)
	if err != nil {
		return err
	}
	text := starter + cluster + starterGate
	policy, err := policies.Load(policyFile, []byte(text))
	if err == nil && data != nil {
		err = policy.SetNodes(nodes, data)
	}
	if err != nil {
		return usage("the starter policy would not load: %w", err)
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) && !force {
		return usage("%s is there already: edit it, or replace it with --force", file)
	}
	if err := replaceFile(file, []byte(text)); err != nil {
		return usage("%w", err)
	}
	fmt.Fprintf(p.stdout, "wrote %s\n", printable(file))
	if data != nil {
		fmt.Fprintf(p.stdout, "nodes in %s: %d\n", printable(nodes), len(policy.Cluster.Nodes))
	} else {
		fmt.Fprintln(p.stdout, "replace its node pools by what your cluster has: a finding is worth what they are")
	}
	return nil
}

// starterCluster is the cluster section, and the nodes file where one was given.
func starterCluster(dir, nodes string) (string, []byte, error) {
	if nodes == "" {
		return starterPools, nil, nil
	}
	data, err := os.ReadFile(nodes)
	if err != nil {
		return "", nil, usage("--nodes: %w", err)
	}
	absDir, errDir := filepath.Abs(dir)
	absNodes, errNodes := filepath.Abs(nodes)
	rel, err := filepath.Rel(absDir, absNodes)
	if err := errors.Join(errDir, errNodes, err); err != nil {
		return "", nil, usage("--nodes: %w", err)
	}
	rel = filepath.ToSlash(rel)
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", nil, usage("--nodes: %s is outside of %s: the policy names a file that is versioned with it", nodes, dir)
	}
	return fmt.Sprintf("cluster:\n  nodes: %q\n", rel), data, nil
}
