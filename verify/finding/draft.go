package finding

// A Draft is a finding as its finder knows it. A field that is left out means the careful choice: its certainty is not
// known, nor is its size a declared one.
type Draft struct {
	Rule, Class, Severity string
	Release, Workload     string
	Status                Status
	Certainty             Certainty
	Scenario, Message     string
	AtDeclaredScale       bool
	Events                []string
	Steps                 []Step
	Locations             []Location
	Blame                 []Blame
	// Shape tells it from others of the same rule and workload, such as the fields that it rests on; nil: the actors of
	// its steps do.
	Shape []string
}

// Finding makes the finding: no list of it is nil, and it has its fingerprint.
func (d Draft) Finding() Finding {
	f := Finding{
		Rule: d.Rule, Class: d.Class, Severity: d.Severity, Status: d.Status, Certainty: d.Certainty,
		Scenario: d.Scenario, Timing: "realistic", Workload: d.Workload, Release: d.Release, Message: d.Message,
		Scale: Scale{Classes: map[string]int{}}, AtDeclaredScale: d.AtDeclaredScale,
		Events: append([]string{}, d.Events...), Interleaving: append([]Step{}, d.Steps...),
		Locations: append([]Location{}, d.Locations...), Blame: append([]Blame{}, d.Blame...),
	}
	f.identify(d.Shape)
	return f
}
