package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// Every step of an interleaving is in exactly one line, in order, and no line crosses the
// beginning of the loop.
func TestTellHasEveryStepOnce(t *testing.T) {
	for title, r := range goldenResults() {
		for i := range r.Findings {
			f := &r.Findings[i]
			next := 0
			start, loops := cycle(f)
			for _, l := range tell(f) {
				if l.First != next || l.Last < l.First || loops && l.First < start && l.Last >= start {
					t.Errorf("%s: line %d-%d after step %d, the loop begins at %d", title, l.First, l.Last, next-1, start)
				}
				if l.Text == "" {
					t.Errorf("%s: line %d-%d says nothing", title, l.First, l.Last)
				}
				next = l.Last + 1
			}
			if next != len(f.Interleaving) {
				t.Errorf("%s: %d of %d steps are told", title, next, len(f.Interleaving))
			}
		}
	}
}

// A rollout that goes on as planned is one line, and says how far it has come.
func TestTellGroupsARollout(t *testing.T) {
	shot := func(old, fresh, pending int) *finding.Snapshot {
		pods := []finding.PodsSnapshot{{Workload: webID, Revision: "old", Phase: "ready", Count: old}, {Workload: webID, Revision: "new", Phase: "ready", Count: fresh}}
		return &finding.Snapshot{
			Nodes:   []finding.NodeSnapshot{{Name: "a-1", Pods: pods}},
			Pending: []finding.PodsSnapshot{{Workload: webID, Revision: "new", Phase: "pending", Count: pending}},
		}
	}
	step := func(class, action, text string, after *finding.Snapshot) finding.Step {
		return finding.Step{Actor: action, Class: class, Action: action, Object: webID, Text: text, After: after}
	}
	f := &finding.Finding{Interleaving: []finding.Step{
		step("event", "apply", "the change is applied", shot(3, 0, 0)),
		step("sync", "create-replicaset", "creates the ReplicaSet", shot(3, 0, 0)),
		step("sync", "create-pod", "creates 1 pod", shot(3, 0, 1)),
		step("sync", "bind", "the scheduler places a pod of default/web on node a-1 (the only node)", shot(3, 0, 1)),
		step("kubelet", "start-pod", "a pod is ready", shot(3, 1, 0)),
		step("sync", "delete-pod", "deletes 1 pod", shot(2, 1, 0)),
		step("event", "drain", "the drain starts", shot(2, 1, 0)),
		step("sync", "no-feasible-node", "no node takes it", shot(2, 1, 1)),
	}}
	var got []string
	for _, l := range tell(f) {
		got = append(got, fmt.Sprintf("%d-%d %s", l.First+1, l.Last+1, l.Text))
	}
	want := "1-1 the change is applied|2-6 the rollout of default/web adds 1 new pod: 1 new, 2 old, 3 ready|7-7 the drain starts|8-8 no node takes it"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	var kept []int
	for _, l := range decisive(f, tell(f), 3) {
		kept = append(kept, l.First+1)
	}
	if fmt.Sprint(kept) != "[1 7 8]" {
		t.Errorf("kept %v", kept)
	}
}

