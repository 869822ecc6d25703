package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the build: -ldflags "-X main.version=v1.2.3".
var version string

// kubernetesVersion is the release whose control loops are modelled.
const kubernetesVersion = "1.36"

// buildVersion is the version of a release build, of `go install`, or of a work tree.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return "devel"
}

// tool names the program in results.
func tool() string { return "kubesettle " + buildVersion() }

func newVersion(p *process) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and that of the Kubernetes it models",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(p.stdout, "kubesettle %s\nmodels Kubernetes %s\n%s %s/%s\n",
				buildVersion(), kubernetesVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
