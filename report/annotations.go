package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Annotation is one line of the checks list. Lines and columns count from 1; 0 means
// that it has none.
type Annotation struct {
	Level   string // error, warning, notice
	File    string // repository path, or "" for the whole run
	Line    int
	EndLine int
	Col     int // only where Line and EndLine are equal
	EndCol  int
	Title   string
	Message string
}

// AnnotationOptions of [Annotations]; a limit of 0 is GitHub's of one step, a negative
// one none at all.
type AnnotationOptions struct {
	Errors, Warnings, Notices int
	Rules                     []Rule // nil: [Rules]
	Level                     string // as in [Options]
}

// annotationLimit is what GitHub shows of one level of one step.
const annotationLimit = 10

// Annotations lists what is shown beside the lines of a pull request, worst first:
// releases that failed, new findings, then existing ones as notices. left counts what
// the limits drop.
func Annotations(r *finding.Result, opt AnnotationOptions) (list []Annotation, left int) {
	r = drawn(r)
	room := map[string]int{
		"error": annotationRoom(opt.Errors), "warning": annotationRoom(opt.Warnings), "notice": annotationRoom(opt.Notices),
	}
	add := func(a Annotation) {
		if room[a.Level] == 0 {
			left++
			return
		}
		room[a.Level]--
		list = append(list, a)
	}
	for _, rel := range failedReleases(r) {
		add(releaseAnnotation(&rel))
	}
	shown, _ := shownAt(r.Findings, opt.Level)
	fresh, existing, _ := byStatus(shown)
	rules := rulesOr(opt.Rules)
	for i := range fresh {
		add(findingAnnotation(&fresh[i], rules))
	}
	for i := range existing {
		add(findingAnnotation(&existing[i], rules))
	}
	return list, left
}

func annotationRoom(limit int) int {
	switch {
	case limit < 0:
		return 0
	case limit == 0:
		return annotationLimit
	}
	return limit
}

func releaseAnnotation(rel *finding.ReleaseResult) Annotation {
	a := Annotation{Level: rel.Outcome().Of().Level,
		Title: clip("Kubesettle: release "+line(rel.ID)+" "+releaseStatus(rel), 200)}
	a.Message = clip(releaseReason(rel), 1500)
	if rel.Remedy != "" {
		a.Message += " What to do: " + clip(sentence(rel.Remedy), 1500)
	}
	if rel.Where != nil {
		a.place(*rel.Where)
	}
	return a
}

func findingAnnotation(f *finding.Finding, rules []Rule) Annotation {
	level := [...]string{"error", "warning", "notice"}[severityRank(f.Severity)]
	check := titleOf(rules, f.Rule)
	if check == "" {
		check = f.Rule
	}
	a := Annotation{Level: level, Title: clip("Kubesettle: "+line(check), 200)}
	if f.Status == finding.Existing {
		a.Level = "notice"
		a.Title = clip("Kubesettle, on base too: "+line(check), 200)
		if f.Baselined {
			a.Title = clip("Kubesettle, in the baseline: "+line(check), 200)
		}
	}
	parts := []string{clip(sentence(title(f)), 600)}
	if n := len(f.Interleaving); n > 0 {
		parts = append(parts, fmt.Sprintf("The interleaving has %s; the last one: %s", count(n, "step"),
			clip(sentence(actor(&f.Interleaving[n-1])+": "+stepText(&f.Interleaving[n-1])), 300)))
	}
	if l := loopText(f); l != "" {
		parts = append(parts, sentence(l))
	}
	if f.Fix != nil {
		parts = append(parts, "Fix: "+clip(fixText(f.Fix), 1000))
	}
	a.Message = strings.Join(parts, "\n")
	l, rung := primaryLocation(f)
	if rung != "none" {
		a.place(l)
	}
	return a
}

// place puts the annotation on lines of head; a line of base has no place there.
func (a *Annotation) place(l finding.Location) {
	if l.File == "" || uri(l.File) == "" || l.Side == "base" {
		return
	}
	a.File = line(l.File)
	a.Line = max(l.StartLine, 1)
	a.EndLine = max(l.EndLine, a.Line)
	if a.Line == a.EndLine && l.StartColumn > 0 && l.EndColumn > l.StartColumn {
		a.Col, a.EndCol = l.StartColumn, l.EndColumn
	}
}

// WorkflowCommand is the annotation as a command for the log of a GitHub Actions step,
// without a newline.
func (a Annotation) WorkflowCommand() string {
	var props []string
	add := func(key, value string) {
		if value != "" {
			props = append(props, key+"="+commandProperty(value))
		}
	}
	add("file", Clean(a.File))
	for _, n := range []struct {
		key   string
		value int
	}{{"line", a.Line}, {"endLine", a.EndLine}, {"col", a.Col}, {"endColumn", a.EndCol}} {
		if n.value > 0 {
			add(n.key, strconv.Itoa(n.value))
		}
	}
	add("title", line(a.Title))
	level := a.Level
	if level != "error" && level != "warning" {
		level = "notice"
	}
	return strings.TrimSuffix("::"+level+" "+strings.Join(props, ","), " ") + "::" + commandData(Clean(a.Message))
}

// commandData escapes the data of a workflow command.
func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// commandProperty escapes a property of a workflow command.
func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
