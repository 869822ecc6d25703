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

// programID identifies this very build, for what is kept between runs. A build that no revision
// names, or one of a work tree, is told by its file.
func programID() string {
	id := tool()
	info, ok := debug.ReadBuildInfo()
	named := false
	if ok {
		id += " " + info.GoVersion
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				id += " " + s.Value
				named = s.Value != ""
			case "vcs.modified":
				named = named && s.Value == "false"
			}
		}
	}
	if named && version != "" {
		return id
	}
	if self, err := os.Executable(); err == nil {
		if file, err := os.Stat(self); err == nil {
			id += fmt.Sprintf(" %d %d", file.Size(), file.ModTime().UnixNano())
		}
	}
	return id
}

// programContent is a digest of this program's own file, or "" where that cannot be read. It is worked out once.
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
