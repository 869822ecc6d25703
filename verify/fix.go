package verify

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/state"
)

// edit is a replacement of whole lines in a file of head.
type edit struct {
	file        string
	first, last int      // lines of head, from 1; at least one
	lines       []string // in their place, without ends; none takes them out
	say         string   // what it does, as an order
}

// mostEdits bounds the edits that are tried for one finding: each is a render and a
// search.
const mostEdits = 4

// mend gives the fix of a finding: the first edit with which head was rendered and
// searched again and the violation was gone, else what is known of the fields to blame:
// the first culprit was put back and the search run again.
func (a *analysis) mend(ctx context.Context, sr sliceResult, v violation, found []culprit) *Fix {
	blame := a.places.blame(sr.variant.slice, found)
	if len(blame) == 0 {
		return nil
	}
	for i, e := range a.places.edits(blame) {
		if i == mostEdits || a.checker.expired() {
			break
		}
		if a.mends(ctx, sr, v, e) {
			return a.places.fix(e)
		}
	}
	for i := range found {
		if first := a.places.blame(sr.variant.slice, found[i:i+1]); len(first) > 0 {
			return &Fix{Text: "take back " + takenBack(first), Location: first[0].Location, Verified: true}
		}
	}
	return nil
}

// mostNamed bounds the fields that a fix names.
const mostNamed = 5

// takenBack names all that one culprit consists of, as it was put back as a whole.
func takenBack(fields []Blame) string {
	if fields[0].Path == "" {
		return "the change to " + fields[0].Object
	}
	var names []string
	for _, b := range fields[:min(len(fields), mostNamed)] {
		names = append(names, b.Path)
	}
	if n := len(fields) - mostNamed; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	last := len(names) - 1
	if last == 0 {
		return "the change to " + names[0] + " of " + fields[0].Object
	}
	return "the changes to " + strings.Join(names[:last], ", ") + " and " + names[last] + " of " + fields[0].Object
}

// fix words an edit that was proven.
func (pl places) fix(e edit) *Fix {
	l := pl.location(render.Location{File: e.file, StartLine: e.first, EndLine: e.last, Rung: "file"}, "head")
	if text, err := fs.ReadFile(pl.changes.Head.Tree, e.file); err == nil {
		if lines := splitLines(string(text)); e.last <= len(lines) {
			l.EndColumn = len([]rune(strings.TrimRight(lines[e.last-1], "\r\n"))) + 1
		}
	}
	replacement := ""
	for _, line := range e.lines {
		replacement += line + "\n"
	}
	return &Fix{Text: e.say, Location: &l, Replacement: replacement, Mechanical: true, Verified: true}
}

// mends says whether head with the edit, rendered and searched again at the violation's
// size, is free of it and breaks no rule that it did not break before.
func (a *analysis) mends(ctx context.Context, sr sliceResult, v violation, e edit) bool {
	text, err := fs.ReadFile(a.places.changes.Head.Tree, e.file)
	if err != nil {
		return false
	}
	edited, ok := e.apply(string(text))
	if !ok {
		return false
	}
	rel, err := a.places.changes.Head.Edited(ctx, sr.variant.release, e.file, []byte(edited))
	if err != nil || rel.Err != nil {
		return false
	}
	mended, ok := sr.variant.withHead(rel.Objects)
	if !ok {
		return false
	}
	found, cov, err := a.checker.within(mended.states()).scenarios(ctx, mended.change(), scale.Topology(v.problem.cfg.Topology))
	return err == nil && complete(cov) && !slices.ContainsFunc(found, func(x violation) bool {
		return x.key() == v.key() || !slices.ContainsFunc(sr.head, func(o violation) bool { return o.key() == x.key() })
	})
}

// withHead gives the variant with other objects as head; false where one of its
// workloads is not among them.
func (v variant) withHead(objects []*render.Object) (variant, bool) {
	s := newSide(objects)
	like := v
	v = v.unscaled()
	scratch := &slice{objects: map[string]*[2]*render.Object{}, keys: maps.Clone(v.keys), values: maps.Clone(v.values)}
	v.spec.Workloads = slices.Clone(v.spec.Workloads)
	for i, w := range v.spec.Workloads {
		o := s.workloads[w.ID]
		if !w.Manifests[state.Head].Exists() {
			continue
		}
		if o == nil {
			return v, false
		}
		v.spec.Workloads[i].Manifests[state.Head] = scratch.manifest(int(state.Head), o, s)
	}
	v, err := v.again(like)
	return v, err == nil
}

// apply makes the edit in a text, whose line ends it keeps.
func (e edit) apply(text string) (string, bool) {
	lines := splitLines(text)
	if e.first < 1 || e.last < e.first || e.last > len(lines) {
		return "", false
	}
	end := "\n"
	if strings.HasSuffix(lines[e.first-1], "\r\n") {
		end = "\r\n"
	}
	var in []string
	for _, l := range e.lines {
		in = append(in, l+end)
	}
	if n := len(in); n > 0 && e.last == len(lines) && !strings.HasSuffix(text, "\n") {
		in[n-1] = e.lines[n-1]
	}
	return strings.Join(slices.Replace(lines, e.first-1, e.last, in...), ""), true
}

// splitLines gives lines with their ends.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}

