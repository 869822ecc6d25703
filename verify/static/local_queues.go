package static

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// queueName is the label by which a workload waits in a LocalQueue of Kueue.
const queueName = "kueue.x-k8s.io/queue-name"

var queued = Analyzer{Name: "local-queue", Rule: rules.DanglingTarget, Run: unqueued,
	Doc: "a workload that waits in a LocalQueue that is not there"}

// unqueued says which workloads wait in a LocalQueue that the change takes away or that was never there, and which
// LocalQueue is no longer used.
//
// Upstream: kueue v0.19.2, pkg/controller/core: (*WorkloadReconciler).Reconcile (LocalQueue doesn't exist: the workload
// stays inadmissible), pkg/controller/jobframework: without the label a job is not Kueue's.
func unqueued(p *Pass) []Remark {
	where := p.where()
	before := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		b := before.counterpart(o)
		now, was := queueOf(o), queueOf(b)
		if now == "" && was == "" || o.Hook {
			continue
		}
		r := Remark{Object: o, paths: []string{"metadata.labels[" + queueName + "]"}}
		gone, old := localQueue(where.objects[0], o, now), localQueue(where.objects[1], o, was)
		switch {
		case now != "" && localQueue(where.objects[1], o, now) != nil:
			continue
		case now != "" && gone != nil && !kept(gone):
			r.causes = []cause{{object: gone}}
			r.text = fmt.Sprintf("%s waits in %s, which the change removes: no pod of it is admitted any longer", o.ID, gone.ID)
		case now != "" && old != nil && !slices.ContainsFunc(where.ch.Head.Releases,
			func(x *object.Rendered) bool { return x.Untouched || x.Err != nil }): // which may have it
			r.text = fmt.Sprintf("%s waits in LocalQueue %s, which is not there, where base has it wait in %s", o.ID, now, was)
			r.remedies = []Remedy{{Say: "have it wait in LocalQueue " + was, Object: o,
				Set: []object.Setting{{Path: r.paths[0], Value: was}}}}
		case now == "" && old != nil && !slices.ContainsFunc(where.objects[1], func(x *object.Object) bool {
			return x.ID.Namespace == o.ID.Namespace && queueOf(x) == was
		}):
			then := "its pods start without quota"
			if slice.ValueAt(o.Content, "spec", "suspend") == true {
				then = "nothing resumes it"
			}
			r.text = fmt.Sprintf("%s no longer waits in %s, and nothing else does: %s", o.ID, old.ID, then)
		default:
			continue
		}
		out = append(out, r)
	}
	return out
}

// queueOf is the LocalQueue that a workload waits in; "" where it waits in none.
func queueOf(o *object.Object) string {
	if o == nil {
		return ""
	}
	labels, _ := slice.ValueAt(o.Content, "metadata", "labels").(map[string]any)
	name, _ := labels[queueName].(string)
	if spec, _ := podSpec(o); name == "" || spec == nil {
		return ""
	}
	return name
}

// localQueue is that of a name beside an object; nil: there is none.
func localQueue(objects []*object.Object, beside *object.Object, name string) *object.Object {
	i := slices.IndexFunc(objects, func(x *object.Object) bool {
		return name != "" && x.ID.Kind == "LocalQueue" && x.ID.Group == slice.KueueGroup && x.ID.Name == name &&
			x.ID.Namespace == beside.ID.Namespace
	})
	if i < 0 {
		return nil
	}
	return objects[i]
}
