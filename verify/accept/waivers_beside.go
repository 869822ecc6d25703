package accept

import (
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// besides are the waivers beside objects, by release and object.
type besides struct {
	of       map[[2]string][]waiverBeside
	order    []waiverBeside
	problems []finding.Note
}

type waiverBeside struct {
	policies.Waiver
	release, object string
	where           finding.Location
}

// waiversBeside reads the annotations of a revision.
func waiversBeside(rev *object.Revision, opt *run.Options) *besides {
	b := &besides{of: map[[2]string][]waiverBeside{}}
	if rev == nil {
		return b
	}
	for _, rel := range rev.Releases {
		if !opt.Has(rel.ID) {
			continue
		}
		for _, o := range rel.Objects {
			text, ok := annotation(o)
			if !ok {
				continue
			}
			at := o.Locate("metadata.annotations[" + policies.WaiveAnnotation + "]")
			where := finding.Location{File: at.File, StartLine: max(at.StartLine, 1)}
			list, problems := opt.Policy.Beside(text)
			say := func(n finding.Note) {
				b.problems = finding.AppendNew(b.problems, n.On(o.ID.String()).At(where.File, where.StartLine))
			}
			if l := opt.Policy.Lock("waivers"); l != nil {
				list, problems = nil, nil
				say(finding.Say(finding.WaiversLocked, policies.WaiveAnnotation, l.File, l.Line))
			}
			for _, s := range problems {
				say(finding.Say(finding.BesideUnread, policies.WaiveAnnotation, s))
			}
			k := [2]string{rel.ID, o.ID.String()}
			for _, w := range list {
				x := waiverBeside{w, rel.ID, o.ID.String(), where}
				b.of[k], b.order = append(b.of[k], x), append(b.order, x)
			}
		}
	}
	return b
}

// annotation is the waivers' text of an object. Values are of any type: an object of base may be
// one that the API server refuses.
func annotation(o *object.Object) (string, bool) {
	meta, _ := o.Content["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	text, ok := annotations[policies.WaiveAnnotation].(string)
	return text, ok
}

// covering is the waiver that accepts a finding today: there is one in every release that has it.
func (b *besides) covering(f *finding.Finding, today time.Time) (first waiverBeside, ok bool) {
	for i, rel := range append([]string{f.Release}, f.AlsoIn...) {
		list := b.of[[2]string{rel, f.Workload}]
		at := slices.IndexFunc(list, func(w waiverBeside) bool { return w.Rule == f.Rule && !w.expired(today) })
		if at < 0 {
			return first, false
		}
		if i == 0 {
			first = list[at]
		}
	}
	return first, true
}

func (w waiverBeside) expired(today time.Time) bool { return w.ExpiredOn(today) }

// say is a note on a waiver.
func (w waiverBeside) say(k finding.Kind, args ...any) finding.Note {
	return finding.Say(k, args...).On(w.object).At(w.where.File, w.where.StartLine)
}

// waiveBeside moves findings that an annotation of base's object accepts out of the findings. If there is no base, the
// annotations are those of the verified objects.
func waiveBeside(r *finding.Result, ch *object.Changes, opt *run.Options, today time.Time) {
	from := ch.Base
	if from == nil {
		from = ch.Head
	}
	b := waiversBeside(from, opt)
	used := map[waiverBeside]bool{}
	kept := []finding.Finding{}
	for _, f := range r.Findings {
		w, ok := b.covering(&f, today)
		if !ok || f.Status == finding.Fixed {
			kept = append(kept, f)
			continue
		}
		for _, rel := range append([]string{f.Release}, f.AlsoIn...) {
			for _, x := range b.of[[2]string{rel, f.Workload}] {
				used[x] = used[x] || x.Rule == f.Rule
			}
		}
		where := w.where
		r.Waived = append(r.Waived, finding.Waived{Finding: f, Reason: w.Reason, Expires: w.Expires, Where: &where})
	}
	r.Findings = kept
	var said []finding.Note
	for _, w := range b.order {
		switch {
		case w.expired(today):
			said = finding.AppendNew(said, w.say(finding.BesideExpired, w.Rule, w.Expires))
		case !used[w] && passed(r, w.release, w.object):
			said = finding.AppendNew(said, w.say(finding.BesideIdle, w.Rule))
		}
	}
	said = append(said, b.problems...)
	if ch.Base != nil {
		said = finding.AppendNew(said, b.changed(waiversBeside(ch.Head, opt))...)
	}
	r.Notices = append(r.Notices, said...)
}

// passed reports whether a workload has a verdict.
func passed(r *finding.Result, release, id string) bool {
	return slices.ContainsFunc(r.Workloads, func(w finding.Workload) bool {
		return w.Release == release && w.ID == id && w.Verdict == finding.Pass && w.Change != string(object.Removed)
	})
}

// changed says which waivers head adds: they count after the merge.
func (b *besides) changed(head *besides) []finding.Note {
	out := slices.Clone(head.problems)
	for _, w := range head.order {
		same := func(o waiverBeside) bool { return o.Rule == w.Rule && o.Reason == w.Reason && o.Expires == w.Expires }
		if slices.ContainsFunc(b.of[[2]string{w.release, w.object}], same) {
			continue
		}
		out = finding.AppendNew(out, w.say(finding.BesideChanged, w.Rule))
	}
	return out
}
