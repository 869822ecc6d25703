// Command measure shows the built binary to corpora, and writes what it says of them as tables: the demo, public charts,
// the history of public repositories, mistakes that were made again or planted, and a ladder of ordinary applications.
// It also counts patterns of English that the manual avoids.
//
// It imports no package of Kubesettle: what is measured is what a user sees.
package main

import (
	"fmt"
	"os"

	"github.com/kubesettle/kubesettle/tools/demo"
	"github.com/kubesettle/kubesettle/tools/falsealarms"
	"github.com/kubesettle/kubesettle/tools/ladder"
	"github.com/kubesettle/kubesettle/tools/mends"
	"github.com/kubesettle/kubesettle/tools/planted"
	"github.com/kubesettle/kubesettle/tools/pullrequests"
	"github.com/kubesettle/kubesettle/tools/words"
)

// A command runs on its arguments and gives an exit code; an error is printed and ends with 2.
type command struct {
	name, does string
	run        func(args []string) (int, error)
}

var commands = []command{
	{"demo", "make the demo's pull request and demand what the README shows of it", demo.Run},
	{"false-alarms", "check public charts with their default values", falsealarms.Run},
	{"mends", "make mistakes again that public projects fixed", mends.Run},
	{"planted", "plant mistakes into public charts and overlays", planted.Run},
	{"pull-requests", "replay the last commits of public repositories", pullrequests.Run},
	{"ladder", "check ordinary applications and changes of them, for verify/COST.md", ladder.Run},
	{"words", "count patterns of English that the manual avoids", words.Run},
}

func main() {
	if len(os.Args) > 1 {
		for _, c := range commands {
			if c.name != os.Args[1] {
				continue
			}
			code, err := c.run(os.Args[2:])
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", c.name, err)
				code = 2
			}
			os.Exit(code)
		}
	}
	fmt.Fprint(os.Stderr, "usage: measure COMMAND [flags], from the root of the repository\n\n")
	for _, c := range commands {
		fmt.Fprintf(os.Stderr, "  %-14s %s\n", c.name, c.does)
	}
	os.Exit(2)
}
