package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// toldLine is an interleaving's step, or several, as a person would tell it: all actions of the loops that carry out
// one decision are one line.
type toldLine struct {
	First, Last int // of the interleaving, from 0
	Actor, Text string
	Because     []finding.Because
	Event       bool // the environment's
	Routine     bool // a decision carried out; nothing is decided in it
	InLoop      bool
	Loops       bool // the loop begins here
	Decides     bool // the decisive step is among them
}

// routine are the actions that carry out another loop's decision.
var routine = []string{
	"create-replicaset", "scale-replicaset", "annotate-replicaset", "create-pod", "delete-pod", "admit-pod", "bind",
	"attach-volume", "detach-volume", "provision-volume", "start-pod", "warm-pod", "pod-available",
	"stop-pod", "finish-pod",
	"complete-update", "forget-nomination", "stabilize",
}

// tell groups an interleaving: consecutive routine steps are one line, and so are
// consecutive steps of one actor that do the same to the same object. No group crosses
// the beginning of the loop.
func tell(f *finding.Finding) []toldLine {
	steps := f.Interleaving
	start, loops := cycle(f)
	var out []toldLine
	for i := 0; i < len(steps); {
		s := &steps[i]
		calm := slices.Contains(routine, s.Action)
		j := i + 1
		for j < len(steps) && (!loops || j != start) && !decides(f, i) && !decides(f, j) && alike(s, &steps[j], calm) {
			j++
		}
		l := toldLine{
			First: i, Last: j - 1, Actor: role(s), Text: stepText(s), Because: s.Because,
			Event: s.Class == "event", Routine: calm,
			InLoop: loops && i >= start, Loops: loops && i == start, Decides: decides(f, i),
		}
		switch {
		case j-i > 1 && calm:
			l.Actor, l.Text, l.Because = "", carriedOut(steps, i, j-1), nil
			for k := i; k < j; k++ {
				l.Because = append(l.Because, steps[k].Because...)
			}
		case j-i > 1:
			l.Text = fmt.Sprintf("%s, and %s like it", l.Text, count(j-i-1, "more step"))
		case calm:
			l.Text, _, _ = strings.Cut(l.Text, " (")
		case l.Event:
			l.Text = tainted.ReplaceAllString(l.Text, "")
		}
		out = append(out, l)
		i = j
	}
	return out
}

func alike(a, b *finding.Step, calm bool) bool {
	if calm {
		return slices.Contains(routine, b.Action)
	}
	return a.Actor == b.Actor && a.Action == b.Action && a.Object == b.Object && a.Class == b.Class
}

