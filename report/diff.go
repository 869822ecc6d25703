package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// DiffOptions of [DiffText] and [DiffMarkdown].
type DiffOptions struct {
	Color bool // of text: ANSI colours
	Bytes int  // of Markdown; 0: [DiffBytes]
}

// changedObject is an object of the change set, as surfaces list it.
type changedObject struct {
	id, release, change, note string
	fields                    []changedField
}

type changedField struct{ path, old, new, where string }

// secretValue stands for a value that may be a secret, or that no rule reads.
const secretValue = "(not shown)"

// changedObjects lists the change set: ch where given, else the result's workloads.
func changedObjects(r *finding.Result, ch *object.Changes) []changedObject {
	if ch != nil {
		return fromChanges(ch)
	}
	var out []changedObject
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if w.Change == "unchanged" {
			continue
		}
		o := changedObject{id: w.ID, release: w.Release, change: w.Change, note: string(w.Verdict)}
		for _, f := range w.Fields {
			o.fields = append(o.fields, changedField{f.Path, f.Old, f.New, where(f.Location)})
		}
		out = append(out, o)
	}
	return out
}

func fromChanges(ch *object.Changes) []changedObject {
	var out []changedObject
	shown := func(s string) string { return Clean(ch.Head.Known.Scrub(s)) } // names too
	for i := range ch.Changes {
		c := &ch.Changes[i]
		o := changedObject{id: shown(c.ID().String()), release: shown(c.Release), change: string(c.Kind)}
		if c.Kind == object.Renamed && c.Base != nil {
			o.note = "was " + shown(c.Base.ID.String())
		}
		for _, f := range c.Fields {
			side := "head"
			if f.OnBase {
				side = "base"
			}
			at := f.Where()
			l := finding.Location{File: at.File, StartLine: at.StartLine, Side: side}
			o.fields = append(o.fields,
				changedField{shown(f.Path), fieldValue(f.Old, f.Secret), fieldValue(f.New, f.Secret), where(&l)})
		}
		out = append(out, o)
	}
	return out
}

// fieldValue is a value in JSON, or the mask of a secret; "" if it is absent.
func fieldValue(v any, secret bool) string {
	if v == nil {
		return ""
	}
	if secret {
		return secretValue
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "(not printable)"
	}
	return Clean(strings.TrimSuffix(b.String(), "\n"))
}

// title is the object, what happened to it and to how many fields.
func (o *changedObject) title() string {
	s := o.change
	if n := len(o.fields); n > 0 {
		s += ", " + count(n, "field")
	}
	if o.note != "" {
		s += ", " + line(o.note)
	}
	return s
}

// diffLines are the changed fields as the lines of a diff, at most limit fields.
func (o *changedObject) diffLines(limit int) []string {
	var out []string
	for _, f := range o.fields[:min(len(o.fields), limit)] {
		if f.where != "" {
			out = append(out, "@@ "+clip(f.where, 300)+" @@")
		}
		if f.old != "" {
			out = append(out, "- "+Plain(f.path, 300)+": "+Plain(f.old, 600))
		}
		if f.new != "" {
			out = append(out, "+ "+Plain(f.path, 300)+": "+Plain(f.new, 600))
		}
	}
	if n := len(o.fields) - limit; n > 0 {
		out = append(out, "  … "+count(n, "more field"))
	}
	return out
}

// changePieces are the change set in Markdown: one line an object, or its fields folded.
func changePieces(os []changedObject) []piece {
	var out []piece
	for i := range os {
		o := &os[i]
		p := piece{func() string {
			return "- " + mdCode(Plain(o.id, 300)) + " " + mdText(clip(o.title(), 200)) + "\n"
		}}
		if len(o.fields) > 0 {
			p = append(p, func() string {
				diff := mdFence("diff", strings.Join(o.diffLines(100), "\n"))
				return "<details>\n<summary>" + htmlCode(Plain(o.id, 300)) + " " + htmlText(clip(o.title(), 200)) +
					"</summary>\n\n" + diff + "\n</details>\n\n"
			})
		}
		out = append(out, p)
	}
	return out
}

// DiffMarkdown writes the change set as Markdown within a budget.
// Errors: the writer's.
func DiffMarkdown(w io.Writer, ch *object.Changes, opt DiffOptions) error {
	os := fromChanges(ch)
	d := &document{
		head:      "## Kubesettle: " + mdText(diffTitle(ch, len(os))) + "\n\n",
		groups:    []group{{noun: "change", pieces: changePieces(os)}},
		elsewhere: "The JSON form has all of them.",
	}
	_, err := io.WriteString(w, d.render(cmp.Or(opt.Bytes, DiffBytes)))
	return err
}

func diffTitle(ch *object.Changes, n int) string {
	return clip(fmt.Sprintf("%s, %s", count(n, "changed object"), count(len(ch.Files), "changed file")), 200)
}

// DiffText writes the change set for a terminal.
// Errors: the writer's.
func DiffText(w io.Writer, ch *object.Changes, opt DiffOptions) error {
	os := fromChanges(ch)
	t := &textWriter{opt: Options{Color: opt.Color}}
	t.printf("%s\n", capital(diffTitle(ch, len(os))))
	for i := range os {
		o := &os[i]
		t.printf("\n%s  %s", t.color(bold, line(o.id)), o.title())
		if o.release != "" {
			t.printf("  (release %s)", line(o.release))
		}
		t.printf("\n")
		for _, l := range o.diffLines(len(o.fields)) {
			code := map[byte]string{'-': red, '+': green, '@': cyan}[l[0]]
			if code != "" {
				l = t.color(code, l)
			}
			t.printf("  %s\n", l)
		}
	}
	_, err := w.Write(t.buf.Bytes())
	return err
}
