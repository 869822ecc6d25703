package report

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/kubesettle/kubesettle/verify/finding"
)

const srcRoot = "%SRCROOT%"

// sarifItem is a finding with the waiver that covers it, if any.
type sarifItem struct {
	finding finding.Finding
	waiver  *finding.Waived
	beside  []finding.Finding // the others of its root cause
}

// sarifItems lists what becomes a result, most urgent first: new findings, existing
// ones, waived ones. A fixed finding is none.
func sarifItems(r *finding.Result) []sarifItem {
	fresh, existing, _ := byStatus(r.Findings)
	var out []sarifItem
	all := append(fresh, existing...)
	out = make([]sarifItem, len(all))
	for _, group := range finding.ByCause(all) {
		for _, i := range group {
			out[i].finding = all[i]
			for _, o := range group[:min(len(group), sarifRelated)] {
				if o != i {
					out[i].beside = append(out[i].beside, all[o])
				}
			}
		}
	}
	for i := range r.Waived {
		out = append(out, sarifItem{finding: r.Waived[i].Finding, waiver: &r.Waived[i]})
	}
	return out
}

// sarifLevel is the level of a result: only a new finding that is not waived is more than a note.
func sarifLevel(it *sarifItem) string {
	if it.waiver != nil || it.finding.Status == finding.Existing {
		return "note"
	}
	return [...]string{"error", "warning", "note"}[severityRank(it.finding.Severity)]
}

func sarifResult(it sarifItem, flow bool) *sarif.Result {
	f := &it.finding
	related := &relatedLocations{ids: map[string]int{}}
	primary, rung := primaryLocation(f)
	res := sarif.NewRuleResult(ruleID(f)).WithLevel(sarifLevel(&it)).WithKind("fail")
	res.WithMessage(sarif.NewTextMessage(sarifMessageText(f, related)))
	for i := range it.beside {
		if at, _ := primaryLocation(&it.beside[i]); at != primary {
			related.link(&at, "the same cause: "+clip(title(&it.beside[i]), 200))
		}
	}
	res.AddLocation(sarifLocation(primary, f.Workload))
	res.WithRelatedLocations(related.list)
	if p := line(f.Fingerprint); p != "" {
		res.WithPartialFingerPrints(map[string]any{fingerprintID: p})
	}
	res.WithBaselineState(map[finding.Status]string{finding.Existing: "unchanged", finding.Worsened: "updated"}[f.Status])
	if res.BaselineState == nil || *res.BaselineState == "" {
		res.WithBaselineState("new")
	}
	if flow && len(f.Interleaving) > 0 {
		res.WithCodeFlows([]*sarif.CodeFlow{sarifFlow(f, primary)})
	}
	if it.waiver != nil {
		res.WithSuppression([]*sarif.Suppression{sarif.NewSuppression("external").
			WithStatus("accepted").WithJustifcation(waiverText(it.waiver))})
	}
	if f.Baselined {
		res.WithSuppression([]*sarif.Suppression{sarif.NewSuppression("external").
			WithStatus("accepted").WithJustifcation("in the baseline file")})
	}
	res.Properties = properties(map[string]string{
		"status": string(f.Status), "certainty": f.Certainty.String(), "scenario": f.Scenario,
		"timing": f.Timing, "release": f.Release,
		"workload": f.Workload, "attribution": rung, "scale": scale(f), "events": events(f), "cause": f.Cause,
	})
	return res
}

// properties is a property bag without empty values.
func properties(values map[string]string) sarif.Properties {
	out := sarif.Properties{}
	for k, v := range values {
		if v = line(v); v != "" {
			out[k] = v
		}
	}
	return out
}

// ruleID is never empty, as SARIF wants.
func ruleID(f *finding.Finding) string {
	if id := line(f.Rule); id != "" {
		return id
	}
	return "unnamed-rule"
}

// primaryLocation is where the alert stands: a line that the change edited where there
// is one, else the first location known. Code scanning shows head only, so a line of
// base stands for the beginning of its file.
func primaryLocation(f *finding.Finding) (l finding.Location, rung string) {
	var all []finding.Location
	all = append(all, f.Locations...)
	for i := range f.Blame {
		if b := f.Blame[i].Location; b != nil {
			all = append(all, *b)
		}
	}
	for i := range f.Interleaving {
		for _, b := range f.Interleaving[i].Because {
			all = append(all, finding.Location{File: b.File, StartLine: b.Line, Attribution: "step"})
		}
	}
	best, bestRank := finding.Location{}, 4
	for _, l := range all {
		r := 2
		switch {
		case uri(l.File) == "":
			continue
		case l.Side == "base":
			l, r = finding.Location{File: l.File, Side: "base", Attribution: "file"}, 3
		case l.InDiff:
			r = 0
		case l.Attribution != "step":
			r = 1
		}
		if r < bestRank {
			best, bestRank = l, r
		}
	}
	if bestRank == 4 {
		return finding.Location{File: fallbackFile}, "none"
	}
	if best.Attribution == "" {
		return best, "unknown"
	}
	return best, best.Attribution
}

// sarifLocation has all four fields of a region, each at least 1.
func sarifLocation(l finding.Location, workload string) *sarif.Location {
	out := sarif.NewLocationWithPhysicalLocation(physical(l))
	if id := line(workload); id != "" {
		out.WithLogicalLocations([]*sarif.LogicalLocation{sarif.NewLogicalLocation().
			WithFullyQualifiedName(id).WithKind("resource")})
	}
	return out
}

