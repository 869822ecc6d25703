package static

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// neverThere enters a need of an object that the repository does not have, where it looks as if it should.
func (m *unmet) neverThere(n need) {
	ns := m.o.ID.Namespace
	if _, set := m.o.Typed.(*appsv1.StatefulSet); m.written(n, state.Head) ||
		set && m.b != nil && !strings.HasPrefix(n.path, "spec.template.") {
		return // the API server refuses another one
	}
	near := m.head.nearly(ns, n)
	i := slices.IndexFunc(m.old, func(x need) bool {
		return x.at == n.at && x.kind == n.kind && !slices.ContainsFunc(m.now, func(y need) bool {
			return y.at == n.at && y.kind == n.kind && y.name == x.name && y.in == x.in
		})
	})
	if near == nil && i >= 0 && (n.kind == configMap || n.private() && !m.where.mentioned(n.name, m.beside)) {
		near = m.head.get(ns, m.old[i])
	}
	switch {
	case near != nil && unhashed(near.ID.Name) == unhashed(n.name):
		m.enter(n, m.remark(n,
			fmt.Sprintf("%s, which is not there: the generator's object is named %s", m.needs(n), near.ID.Name)))
	case near != nil:
		r := m.remark(n, fmt.Sprintf("%s, which is not there, and %s is", m.needs(n), near.ID))
		r.Conditional = n.kind != configMap
		if at, ok := m.o.At(n.path); ok && at == n.name {
			r.remedies = []Remedy{{Say: "name " + near.ID.Name + ", which is there", Object: m.o,
				Set: []object.Setting{{Path: n.path, Value: near.ID.Name}}}}
		}
		m.enter(n, r)
	case referred[n.kind]:
		m.misspelt(n)
	case !slices.Contains(ownKinds, n.kind) && !n.alone || m.operated(n) || m.unseen():
	default:
		outside := slices.Contains(ownKinds[1:], n.kind) // some have these from Terraform, or make them by hand
		if m.where.mentioned(n.name, m.beside) || outside && m.where.hasElsewhere(n.kind) {
			return
		}
		r := m.remark(n, fmt.Sprintf("%s, of which the repository says nothing else", m.needs(n)))
		if r.Conditional, r.Note = true, outside; outside {
			r.text += " (unless the cluster has it)"
		}
		m.enter(n, r)
	}
}

// ownKinds are those that whoever has the pods mostly has as well, and that nobody else makes unless something says so.
var ownKinds = []string{configMap, account, appProject}

// hasElsewhere reports whether objects of base already name one of a kind that is not in the repository, so that the
// cluster has these from somewhere else.
func (w *whereabouts) hasElsewhere(kind string) bool {
	if _, known := w.elsewhereToo[kind]; !known {
		w.elsewhereToo[kind] = slices.ContainsFunc(w.objects[state.Base], func(o *object.Object) bool {
			return slices.ContainsFunc(names(o), func(n need) bool {
				return n.kind == kind && w.base.lacks(o.ID.Namespace, n) != lacksNothing
			})
		})
	}
	return w.elsewhereToo[kind]
}

// beside reports whether a file is one of the release, or of the object.
func (m *unmet) beside(file string) bool {
	return slices.Contains(m.release.Head.Reads, file) || file == m.o.Source.File
}

// written reports whether something of a side may make a needed object. Programs and Roles that name a ServiceAccount
// do not make it, nor do objects that name an issuer.
func (m *unmet) written(n need, side state.Version) bool {
	objects := m.where.objects[side]
	switch n.kind {
	case configMap, secret, claim:
	case account, class:
		return slices.ContainsFunc(objects,
			func(o *object.Object) bool { return custom(o) && speaksOf(o.Content, n.name, true, "") })
	default:
		return false
	}
	return made(objects, m.deliverer(side), m.o.ID.Namespace, n.name)
}

// deliverer is the object that delivers the release, such as a HelmRelease: the release contains the objects made from
// its values. nil: there is none, or not all that it delivers was rendered.
func (m *unmet) deliverer(side state.Version) *object.Object {
	rev, r := m.where.ch.Head, m.release.Head
	if side == state.Base {
		rev, r = m.where.ch.Base, m.release.Base
	}
	if rev == nil || r == nil || slices.ContainsFunc(rev.Releases, func(x *object.Rendered) bool {
		return x.Err != nil && deliverer(x, x.Delivery.Name) == deliverer(r, r.Delivery.Name)
	}) {
		return nil
	}
	return declaringObject(rev, r)
}

// operated reports whether a custom resource is there whose controller may write objects named after it.
func (m *unmet) operated(n need) bool {
	return slices.ContainsFunc(m.where.objects[1], func(o *object.Object) bool {
		return custom(o) && o.ID.Namespace == m.o.ID.Namespace &&
			(strings.HasPrefix(n.name, o.ID.Name+"-") || o.ID.Name == n.name)
	})
}

// unseen reports whether unknown releases may have the missing object: one that did not render.
func (m *unmet) unseen() bool {
	return slices.ContainsFunc(m.where.ch.Head.Releases, func(r *object.Rendered) bool { return r.Err != nil })
}
