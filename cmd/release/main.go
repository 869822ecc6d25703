// Command release makes what a release consists of: binaries and archives, container images,
// software bills of materials, provenance, and the tag's action.yml.
//
// It needs neither a Docker engine nor the network, except for push, and gives the same bytes for
// the same commit and toolchain, wherever it runs. It is a module of its own, so that
// Kubesettle's own module needs none of what it needs.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := newRoot().ExecuteContext(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		stop()
		os.Exit(1)
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "release", Short: "Makes what a release of Kubesettle consists of",
		SilenceErrors: true, SilenceUsage: true, CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddCommand(newDist(), newImage(), newPush(), newProvenance(), newAction(), newTags(), newNotices(), newPlatforms())
	return root
}

// epoch is the one time that anything made here carries: SOURCE_DATE_EPOCH, in seconds, or the
// beginning of 1970. See https://reproducible-builds.org/specs/source-date-epoch/.
func epoch() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q: give seconds since 1970, such as $(git log -1 --format=%%ct)", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// required marks flags without which a command has nothing to do.
func required(cmd *cobra.Command, names ...string) {
	for _, n := range names {
		if err := cmd.MarkFlagRequired(n); err != nil {
			panic(err) // the flag is not there: a mistake of this program
		}
	}
}
