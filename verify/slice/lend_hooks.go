package slice

import "github.com/kubesettle/kubesettle/render/object"

// lendHooks lends the releases of workloads the webhooks of others that decide on their pods, with their Services.
func (l *lender) lendHooks(h *home, least Tie) {
	for _, s := range h.sides {
		if len(s.admission.hooks) == 0 {
			continue
		}
		for id, o := range s.Workloads {
			owner := h.owner(id)
			for _, x := range s.hooksOn(o) {
				if owner == "" || owner == x.Release || l.Tie(owner, x.Release) < least {
					continue
				}
				for v := range h.sides {
					if y := h.sides[v].byID[x.ID.String()]; y != nil && y.Release == x.Release {
						l.lendTo(owner, y, v)
					}
				}
			}
		}
	}
}

// hooksOn are the webhooks that decide on the pods of a workload, with the Services of these.
func (s side) hooksOn(o *object.Object) []*object.Object {
	var out []*object.Object
	for _, x := range s.admission.of(o, s) {
		hooks := hooksOf(x)
		if len(hooks) > 0 {
			out = append(out, x)
		}
		for _, h := range hooks {
			id := object.ID{Version: "v1", Kind: "Service", Namespace: h.service.Namespace, Name: h.service.Name}
			if svc := s.byID[id.String()]; svc != nil {
				out = append(out, svc)
			}
		}
	}
	return out
}
