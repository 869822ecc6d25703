package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/mask"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/worker"
	"github.com/kubesettle/kubesettle/report"
)

func newRender(p *process) *cobra.Command {
	var f runFlags
	explain := false
	cmd := &cobra.Command{
		Use:   "render PATH...",
		Short: "Show what would be checked, and where each object comes from",
		Example: `  kubesettle render .
  kubesettle render . --explain
  kubesettle render charts/web --output yaml`,
		Args: somePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := f.outputs.list()
			if err != nil {
				return err
			}
			tree, paths, err := oneTree(p, args)
			if err != nil {
				return err
			}
			f.rendering.paths = paths
			policy, err := f.gating.load(tree)
			if err != nil {
				return err
			}
			opt, err := f.rendering.options(p, policy)
			if err != nil {
				return err
			}
			rev, err := render.Render(cmd.Context(), tree, opt)
			if err != nil {
				return analysis(err)
			}
			err = write(p, list,
				func(format string, _ bool, w io.Writer) error { return writeRevision(w, format, rev, explain) })
			if err != nil {
				return err
			}
			return ended(rendered(rev))
		},
	}
	f.rendering.flags(cmd)
	cmd.Flags().BoolVar(&explain, "explain", false, "list why each path is a release or is left out, without the objects")
	cmd.Flags().StringVar(&f.gating.policy, "policy", "",
		"policy file with releases (default: "+policyFile+", if present)")
	f.outputs.flags(cmd, "text", "json", "yaml")
	return cmd
}

// rendered is the exit code of a revision: a failed release was not analysed.
func rendered(rev *object.Revision) int {
	for _, rel := range rev.Releases {
		if rel.Err != nil {
			return exitAnalysis
		}
	}
	if len(rev.Releases) == 0 {
		return exitAnalysis
	}
	return exitPass
}

// listing is a revision as `render --output json` has it; secrets are masked.
type listing struct {
	Releases []listedRelease `json:"releases"`
	Ignored  []listedPath    `json:"ignored"`
}

type listedRelease struct {
	ID       string         `json:"id"`
	Kind     string         `json:"kind"`
	Path     string         `json:"path"`
	Values   []string       `json:"values,omitempty"`
	Selected string         `json:"selected"`
	Status   string         `json:"status"` // ok, failed, skipped
	Reason   string         `json:"reason,omitempty"`
	File     string         `json:"file,omitempty"`
	Line     int            `json:"line,omitempty"`
	Remedy   string         `json:"remedy,omitempty"`
	Notes    []string       `json:"notes,omitempty"`
	Fetched  []listedChart  `json:"fetched,omitempty"`
	Objects  []listedObject `json:"objects"`
}

// listedChart is a chart or a base of another host.
type listedChart struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	From    string `json:"from"`
	Digest  string `json:"digest,omitempty"`
}

type listedObject struct {
	ID      string         `json:"id"`
	File    string         `json:"file"`
	Line    int            `json:"line"`
	Hook    bool           `json:"hook,omitempty"`
	Modeled bool           `json:"modeled"`
	Content map[string]any `json:"content"`
}

type listedPath struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func list(rev *object.Revision) listing {
	l := listing{Releases: []listedRelease{}, Ignored: []listedPath{}}
	hide := hider(rev)
	for _, r := range rev.Releases {
		one := listedRelease{
			ID: hide(r.ID), Kind: string(r.Kind), Path: hide(r.Path), Values: r.Values, Selected: hide(r.Selected),
			Status: "ok", Objects: []listedObject{},
		}
		if r.Err != nil {
			one.Status, one.Reason, one.Remedy = "failed", r.Err.Reason, r.Err.Remedy
			one.File, one.Line = r.Err.Where.File, r.Err.Where.StartLine
			if r.Err.Skipped {
				one.Status = "skipped"
			}
		}
		for _, n := range r.Notes {
			one.Notes = append(one.Notes, report.RenderedNote(n))
		}
		for _, x := range r.Fetched {
			one.Fetched = append(one.Fetched, listedChart(x))
		}
		for _, o := range r.Objects {
			for _, f := range o.Refused {
				at := o.Locate(f.Path)
				one.Notes = append(one.Notes, fmt.Sprintf("%s: %s: %s (%s:%d)", o.ID, f.Path, f.Text, at.File, at.StartLine))
			}
			one.Objects = append(one.Objects, listedObject{
				ID: hide(o.ID.String()), File: hide(o.Source.File), Line: o.Source.StartLine, Hook: o.Hook,
				Modeled: o.Typed != nil, Content: mask.Content(o),
			})
		}
		l.Releases = append(l.Releases, one)
	}
	for _, i := range rev.Ignored {
		l.Ignored = append(l.Ignored, listedPath{i.Path, i.Reason})
	}
	return l
}

