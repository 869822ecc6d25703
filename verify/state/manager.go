package state

// ManagerFields are what moves where the kube-controller-manager restarts; not laid out where it does not.
type ManagerFields struct {
	Restarts Field // restarts left
	Down     Field // 1 while it is down
}

// AddManager lays out the restarts of the kube-controller-manager.
func (b *Builder) AddManager() {
	b.cfg.Manager = ManagerFields{Restarts: b.Field(b.cfg.Spec.Events.ManagerRestart), Down: b.Field(1)}
}

// ManagerDown reports whether the kube-controller-manager is down: none of its controllers acts.
func (s State) ManagerDown() bool { return s.left(s.C.Manager.Down) == 1 }

// RestartsLeft is how often it may still restart.
func (s State) RestartsLeft() int { return s.left(s.C.Manager.Restarts) }

// StopManager takes the kube-controller-manager down; a restart must be left.
func (s State) StopManager() {
	s.Set(s.C.Manager.Restarts, s.RestartsLeft()-1)
	s.Set(s.C.Manager.Down, 1)
}

// StartManager brings it back.
func (s State) StartManager() { s.Set(s.C.Manager.Down, 0) }
