package github

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sethvargo/go-githubactions"

	"github.com/kubesettle/kubesettle/report"
)

// maxSummaryBytes is the longest job summary that GitHub takes of one step; a longer one is lost as a whole.
const maxSummaryBytes = 1 << 20

// Workflow talks to the runner of a workflow: inputs, log, outputs, job summary. None of
// its methods panics where a variable of the runner is missing.
type Workflow struct {
	act    *githubactions.Action
	w      io.Writer
	getenv func(string) string
}

// NewWorkflow talks to the runner through its log and its environment.
func NewWorkflow(w io.Writer, getenv func(string) string) *Workflow {
	return &Workflow{
		act: githubactions.New(githubactions.WithWriter(w), githubactions.WithGetenv(getenv)),
		w:   w, getenv: getenv,
	}
}

// Event reads the event of the run.
// Errors: [ErrEvent].
func (w *Workflow) Event() (*Event, error) {
	name := w.getenv("GITHUB_EVENT_NAME")
	var payload []byte
	if file := w.getenv("GITHUB_EVENT_PATH"); file != "" {
		var err error
		if payload, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("%w: GITHUB_EVENT_PATH: %w", ErrEvent, err)
		}
	}
	return ParseEvent(name, w.getenv("GITHUB_REPOSITORY"), payload)
}

// Input is an input of the action, or "".
func (w *Workflow) Input(name string) string { return w.act.GetInput(name) }

// Mask keeps a secret out of the log from here on.
func (w *Workflow) Mask(secret string) {
	if secret != "" && !strings.ContainsAny(secret, "\r\n") {
		w.act.AddMask(secret)
	}
}

// Log prints text that may hold anything: no line of it is taken for a command.
func (w *Workflow) Log(text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, _ = io.WriteString(w.w, report.LogText(text)) // there is nowhere else to say that the log is gone
}

// Group prints text under a title that folds.
func (w *Workflow) Group(title, text string) {
	w.act.Group(report.Plain(title, 300))
	w.Log(text)
	w.act.EndGroup()
}

// Notice, Warning and Error annotate the run as a whole.
func (w *Workflow) Notice(text string)  { w.act.Noticef("%s", report.Clean(text)) }
func (w *Workflow) Warning(text string) { w.act.Warningf("%s", report.Clean(text)) }
func (w *Workflow) Error(text string)   { w.act.Errorf("%s", report.Clean(text)) }

// Annotate puts an annotation beside its line.
func (w *Workflow) Annotate(a report.Annotation) {
	_, _ = io.WriteString(w.w, a.WorkflowCommand()+"\n")
}

// Output sets an output: a scalar or a path, on one line. It is not left to
// go-githubactions, whose heredoc has a fixed delimiter that a value could forge.
// Errors: a value that could be more than that, or a file that cannot be written. No
// output file at all, as outside of a workflow, is no error.
func (w *Workflow) Output(name, value string) error {
	if strings.ContainsAny(value, "\r\n") || value != report.Clean(value) {
		return fmt.Errorf("output %s: %q is not a plain value", name, report.Plain(value, 80))
	}
	file := w.getenv("GITHUB_OUTPUT")
	if file == "" {
		return nil
	}
	entry, err := report.OutputEntry(name, value, rand.Reader)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("output %s: %w", name, err)
	}
	_, err = f.WriteString(entry)
	return errors.Join(err, f.Close())
}

// Summary appends Markdown to the job summary.
// Errors: one that is too long, or a file that cannot be written. No summary file at
// all, as outside of a workflow, is no error.
func (w *Workflow) Summary(markdown string) error {
	file := w.getenv("GITHUB_STEP_SUMMARY")
	if file == "" {
		return nil
	}
	size := int64(len(markdown))
	if info, err := os.Stat(file); err == nil {
		size += info.Size()
	}
	if size > maxSummaryBytes {
		return fmt.Errorf("job summary: %d bytes, GitHub takes %d", size, maxSummaryBytes)
	}
	return guarded("job summary", func() { w.act.AddStepSummary(markdown) })
}

// guarded turns a panic of go-githubactions, its way to say that a file cannot be
// written, into an error.
func guarded(what string, do func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if cause, ok := r.(error); ok {
				err = fmt.Errorf("%s: %w", what, cause)
				return
			}
			err = errors.New(what + ": " + fmt.Sprint(r))
		}
	}()
	do()
	return nil
}