// edits lists what may mend a finding: what keeps most of the change first, then base's
// lines in the place of head's.
func (pl places) edits(blame []Blame) []edit {
	var out []edit
	add := func(list []edit) {
		for _, e := range list {
			same := func(o edit) bool {
				return o.file == e.file && o.first == e.first && o.last == e.last && slices.Equal(o.lines, e.lines)
			}
			if render.Plain(e.lines) && !slices.ContainsFunc(out, same) {
				out = append(out, e)
			}
		}
	}
	for _, b := range blame {
		add(pl.soften(b))
	}
	for _, b := range blame {
		if b.Path != "" { // an object that came: its first line alone is none to take out
			add(pl.putBack(b))
		}
	}
	return out
}

// milder are declarations with a milder form, in the fields that they stand in.
var milder = []struct {
	field     *regexp.Regexp // of the path to blame
	line      *regexp.Regexp
	form, say string
}{
	{
		regexp.MustCompile(`topologySpreadConstraints\[`), regexp.MustCompile(`^(\s*(?:- )?(?:\{.*)?)whenUnsatisfiable:\s*["']?DoNotSchedule["']?(.*\})?\s*$`),
		"${1}whenUnsatisfiable: ScheduleAnyway${2}", "say ScheduleAnyway in place of DoNotSchedule",
	},
	{
		regexp.MustCompile(`^(|spec\.minAvailable)$`), regexp.MustCompile(`^(\s*)minAvailable:\s*\S+\s*$`),
		"${1}maxUnavailable: 1", "say maxUnavailable: 1 in place of minAvailable",
	},
}

// soften gives the milder forms of what stands in the lines to blame.
func (pl places) soften(b Blame) []edit {
	if b.Location == nil || b.Location.Side != "head" {
		return nil
	}
	text, err := fs.ReadFile(pl.changes.Head.Tree, b.Location.File)
	if err != nil {
		return nil
	}
	lines := splitLines(string(text))
	last := b.Location.EndLine
	if b.Path == "" { // an object that was added: to the end of its document
		for last = b.Location.StartLine; last < len(lines) && !strings.HasPrefix(lines[last], "---"); last++ {
		}
	}
	var out []edit
	for i := max(b.Location.StartLine, 1); i <= min(last, len(lines)); i++ {
		line := strings.TrimRight(lines[i-1], "\r\n")
		for _, m := range milder {
			if m.field.MatchString(b.Path) && m.line.MatchString(line) {
				out = append(out, edit{b.Location.File, i, i, []string{m.line.ReplaceAllString(line, m.form)}, m.say})
			}
		}
	}
	return out
}

// putBack puts base's lines where head has others: those of the field alone where the
// diff tells them apart, then all that were edited together.
func (pl places) putBack(b Blame) []edit {
	if b.Location == nil || strings.HasSuffix(b.Path, ".image") { // the release itself is no fix
		return nil
	}
	hunks, err := pl.changes.Hunks(b.Location.File)
	if err != nil {
		return nil
	}
	for _, h := range hunks {
		if b.Location.Side == "head" && h.HeadFirst <= b.Location.StartLine && b.Location.EndLine <= h.HeadLast {
			return headEdits(b.Location, h)
		}
		if b.Location.Side == "base" && h.BaseFirst <= b.Location.StartLine && b.Location.StartLine <= h.BaseLast {
			return []edit{pl.reinsert(b.Location.File, h)}
		}
	}
	return nil
}

func headEdits(l *Location, h render.Hunk) []edit {
	whole := edit{file: l.File, first: h.HeadFirst, last: h.HeadLast, lines: h.Base}
	narrow := edit{file: l.File, first: l.StartLine, last: l.EndLine}
	out := []edit{whole}
	switch {
	case len(h.Base) == 0:
		out = []edit{narrow, whole}
	case len(h.Base) == h.HeadLast-h.HeadFirst+1:
		narrow.lines = h.Base[l.StartLine-h.HeadFirst : l.EndLine-h.HeadFirst+1]
		out = []edit{narrow, whole}
	}
	for i := range out {
		out[i].say = "put " + out[i].span() + " back to what base has"
		if len(out[i].lines) == 0 {
			out[i].say = "take out " + out[i].span() + ", which base does not have"
		}
	}
	return out
}

// reinsert puts lines back that the change took out, beside a line that is there.
func (pl places) reinsert(file string, h render.Hunk) edit {
	if h.HeadLast >= h.HeadFirst {
		e := edit{file: file, first: h.HeadFirst, last: h.HeadLast, lines: h.Base}
		e.say = "put " + e.span() + " back to what base has"
		return e
	}
	at := max(h.HeadLast, 1)
	e := edit{file: file, first: at, last: at, say: fmt.Sprintf("put back what base has after line %d", at)}
	text, err := fs.ReadFile(pl.changes.Head.Tree, file)
	lines := splitLines(string(text))
	if err != nil || at > len(lines) {
		return e
	}
	beside := strings.TrimRight(lines[at-1], "\r\n")
	e.lines = append([]string{beside}, h.Base...)
	if h.HeadLast < 1 {
		e.say, e.lines = "put back what base begins with", append(slices.Clone(h.Base), beside)
	}
	return e
}

func (e edit) span() string {
	if e.first == e.last {
		return fmt.Sprintf("line %d", e.first)
	}
	return fmt.Sprintf("lines %d to %d", e.first, e.last)
}