// Findings of one cause are one block: those at one line, those of one run, and the same
// edit in several releases. Others stay apart.
func TestByCause(t *testing.T) {
	at := func(file string, line int) []finding.Location {
		return []finding.Location{{File: file, StartLine: line}}
	}
	blame := []finding.Blame{{Path: "spec.replicas", New: "2"}}
	fs := []finding.Finding{
		{Rule: "a", Workload: "w", Release: "one", Message: "m", Locations: at("x.yaml", 3), Blame: blame},
		{Rule: "b", Workload: "w", Release: "one", Message: "m: more", Locations: at("x.yaml", 3)},
		{Rule: "a", Workload: "w", Release: "two", Message: "m", Locations: at("y.yaml", 3), Blame: blame},
		{Rule: "a", Workload: "v", Release: "one", Message: "m", Locations: at("x.yaml", 3)},
		{Rule: "a", Workload: "w", Release: "one", Message: "m", Locations: at("x.yaml", 4)},
		{Rule: "a", Workload: "w", Release: "one", Message: "m"},
		{Rule: "a", Workload: "w", Release: "one", Message: "m", Status: finding.Existing, Locations: at("x.yaml", 3)},
	}
	var sizes []int
	for _, c := range byCause(fs) {
		sizes = append(sizes, len(c))
	}
	if fmt.Sprint(sizes) != "[4 1 1 1]" {
		t.Errorf("got %v", sizes)
	}
	if got, want := strings.Join(byCause(fs)[0].others(9, 90), "|"), "the same for v|the same in release two|m [b]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What the runs say of causes holds whatever the lines: the gravest leads, what has been there on base is
// named as such, and two findings of one rule and workload are told apart. Nothing goes.
func TestByCauseOfOneRun(t *testing.T) {
	of := func(rule, workload, message string, status finding.Status, cause string) finding.Finding {
		return finding.Finding{Rule: rule, Workload: workload, Message: message, Status: status, Cause: cause}
	}
	fs := []finding.Finding{
		of("rollout-stuck", "apps/Deployment x/a", "the rollout stays incomplete: 1 of 2", finding.New, "k"),
		of("missing-config", "apps/Deployment x/b", "b needs Secret one: it does not start", finding.New, "l"),
		of("missing-config", "apps/Deployment x/b", "b needs Secret two: it does not start", finding.New, "l"),
		of("eviction-loop", "apps/Deployment x/a", "pods are evicted forever: 2 replicas", finding.Existing, "k"),
		of("eviction-loop", "apps/Deployment x/c", "pods are evicted forever: 1 replica", finding.Existing, ""),
	}
	now, before := causes(fs[:3], fs[3:])
	if len(now) != 2 || len(before) != 1 || before[0][0].Workload != "apps/Deployment x/c" {
		t.Fatalf("%d new causes, %d existing", len(now), len(before))
	}
	for i, want := range []string{"existing: pods are evicted forever [eviction-loop]", "b needs Secret two: it does not start [missing-config]"} {
		if got := strings.Join(now[i].others(3, 90), "|"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// One edit to many objects of a kind is one block where it is wrong without a cluster, such
// as a claim's storage class that the API server refuses; where it takes nodes, each object
// has a run of its own.
func TestByCauseOfOneEdit(t *testing.T) {
	edit := func(object, file, from, to string, nodes int) finding.Finding {
		return finding.Finding{
			Rule: "apply-rejected", Workload: object, Message: "refused: " + object, Scale: finding.Scale{Nodes: nodes},
			Locations: []finding.Location{{File: file, StartLine: 9}},
			Changed:   &finding.Hunk{File: file, Line: 9, Removed: []string{"  storageClassName: " + from}, Added: []string{"    storageClassName: " + to}},
		}
	}
	fs := []finding.Finding{
		edit("PersistentVolumeClaim x/a", "a.yaml", "slow", "fast", 0),
		edit("PersistentVolumeClaim x/b", "b.yaml", "slow", "fast", 0),
		edit("PersistentVolumeClaim y/c", "c.yaml", "slow", "fast", 0),
		edit("PersistentVolumeClaim y/d", "d.yaml", "none", "fast", 0),
		edit("apps/StatefulSet y/e", "e.yaml", "slow", "fast", 0),
		edit("PersistentVolumeClaim y/f", "f.yaml", "slow", "fast", 1),
	}
	var sizes []int
	for _, c := range byCause(fs) {
		sizes = append(sizes, len(c))
	}
	if fmt.Sprint(sizes) != "[3 1 1 1]" {
		t.Errorf("got %v", sizes)
	}
	if got, want := strings.Join(byCause(fs)[0].others(3, 90), "|"), "the same for PersistentVolumeClaim x/b, PersistentVolumeClaim y/c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What is inevitable is said as what happens, with the verb in its number.
func TestTitle(t *testing.T) {
	for message, want := range map[string]string{
		"pod of default/web can stay pending forever":                   "pod of default/web stays pending forever",
		"2 pods of default/web can stay pending forever":                "2 pods of default/web stay pending forever",
		"ready replicas of default/web can fall to 1":                   "ready replicas of default/web fall to 1",
		"pods of default/web can be evicted and recreated forever":      "pods of default/web are evicted and recreated forever",
		"the replicas of default/web can go up and down forever":        "the replicas of default/web go up and down forever",
		"the autoscaler of default/web can go to its maximum":           "the autoscaler of default/web goes to its maximum",
		"the API server refuses the change of apps/Deployment x/can be": "the API server refuses the change of apps/Deployment x/can be",
	} {
		if got := title(&finding.Finding{Message: message, Certainty: finding.Inevitable}); got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
		if got := title(&finding.Finding{Message: message, Certainty: finding.Possible}); got != message {
			t.Errorf("%q, which is possible, becomes %q", message, got)
		}
	}
}

func TestPicture(t *testing.T) {
	f := rolloutResult().Findings[0]
	p := picture(&f)
	if !strings.Contains(p, "after step 2") || strings.Count(p, "\n") < 4 {
		t.Errorf("got\n%s", p)
	}
	f.Interleaving, f.CycleStart = f.Interleaving[:3], nil
	if p := picture(&f); p != "" {
		t.Errorf("three steps are drawn:\n%s", p)
	}
}

func TestTogether(t *testing.T) {
	of := func(kind object.NoteKind, release string) finding.Note {
		return finding.Say(finding.ReleaseNote, kind).In(release)
	}
	got := together([]finding.Note{of(object.HooksListed, "a"), of(object.HooksListed, "b"), of(object.HooksListed, "c"),
		finding.Say(finding.Quoted, "policy change: x: y"), of("other", "d")})
	if len(got) != 3 || got[0].String() != "policy change: x: y" || got[1].String() != "hooks and tests are listed, not verified (a and 2 more)" || got[2].String() != "d: other" {
		t.Errorf("got %v", got)
	}
}
