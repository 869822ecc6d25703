package policies

import (
	"os"
	"reflect"
	"testing"
)

// A policy that is read twice says the same of every loop, whatever comments and order it has.
func TestAPolicyDiffersNotFromItself(t *testing.T) {
	data, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	a, b := loaded(t, string(data)), loaded(t, "# said anew\n"+string(data))
	if d := a.Differ(b); len(d) > 0 {
		t.Errorf("%s differs", d[0].Path)
	}
	if d := Default().Differ(Default()); len(d) > 0 {
		t.Errorf("%s of the default differs", d[0].Path)
	}
}

func loaded(t *testing.T, text string) *Policy {
	t.Helper()
	p, err := Load(".kubesettle.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

// Every key of the file that says what acts in the cluster is of exactly one loop, which stands at its line; what it
// asks of that is of none. Taking the loops that differ leaves nothing of them that differs, and all else as it was.
func TestLoopsAreWhatActs(t *testing.T) {
	asks := "intents: {below-floor: {minReady: 2}}\ngate: {failOn: warning}\nwaivers:\n- {rule: drain-blocked, workload: default/a, reason: a b c, owner: o, expires: 2099-01-01}\n"
	for _, tt := range []struct{ path, text string }{
		{"cluster", "cluster: {nodePools: [{name: a, count: {min: 1, max: 2}}]}"},
		{"cluster.version", `cluster: {version: "1.33"}`},
		{"cluster.version", "cluster: {featureGates: {JobPodReplacementPolicy: false}}"},
		{"cluster.releases", "cluster: {releases: [apps/**]}"},
		{"cluster.workloads", "cluster: {workloads: [{name: a, requests: {cpu: 1}}]}"},
		{"controllers.discover", "controllers: {discover: false}"},
		{"controllers.gitops", "controllers: {gitops: {selfHeal: true}}"},
		{"controllers.clusterAutoscaler", "controllers: {clusterAutoscaler: {}}"},
		{"controllers.own", "controllers: {own: [{name: a, workload: {name: default/w}, watches: ConfigMap default/a, restarts: {}}]}"},
		{"apply", "apply: server-side"},
		{"events.loadChange", "events: {loadChange: {budget: 1}}"},
		{"events.loadChange", "events: {loadChange: {idleMemory: 40%}}"},
		{"events.startupSpike", "events: {startupSpike: {cpu: 300%}}"},
		{"events.podCrash", "events: {podCrash: {budget: 2}}"},
		{"events.badRevision", "events: {badRevision: {budget: 1}}"}, // naming it is expecting it
		{"events.badRevision", "events: {badRevision: {budget: 0}}"},
		{"events.jobOverrun", "events: {jobOverrun: {budget: 1}}"},
		{"events.nodeFailure", "events: {nodeFailure: {budget: 1}}"},
		{"events.diskPressure", "events: {diskPressure: {budget: 1}}"},
		{"events.memoryPressure", "events: {memoryPressure: {budget: 1}}"},
		{"events.nodeAdded", "events: {nodeAdded: {budget: 1}}"},
		{"events.nodeRemoved", "events: {nodeRemoved: {budget: 1}}"},
		{"events.spotReclaim", "events: {spotReclaim: {budget: 1}}"},
		{"events.drain", "events: {drain: {concurrent: 0}}"},
		{"events.drain", "events: {drain: {concurrent: 2}}"},
		{"events.nodePanic", "events: {nodePanic: {cpuAbove: 90%}}"},
		{"timing", "timing: {crash: 1}"},
		{"timing", "timing: arbitrary"},
		{"bound", "bound: {nodes: 3}"},
		{"", "gate: {onlyNew: false}"},
		{"", "intents: {single-domain: {severity: error}}"},
	} {
		for _, swap := range []bool{false, true} {
			was, is := loaded(t, asks), loaded(t, tt.text)
			if swap {
				was, is = is, was
			}
			d := was.Differ(is)
			if tt.path == "" {
				if len(d) > 0 {
					t.Errorf("%s: %s differs", tt.text, d[0].Path)
				}
				continue
			}
			if len(d) != 1 || d[0].Path != tt.path {
				t.Errorf("%s: %d loops differ, not %s alone: %v", tt.text, len(d), tt.path, d)
				continue
			}
			with := was.WithLoops(is, d)
			if left := with.Differ(is); len(left) > 0 {
				t.Errorf("%s: %s still differs", tt.text, left[0].Path)
			}
			if !reflect.DeepEqual(with.Intents, was.Intents) || with.Gate != was.Gate || !reflect.DeepEqual(with.Waivers, was.Waivers) {
				t.Errorf("%s: taking it touches what the policy asks", tt.text)
			}
			if back := was.WithLoops(is, d).WithLoops(was, d).Differ(was); len(back) > 0 {
				t.Errorf("%s: %s is not as it was", tt.text, back[0].Path)
			}
			if lines := d[0].Lines(loaded(t, tt.text)); len(lines) == 0 || lines[0] != 1 {
				t.Errorf("%s: stands in lines %v", tt.text, lines)
			}
		}
	}
}
