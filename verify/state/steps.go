package state

import (
	"reflect"
	"slices"
)

// An apply may take several steps: a tool such as Argo CD applies a part of head, waits until that is healthy, and goes
// on with the next. Each workload and quota says with which step it comes ([Workload.Step], [Quota.Step]); numbers that
// nothing comes with, or nothing that differs, are no steps. With one step the state has no memory of them.

// addSteps finds the steps in which head differs from base, and lays out how many are still to come.
func (c *Config) addSteps(b *Builder) {
	spec := c.Spec
	var all []int
	for w := range spec.Workloads {
		all = append(all, spec.Workloads[w].Step)
	}
	for i := range spec.Quotas {
		all = append(all, spec.Quotas[i].Step)
	}
	if len(all) == 0 || slices.Min(all) == slices.Max(all) {
		return
	}
	for w := range spec.Workloads {
		if m := &spec.Workloads[w].Manifests; !reflect.DeepEqual(m[Base], m[Head]) {
			c.steps = append(c.steps, spec.Workloads[w].Step)
		}
	}
	for i := range spec.Quotas {
		q := &spec.Quotas[i]
		if !reflect.DeepEqual(q.Objects[Base], q.Objects[Head]) || !reflect.DeepEqual(q.Queues[Base], q.Queues[Head]) {
			c.steps = append(c.steps, q.Step)
		}
	}
	slices.Sort(c.steps)
	if c.steps = slices.Compact(c.steps); len(c.steps) > 1 {
		c.StepsLeft = b.Field(len(c.steps) - 1)
	} else {
		c.steps = nil
	}
}

// Steps is how many steps an apply of head over base takes; at least 1.
func (c *Config) Steps() int { return max(len(c.steps), 1) }

// StepsLeft is how many steps of the apply of head are still to come.
func (s State) StepsLeft() int { return s.Get(s.C.StepsLeft) }

// Reached is the last step that was applied; see [Workload.Step]. There must be several.
func (s State) Reached() int { return s.C.steps[len(s.C.steps)-1-s.StepsLeft()] }

// reached is the version in the API server of the objects of a step.
func (s State) reached(step int) Version {
	if v := s.Version(); v == Base || s.C.StepsLeft.width == 0 || step <= s.Reached() {
		return v
	}
	return Base
}

// VersionOf is the version of workload w, and of what targets it, in the API server.
func (s State) VersionOf(w int) Version { return s.reached(s.C.Spec.Workloads[w].Step) }

// VersionOfClass is that of the workload of pod class p.
func (s State) VersionOfClass(p int) Version { return s.VersionOf(s.C.Pods[p].Workload) }

// VersionOfQuota is the version of the i-th of [Spec.Quotas] in the API server.
func (s State) VersionOfQuota(i int) Version { return s.reached(s.C.Spec.Quotas[i].Step) }

// SetStep has the workload, or the quota, of an ID come with another step of the apply.
func (s *Spec) SetStep(id string, step int) {
	s.Workloads, s.Quotas = slices.Clone(s.Workloads), slices.Clone(s.Quotas)
	for i := range s.Workloads {
		if s.Workloads[i].ID == id {
			s.Workloads[i].Step = step
		}
	}
	for i := range s.Quotas {
		if s.Quotas[i].ID() == id {
			s.Quotas[i].Step = step
		}
	}
}
