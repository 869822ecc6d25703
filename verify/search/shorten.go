package search

// shortenSteps bounds the steps that are taken again to make one path shorter.
const shortenSteps = 20_000

// shorten leaves out steps that a violation without a loop does not need: first events, then ever shorter runs of
// steps. The rest is taken again from the start, each step by its actor's move; one that is not possible any more is
// left out too.
func (s *swarm) shorten(v *Violation) error {
	if v.CycleStart >= 0 {
		return nil
	}
	left := shortenSteps
	try := func(leave func(i int, st Step) bool) (bool, error) {
		w, err := s.again(v, leave, &left)
		if err != nil || w == nil || !fewerThan(w, v) || Confirm(s.System, *w) != nil {
			return false, err
		}
		*v = *w
		return true, nil
	}
	for i := len(v.Steps) - 1; i >= 0; i-- {
		if i >= len(v.Steps) || s.Actors[v.Steps[i].Actor].Urgency() != Environment {
			continue
		}
		if _, err := try(func(k int, _ Step) bool { return k == i }); err != nil {
			return err
		}
	}
	for size := len(v.Steps) / 2; size > 0; {
		less := false
		for i := 0; i < len(v.Steps) && left > 0; {
			shorter, err := try(func(k int, _ Step) bool { return k >= i && k < i+size })
			if err != nil {
				return err
			}
			if less = less || shorter; !shorter {
				i += size
			}
		}
		if !less || size > 1 {
			size /= 2
		}
	}
	return nil
}

// fewerThan reports whether one violation needs fewer events than another, or as many and fewer steps.
func fewerThan(v, o *Violation) bool {
	return v.Events < o.Events || v.Events == o.Events && len(v.Steps) < len(o.Steps)
}

// again takes the steps of a path that are not left out; nil where that does not violate the rule.
func (s *swarm) again(v *Violation, leave func(i int, st Step) bool, left *int) (*Violation, error) {
	out := &Violation{Rule: v.Rule, Start: v.Start, CycleStart: -1}
	rule := &s.Rules[v.Rule]
	at := v.Start
	for i, st := range v.Steps {
		if leave(i, st) {
			continue
		}
		if *left--; *left < 0 || *left&7 == 0 && s.late() {
			*left = 0
			return nil, nil
		}
		event := s.Actors[st.Actor].Urgency() == Environment
		step, err := s.w.likewise(at, st.Actor, st.Move)
		if err != nil {
			return nil, err
		}
		if step == nil {
			continue
		}
		out.Steps, at = append(out.Steps, *step), step.To
		if event {
			out.Events++
		}
		if rule.BadStep != nil && rule.BadStep(step.From, step.To, step.Actor, step.Move) || rule.Bad != nil && rule.Bad(at) {
			return out, nil
		}
	}
	if rule.BadStep != nil || rule.Bad != nil {
		return nil, nil
	}
	return out, nil // whether it ends badly, the replay says
}
