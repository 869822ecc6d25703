package state

// The pods of a StatefulSet are individuals: each ordinal is a separate pod class in each revision, with one pod at
// most. Everything that counts pods of a class, or moves one, then knows ordinals without asking for them.

// NoOrdinal is the ordinal of a pod class whose pods are all alike.
const NoOrdinal = -1

// FirstOrdinal is the lowest ordinal of a StatefulSet's pods (upstream: getStartOrdinal).
func (m *Manifest) FirstOrdinal() int {
	if o := m.StatefulSet.Spec.Ordinals; o != nil {
		return int(o.Start)
	}
	return 0
}

// Partition is the index below which a StatefulSet's pods keep its current revision.
func (m *Manifest) Partition() int {
	if r := m.StatefulSet.Spec.UpdateStrategy.RollingUpdate; r != nil && r.Partition != nil {
		return int(*r.Partition)
	}
	return 0
}

// Ordinals are those that the pods of a workload can have in either version, ascending;
// for a kind without ordinals it is one, [NoOrdinal].
func (w *Workload) Ordinals() []int {
	if w.Kind() != StatefulSet {
		return []int{NoOrdinal}
	}
	first, end := -1, 0
	most := 0
	for v := range w.Manifests {
		m := &w.Manifests[v]
		most = max(most, m.Replicas())
		if m.HPA != nil {
			most = max(most, int(m.HPA.Spec.MaxReplicas))
		}
		most = max(most, m.Bounds.Max)
	}
	for v := range w.Manifests {
		m := &w.Manifests[v]
		if !m.Exists() {
			continue
		}
		if start := m.FirstOrdinal(); first < 0 || start < first {
			first = start
		}
		end = max(end, m.FirstOrdinal()+max(most, 1)) // an apply may bring replicas back to 1
	}
	var out []int
	for o := first; o < end; o++ {
		out = append(out, o)
	}
	return out
}

// HasTemplate reports whether class p's template is that of a version.
func (c *Config) HasTemplate(p int, v Version) bool {
	return v == Base && c.Pods[p].InBase || v == Head && c.Pods[p].InHead
}

// Revisions is the number of revisions that workload w has: 0 to 2, one for each template of its versions, or two of
// one that is restarted.
func (c *Config) Revisions(w int) int {
	by := c.ByVersion[w]
	switch {
	case by[Base] < 0 && by[Head] < 0:
		return 0
	case c.Restarts(w):
		return 2
	case by[Base] < 0 || by[Head] < 0 || by[Base] == by[Head]:
		return 1
	}
	return 2
}

// Begin notes that class p's revision has a pod, where that makes a difference.
func (s State) Begin(p int) {
	if f := s.C.Class[p].Exists; f.width > 0 {
		s.Set(f, 1)
	}
}

// Begun reports whether class p's revision has, or had, a pod. It knows of revisions that may
// be bad only.
func (s State) Begun(p int) bool { return s.Get(s.C.Class[p].Exists) == 1 }

// AddCurrentRevision lays out which revision workload w's StatefulSet has as current.
func (b *Builder) AddCurrentRevision(w int) { b.cfg.Workload[w].Current = b.Field(1) }

// TracksCurrent reports whether the state remembers workload w's current revision.
func (c *Config) TracksCurrent(w int) bool { return c.Workload[w].Current.width > 0 }

// Current is the version whose template is the current revision of workload w's
// StatefulSet (.status.currentRevision), where that makes a difference.
func (s State) Current(w int) Version { return Version(s.Get(s.C.Workload[w].Current)) }

// SetCurrent sets what [State.Current] gives, where that makes a difference.
func (s State) SetCurrent(w int, v Version) {
	if f := s.C.Workload[w].Current; f.width > 0 {
		s.Set(f, int(v))
	}
}
