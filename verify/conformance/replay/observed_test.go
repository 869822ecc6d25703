package replay

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
)

// recordedEndpoints and recordedChanges keep what a control plane did with what was drawn.
const (
	recordedEndpoints = "testdata/endpoints.json"
	recordedChanges   = "testdata/changes.json"
)

// observed is what a control plane did with one drawn event.
type observed struct {
	Seed   int    `json:"seed"`
	Digest string `json:"digest"` // of what was drawn
	What   string `json:"what"`
	// Ready is ready endpoints by port and workload on each node, in the order of the changes.
	Ready []counts `json:"ready,omitempty"`
	Came  *outcome `json:"came,omitempty"` // of a change
}

func readObserved(file string) ([]observed, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []observed
	return out, json.Unmarshal(b, &out)
}

// write keeps a record, a line for each.
func writeObserved(file string, list []observed) error {
	out := []byte("[")
	for i, o := range list {
		b, err := json.Marshal(o)
		if err != nil {
			return err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '\n'), b...)
	}
	return os.WriteFile(file, append(out, "\n]\n"...), 0o644)
}

// verdictOf is how what was observed compares with the model.
type verdictOf struct {
	states            int
	wrong             []string // what the model does not have
	likeliest, bounds bool     // a change: as in the likeliest run; at the bounds
	arbitrary         bool     // endpoints: only under arbitrary timing
}

// compareEndpoints holds observed endpoints against the model; where kubelets did not wait for the control loops, and
// no run in which they do shows them, against that of arbitrary timing.
func compareEndpoints(t *testing.T, o observed) verdictOf {
	t.Helper()
	v := compareUnder(t, o, "realistic")
	if len(v.wrong) > 0 && drawTraffic(o.Seed).hasty {
		v = compareUnder(t, o, "arbitrary")
		v.arbitrary = true
	}
	return v
}

func compareUnder(t *testing.T, o observed, timing string) verdictOf {
	t.Helper()
	d := drawTraffic(o.Seed)
	if d.digest() != o.Digest {
		t.Fatalf("%s: something else was recorded than is drawn: record again", d.name)
	}
	m, err := d.ask(t.Context(), timing)
	if err == nil {
		err = m.explore(mostReached)
	}
	if err != nil {
		t.Fatalf("%s (%s): %v", d.name, d.what, err)
	}
	v := verdictOf{states: len(m.states)}
	followed, rests, nowhere := m.follow(d, o.Ready)
	switch {
	case len(nowhere) > 0:
		v.wrong = append(v.wrong, fmt.Sprintf("no state has %v", o.Ready[nowhere[0]]))
	case followed < len(o.Ready):
		v.wrong = append(v.wrong, fmt.Sprintf("no run leads to %v after %v", o.Ready[followed], o.Ready[:followed]))
	case !rests:
		v.wrong = append(v.wrong, fmt.Sprintf("no run that comes to rest ends with %v", o.Ready[len(o.Ready)-1]))
	}
	return v
}

// compareChange holds the outcome of a change against what is foreseen of it.
func compareChange(t *testing.T, o observed) verdictOf {
	t.Helper()
	d := drawChange(o.Seed)
	if d.digest() != o.Digest {
		t.Fatalf("%s: something else was recorded than is drawn: record again", d.name)
	}
	m, err := d.ask(t.Context(), "realistic")
	if err == nil {
		err = m.explore(mostReached)
	}
	if err != nil {
		t.Fatalf("%s (%s): %v", d.name, d.what, err)
	}
	v := verdictOf{states: len(m.states)}
	if len(m.foreseen.Workloads) != 1 {
		v.wrong = append(v.wrong, "nothing is foreseen")
		return v
	}
	f := m.foreseen.Workloads[0]
	if o.Came.Surge > f.Pods.Max || o.Came.Surge < f.Pods.Min {
		v.wrong = append(v.wrong, fmt.Sprintf("%d pods at once, foreseen %v", o.Came.Surge, f.Pods))
	}
	if o.Came.Least < f.Ready.Min || o.Came.Least > f.Ready.Max {
		v.wrong = append(v.wrong, fmt.Sprintf("%d ready at the least, foreseen %v", o.Came.Least, f.Ready))
	}
	v.bounds = o.Came.Surge == f.Pods.Max && o.Came.Least == f.Ready.Min
	placed := false
	for i := range m.states {
		if m.rests(int32(i)) && m.alike(d, o.Came.Placed, m.state(int32(i))) {
			placed = true
			break
		}
	}
	if !placed {
		v.wrong = append(v.wrong, fmt.Sprintf("no settled state has %v", o.Came.Placed))
	}
	l, err := m.likeliest()
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	nodes := len(d.nodes)
	got, want := counts{"": o.Came.Placed[:nodes]}, counts{"": l.Placed[:nodes]}
	v.likeliest = o.Came.Surge == l.Surge && o.Came.Least == l.Least && o.Came.Placed[nodes] == l.Placed[nodes] &&
		m.between(got, want, want, m.classes(d))
	if !v.likeliest || !v.bounds {
		t.Logf("%s, %s: came to %v, the likeliest run to %v, foreseen %v pods, %v ready",
			d.name, d.what, *o.Came, l, f.Pods, f.Ready)
	}
	return v
}

