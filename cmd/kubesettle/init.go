package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
)

func newInit(p *process) *cobra.Command {
	var nodes string
	var force bool
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a starter policy, optionally with a cluster's nodes",
		Long: "Init writes " + policyFile + ` into DIR (default: the working directory). With --nodes, the
output of 'kubectl get nodes -o yaml', it declares the node pools. Without, it declares those that
files below DIR give to eksctl, kOps, Cluster API, Karpenter, or, if there are no others, kind and k3d.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return initPolicy(p, dir, nodes, force)
		},
	}
	cmd.Flags().StringVar(&nodes, "nodes", "", "file of Node objects, from 'kubectl get nodes -o yaml'")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing policy")
	return cmd
}

func initPolicy(p *process, dir, nodes string, force bool) error {
	file := filepath.Join(dir, policyFile)
	var cluster []*corev1.Node
	if nodes != "" {
		data, err := os.ReadFile(nodes)
		if err == nil {
			cluster, err = policies.ParseNodes(nodes, data)
		}
		if err != nil {
			return usage("--nodes: %w", err)
		}
	}
	var found []policies.FoundPool
	if nodes == "" {
		found = poolsBelow(os.DirFS(dir))
	}
	text := policies.Starter(cluster, found)
	if _, err := policies.Load(policyFile, text); err != nil {
		return usage("the starter policy would not load: %w", err)
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) && !force {
		return usage("%s is there already: edit it, or replace it with --force", file)
	}
	if err := replaceFile(file, text); err != nil {
		return usage("%w", err)
	}
	fmt.Fprintf(p.stdout, "wrote %s\n", printable(file))
	switch {
	case len(cluster) > 0:
		fmt.Fprintf(p.stdout, "nodes in %s: %d\n", printable(nodes), len(cluster))
	case len(found) > 0:
		fmt.Fprintf(p.stdout, "node pools that the repository declares: %d; compare them with the cluster, and say what a node has\n",
			len(found))
	default:
		fmt.Fprintln(p.stdout, "next, declare your cluster's nodes: edit it, or run"+
			"\n  kubectl get nodes -o yaml > nodes.yaml\n  kubesettle init --force --nodes nodes.yaml")
	}
	fmt.Fprintln(p.stdout, "then check your branch with kubesettle check, or the files as they are with kubesettle verify .")
	return nil
}

// mostPoolFiles bounds the files that are looked into for pools.
const mostPoolFiles = 100_000

// poolsBelow are the node pools that the YAML files of a folder declare for their provisioners, in the order of the
// files. An unreadable file declares none.
func poolsBelow(dir fs.FS) []policies.FoundPool {
	var out []policies.FoundPool
	files := 0
	_ = fs.WalkDir(dir, ".", func(file string, d fs.DirEntry, err error) error {
		ext := path.Ext(file)
		switch {
		case err != nil:
			return nil
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || ext != ".yaml" && ext != ".yml":
			return nil
		}
		if files++; files > mostPoolFiles {
			return fs.SkipAll
		}
		if info, err := d.Info(); err != nil || info.Size() > 1<<20 {
			return nil
		}
		if data, err := fs.ReadFile(dir, file); err == nil {
			out = append(out, policies.PoolsIn(file, data)...)
		}
		return nil
	})
	return out
}
