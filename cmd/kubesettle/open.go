package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cli/browser"
)

// openReport opens the HTML report in the user's browser: the file that --output html=FILE has written, or a new one in
// the folder for temporary files. Nothing is served. The file's name goes to standard error; that no browser could be
// started is said there, and does not change the exit code.
func openReport(p *process, list []output, surface func(format string, toFile bool, w io.Writer) error) error {
	file := ""
	if i := slices.IndexFunc(list, func(o output) bool { return o.format == "html" && o.file != "" }); i >= 0 {
		file = list[i].file
	} else {
		var b bytes.Buffer
		if err := surface("html", true, &b); err != nil {
			return &exit{exitAnalysis, fmt.Errorf("--open: %w", err)}
		}
		f, err := os.CreateTemp("", "kubesettle-*.html")
		if err != nil {
			return &exit{exitUsage, fmt.Errorf("--open: %w", err)}
		}
		file = f.Name()
		_, err = f.Write(b.Bytes())
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return &exit{exitUsage, fmt.Errorf("--open: %w", err)}
		}
	}
	fmt.Fprintf(p.stderr, "kubesettle: the report is in %s\n", printable(file))
	browser.Stdout, browser.Stderr = io.Discard, io.Discard // standard output is the report's
	if err := browser.OpenFile(file); err != nil {
		fmt.Fprintf(p.stderr, "kubesettle: --open: no browser could be started (%v): open the file yourself\n", err)
	}
	return nil
}