// TestObservedEndpoints holds what a real control plane wrote into EndpointSlices, while random rollouts, swaps,
// drains and scales went on, against the model: one run of it shows all of it in its order.
func TestObservedEndpoints(t *testing.T) {
	list, err := readObserved(recordedEndpoints)
	if err != nil {
		t.Fatal(err)
	}
	held, states, several, hasty, arbitrary := 0, 0, 0, 0, 0
	for _, o := range list {
		v := compareEndpoints(t, o)
		if len(v.wrong) > 0 {
			t.Errorf("e%d, %s: %v", o.Seed, o.What, v.wrong)
			continue
		}
		held, states = held+1, states+v.states
		if drawTraffic(o.Seed).hasty {
			hasty++
		}
		if v.arbitrary {
			arbitrary++
		}
		if len(o.Ready) > 2 {
			several++
		}
	}
	t.Logf("%d of %d are the model's, %d of %d with hasty kubelets only under arbitrary timing, "+
		"%d in more than two steps, of %d states",
		held, len(list), arbitrary, hasty, several, states)
	outage, more, tried := noticed(t, list)
	t.Logf("of %d, an outage is noticed in %d, one pod more in %d", tried, outage, more)
	if several < len(list)/2 || outage < tried/3 || more < tried/3 {
		t.Error("the test has lost its teeth")
	}
}

// noticed counts records in which it would be noticed that for a moment nothing was ready, or one pod more on one node.
func noticed(t *testing.T, list []observed) (outage, more, tried int) {
	t.Helper()
	for _, o := range list {
		if len(o.Ready) < 3 {
			continue
		}
		tried++
		half := len(o.Ready) / 2
		was := o.Ready
		o.Ready = slices.Insert(slices.Clone(was), half, counts{})
		if len(compareEndpoints(t, o).wrong) > 0 {
			outage++
		}
		extra := counts{}
		for key, at := range was[half] {
			extra[key] = slices.Clone(at)
			extra[key][0]++
		}
		o.Ready = slices.Clone(was)
		if o.Ready[half] = extra; len(compareEndpoints(t, o).wrong) > 0 {
			more++
		}
	}
	return outage, more, tried
}

// TestObservedChanges holds what a real control plane did with random changes of one workload against what is foreseen
// of them: pods at once and least ready lie within, and a settled state has the pods where they came to stand.
func TestObservedChanges(t *testing.T) {
	list, err := readObserved(recordedChanges)
	if err != nil {
		t.Fatal(err)
	}
	held, likeliest, bounds := 0, 0, 0
	for _, o := range list {
		v := compareChange(t, o)
		if len(v.wrong) > 0 {
			t.Errorf("c%d, %s: %v", o.Seed, o.What, v.wrong)
			continue
		}
		held++
		if v.likeliest {
			likeliest++
		}
		if v.bounds {
			bounds++
		}
	}
	t.Logf("of %d changes %d are as foreseen, %d at both bounds, %d as in the likeliest run",
		len(list), held, bounds, likeliest)
	if bounds < len(list)*95/100 || likeliest < len(list)*9/10 {
		t.Error("fewer are as foreseen than were when they were recorded")
	}
}
