package run

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// onTrust keeps the findings that count for a slice with objects of other releases that are not declared to run in its
// cluster: those that the change causes with these objects and not without. They are warnings at most. Findings without
// these objects are reported as if they were not there: a neighbour excuses nothing.
func (a *Analysis) onTrust(sl *slice.Slice, found []finding.Finding) []finding.Finding {
	others := sl.OnTrust()
	if len(others) == 0 {
		return found
	}
	stands := func(f finding.Finding) bool { return f.Status == finding.New || f.Status == finding.Worsened }
	var out []finding.Finding
	for _, f := range found {
		same := func(g finding.Finding) bool {
			return g.Rule == f.Rule && g.Workload == f.Workload && g.Release == f.Release
		}
		if !stands(f) || slices.ContainsFunc(a.Result.Findings, func(g finding.Finding) bool {
			return same(g) && stands(g)
		}) {
			continue
		}
		a.Result.Findings = slices.DeleteFunc(a.Result.Findings, same) // existing, or fixed: not with the neighbours
		for _, id := range others {
			f.Together(sl.Release, id)
		}
		out = append(out, f)
	}
	return out
}

// foretell enters a forecast, except for workloads that no rollout replaces, or of suspended releases; of a slice on
// trust that of the workloads alone that have none without the others.
func (a *Analysis) foretell(sl *slice.Slice, f finding.Forecast) {
	suspended := map[string]bool{}
	for _, r := range a.Changes.Head.Releases {
		suspended[r.ID] = r.Delivery.Suspended
	}
	f.Workloads = slices.DeleteFunc(slices.Clone(f.Workloads), func(w finding.Foreseen) bool {
		return a.anew[sl.Owner(w.Workload)+" "+w.Workload] || suspended[sl.Owner(w.Workload)]
	})
	if len(f.Workloads) == 0 {
		return
	}
	if len(sl.OnTrust()) > 0 {
		f.Workloads = slices.DeleteFunc(slices.Clone(f.Workloads), func(w finding.Foreseen) bool {
			return slices.ContainsFunc(a.Result.Forecasts, func(g finding.Forecast) bool {
				return g.Release == sl.Owner(w.Workload) && slices.ContainsFunc(g.Workloads,
					func(x finding.Foreseen) bool { return x.Workload == w.Workload })
			})
		})
		if len(f.Workloads) == 0 {
			return
		}
	}
	a.Result.Forecasts = append(a.Result.Forecasts, f)
}

// byFound words the findings in which a descheduler acts of which nobody says that it runs in the slice's cluster.
func (a *Analysis) byFound(sl *slice.Slice, found []finding.Finding) {
	file, lender := a.besides.OnTrust(sl.Release)
	for i := range found {
		if f := &found[i]; lender != "" && slices.ContainsFunc(f.Interleaving, func(s finding.Step) bool {
			return slices.ContainsFunc(s.Because, func(b finding.Because) bool { return b.File == file })
		}) {
			f.Together(sl.Release, lender)
		}
	}
}

// surestFirst puts the slices on trust behind those that surely are so, which have their workloads and findings first,
// and those of charts that were switched on behind all: where time runs out, it is theirs.
func surestFirst(picked []*slice.Slice, head *object.Revision) []*slice.Slice {
	with := settings(head)
	rank := func(sl *slice.Slice) int {
		switch {
		case with[sl.Release] != "":
			return 2
		case len(sl.OnTrust()) > 0:
			return 1
		}
		return 0
	}
	out := slices.Clone(picked)
	slices.SortStableFunc(out, func(a, b *slice.Slice) int { return rank(a) - rank(b) })
	return out
}

// settings are the undeclared settings with which charts were rendered, by release.
func settings(head *object.Revision) map[string]string {
	out := map[string]string{}
	for _, r := range head.Releases {
		if r.Switched != "" {
			out[r.ID] = r.Switched
		}
	}
	return out
}

// supposes reports whether a release of head has undeclared values, beside itself without them: then its rollout is not
// forecast.
func (a *Analysis) supposes(release string) bool {
	return slices.ContainsFunc(a.Changes.Head.Releases, func(r *object.Rendered) bool {
		return r.ID == release && r.Tried()
	})
}

// hedgeSwitched words the findings of such a chart: they hold for users who install the chart so, and are no errors.
// Those of base are left out, as that part of the chart was not asked for.
func (a *Analysis) hedgeSwitched(head *object.Revision) {
	with := settings(head)
	said := map[[4]string]bool{} // of releases rendered as they are declared
	for _, f := range a.Result.Findings {
		if with[f.Release] == "" {
			said[[4]string{f.Rule, f.Workload, string(f.Status), f.Message}] = true
		}
	}
	a.Result.Findings = slices.DeleteFunc(a.Result.Findings, func(f finding.Finding) bool {
		return with[f.Release] != "" && (f.Status == finding.Existing ||
			said[[4]string{f.Rule, f.Workload, string(f.Status), f.Message}])
	})
	for i := range a.Result.Findings {
		f := &a.Result.Findings[i]
		if with[f.Release] == "" {
			continue
		}
		if f.Severity == string(rules.Error) {
			f.Severity = string(rules.Warning)
		}
		f.Message = fmt.Sprintf("with %s, %s", fewSettings(with[f.Release]), f.Message)
	}
	finding.Sort(a.Result.Findings)
}

