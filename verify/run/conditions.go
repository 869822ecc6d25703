package run

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// onTrust keeps of the findings of a slice those that count where it has objects of other releases of which nobody says
// that they run in its cluster: what the change breaks with them and not without. They are warnings at most. What is
// broken without them is told as if they were not there: a neighbour excuses nothing.
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

// switchedLast puts the slices of charts that were switched on behind all others: where time runs
// out, it is theirs.
func switchedLast(picked []*slice.Slice, head *object.Revision) []*slice.Slice {
	with := settings(head)
	var first, last []*slice.Slice
	for _, sl := range picked {
		if with[sl.Release] == "" {
			first = append(first, sl)
		} else {
			last = append(last, sl)
		}
	}
	return append(first, last...)
}

// settings are those with which charts were rendered that nobody declared with them, by release.
func settings(head *object.Revision) map[string]string {
	out := map[string]string{}
	for _, r := range head.Releases {
		if r.Switched != "" {
			out[r.ID] = r.Switched
		}
	}
	return out
}

// supposes reports whether a release of head has values that nobody declared, beside itself without them: how it would
// roll out is nobody's question.
func (a *Analysis) supposes(release string) bool {
	return slices.ContainsFunc(a.Changes.Head.Releases, func(r *object.Rendered) bool {
		return r.ID == release && r.Tried()
	})
}

// hedgeSwitched words what is found of such a chart: it holds for who installs the chart so, and
// is no error. What base had as well is not said: nobody asked for that part of the chart.
func (a *Analysis) hedgeSwitched(head *object.Revision) {
	with := settings(head)
	said := map[[4]string]bool{} // of what is rendered as it is declared
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

// hedgeMade words what is found of workloads that an operator is known to make, where nobody declares what this one
// makes: no errors.
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

// healing are the fields of Applications, ApplicationSets, Kustomizations and HelmReleases that say
// what of drift is corrected.
var healing = regexp.MustCompile(`(^|\.)spec\.(syncPolicy|ignoreDifferences|driftDetection|suspend)\b`)

// blameHealing blames what is new of a release on the object that has it healed otherwise, where
// nothing of the release itself is to blame.
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
				if field.OnBase { // what is gone is shown where it was within
					l = a.places.Location(c.Head.Locate(field.Path), "head")
					l.Field = field.Path
				}
				at = append(at, l)
			}
		}
		f.Locations = judge.Distinct(slices.Concat(at, f.Locations))
	}
}
