// Command kubesettle reports whether a cluster will settle after a change.
//
// It parses flags, wires the other packages and sets the exit code; nothing is decided
// here. Only this package reads arguments and the environment, or ends the process.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/kubesettle/kubesettle/render/redact"
)

func main() { os.Exit(start(os.Args[1:])) }

// process is what the commands may touch of the world.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	// worker starts this program as a worker of the renderer; empty: it renders in this
	// process, without limits on time and memory.
	worker []string
	// today is the date that waivers expire against, in UTC.
	today time.Time
	// began is when the process began, from which its time budget counts; the zero time: the budget counts from its own
	// start. deadline ends a run that overran the budget; nil: none is set.
	began    time.Time
	deadline *deadline
	// remote is how long posting elsewhere may take; 0: [forRemote].
	remote time.Duration
	// columns of the terminal that stderr is; 0 where it is none, as in CI.
	columns int
	// screen is the same of stdout.
	screen int
	// color says that stdout is a terminal that wants color.
	color bool
}

// start is the whole program except for its end.
func start(args []string) int {
	began := time.Now()
	ctx, stop := listen(args)
	defer stop()
	if len(args) == 0 || args[0] != renderWorker { // which has a separate limit
		budget := memoryBudget()
		if err := enoughMemory(budget); err != nil {
			fmt.Fprintf(os.Stderr, "kubesettle: %s\n", err)
			return exitAnalysis
		}
		defer guardMemory(budget, os.Stderr, endProcess)()
	}
	p := &process{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv: os.Getenv, worker: workerCommand(), today: time.Now().UTC(),
		columns: columns(os.Stderr, os.Getenv), screen: columns(os.Stdout, os.Getenv),
		began: began, deadline: newDeadline(sayLast, endProcess),
		color: term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
	return execute(ctx, p, args)
}

// sayLast is the message of a run that is ended from outside.
func sayLast(err error) {
	fmt.Fprintf(os.Stderr, "kubesettle: %s\n", printable(redact.Text(err.Error())))
}

// listen ends the context with a signal, which is its cause. A worker of the renderer
// heeds none: a template that loops looks at no context, so each signal ends it at once.
func listen(args []string) (context.Context, func()) {
	if len(args) > 0 && args[0] == renderWorker {
		return context.Background(), func() {}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals) // the second one ends a program that ignores the first
			cancel(&stopped{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel(nil) }
}

// stopped is why a run that was sent a signal ended.
type stopped struct{ by os.Signal }

func (s *stopped) Error() string {
	name := map[os.Signal]string{os.Interrupt: "an interrupt (SIGINT)", syscall.SIGTERM: "SIGTERM",
		syscall.SIGHUP: "SIGHUP"}[s.by]
	return "the run was stopped by " + name + " before it came to a verdict: nothing was decided; run it again"
}

// workerCommand starts this very program as a worker.
func workerCommand() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, renderWorker}
}

// columns is the width of a terminal that a person looks at, or 0.
func columns(f *os.File, getenv func(string) string) int {
	if getenv("CI") != "" || getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		return 0
	}
	return width
}
