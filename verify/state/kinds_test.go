package state_test

import (
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/rollouts"
	"github.com/kubesettle/kubesettle/verify/state"
)

func twoStrategies(canary bool) *rollouts.Rollout {
	r := &rollouts.Rollout{}
	if canary {
		r.Spec.Strategy.Canary = &rollouts.Canary{TrafficRouting: &rollouts.TrafficRouting{}}
	} else {
		r.Spec.Strategy.BlueGreen = &rollouts.BlueGreen{}
	}
	return r
}

// kinds are empty objects of every kind of workload: the fields of a manifest whose spec has a template.
func kinds() []any {
	out := []any{&corev1.Pod{}}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[state.Manifest]()) {
		if f.Type.Kind() != reflect.Pointer || f.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		spec, ok := f.Type.Elem().FieldByName("Spec")
		if !ok || spec.Type.Kind() != reflect.Struct {
			continue
		}
		_, pods := spec.Type.FieldByName("Template")
		_, jobs := spec.Type.FieldByName("JobTemplate")
		if pods || jobs {
			out = append(out, reflect.New(f.Type.Elem()).Interface())
		}
	}
	return out
}

// Whoever changes a manifest has a copy of its object, of whichever kind.
func TestEveryKindIsCopiedAndCompared(t *testing.T) {
	if n := len(kinds()); n < 8 {
		t.Fatalf("only %d kinds", n)
	}
	for _, object := range kinds() {
		m, ok := state.ManifestOf(object)
		if !ok {
			t.Errorf("%T is no workload: ManifestOf does not have it", object)
			continue
		}
		if m.Kind() == "" {
			t.Errorf("%T has no kind: Manifest.object does not have it", object)
		}
		if own := m; !own.Same(&m) {
			t.Errorf("%s: a manifest is not the same as itself", m.Kind())
		} else if own.OwnObject(); own.Same(&m) {
			t.Errorf("%s: OwnObject does not copy it, or Same does not compare it", m.Kind())
		}
	}
}

// A rule asks for the pace of a rollout in every state of a search, so that one allocation
// there is millions in a run.
func TestPaceAllocatesNothing(t *testing.T) {
	without := slices.DeleteFunc(kinds(), func(o any) bool { // a Rollout has to have a strategy
		_, is := o.(*rollouts.Rollout)
		return is
	})
	for _, object := range append(without, twoStrategies(true), twoStrategies(false)) {
		m, ok := state.ManifestOf(object)
		if !ok {
			t.Fatalf("%T is no workload", object)
		}
		keeps := 0
		if n := testing.AllocsPerRun(100, func() {
			if m.Pace().Keeps {
				keeps++
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations for its pace", m.Kind(), n)
		}
	}
}
