package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/report"
)

func newDiff(p *process) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "diff [--base REV [--head REV]] [PATH...]",
		Short: "Show what changes between base and head, without verifying it",
		Long: `Diff renders base and head and shows which fields of which objects change. Nothing is
verified and nothing gates: the exit code is 0 whatever changes, or 3 if the change breaks
the rendering of a release.`,
		Example: `  kubesettle diff --base origin/main
  kubesettle diff --base-dir before --head-dir after --output markdown`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.rendering.paths = args
			list, err := f.outputs.list()
			if err != nil {
				return err
			}
			color, err := f.outputs.colored(p)
			if err != nil {
				return err
			}
			base, head, notices, err := f.sides.trees(p, cmd)
			if err != nil {
				return err
			}
			policy, err := f.gating.load(base)
			if err != nil {
				return err
			}
			opt, err := f.rendering.options(p, policy)
			if err != nil {
				return err
			}
			changes, err := renderBoth(cmd.Context(), base, head, opt, func() {})
			if err != nil {
				return err
			}
			for _, n := range notices {
				fmt.Fprintf(p.stderr, "kubesettle: %s\n", printable(report.NoteText(n)))
			}
			err = write(p, list, func(format string, toFile bool, w io.Writer) error {
				return writeDiff(w, format, changes, color && !toFile)
			})
			if err != nil {
				return err
			}
			return ended(failures(p.stderr, changes))
		},
	}
	f.sides.flags(cmd)
	f.rendering.flags(cmd)
	cmd.Flags().StringVar(&f.gating.policy, "policy", "",
		"policy file with releases (default: "+policyFile+" of base, if present)")
	f.outputs.flags(cmd, "text", "json", "markdown")
	return cmd
}

// failures says which releases contribute no changes, and gives the exit code: one that the change did not break does
// not count.
func failures(w io.Writer, ch *object.Changes) int {
	code, old := exitPass, map[string]*object.Rendered{}
	for _, r := range ch.Base.Releases {
		old[r.ID] = r
	}
	say := func(side string, r *object.Rendered, said string) {
		fmt.Fprintf(w, "kubesettle: %s: release %s: %s%s\n", side, oneLine(r.ID), oneLine(where(r.Err)), said)
	}
	silent := 0
	for _, r := range ch.Head.Releases {
		base := old[r.ID]
		switch {
		case r.Err == nil && base != nil && base.Err != nil:
			say("base", base, "")
		case r.Err == nil:
		case render.Broke(ch, base, r):
			code = exitAnalysis
			say("head", r, "")
		case r.Changed:
			say("head", r, " (it does not render on base either)")
		default:
			silent++
		}
	}
	switch {
	case silent == 1:
		fmt.Fprintln(w, "kubesettle: 1 release that the change does not touch does not render")
	case silent > 1:
		fmt.Fprintf(w, "kubesettle: %d releases that the change does not touch do not render\n", silent)
	}
	return code
}

// where words a failure with its file, line and remedy.
func where(f *object.Failure) string {
	s := f.Reason
	if f.Where.File != "" && !strings.HasPrefix(s, f.Where.File) {
		s = fmt.Sprintf("%s:%d: %s", f.Where.File, max(f.Where.StartLine, 1), s)
	}
	if f.Remedy != "" {
		s += ": " + f.Remedy
	}
	return s
}

func writeDiff(w io.Writer, format string, ch *object.Changes, color bool) error {
	switch format {
	case "json":
		return encodeDiff(w, ch)
	case "markdown":
		return report.DiffMarkdown(w, ch, report.DiffOptions{})
	}
	return report.DiffText(w, ch, report.DiffOptions{Color: color})
}

// changeList is a change set as `diff --output json` has it. Secrets are masked.
type changeList struct {
	Base    string         `json:"base"` // full hash, or the directory
	Head    string         `json:"head"`
	Files   []string       `json:"files"`
	Changes []listedChange `json:"changes"`
}

type listedChange struct {
	Change  string        `json:"change"` // added, removed, modified, renamed
	Release string        `json:"release"`
	ID      string        `json:"id"`
	WasID   string        `json:"wasId,omitempty"`
	Fields  []listedField `json:"fields"`
}

type listedField struct {
	Path   string `json:"path"`
	Old    any    `json:"old"` // null where absent or secret
	New    any    `json:"new"`
	Secret bool   `json:"secret,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Side   string `json:"side"` // of the file: head or base
}

func encodeDiff(w io.Writer, ch *object.Changes) error {
	l := changeList{Base: revisionName(ch.Base), Head: revisionName(ch.Head), Files: ch.Files, Changes: []listedChange{}}
	if l.Files == nil {
		l.Files = []string{}
	}
	hide := hider(ch.Head)
	for i := range ch.Changes {
		c := &ch.Changes[i]
		one := listedChange{Change: string(c.Kind), Release: hide(c.Release), ID: hide(c.ID().String()),
			Fields: []listedField{}}
		if c.Base != nil && c.Base.ID != c.ID() {
			one.WasID = hide(c.Base.ID.String())
		}
		for _, f := range c.Fields {
			at := f.Where()
			field := listedField{Path: f.Path, Old: f.Old, New: f.New, Secret: f.Secret, File: at.File,
				Line: at.StartLine, Side: "head"}
			if f.Secret {
				field.Old, field.New = nil, nil
			}
			if f.OnBase {
				field.Side = "base"
			}
			one.Fields = append(one.Fields, field)
		}
		l.Changes = append(l.Changes, one)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(l)
}

func revisionName(r *object.Revision) string {
	if r.Commit != "" {
		return r.Commit
	}
	return r.Name
}