// hedgeIdle words the findings of releases that nothing is known to apply, where something says that nothing does: they
// are no errors, and no more than notes in a folder whose name says it.
func (a *Analysis) hedgeIdle(head *object.Revision) {
	idle, aside := map[string]*object.Rendered{}, map[string]bool{}
	for _, r := range head.Releases {
		if a.ties.Idle(r) {
			idle[r.ID], aside[r.ID] = r, a.ties.SetAside(r)
		}
	}
	for i := range a.Result.Findings {
		f := &a.Result.Findings[i]
		r := idle[f.Release]
		if r == nil || f.Status == finding.Fixed {
			continue
		}
		why := ", which the tool that applies the folder above leaves out"
		if f.AtMostWarning(); aside[f.Release] {
			f.Severity, why = string(rules.Note), ", whose name says that nothing does"
		}
		folder := r.Path
		if r.By.File != "" {
			folder = path.Dir(r.By.File)
		}
		f.While("something applies "+folder+why, "cluster.releases")
	}
	finding.Sort(a.Result.Findings)
}

// hedgeMade words findings of workloads that operators of this kind are known to make, if that is not declared for this
// one: no errors.
func (a *Analysis) hedgeMade(head *object.Revision) {
	by := map[[2]string]*object.Object{}
	for _, r := range head.Releases {
		for _, o := range r.Objects {
			if o.Presumed != "" {
				by[[2]string{r.ID, o.ID.String()}] = o
			}
		}
	}
	for i := range a.Result.Findings {
		f := &a.Result.Findings[i]
		if o := by[[2]string{f.Release, f.Workload}]; o != nil {
			f.AtMostWarning()
			f.While(fmt.Sprintf("%s makes it of %s %s as it usually does", o.Presumed, o.Maker.ID.Kind, o.Maker.ID.Name),
				"controllers.own")
		}
	}
	finding.Sort(a.Result.Findings)
}

// hedgeUnrun words new findings of workloads of which it is unknown what a changed policy makes of them: no errors.
func (a *Analysis) hedgeUnrun(picked []*slice.Slice) {
	for _, sl := range picked {
		for _, u := range sl.Unrun {
			for i := range a.Result.Findings {
				f := &a.Result.Findings[i]
				if f.Workload != u.Workload || f.Release != sl.Owner(u.Workload) || f.Status == finding.Fixed ||
					f.Severity != string(rules.Error) || f.Rule == rules.ApplyRejected {
					continue
				}
				f.AtMostWarning()
				f.While(u.Policy+" leaves "+u.Workload+" as it is", "")
			}
		}
	}
	finding.Sort(a.Result.Findings)
}

// mostOfSettings is how much of a chart's settings a headline quotes: the cause comes behind them.
const mostOfSettings = 60

// fewSettings are the first settings of a list, and how many more it has.
func fewSettings(list string) string {
	all := strings.Split(list, ",")
	n := 1
	for n < len(all) && len(strings.Join(all[:n+1], ",")) <= mostOfSettings {
		n++
	}
	if n == len(all) {
		return list
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:n], ","), len(all)-n)
}

// healing are the fields of Applications, ApplicationSets, Kustomizations and HelmReleases that say which drift is
// corrected.
var healing = regexp.MustCompile(`(^|\.)spec\.(syncPolicy|ignoreDifferences|driftDetection|suspend)\b`)

// blameHealing blames new findings of a release on the object that changes how it is healed, if nothing of the release
// itself is to blame.
func (a *Analysis) blameHealing(ch *object.Changes) {
	declared := map[string]object.Delivery{}
	for _, r := range ch.Head.Releases {
		if r.Delivery.Tool != "" && a.besides.Healed(r.ID) != "" {
			declared[r.ID] = r.Delivery
		}
	}
	for i := range a.Result.Findings {
		f := &a.Result.Findings[i]
		d, ok := declared[f.Release]
		if !ok || len(f.Blame) > 0 || f.Status != finding.New && f.Status != finding.Worsened {
			continue
		}
		var at []finding.Location
		for k := range ch.Changes {
			c := &ch.Changes[k]
			name := c.ID().Namespace + "/" + c.ID().Name
			if c.Head == nil || c.Base == nil || name != d.Name && name != d.Set {
				continue
			}
			for _, field := range c.Fields {
				if !healing.MatchString(field.Path) {
					continue
				}
				l := a.places.Field(field)
				f.Blame = append(f.Blame, finding.Blame{
					Object: c.ID().String(), Path: field.Path, Location: &l,
					Old: judge.Value(field.Old, field.Secret), New: judge.Value(field.New, field.Secret),
				})
				if field.OnBase { // a removed field is shown where its parent was
					l = a.places.Location(c.Head.Locate(field.Path), "head")
					l.Field = field.Path
				}
				at = append(at, l)
			}
		}
		f.Locations = judge.Distinct(slices.Concat(at, f.Locations))
	}
}