// writeRevision writes a revision; with explain each release has its number of objects
// in place of them.
func writeRevision(w io.Writer, format string, rev *object.Revision, explain bool) error {
	l := list(rev)
	if explain {
		for i := range l.Releases {
			r := &l.Releases[i]
			if n := len(r.Objects); n > 0 {
				r.Notes = append(r.Notes, fmt.Sprintf("objects: %d", n))
			}
			r.Objects = []listedObject{}
		}
	}
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(l)
	case "yaml":
		return l.yaml(w)
	}
	_, err := io.WriteString(w, printable(l.text()))
	return err
}

// yaml writes the objects as a stream, each under a comment with its source.
func (l listing) yaml(w io.Writer) error {
	for _, r := range l.Releases {
		for _, o := range r.Objects {
			content, err := yaml.Marshal(o.Content)
			if err != nil {
				return fmt.Errorf("%s: %w", o.ID, err)
			}
			// The content is quoted where it must be by the encoder; names are not.
			if _, err := fmt.Fprintf(w, "---\n# %s\n# release %s, from %s:%d\n%s", oneLine(o.ID), oneLine(r.ID), oneLine(o.File),
				o.Line, content); err != nil {
				return err
			}
		}
	}
	return nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(visible(s)), " ") }

func (l listing) text() string {
	var b bytes.Buffer
	for _, r := range l.Releases {
		fmt.Fprintf(&b, "%s  %s %s  (%s)\n", oneLine(r.ID), r.Kind, oneLine(r.Path), oneLine(r.Selected))
		if len(r.Values) > 0 {
			fmt.Fprintf(&b, "  values %s\n", oneLine(strings.Join(r.Values, ", ")))
		}
		for _, x := range r.Fetched {
			fmt.Fprintf(&b, "  fetched %s %s from %s (%s)\n", oneLine(x.Name), oneLine(x.Version),
				oneLine(x.From), oneLine(x.Digest))
		}
		for _, o := range r.Objects {
			note := ""
			if o.Hook {
				note = "  (hook: not verified)"
			}
			fmt.Fprintf(&b, "  %-60s %s:%d%s\n", oneLine(o.ID), oneLine(o.File), o.Line, note)
		}
		if r.Status != "ok" {
			fmt.Fprintf(&b, "  %s: %s\n", r.Status, r.Reason)
			if r.File != "" {
				fmt.Fprintf(&b, "  at %s:%d\n", oneLine(r.File), r.Line)
			}
			if r.Remedy != "" {
				fmt.Fprintf(&b, "  to do: %s\n", oneLine(r.Remedy))
			}
		}
		for _, n := range r.Notes {
			fmt.Fprintf(&b, "  note: %s\n", oneLine(n))
		}
	}
	if len(l.Releases) == 0 {
		b.WriteString("nothing to render: no chart, kustomization or manifest was found\n")
	}
	for _, i := range l.Ignored {
		fmt.Fprintf(&b, "ignored %s: %s\n", oneLine(i.Path), oneLine(i.Reason))
	}
	return b.String()
}

// renderWorker is the command that the renderer starts in separate processes.
const renderWorker = "render-worker"

func newRenderWorker(p *process) *cobra.Command {
	return &cobra.Command{
		Use:    renderWorker,
		Short:  "Render standard input, for a parent process",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return analysis(worker.Serve(p.stdin, p.stdout))
		},
	}
}
