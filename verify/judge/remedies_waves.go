package judge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// syncWave is the annotation by which Argo CD orders what it applies; without it the wave is 0.
const syncWave = "argocd.argoproj.io/sync-wave"

// stepsOf are the steps of a slice's workloads and quotas, where an apply takes several.
func stepsOf(s *state.Spec) map[string]int {
	out := map[string]int{}
	if s.Straight {
		return out // their order cannot be set
	}
	for i := range s.Workloads {
		out[s.Workloads[i].ID] = s.Workloads[i].Step
	}
	for i := range s.Quotas {
		out[s.Quotas[i].ID()] = s.Quotas[i].Step
	}
	return out
}

// comeEarlier lets objects that wait until the workload is healthy come with it: a quota that makes room, a pod that
// its own pods require. Within a wave Argo CD applies objects without pods first, and does not wait.
func comeEarlier(p patient) []remedy {
	own, there := p.steps[p.workload.ID.String()]
	wave, plain := waveOf(p.workload)
	if !there || !plain {
		return nil
	}
	var out []remedy
	for _, o := range p.beside {
		id := o.ID.String()
		if at, waits := p.steps[id]; !waits || at <= own {
			continue
		}
		if at, plain := waveOf(o); !plain || at <= wave {
			continue // a separate phase
		}
		r := changing(fmt.Sprintf("put %s into sync wave %d, that of %s", o.ID, wave, p.workload.ID),
			"", o, []object.Setting{{Path: "metadata.annotations", Value: map[string]any{syncWave: strconv.Itoa(wave)}}})
		r.tune = func(s *state.Spec) { s.SetStep(id, own) }
		out = append(out, r)
	}
	return out
}

// waveOf is the sync wave of an object; false where it is a hook, or not a number.
func waveOf(o *object.Object) (wave int, plain bool) {
	notes, _ := slice.ValueAt(o.Content, "metadata", "annotations").(map[string]any)
	if notes["argocd.argoproj.io/hook"] != nil || notes["helm.sh/hook"] != nil {
		return 0, false
	}
	text, some := notes[syncWave].(string)
	if !some {
		return 0, notes[syncWave] == nil
	}
	wave, err := strconv.Atoi(text)
	return wave, err == nil
}

// mostWaves bounds the searches spent on which waves are to blame for one finding.
const mostWaves = 4

// waveBlame blames the waves that the change sets or moves: each is put back to base's or, where base lacks the object,
// to that of the workload, and the search run again.
func (pl Places) waveBlame(ctx context.Context, c *scenario.Checker, v scenario.Variant, of judged) []finding.Blame {
	if of.Problem.Cfg.Steps() < 2 || of.Problem.Cfg.Spec.Straight {
		return nil
	}
	steps := stepsOf(&v.Spec)
	own := of.Problem.Cfg.Spec.Workloads[of.Bound.Workload].Step
	tried := 0
	var out []finding.Blame
	for _, id := range slices.Sorted(maps.Keys(steps)) {
		pair := v.Slice.Objects[id]
		if pair == nil || pair[state.Head] == nil {
			continue
		}
		now, plain := waveOf(pair[state.Head])
		was, before := own, ""
		if b := pair[state.Base]; b != nil {
			var known bool
			was, known = waveOf(b)
			plain = plain && known
			before = strconv.Itoa(was)
		}
		if !plain || now != steps[id] || was == now || tried >= mostWaves || c.Expired() {
			continue
		}
		tried++
		undone := v
		undone.Spec.SetStep(id, was)
		if mends(ctx, c, undone, of) {
			at := pl.Location(pair[state.Head].Locate(gitops.SyncWave), "head")
			at.Field = gitops.SyncWave
			out = append(out, finding.Blame{Object: id, Path: gitops.SyncWave, Old: before, New: strconv.Itoa(now),
				Location: &at})
		}
	}
	return out
}