// carriedOut words routine steps by what they make of each workload.
func carriedOut(steps []finding.Step, first, last int) string {
	var names []string
	for i := first; i <= last; i++ {
		if n := lifeline(steps[i].Object); n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	after := steps[last].After
	if after == nil {
		return count(last-first+1, "step") + " that carry it out"
	}
	var before *finding.Snapshot
	if first > 0 {
		before = steps[first-1].After
	}
	var out []string
	for _, n := range names {
		if s := becomes(n, before, after); s != "" {
			out = append(out, s)
		}
	}
	switch {
	case len(out) == 0:
		return count(last-first+1, "routine step")
	case len(out) > 3:
		return strings.Join(out[:3], "; ") + fmt.Sprintf("; and %d more workloads", len(out)-3)
	}
	return strings.Join(out, "; ")
}

// pods counts the pods of a workload in a picture.
type pods struct {
	alive, ready, nodeless int // of both revisions, except for those on deletion
	fresh, old             int // of the new and of the old revision
}

func podsOf(name string, s *finding.Snapshot) pods {
	var out pods
	add := func(ps []finding.PodsSnapshot, nodeless bool) {
		for _, p := range ps {
			if lifeline(p.Workload) != name || p.Phase == "terminating" {
				continue
			}
			out.alive += p.Count
			switch p.Revision {
			case "new":
				out.fresh += p.Count
			case "old":
				out.old += p.Count
			}
			if p.Phase == "ready" {
				out.ready += p.Count
			}
			if nodeless {
				out.nodeless += p.Count
			}
		}
	}
	if s != nil {
		add(s.Pending, true)
		for i := range s.Nodes {
			add(s.Nodes[i].Pods, false)
		}
	}
	return out
}

// becomes says what steps make of a workload, or nothing where it is as before.
func becomes(name string, before, after *finding.Snapshot) string {
	was, is := podsOf(name, before), podsOf(name, after)
	name = line(name)
	var s string
	switch {
	case before == nil:
		s = fmt.Sprintf("%s has %s, %d ready", name, count(is.alive, "pod"), is.ready)
	case is.fresh > was.fresh && is.old > 0:
		s = fmt.Sprintf("the rollout of %s adds %s: %d new, %d old, %d ready", name, count(is.fresh-was.fresh, "new pod"),
			is.fresh, is.old, is.ready)
	case is.old < was.old && is.fresh > 0:
		s = fmt.Sprintf("the rollout of %s removes %s: %d new, %d old, %d ready", name, count(was.old-is.old, "old pod"),
			is.fresh, is.old, is.ready)
	case is.alive > was.alive:
		s = fmt.Sprintf("%s grows from %d to %s, %d ready", name, was.alive, count(is.alive, "pod"), is.ready)
	case is.alive < was.alive:
		s = fmt.Sprintf("%s shrinks from %d to %s, %d ready", name, was.alive, count(is.alive, "pod"), is.ready)
	case is.ready != was.ready:
		s = fmt.Sprintf("%d of %s of %s %s ready", is.ready, count(is.alive, "pod"), name,
			english.PluralWord(is.ready, "is", "are"))
	case is != was:
		s = name + " has its pods placed"
	default:
		return ""
	}
	if is.nodeless > 0 {
		s += fmt.Sprintf(", %d without a node", is.nodeless)
	}
	return s
}

// retold reports whether the lines of an interleaving say nothing that the title does not, as where the API
// server refuses a change.
func retold(f *finding.Finding, lines []toldLine) bool {
	said := headline(f)
	for i := range lines {
		text := strings.TrimPrefix(moreAlike.ReplaceAllString(lines[i].Text, ""), "once the change is applied, ")
		if !strings.Contains(said, strings.ToValidUTF8(text[:min(len(text), 80)], "")) {
			return false
		}
	}
	return true
}

var (
	moreAlike = regexp.MustCompile(`, and \d+ more steps? like it$`)
	tainted   = regexp.MustCompile(` \(taint [^()]*\)$`)
)

// decisive chooses at most limit lines that tell why it ends so: the last one, or what
// is decided in the loop; what the changed lines allow; what sets it off.
func decisive(f *finding.Finding, lines []toldLine, limit int) []toldLine {
	if len(lines) <= limit {
		return lines
	}
	type scored struct{ at, score int }
	var all []scored
	seen, blamed := map[string]bool{}, false
	told := map[string]bool{lines[len(lines)-1].Text: true}
	for i := range lines {
		l := &lines[i]
		score := 10
		again := told[l.Text]
		told[l.Text] = true
		switch {
		case again && i < len(lines)-1:
			score = 0
		case l.InLoop && !l.Routine && !seen[l.Actor]:
			score = 70
			seen[l.Actor] = true
		case !blamed && rests(f, l):
			score, blamed = 60, true
		case l.Event:
			score = 50
		case !l.Routine:
			score = 40
		}
		if i == len(lines)-1 && !l.InLoop {
			score = 100
		}
		if l.Decides {
			score = 110
		}
		all = append(all, scored{i, score})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return b.score - a.score })
	all = all[:limit]
	slices.SortFunc(all, func(a, b scored) int { return a.at - b.at })
	var out []toldLine
	for _, s := range all {
		out = append(out, lines[s.at])
	}
	return out
}

// eachOnce are lines without those that say what another one says: the first of them stays, or the one that decides.
func eachOnce(lines []toldLine) []toldLine {
	var out []toldLine
	for _, l := range lines {
		k := slices.IndexFunc(out, func(o toldLine) bool { return o.Text == l.Text })
		switch {
		case k >= 0 && !l.Decides:
			continue
		case k >= 0:
			out = slices.Delete(out, k, k+1)
		}
		out = append(out, l)
	}
	return out
}

// rests reports whether a line is allowed by one of the changed lines.
func rests(f *finding.Finding, l *toldLine) bool {
	for _, b := range l.Because {
		for i := range f.Locations {
			at := &f.Locations[i]
			if at.InDiff && at.File == b.File && at.StartLine <= b.Line && b.Line <= at.EndLine {
				return true
			}
		}
	}
	return false
}

// role is the lifeline of an actor: one for each kind of control loop, as the cluster
// has one of each, and one for all that the environment does. A diagram of few lifelines
// stays wide enough to be read.
func role(s *finding.Step) string {
	if s.Class == "event" {
		return "environment"
	}
	name, _, _ := strings.Cut(actor(s), "@")
	if strings.HasPrefix(name, "kubelet") {
		return "kubelet"
	}
	name, _, _ = strings.Cut(name, "/")
	return name
}

// lifeline is the name of an object without its API group and revision, as in "Node a-1";
// a workload, its ReplicaSets and its pods share one, "default/web".
func lifeline(object string) string {
	object, _, _ = strings.Cut(line(object), " (")
	kind, name, ok := strings.Cut(object, " ")
	if i := strings.LastIndexByte(kind, '/'); ok && i >= 0 {
		kind = kind[i+1:]
	}
	switch kind {
	case "Deployment", "ReplicaSet", "Pod":
		if ok {
			return strings.TrimSpace(name)
		}
	}
	return strings.TrimSpace(kind + " " + name)
}
