package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
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

// programContent identifies this very build, for values kept between runs: a digest of its own file, or "" where that
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
	content, err := contentOf(f)
	if err != nil {
		return ""
	}
	return content
})

// contentOf tells builds apart: a digest of the checksums of each 256 KiB. A digest of all bytes takes several times as
// long, which is more than a little chart does, and it need not resist forgery: a person who can change the program
// needs no forgery.
func contentOf(r io.Reader) (string, error) {
	h, part, table := sha256.New(), make([]byte, 256<<10), crc32.MakeTable(crc32.Castagnoli)
	for {
		n, err := io.ReadFull(r, part)
		fmt.Fprintln(h, n, crc32.Checksum(part[:n], table))
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return hex.EncodeToString(h.Sum(nil)), nil
		default:
			return "", err
		}
	}
}

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
