package state

import "slices"

// Remediation is what a controller of releases makes of an upgrade that fails.
type Remediation struct {
	// By is the object that says so, as a reference names it, and Field what of it.
	By, Field string
	Undo      Undo
	// Retries is how many upgrades follow the first that fails; -1: no end of them. Last says that the last one that
	// fails is undone, too.
	Retries int
	Last    bool
	// Reinstalls says that an install which fails after the release was uninstalled is tried again without end.
	Reinstalls bool
}

// Undo is the reaction to a failed upgrade.
type Undo uint8

const (
	LeavesFailed Undo = iota // it is upgraded again
	RollsBack                // the version before is applied, before the next upgrade
	Uninstalls               // the release is deleted, and installed
)

// RemediationFields are what moves where upgrades fail; not laid out where they do not.
type RemediationFields struct {
	Failed      Field // upgrades that failed and were undone; 1 of those without end
	Reinstalled Field // 1 once the release was uninstalled, and installed again
}

// Undoes reports whether the n-th upgrade that fails is undone.
func (r *Remediation) Undoes(n int) bool {
	return r.Retries < 0 || n <= r.Retries || r.Last && n == r.Retries+1
}

// Tries reports whether another upgrade follows n that were undone.
func (r *Remediation) Tries(n int) bool { return r.Retries < 0 || n <= r.Retries }

// AddRemediation lays out the memory of failed upgrades.
func (b *Builder) AddRemediation() {
	c := b.cfg
	switch r := c.Spec.Helm; r.Undo {
	case RollsBack:
		c.Remediation.Failed = b.Field(max(r.Retries, 0) + 1)
	case Uninstalls:
		c.Remediation = RemediationFields{Failed: b.Field(max(r.Retries, 0) + 1), Reinstalled: b.Field(1)}
	}
}

// Remedies reports whether failed upgrades are undone in this problem: a version may come back without an event.
func (c *Config) Remedies() bool { return c.Remediation.Failed.width > 0 }

// Upgrades reports whether head is an upgrade: something of it was there before.
func (c *Config) Upgrades() bool {
	return slices.ContainsFunc(c.Spec.Workloads, func(w Workload) bool { return w.Manifests[Base].Exists() })
}

// FailedUpgrades is how many upgrades failed and were undone; those without end count once.
func (s State) FailedUpgrades() int { return s.left(s.C.Remediation.Failed) }

// FailUpgrade counts one more.
func (s State) FailUpgrade() {
	s.Set(s.C.Remediation.Failed, min(s.FailedUpgrades()+1, max(s.C.Spec.Helm.Retries, 0)+1))
}

// Reinstalled reports whether the release was uninstalled, and installed again.
func (s State) Reinstalled() bool { return s.left(s.C.Remediation.Reinstalled) == 1 }

// Reinstall notes it.
func (s State) Reinstall() { s.Set(s.C.Remediation.Reinstalled, 1) }

// ForgetFailures has the next upgrade be the first: the release was changed.
func (s State) ForgetFailures() {
	for _, f := range [...]Field{s.C.Remediation.Failed, s.C.Remediation.Reinstalled} {
		if f.width > 0 {
			s.Set(f, 0)
		}
	}
}
