package static

import "github.com/kubesettle/kubesettle/verify/traffic"

// newly reports whether a request that base does not have is told of if it does not arrive: a policy is there that
// forgets it, the Service has not the port, or no gateway takes it to where it leads.
func (t *cutter) newly(a traffic.Ask, r traffic.Reach) bool {
	return r.Cut == traffic.NoPort && a.Use == traffic.Named && a.Firm ||
		r.Cut == traffic.Denied && (a.Use.Control() || a.Use == traffic.Route) ||
		r.Cut == traffic.Ungranted && a.Use == traffic.Route || unattached(a, r) ||
		r.Cut == traffic.NoReplicas && a.Use.Control()
}

// unattached reports whether a route names a gateway that does not take it. One that names none may get it from a
// patch.
func unattached(a traffic.Ask, r traffic.Reach) bool {
	return r.Cut == traffic.Detached && a.Use == traffic.Route && r.Because[0].Path != "spec.parentRefs"
}
