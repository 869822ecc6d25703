package report

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// drawn is a sanitized result whose interleavings are shown by their visible steps: a step of a loop without a visible
// effect is folded into the next, so that the steps, and their numbers, are the same on every surface.
func drawn(r *finding.Result) *finding.Result {
	r = sanitized(r)
	for i := range r.Findings {
		foldUnseen(&r.Findings[i])
	}
	for i := range r.Waived {
		foldUnseen(&r.Waived[i].Finding)
	}
	return r
}

// foldUnseen folds steps that change nothing visible into the next one. An event, the decisive step and the first step
// of a loop stand for themselves, and nothing is folded beyond the end.
func foldUnseen(f *finding.Finding) {
	var out []finding.Step
	kept := map[int]int{} // new places of steps that stand for themselves
	var before *finding.Snapshot
	var waiting []finding.Step
	for i, s := range f.Interleaving {
		own := f.Decisive != nil && *f.Decisive == i || f.CycleStart != nil && *f.CycleStart == i
		if own { // earlier steps are no part of it
			out = append(out, waiting...)
			waiting = nil
		}
		unseen := before != nil && s.After != nil && reflect.DeepEqual(before, s.After)
		before = s.After
		if unseen && !own && s.Class != "event" && i < len(f.Interleaving)-1 && f.Interleaving[i+1].Class != "event" {
			waiting = append(waiting, s)
			continue
		}
		kept[i] = len(out)
		out = append(out, joinSteps(waiting, s))
		waiting = nil
	}
	place := func(at *int) *int {
		if at == nil {
			return nil
		}
		if to, ok := kept[*at]; ok {
			return &to
		}
		return at
	}
	f.Interleaving, f.Decisive, f.CycleStart = append([]finding.Step{}, out...), place(f.Decisive), place(f.CycleStart)
}

// joinSteps is a step with those before it that change nothing visible.
func joinSteps(unseen []finding.Step, s finding.Step) finding.Step {
	because := s.Because
	for i := len(unseen) - 1; i >= 0; i-- {
		s.Text = stepText(&unseen[i]) + "; " + stepText(&s)
		because = append(append([]finding.Because{}, unseen[i].Because...), because...)
	}
	s.Because = because
	return s
}

// noted says what the picture of a step has beside the cluster: what the step waits for, or does, where the cluster is
// as it was before. With it no step that is shown leaves its picture as it was. "": the cluster shows it.
func noted(before *finding.Snapshot, s *finding.Step) string {
	switch {
	case before == nil || s.After == nil || !reflect.DeepEqual(before, s.After):
		return ""
	case refuses(s):
		_, why, said := strings.Cut(stepText(s), ": ")
		if !said {
			why = stepText(s)
		}
		return "waits: " + why
	}
	return stepText(s)
}

// readyOf says of one picture after the other how many replicas of a finding's workload are ready, where that changes.
func readyOf(f *finding.Finding) func(*finding.Snapshot) string {
	last, known := 0, false
	return func(s *finding.Snapshot) string {
		if s == nil {
			return ""
		}
		for i := range s.Workloads {
			w := &s.Workloads[i]
			if w.Workload != f.Workload {
				continue
			}
			changes := known && w.Ready != last
			if last, known = w.Ready, true; changes {
				return fmt.Sprintf("%d of %d ready", w.Ready, w.Replicas)
			}
		}
		return ""
	}
}

// refuses reports whether a step is something that does not happen, and why.
func refuses(s *finding.Step) bool {
	return strings.HasSuffix(s.Action, "-refused") || s.Action == "no-feasible-node" || s.Action == "refuse-pod"
}

// decides reports whether a step decides a finding.
func decides(f *finding.Finding, index int) bool { return f.Decisive != nil && *f.Decisive == index }

// turnText says which step decides, and what would have come of the other choice; "" where that is not known.
func turnText(f *finding.Finding) string {
	switch {
	case f.Hopeless && len(f.Interleaving) > 1:
		return "no order of these steps ends well"
	case f.Decisive == nil || *f.Decisive < 0 || *f.Decisive >= len(f.Interleaving):
		return ""
	}
	s := fmt.Sprintf("step %d decides", *f.Decisive+1)
	if len(f.Lucky) > 0 {
		said := apartFrom(stepText(&f.Interleaving[*f.Decisive]), stepText(&f.Lucky[0]))
		s += fmt.Sprintf(": with %q instead, the same events end well", clip(said, 120))
	} else {
		s += ": before it, all is well in the end"
	}
	return s
}

// apartFrom is a text without the words that it begins with like another one, where these are many.
func apartFrom(other, text string) string {
	words, said := strings.Fields(text), strings.Fields(other)
	same := 0
	for same < min(len(words), len(said)) && words[same] == said[same] {
		same++
	}
	if same < 6 || same == len(words) {
		return text
	}
	return ellipsis + " " + strings.Join(words[same-2:], " ")
}
