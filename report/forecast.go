package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// foretold are the workloads that one line names.
const foretold = 3

// forecastLines say how a change will go: at most three named lines, and none where nothing is known.
func forecastLines(r *finding.Result) [][2]string {
	var out [][2]string
	for _, l := range [][2]string{
		{"rollout", rolloutText(r.Forecasts)}, {"moves", movesText(r.Forecasts)}, {"lasts", lastsText(r.Forecasts)},
	} {
		if l[1] != "" {
			out = append(out, l)
		}
	}
	return out
}

// rolloutText is how many pods are there and ready, of the workloads that lose the most first.
func rolloutText(list []finding.Forecast) string {
	all, name := foreseenIn(list), namesIn(list)
	var texts []string
	for i := range all {
		if t := foreseenText(&all[i].Foreseen); i < foretold && t != "" {
			texts = append(texts, name(all[i].release, all[i].Workload)+": "+t)
		}
	}
	s := strings.Join(texts, "; ")
	if n := len(all) - foretold; n > 0 {
		s += "; and " + count(n, "more workload")
	}
	return s
}

// foreseenOf is the forecast for a workload of a release.
type foreseenOf struct {
	release string
	finding.Foreseen
}

// foreseenIn are the workloads of some forecasts, each once with all that is foreseen of it: those that lose the
// largest part of their pods first.
func foreseenIn(list []finding.Forecast) []foreseenOf {
	var out []foreseenOf
	at := map[[2]string]int{}
	for i := range list {
		for _, f := range list[i].Workloads {
			key := [2]string{list[i].Release, f.Workload}
			k, known := at[key]
			if !known {
				at[key] = len(out)
				out = append(out, foreseenOf{list[i].Release, f})
				continue
			}
			o := &out[k]
			o.Replicas, o.Pods, o.Ready = wider(o.Replicas, f.Replicas), wider(o.Pods, f.Pods), wider(o.Ready, f.Ready)
			o.Before, o.After, o.Short = min(o.Before, f.Before), min(o.After, f.After), max(o.Short, f.Short)
		}
	}
	slices.SortStableFunc(out, func(a, b foreseenOf) int {
		return cmp.Or(cmp.Compare(lost(&b.Foreseen), lost(&a.Foreseen)), cmp.Compare(a.Workload, b.Workload))
	})
	return out
}

// endsShort reports whether the likeliest run ends with pods that are not ready.
func endsShort(f finding.Forecast) bool {
	return slices.ContainsFunc(f.Workloads, func(w finding.Foreseen) bool { return w.Short > 0 })
}

func wider(a, b finding.Span) finding.Span {
	return finding.Span{Min: min(a.Min, b.Min), Max: max(a.Max, b.Max)}
}

// lost is the part of its ready pods that a workload lacks at worst.
func lost(f *finding.Foreseen) float64 {
	if f.Before == 0 {
		return 0
	}
	return float64(f.Before-f.Ready.Min) / float64(f.Before)
}

// foreseenText is one workload: "at least 3 of 4 ready throughout, 5 pods at most".
func foreseenText(f *finding.Foreseen) string {
	most := count(f.Pods.Max, "pod") + " at most"
	switch {
	case f.Before == 0 && f.After == 0 && f.Ready.Max == 0:
		return most + ", none ready"
	case f.Before == 0:
		return fmt.Sprintf("comes with %s, %d ready in the end", count(f.Pods.Max, "pod"), f.After)
	case f.Pods == f.Ready && f.Pods.Min == f.Pods.Max && f.Pods.Max == f.Before:
		return fmt.Sprintf("no pod is replaced, %d of %d stay ready", f.Before, f.Before)
	}
	s := fmt.Sprintf("at least %d of %d ready throughout", f.Ready.Min, f.Before)
	switch {
	case f.Ready.Min == 0 && f.After == 0:
		s = fmt.Sprintf("none of %d stays ready", f.Before)
	case f.Ready.Min == 0:
		s = fmt.Sprintf("for a while none of %d is ready", f.Before)
	case f.After != f.Before:
		s = fmt.Sprintf("from %d to %d ready, at least %d throughout", f.Before, f.After, f.Ready.Min)
	}
	if f.Short > 0 && f.After > 0 {
		most += fmt.Sprintf(", likely %d of %d ready in the end", f.After, f.After+f.Short)
	}
	return s + ", " + most
}