func physical(l finding.Location) *sarif.PhysicalLocation {
	startLine := max(l.StartLine, 1)
	startColumn := max(l.StartColumn, 1)
	endLine := max(l.EndLine, startLine)
	endColumn := max(l.EndColumn, 1)
	if endLine == startLine {
		endColumn = max(endColumn, startColumn+1)
	}
	return sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewArtifactLocation().WithUri(uri(l.File)).WithUriBaseId(srcRoot)).
		WithRegion(sarif.NewRegion().WithStartLine(startLine).WithStartColumn(startColumn).
			WithEndLine(endLine).WithEndColumn(endColumn))
}

// uri is a repository path as a relative reference, or "" for a path that is absolute,
// leaves the repository or is empty.
func uri(file string) string {
	file = line(file)
	p := path.Clean(strings.ReplaceAll(file, "\\", "/"))
	if file == "" || p == "." || p == ".." || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "../") {
		return ""
	}
	parts := strings.Split(p, "/")
	for i, s := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(s), ":", "%3A") // no scheme
	}
	return strings.Join(parts, "/")
}

// relatedLocations are the locations that a message links to, numbered from 1.
type relatedLocations struct {
	list []*sarif.Location
	ids  map[string]int
}

// link is a message link to a location, or its plain name where there is no room.
func (r *relatedLocations) link(l *finding.Location, say string) string {
	text := sarifEscape(where(l))
	if l.Side == "base" || uri(l.File) == "" {
		return text
	}
	key := fmt.Sprintf("%s:%d:%d", l.File, l.StartLine, l.StartColumn)
	id, known := r.ids[key]
	if !known {
		if len(r.list) >= sarifRelated {
			return text
		}
		id = len(r.list) + 1
		r.ids[key] = id
		r.list = append(r.list, sarif.NewLocation().WithId(id).
			WithPhysicalLocation(physical(*l)).WithMessage(sarif.NewTextMessage(say)))
	}
	return fmt.Sprintf("[%s](%d)", text, id)
}

// sarifEscape keeps text from being read as a link or a placeholder of a SARIF message.
func sarifEscape(s string) string {
	return sarifEscaper.Replace(line(s))
}

var sarifEscaper = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `{`, `{{`, `}`, `}}`)

// sarifMessageText is the finding in a few sentences; list views show the first one.
func sarifMessageText(f *finding.Finding, related *relatedLocations) string {
	out := []string{sarifEscape(sentence(clip(title(f), 600)))}
	if f.Baselined {
		out = append(out, "It is in the baseline file.")
	} else if f.Status == finding.Existing {
		out = append(out, "Base breaks the rule in the same way.")
	}
	for i := range f.Blame[:min(len(f.Blame), 10)] {
		b := &f.Blame[i]
		path, what := blamed(b)
		s := "'" + sarifEscape(clip(path, 200)) + "' of '" + sarifEscape(Plain(b.Object, 200)) + "' " +
			"changed (" + sarifEscape(clip(what, 300)) + ")"
		if path == "" {
			path = line(b.Object)
			s = "'" + sarifEscape(clip(path, 200)) + "' was " + what
		}
		if b.Location != nil && b.Location.File != "" {
			s += " at " + related.link(b.Location, sentence("Changed here: "+clip(path, 200)))
		}
		out = append(out, s+".")
	}
	if loop := loopText(f); loop != "" {
		out = append(out, sentence(loop))
	}
	out = append(out, "It takes: "+sarifEscape(clip(takes(f), 500))+".")
	if say, _ := fixLines(f, 1); say != "" {
		s := "Fix: " + sarifEscape(clip(say, 1000))
		if f.Fix.Location != nil && f.Fix.Location.File != "" {
			s += " at " + related.link(f.Fix.Location, "Change here.")
		}
		s += sarifEscape(clip(otherFix(f), 400))
		out = append(out, sentence(s))
	}
	if l := declaredAt(f); l != nil {
		out = append(out, "It breaks an intent of this repository's own policy, declared at "+related.link(l,
			"The intent.")+".")
	}
	return strings.Join(out, " ")
}

// sarifFlow is the interleaving as one thread flow of at most 40 steps. A step stands
// where the line is that allows it, the environment's on the primary location.
func sarifFlow(f *finding.Finding, primary finding.Location) *sarif.CodeFlow {
	var steps []*sarif.ThreadFlowLocation
	for _, s := range elide(f, sarifSteps) {
		l, why := primary, " (environment)"
		if s.Class != "event" {
			why = ""
		}
		for _, b := range s.Because {
			if uri(b.File) != "" {
				l, why = finding.Location{File: b.File, StartLine: b.Line}, ""
				if b.Field != "" {
					why = " (" + Plain(b.Field, 200) + ")"
				}
				break
			}
		}
		text := fmt.Sprintf("%d/%d %s: %s%s", s.Index+1, len(f.Interleaving), actor(s.Step), clip(stepText(s.Step), 500), why)
		if s.Loops {
			text += "; the loop begins here"
		}
		if decides(f, s.Index) {
			text += "; this step decides"
		}
		if s.Gap > 0 {
			text += "; " + count(s.Gap, "step") + " before this one left out"
		}
		steps = append(steps, sarif.NewThreadFlowLocation().WithLocation(
			sarif.NewLocationWithPhysicalLocation(physical(l)).WithMessage(sarif.NewTextMessage(sarifEscape(text)))))
	}
	say := fmt.Sprintf("The shortest interleaving: %s.", count(len(f.Interleaving), "step"))
	if loop := loopText(f); loop != "" {
		say += " " + sentence(loop)
	}
	if turn := turnText(f); turn != "" {
		say += " " + sarifEscape(sentence(turn))
	}
	return sarif.NewCodeFlow().WithMessage(sarif.NewTextMessage(say)).
		WithThreadFlows([]*sarif.ThreadFlow{sarif.NewThreadFlow().WithLocations(steps)})
}
