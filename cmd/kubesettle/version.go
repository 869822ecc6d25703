package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"
)

// version is set by the build: -ldflags "-X main.version=v1.2.3".
var version string

// kubernetesVersion is the release whose control loops are modeled.
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

// programContent identifies this very build, for what is kept between runs: a digest of its own file, or "" where that
// cannot be read. It is worked out once.
var programContent = sync.OnceValue(func() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(self)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
})

// tool names the program in results.
func tool() string { return "kubesettle " + buildVersion() }

func newVersion(p *process) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the Kubernetes version it models",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(p.stdout, "kubesettle %s\nmodels Kubernetes %s\n%s %s/%s\n",
				buildVersion(), kubernetesVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
