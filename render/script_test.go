package render

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/mask"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/tree"
)

// scripts holds one script per feature; testdata/render/*.script.
const scripts = "../testdata/render/scripts"

// world is what a script has built so far.
type world struct {
	trees map[string]map[string]string
	opt   Options
}

// TestScripts plays the scripts. Commands:
//
//	tree NAME [from=OTHER]   the body is txtar; an empty file removes one of OTHER
//	options                  the body is JSON of [side.Options]
//	discover NAME            releases and what was left out
//	render NAME              releases, objects and failures
//	show NAME KIND/NAME      one object as rendered, secrets masked
//	typed NAME KIND/NAME     one object decoded and defaulted
//	locate NAME KIND/NAME    the body lists paths; each with its file, line and rung
//	diff BASE HEAD           the changes
//	unified BASE HEAD        the changes as unified diffs
//	edited BASE HEAD FILE    the edited lines of a file
func TestScripts(t *testing.T) {
	datadriven.Walk(t, scripts, func(t *testing.T, path string) {
		w := &world{trees: map[string]map[string]string{}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return w.command(t, d) })
	})
}

func (w *world) command(t *testing.T, d *datadriven.TestData) string {
	arg := func(i int) string {
		if i >= len(d.CmdArgs) {
			d.Fatalf(t, "%s: argument %d is missing", d.Cmd, i+1)
		}
		return d.CmdArgs[i].Key
	}
	switch d.Cmd {
	case "tree":
		return w.tree(d)
	case "options":
		w.opt = Options{}
		if err := json.Unmarshal([]byte(d.Input), &w.opt); err != nil {
			d.Fatalf(t, "options: %v", err)
		}
		return ""
	case "discover":
		return listReleases(w.render(t, arg(0)))
	case "render":
		return describe(w.render(t, arg(0)))
	case "show":
		b, err := yaml.Marshal(withoutSecrets(find(t, w.render(t, arg(0)), arg(1))))
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return string(b)
	case "typed":
		b, err := yaml.Marshal(find(t, w.render(t, arg(0)), arg(1)).Typed)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return string(b)
	case "locate":
		o := find(t, w.render(t, arg(0)), arg(1))
		var out strings.Builder
		for _, p := range strings.Fields(d.Input) {
			fmt.Fprintf(&out, "%s: %s\n", p, place(o.Locate(p)))
		}
		return out.String()
	case "diff", "unified", "edited":
		return w.diff(t, d)
	}
	d.Fatalf(t, "unknown command %s", d.Cmd)
	return ""
}

func (w *world) tree(d *datadriven.TestData) string {
	files := map[string]string{}
	for _, a := range d.CmdArgs[1:] {
		if a.Key == "from" {
			for p, text := range w.trees[a.Vals[0]] {
				files[p] = text
			}
		}
	}
	for _, f := range txtar.Parse([]byte(d.Input + "\n")).Files {
		files[f.Name] = string(f.Data)
		if len(f.Data) == 0 {
			delete(files, f.Name)
		}
	}
	w.trees[d.CmdArgs[0].Key] = files
	return ""
}

