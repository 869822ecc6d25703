//go:build replay

// Command controlplane is a Kubernetes control plane in one binary: its first argument
// says which component the process is. It is built for the replay only, hence the build
// tag: the API server alone takes minutes to compile.
package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	descheduler "sigs.k8s.io/descheduler/cmd/descheduler/app"
)

func main() {
	components := map[string]func() *cobra.Command{
		"etcd":                    etcdCommand,
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllermanager.NewControllerManagerCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
		"descheduler":             func() *cobra.Command { return descheduler.NewDeschedulerCommand(os.Stdout) },
	}
	if len(os.Args) < 2 || components[os.Args[1]] == nil {
		names := []string{}
		for name := range components {
			names = append(names, name)
		}
		slices.Sort(names)
		fmt.Fprintf(os.Stderr, "usage: controlplane COMPONENT [flags]; components: %v\n", names)
		os.Exit(2)
	}
	// Only the chosen command is made: the components register flags and feature gates
	// in globals as they are built.
	cmd := components[os.Args[1]]()
	cmd.SetArgs(os.Args[2:])
	os.Exit(cli.Run(cmd))
}