// movesText words the pods that the likeliest run moves, and the numbers that autoscalers set.
func movesText(list []finding.Forecast) string {
	var out []string
	name := namesIn(list)
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for i := range list {
		if run := list[i].Run; run != nil {
			for k := range run.Moves {
				add(moveText(name(list[i].Release, run.Moves[k].Workload), &run.Moves[k]))
			}
			if n := run.NodesAdded; n > 0 {
				add(count(n, "node") + " added")
			}
			if n := run.NodesRemoved; n > 0 {
				add(count(n, "node") + " removed")
			}
			if !run.Settles {
				add("the likeliest run does not come to rest")
			}
		}
		for _, f := range list[i].Workloads {
			if f.Replicas.Min != f.Replicas.Max {
				add(fmt.Sprintf("%s is scaled between %d and %d replicas",
					name(list[i].Release, f.Workload), f.Replicas.Min, f.Replicas.Max))
			}
		}
	}
	if n := len(out) - foretold; n > 0 {
		out = append(out[:foretold], count(n, "more move"))
	}
	return strings.Join(out, "; ")
}

func moveText(workload string, m *finding.Move) string {
	verb := english.PluralWord(m.Pods, "is", "are") + " evicted"
	if m.How == "preempt" {
		verb = english.PluralWord(m.Pods, "is", "are") + " preempted"
	}
	s := fmt.Sprintf("likely %s of %s %s", count(m.Pods, "pod"), workload, verb)
	if len(m.From) > 0 {
		s += " on " + some(m.From, 2)
	}
	if len(m.To) > 0 {
		s += ", to " + some(m.To, 2)
	}
	return s
}

// lastsText is how long it takes until the last pod is ready, as far as the manifests say.
func lastsText(list []finding.Forecast) string {
	var longest *finding.ForeseenRun
	var release string
	for i := range list {
		run := list[i].Run
		if run == nil || run.Seconds == nil || run.Wait == nil {
			continue
		}
		if longest == nil || run.Wait.Person && !longest.Wait.Person ||
			run.Wait.Person == longest.Wait.Person && run.Seconds.Max > longest.Seconds.Max {
			longest, release = run, list[i].Release
		}
	}
	if longest == nil {
		return ""
	}
	w := longest.Wait
	workload := namesIn(list)(release, w.Workload)
	if w.Person {
		return "until somebody promotes " + workload + " (" + line(w.Field) + ")"
	}
	s := lasting(longest.Seconds.Min)
	if longest.Seconds.Max != longest.Seconds.Min {
		s += " to " + lasting(longest.Seconds.Max)
	}
	if longest.Seconds.Min == 0 {
		s = "up to " + lasting(longest.Seconds.Max)
	}
	end := "the last pod is ready"
	if slices.ContainsFunc(list, endsShort) {
		end = "it comes to rest"
	}
	return fmt.Sprintf("%s until %s, as declared; up to %s of it for %s of %s",
		s, end, lasting(w.Seconds), line(w.Field), workload)
}

// lasting words seconds: "45 s", "2 min", "1 h 5 min".
func lasting(seconds int) string {
	d := time.Duration(seconds) * time.Second
	var out []string
	if h := int(d.Hours()); h > 0 {
		out = append(out, fmt.Sprintf("%d h", h))
	}
	if m := int(d.Minutes()) % 60; m > 0 {
		out = append(out, fmt.Sprintf("%d min", m))
	}
	if s := seconds % 60; s > 0 && d < time.Hour || len(out) == 0 {
		out = append(out, fmt.Sprintf("%d s", s))
	}
	return strings.Join(out, " ")
}

// namesIn names the workloads of some forecasts: as briefly as tells them apart.
func namesIn(list []finding.Forecast) func(release, id string) string {
	bare, full, seen := map[string]int{}, map[string]int{}, map[[2]string]bool{}
	see := func(release, id string) {
		if key := [2]string{release, id}; !seen[key] {
			seen[key] = true
			bare[bareName(id)]++
			full[withoutKind(id)]++
		}
	}
	for i := range list {
		for _, f := range list[i].Workloads {
			see(list[i].Release, f.Workload)
		}
		if run := list[i].Run; run != nil {
			for _, m := range run.Moves {
				see(list[i].Release, m.Workload)
			}
		}
	}
	return func(release, id string) string {
		switch {
		case bare[bareName(id)] < 2:
			return bareName(id)
		case full[withoutKind(id)] < 2:
			return withoutKind(id)
		}
		return shortName(id) + " (" + line(release) + ")"
	}
}

// withoutKind is a workload's namespace and name.
func withoutKind(id string) string {
	id = line(id)
	return id[strings.LastIndexByte(id, ' ')+1:]
}

// bareName is the name of a workload without its kind and namespace.
func bareName(id string) string {
	id = line(id)
	return id[strings.LastIndexAny(id, "/ ")+1:]
}
