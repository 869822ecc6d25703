package finding

// Forecast is what a change, or another event, will do to the workloads of one slice.
type Forecast struct {
	// Of is the event: "apply", or a question such as "drain node-1".
	Of        string       `json:"of"`
	Release   string       `json:"release"`
	Workloads []Foreseen   `json:"workloads"`
	Run       *ForeseenRun `json:"run,omitempty"`
}

// Foreseen is the ranges of one workload's numbers over every state that the event can lead to, in any order of the
// loops, with no other event.
type Foreseen struct {
	Workload string `json:"workload"`
	Changed  bool   `json:"changed"`
	Replicas Span   `json:"replicas"` // live spec.replicas
	Pods     Span   `json:"pods"`     // at once, apart from milliseconds; those on deletion are not counted
	Ready    Span   `json:"ready"`
	// Before is how many are ready where it begins, and After where the likeliest run ends.
	Before int `json:"before"`
	After  int `json:"after"`
	// Short is how many of its replicas are not ready where the likeliest run comes to rest.
	Short int `json:"short,omitempty"`
	// LeastAt is the first step of the likeliest run after which no more than the least are ready, from 1; 0: there is
	// none.
	LeastAt int `json:"leastAt,omitempty"`
}

// Span is the least and the most of a number.
type Span struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// ForeseenRun is the likeliest run: each loop acts as soon as it may, and where upstream draws lots the first is drawn.
type ForeseenRun struct {
	Settles bool `json:"settles"` // it comes to rest
	// Moves are the pods that another actor than their controller takes away, and the new nodes of a workload's pods.
	Moves        []Move `json:"moves,omitempty"`
	NodesAdded   int    `json:"nodesAdded,omitempty"`
	NodesRemoved int    `json:"nodesRemoved,omitempty"`
	// Seconds is the time until the last pod is ready, as far as the manifests say: at best, and with every stated wait
	// used up. nil: nothing is stated, or the run does not come to rest.
	Seconds *Span `json:"seconds,omitempty"`
	// Wait is the declaration that takes the most of it.
	Wait  *Wait  `json:"wait,omitempty"`
	Steps []Step `json:"steps,omitempty"`
}

// Move is pods of a workload that a loop takes away: evict, preempt.
type Move struct {
	Workload string   `json:"workload"`
	How      string   `json:"how"` // evict-pod, evict, preempt
	Pods     int      `json:"pods"`
	From     []string `json:"from,omitempty"` // nodes
	To       []string `json:"to,omitempty"`   // nodes that have more of its pods at the end than before
}

// Wait is what a run waits for.
type Wait struct {
	Workload string `json:"workload"`
	Field    string `json:"field"`
	Seconds  int    `json:"seconds"` // in all, where every wait is used up
	// Person says that it lasts until somebody acts.
	Person bool `json:"person,omitempty"`
}