func (w *world) mapTree(t *testing.T, name string) tree.Tree {
	t.Helper()
	tree, err := tree.Map(name, w.trees[name])
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func (w *world) render(t *testing.T, name string) *object.Revision {
	t.Helper()
	rev, err := Render(context.Background(), w.mapTree(t, name), w.opt)
	if err != nil {
		t.Fatal(err)
	}
	opt := w.opt
	opt.Workers = 1
	again, err := Render(context.Background(), w.mapTree(t, name), opt)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := describe(rev), describe(again); a != b {
		t.Errorf("one worker gives\n%s\nmany give\n%s", b, a)
	}
	return rev
}

func (w *world) diff(t *testing.T, d *datadriven.TestData) string {
	b, h, err := RenderBoth(context.Background(), w.mapTree(t, d.CmdArgs[0].Key), w.mapTree(t, d.CmdArgs[1].Key), w.opt)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	switch d.Cmd {
	case "unified":
		for _, c := range ch.Changes {
			out.WriteString(UnifiedDiff(c))
		}
	case "edited":
		file := d.CmdArgs[2].Key
		for i := range strings.Split(w.trees[d.CmdArgs[1].Key][file], "\n") {
			if ch.Edited(file, i+1) {
				fmt.Fprintf(&out, "%s:%d\n", file, i+1)
			}
		}
	default:
		for _, r := range h.Releases {
			fmt.Fprintf(&out, "%s: changed=%t: %s\n", r.ID, r.Changed, r.Why)
			if r.Err != nil {
				fmt.Fprintf(&out, "  failed on head: %s\n", r.Err.Reason)
			}
		}
		for _, r := range b.Releases {
			if r.Err != nil {
				fmt.Fprintf(&out, "%s failed on base: %s\n", r.ID, r.Err.Reason)
			}
		}
		for i := range ch.Changes {
			out.WriteString(describeChange(&ch.Changes[i]))
		}
		fmt.Fprintf(&out, "files: %s\n", strings.Join(ch.Files, " "))
	}
	return out.String()
}

func describeChange(c *object.Change) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s in %s", c.Kind, c.ID(), c.Release)
	if c.Kind == object.Renamed {
		fmt.Fprintf(&out, " (was %s)", c.Base.ID)
	}
	if c.TemplateChanged {
		out.WriteString(", rolls its pods")
	}
	out.WriteByte('\n')
	for _, f := range c.Fields {
		was, now := jsonText(f.Old), jsonText(f.New)
		if f.Secret {
			was, now = "?", "?"
		}
		fmt.Fprintf(&out, "  %s: %s -> %s at %s\n", f.Path, was, now, place(f.Where()))
	}
	for _, f := range c.Noise {
		fmt.Fprintf(&out, "  noise: %s\n", f.Path)
	}
	return out.String()
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func place(l object.Location) string {
	return fmt.Sprintf("%s:%d:%d-%d:%d %s", l.File, l.StartLine, l.StartColumn, l.EndLine, l.EndColumn, l.Rung)
}

func listReleases(rev *object.Revision) string {
	var out strings.Builder
	for _, r := range rev.Releases {
		fmt.Fprintf(&out, "%s %s: %s\n", r.Kind, r.ID, r.Selected)
		if len(r.Values) > 0 {
			fmt.Fprintf(&out, "  values %s\n", strings.Join(r.Values, " "))
		}
	}
	for _, i := range rev.Ignored {
		fmt.Fprintf(&out, "ignored %s: %s\n", i.Path, i.Reason)
	}
	return out.String()
}

func describe(rev *object.Revision) string {
	var out strings.Builder
	for _, r := range rev.Releases {
		fmt.Fprintf(&out, "%s %s\n", r.Kind, r.ID)
		for _, o := range r.Objects {
			hook := ""
			if o.Hook {
				hook = " (hook)"
			}
			fmt.Fprintf(&out, "  %s at %s%s\n", o.ID, place(o.Source), hook)
			for _, path := range o.Unknown {
				fmt.Fprintf(&out, "    unknown: %s at %s\n", path, place(o.Locate(path)))
			}
			for _, f := range o.Refused {
				if f.Unknown {
					continue
				}
				fmt.Fprintf(&out, "    refused: %s: %s at %s\n", f.Path, f.Text, place(o.Locate(f.Path)))
			}
		}
		for _, n := range r.Notes {
			fmt.Fprintf(&out, "  note: %s\n", n)
		}
		if r.Err != nil {
			word := "failed"
			if r.Err.Skipped {
				word = "skipped"
			}
			fmt.Fprintf(&out, "  %s: %s\n  at %s\n  remedy: %s\n", word, r.Err.Reason, place(r.Err.Where), r.Err.Remedy)
		}
	}
	for _, i := range rev.Ignored {
		fmt.Fprintf(&out, "ignored %s: %s\n", i.Path, i.Reason)
	}
	return out.String()
}

// find gives the object of a kind and name, as "Deployment/web" or "Deployment/web*", in
// the first release that has it.
func find(t *testing.T, rev *object.Revision, want string) *object.Object {
	t.Helper()
	for _, r := range rev.Releases {
		for _, o := range r.Objects {
			name := o.ID.Kind + "/" + o.ID.Name
			if prefix, any := strings.CutSuffix(want, "*"); name == want || any && strings.HasPrefix(name, prefix) {
				return o
			}
		}
		if r.Err != nil {
			t.Log(r.Err.Reason)
		}
	}
	t.Fatalf("no object %s in %s", want, rev.Name)
	return nil
}

// withoutSecrets is an object's content as the scripts show it: with what nobody reads, so
// that they can say what was rendered, and without secrets.
func withoutSecrets(o *object.Object) map[string]any {
	c := fieldpath.DeepCopy(o.Content).(map[string]any)
	fieldpath.Leaves(o.Content, nil, func(p fieldpath.Path, v any) {
		if mask.Secret(o, p, v) {
			p.Set(c, redact.Mask)
		} else if text, ok := v.(string); ok {
			p.Set(c, o.Known.Clean(text))
		}
	})
	return c
}
