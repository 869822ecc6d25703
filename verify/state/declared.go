package state

import "slices"

// Declared is one control loop that the policy file describes, on one workload or object: a controller of somebody
// else's, of which only what it watches and what it writes is known.
type Declared struct {
	Name     string // of the controller; several loops may share it, one a workload
	Workload string // ID of the one that it acts on; "" for one that writes an object only
	// Acts says in which versions it acts on the workload, as a loop that goes by the workload's labels may in one only.
	Acts     [2]bool
	Prompt   bool   // it acts within milliseconds, as a loop that watches does; else now and then
	Watches  string // ID of the object whose changes it sees, such as "ConfigMap default/web"; "": none
	Differs  bool   // head's version of that object is another one than base's
	Does     Deed
	Min, Max int    // bounds of a count, in pods
	Which    Victim // pods that it deletes
	Evicts   bool   // it asks the eviction API, and does not delete
	Writes   string // ID of the object that it writes, for [WriteObject]
	// When says in which states it acts (not 0), and To how many replicas it sets. nil: in all where it has something to
	// do; always so for To unless it scales.
	When, To Expression
}

// Deed is an action of a declared loop.
type Deed uint8

const (
	SetReplicas Deed = iota // of its workload
	Restart                 // gives its workload's pod template a new annotation: all pods are replaced
	DeletePods              // of its workload, one a step
	WriteObject             // which those see that watch it
)

// Victim says which pods a declared loop deletes.
type Victim uint8

const (
	AnyPod Victim = iota
	OutdatedPod
	UnreadyPod
)

// Expression is what the user wrote of the state, compiled for any problem.
type Expression interface {
	// Content is the text that it was compiled from: two of one type and content give the same in any problem.
	Content() string
	// For gives the expression in a problem, for a loop on workload self (-1: on none); false where it names a workload
	// that is not there.
	For(c *Config, self int) (Reading, bool)
}

// Reading is an expression in one problem. It is safe for concurrent use.
type Reading interface {
	// Of is its value in a state: a count, or 1 for true. noticed says that the object that the loop watches has
	// changed.
	Of(s State, noticed bool) int
	// Err says why it had no value in some state; it counted as 0 there.
	Err() error
	// Placed reports whether it looks at where pods are, beyond how many are in which phase.
	Placed() bool
}

// Bounds are the least and the most replicas that a declared loop sets, in pods.
type Bounds struct{ Min, Max int }

// DeclaredOn lists the loops on a workload, by its ID.
func (s *Spec) DeclaredOn(id string, deeds ...Deed) []Declared {
	var out []Declared
	for _, d := range s.Declared {
		if d.Workload == id && slices.Contains(deeds, d.Does) {
			out = append(out, d)
		}
	}
	return out
}

// Rolls reports whether a declared loop deletes outdated pods of workload w, so that a rollout which waits for somebody
// to do so (OnDelete) goes on.
func (s State) Rolls(w int) bool { return s.C.rolls[w][s.VersionOf(w)] }

// Scales reports whether a declared loop sets the replicas of workload w.
func (c *Config) Scales(w int) bool {
	return len(c.Spec.DeclaredOn(c.Spec.Workloads[w].ID, SetReplicas)) > 0
}

// addDeclared lays out what moves of declared loops: which of them have yet to act on what they watch, and which of the
// two revisions of a workload that is restarted is the current one.
func (c *Config) addDeclared(b *Builder) {
	for _, d := range c.Spec.Declared {
		var f Field
		if d.Differs || slices.ContainsFunc(c.Spec.Declared,
			func(o Declared) bool { return o.Does == WriteObject && o.Writes == d.Watches && d.Watches != "" }) {
			f = b.Field(1)
		}
		c.notices = append(c.notices, f)
	}
	for w := range c.Spec.Workloads {
		id := c.Spec.Workloads[w].ID
		var rolls [2]bool
		for _, d := range c.Spec.DeclaredOn(id, DeletePods) {
			for v := range rolls {
				rolls[v] = rolls[v] || d.Acts[v] && d.Which != UnreadyPod
			}
		}
		c.rolls = append(c.rolls, rolls)
	}
}

// Notices reports whether the object that declared loop i watches has changed since the loop acted.
func (s State) Notices(i int) bool { return s.left(s.C.notices[i]) == 1 }

// Notice says so, or that the loop has acted.
func (s State) Notice(i int, changed bool) {
	if f := s.C.notices[i]; f.width > 0 {
		v := 0
		if changed {
			v = 1
		}
		s.Set(f, v)
	}
}

// CanNotice reports whether loop i ever has something to notice.
func (c *Config) CanNotice(i int) bool { return c.notices[i].width > 0 }

// turns gives a workload that a declared loop restarts a second revision of its one template, which differs in an
// annotation only: restarts go from the one to the other and back. A workload that the change gives a new template has
// two revisions already, and no restart.
func (c *Config) turns(b *Builder, w int, classes []int) []int {
	wl := &c.Spec.Workloads[w]
	if wl.Kind() != Deployment || len(classes) != 1 || len(wl.Sizes) > 0 || len(c.Spec.DeclaredOn(wl.ID, Restart)) == 0 {
		return classes
	}
	p := c.Pods[classes[0]]
	p.Set, p.Turned = len(c.Pods), true
	c.Pods = append(c.Pods, p)
	c.Workload[w].Turn = b.Field(1)
	return append(classes, p.Set)
}

// Restarts reports whether workload w has restarts; see [PodClass.Turned].
func (c *Config) Restarts(w int) bool { return c.Workload[w].Turn.width > 0 }

// Turn makes the other one of workload w's two revisions the current one.
func (s State) Turn(w int) { s.Set(s.C.Workload[w].Turn, 1-s.Get(s.C.Workload[w].Turn)) }

// HasTemplate reports whether class p's template is the one that its workload has in the API server.
func (s State) HasTemplate(p int) bool {
	c := s.C
	if w := c.Pods[p].Workload; c.Restarts(w) {
		return c.ByVersion[w][s.VersionOf(w)] >= 0 && c.Pods[p].Turned == (s.Get(c.Workload[w].Turn) == 1)
	}
	return c.HasTemplate(p, s.VersionOfClass(p))
}
