package policies

import (
	"reflect"

	"github.com/kubesettle/kubesettle/verify/state"
)

// activation gives the program its variables, from the numbers of the observations.
func (e *expression) activation(numbers []int) map[string]any {
	self, nodes, events := &WorkloadView{}, &NodesView{}, &EventsView{}
	workloads := map[string]*WorkloadView{}
	places := map[string]int{}
	vars := map[string]any{
		varSelf: self, varNodes: nodes, varEvents: events, varWorkloads: workloads, varReadyOn: places,
		varQuiescent: false, varApplied: false, varChanged: false,
	}
	for i, o := range e.reads {
		n := numbers[i]
		switch {
		case o.field == readyOn:
			places[o.at.String()] = n
		case o.of == varQuiescent, o.of == varApplied, o.of == varChanged:
			vars[o.of] = n != 0
		case o.of == varSelf:
			enter(self, workloadFields, o.field, n)
		case o.of == varNodes:
			enter(nodes, nodesFields, o.field, n)
		case o.of == varEvents:
			enter(events, eventsFields, o.field, n)
		default:
			if workloads[o.of] == nil {
				workloads[o.of] = &WorkloadView{}
			}
			enter(workloads[o.of], workloadFields, o.field, n)
		}
	}
	return vars
}

// enter sets a field of a view by its name in expressions.
func enter(view any, names []string, field string, n int) {
	for i, name := range names {
		if name != field {
			continue
		}
		if f := reflect.ValueOf(view).Elem().Field(i); f.Kind() == reflect.String {
			f.SetString(state.Load(n).String())
		} else {
			f.SetInt(int64(n))
		}
	}
}
