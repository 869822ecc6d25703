package verify

import (
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// healing are the fields of Applications, ApplicationSets, Kustomizations and HelmReleases that say
// what of drift is corrected.
var healing = regexp.MustCompile(`(^|\.)spec\.(syncPolicy|ignoreDifferences|driftDetection|suspend)\b`)

// blameHealing blames what is new of a release on the object that has it healed otherwise, where
// nothing of the release itself is to blame.
func (a *analysis) blameHealing(ch *object.Changes) {
	declared := map[string]object.Delivery{}
	for _, r := range ch.Head.Releases {
		if r.Delivery.Tool != "" && a.besides.Healed(r.ID) != "" {
			declared[r.ID] = r.Delivery
		}
	}
	for i := range a.result.Findings {
		f := &a.result.Findings[i]
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
