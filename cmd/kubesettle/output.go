package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/report"
)

// output is one --output FORMAT[=FILE]; file is "" for standard output.
type output struct{ format, file string }

// outputs holds the flags of the outputs and their places.
type outputs struct {
	given   []string
	color   string
	verbose bool     // text says all
	open    bool     // the HTML report in a browser
	formats []string // that the command has; the first one is the default
}

func (o *outputs) flags(cmd *cobra.Command, formats ...string) {
	o.formats = formats
	f := cmd.Flags()
	f.StringArrayVarP(&o.given, "output", "o", nil,
		"FORMAT or FORMAT=FILE, repeatable; one of "+strings.Join(formats, ", ")+" (default "+formats[0]+")")
	_ = cmd.RegisterFlagCompletionFunc("output", completeOutput(formats)) // the flag is there, and has none
	if slices.Contains(formats, "sarif") {                                // a command that gives a result
		f.BoolVarP(&o.verbose, "verbose", "v", false, "print every step, assumption and release")
		f.BoolVar(&o.open, "open", false, "write the HTML report and open it in the browser: the file of --output html=FILE, or a temporary one; nothing is served")
	}
	f.StringVar(&o.color, "color", "auto", "auto, always or never")
}

// list reads the flags; formats go to standard output at most once.
func (o *outputs) list() ([]output, error) {
	if len(o.given) == 0 {
		return []output{{format: o.formats[0]}}, nil
	}
	var out []output
	taken := ""
	for _, g := range o.given {
		format, file, named := strings.Cut(g, "=")
		if !slices.Contains(o.formats, format) {
			return nil, usage("--output is %q: give one of %s, or FORMAT=FILE", g, strings.Join(o.formats, ", "))
		}
		if named && file == "" {
			return nil, usage("--output is %q: the file is missing", g)
		}
		if !named && taken != "" {
			return nil, usage("--output %s and --output %s both go to standard output: give one of them a file, such as %s=out/report.%s", taken, format, format, format)
		}
		if !named {
			taken = format
		}
		out = append(out, output{format, file})
	}
	return out, nil
}

// colored reports whether text on standard output gets color.
func (o *outputs) colored(p *process) (bool, error) {
	switch o.color {
	case "auto":
		return p.color, nil
	case "always":
		return true, nil
	case "never":
		return false, nil
	}
	return false, usage("--color is %q: give auto, always or never", o.color)
}

// deliver writes a result to all outputs, and opens it where that was asked for.
func (o *outputs) deliver(p *process, list []output, done *finished) error {
	color, err := o.colored(p)
	if err != nil {
		return err
	}
	surface := done.surface(color, o.verbose, p.screen)
	if err := write(p, list, surface); err != nil || !o.open {
		return err
	}
	return openReport(p, list, surface)
}

// write sends each output where it goes. A file appears whole or not at all.
func write(p *process, list []output, surface func(format string, toFile bool, w io.Writer) error) error {
	for _, o := range list {
		var b bytes.Buffer
		if err := surface(o.format, o.file != "", &b); err != nil {
			return &exit{exitAnalysis, fmt.Errorf("output %s: %w", o.format, err)}
		}
		if o.file == "" {
			text := b.String()
			if o.format == "text" && (p.getenv("GITHUB_ACTIONS") == "true" || p.getenv("TF_BUILD") != "") {
				text = report.LogText(text) // a step's log takes commands
			}
			if _, err := io.WriteString(p.stdout, text); err != nil {
				return &exit{exitAnalysis, fmt.Errorf("output %s: %w", o.format, err)}
			}
			continue
		}
		if err := replaceFile(o.file, b.Bytes()); err != nil {
			return &exit{exitUsage, fmt.Errorf("--output %s: %w", o.format, err)}
		}
	}
	return nil
}

// replaceFile writes a file through a temporary one beside it, and makes its folder.
func replaceFile(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, data, 0o644) // /dev/stderr, a pipe
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it was renamed
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
