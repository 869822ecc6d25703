package report

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// testRules stand in for the rules of this build, so that goldens do not move with
// their words.
var testRules = []Rule{
	{
		ID: "unschedulable", Class: "lifecycle", Title: "a pod can stay pending forever", Severity: "error",
		Real:    "A pod of the workload is created and no node ever takes it: `◇□(pending > 0)`, with every loop fair.",
		Bad:     "A rollout waits for it, and the capacity that was asked for is never there.",
		Now:     "Loosen one of the constraints, such as `whenUnsatisfiable: ScheduleAnyway`.\n\n- or raise the number of domains\n- or lower the replicas",
		Sources: []string{"https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/"},
	},
	{
		ID: "replicas-reset", Class: "numbers", Title: "an apply drops replicas that another loop owned", Severity: "error",
		Real: "The live `spec.replicas` falls when the manifest is applied.", Bad: "Load meets one pod.", Now: "Keep the field out of both manifests.",
	},
	{
		ID: "never-settles", Class: "convergence", Title: "some fair run never reaches the declared state", Severity: "warning",
		Real: "Some fair run visits other states for ever.", Bad: "Nothing converges.", Now: "Take one of the two writers away.",
	},
}

const webID = "apps/Deployment default/web"

func head(file string, line, from, to int, inDiff bool) *finding.Location {
	return &finding.Location{File: file, StartLine: line, StartColumn: from, EndLine: line, EndColumn: to, InDiff: inDiff, Side: "head", Attribution: "patch"}
}

// spreadResult is the conflict of two hard spread constraints: 3 nodes in 2 zones, and
// the sixth pod has no node.
func spreadResult() *finding.Result {
	patch := head("overlays/prod/spread.yaml", 14, 11, 42, true)
	patch.Field = "spec.template.spec.topologySpreadConstraints[1]"
	return &finding.Result{
		SchemaVersion: "1", Tool: "kubesettle v0.1.0", Verdict: finding.Fail,
		Base: finding.Side{Name: "main", Commit: "1111111111111111111111111111111111111111"},
		Head: finding.Side{Name: "topic", Commit: "2222222222222222222222222222222222222222"},
		Workloads: []finding.Workload{{
			ID: webID, Release: "shop-prod", Change: "modified", Verdict: finding.Fail,
			Fields: []finding.FieldChange{{
				Path: "spec.template.spec.topologySpreadConstraints[1]",
				New:  `{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule"}`, Location: patch,
			}},
			Slice: []string{"autoscaling/HorizontalPodAutoscaler default/web"},
		}},
		Findings: []finding.Finding{{
			Rule: "unschedulable", Class: "lifecycle", Severity: "error", Status: finding.New, Certainty: finding.Inevitable,
			Scenario: "change", Timing: "realistic", Workload: webID, Release: "shop-prod", AlsoIn: []string{"shop-stage"},
			Message: "a pod of default/web stays pending: no node satisfies both spread constraints",
			Scale:   finding.Scale{Nodes: 3, Pods: 6, Classes: map[string]int{"zone-a": 2, "zone-b": 1}}, AtDeclaredScale: true,
			Events:       []string{"apply", "load-change"},
			Interleaving: spreadSteps(),
			Locations:    []finding.Location{*patch},
			Blame: []finding.Blame{{
				Object: webID, Path: "spec.template.spec.topologySpreadConstraints[1]",
				New: `{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule"}`, Location: patch,
			}},
			Fix: &finding.Fix{
				Text:     "say ScheduleAnyway for the constraint on kubernetes.io/hostname",
				Location: patch, Replacement: "          whenUnsatisfiable: ScheduleAnyway\n", Mechanical: true, Verified: true,
			},
			Fingerprint: "unschedulable:4f1c",
		}},
		Coverage: finding.Coverage{Topologies: 12, States: 48211, Transitions: 190377, MaxNodes: 6, MaxPods: 12, MaxEvents: 3, ElapsedMs: 5210, Bound: "complete",
			Rules: []finding.RuleCoverage{{Rule: "rollout-stuck", Pods: 12, Nodes: 6, AsDeclared: true, Bound: "complete"}}},
		Releases:    []finding.ReleaseResult{{ID: "shop-prod", Kind: "kustomize", Status: "ok", Objects: 7, Changed: true}},
		Assumptions: quoted("no descheduler runs: none was declared"),
	}
}

func spreadSteps() []finding.Step {
	because := func(file string, line int, field string) []finding.Because {
		return []finding.Because{{File: file, Line: line, Field: field}}
	}
	hpa, deploy := because("base/hpa.yaml", 11, "spec.maxReplicas"), because("base/web.yaml", 7, "spec.strategy")
	return []finding.Step{
		{Actor: "apply", Class: "event", Action: "apply", Object: webID, Text: "the change is applied", After: spreadSnapshot(5, 5, 0)},
		{Actor: "load", Class: "event", Action: "load", Object: webID, Text: "load nominal -> saturating", After: spreadSnapshot(5, 5, 0)},
		{Actor: "hpa/web", Class: "periodic", Action: "scale", Object: webID, Text: "replicas 5 -> 6 (cpu 95%)", Because: hpa, After: spreadSnapshot(6, 5, 0)},
		{Actor: "deployment/web", Class: "sync", Action: "scale", Object: "apps/ReplicaSet default/web", Text: "size 5 -> 6", Because: deploy, After: spreadSnapshot(6, 5, 0)},
		{Actor: "replicaset/web", Class: "sync", Action: "create", Object: "Pod default/web", Text: "creates 1 pod", After: spreadSnapshot(6, 5, 1)},
		{
			Actor: "scheduler", Class: "sync", Action: "filter", Object: "Pod default/web", Text: "no feasible node: 2 fail zone, 1 fails hostname",
			Because: append(because("base/web.yaml", 22, "spec.template.spec.topologySpreadConstraints[0]"), because("overlays/prod/spread.yaml", 14, "spec.template.spec.topologySpreadConstraints[1]")...),
			After:   spreadSnapshot(6, 5, 1),
		},
	}
}

func spreadSnapshot(replicas, ready, pending int) *finding.Snapshot {
	pods := func(n int) []finding.PodsSnapshot {
		return []finding.PodsSnapshot{{Workload: webID, Revision: "new", Phase: "ready", Count: n}}
	}
	s := &finding.Snapshot{
		Nodes: []finding.NodeSnapshot{
			{Name: "a-1", Class: "zone-a", Zone: "a", Pods: pods(2)}, {Name: "a-2", Class: "zone-a", Zone: "a", Pods: pods(1)},
			{Name: "b-1", Class: "zone-b", Zone: "b", Pods: pods(2)},
		},
		Workloads: []finding.WorkloadSnapshot{{Workload: webID, Replicas: replicas, Ready: ready, Load: "saturating"}},
	}
	if pending > 0 {
		s.Pending = []finding.PodsSnapshot{{Workload: webID, Revision: "new", Phase: "pending", Count: pending}}
	}
	return s
}

// loopResult has a lasso, an existing, a fixed and a waived finding, a failed and a
// skipped release, and notices; a budget ended it.
func loopResult() *finding.Result {
	r := spreadResult()
	start := 1
	loop := finding.Finding{
		Rule: "never-settles", Class: "convergence", Severity: "warning", Status: finding.New, Certainty: finding.Possible,
		Scenario: "steady", Timing: "arbitrary", Workload: "apps/Deployment default/api", Release: "api",
		Message:    "the replica count of default/api never settles",
		Scale:      finding.Scale{Nodes: 1, Pods: 4, Classes: map[string]int{"general": 1}},
		CycleStart: &start,
		Interleaving: []finding.Step{
			{Actor: "load", Class: "event", Action: "load", Object: "apps/Deployment default/api", Text: "load idle -> nominal"},
			{Actor: "hpa/api", Class: "periodic", Action: "scale", Object: "apps/Deployment default/api", Text: "replicas 2 -> 4", Because: []finding.Because{{File: "charts/api/templates/hpa.yaml", Line: 9, Field: "spec.minReplicas"}}},
			{Actor: "gitops/api", Class: "periodic", Action: "apply", Object: "apps/Deployment default/api", Text: "replicas 4 -> 2", Because: []finding.Because{{File: "charts/api/values.yaml", Line: 3, Field: "spec.replicas"}}},
		},
		Locations:   []finding.Location{*head("charts/api/values.yaml", 3, 11, 12, false)},
		Events:      []string{"load-change"},
		Fingerprint: "never-settles:77aa",
	}
	old := r.Findings[0]
	old.Status, old.Workload, old.Message = finding.Existing, "apps/Deployment default/old", "a pod of default/old stays pending"
	gone := old
	gone.Status, gone.Workload, gone.Message = finding.Fixed, "apps/Deployment default/gone", "a pod of default/gone stays pending"
	waived := loop
	waived.Rule, waived.Workload, waived.Message = "replicas-reset", "apps/Deployment default/legacy", "an apply sets default/legacy to 1 replica"
	r.Findings = []finding.Finding{gone, old, loop, r.Findings[0]}
	r.Waived = []finding.Waived{{Finding: waived, Reason: "single writer until Q2", Owner: "team-data", Expires: "2027-06-30"}}
	r.Releases = append(r.Releases,
		finding.ReleaseResult{ID: "api", Kind: "helm", Status: "failed-base", Changed: true, Reason: "charts/api/templates/x.yaml: nil pointer", Remedy: "mend the template on main", Where: &finding.Location{File: "charts/api/templates/x.yaml", StartLine: 4, StartColumn: 3, EndLine: 4, EndColumn: 9, Side: "base"}},
		finding.ReleaseResult{ID: "db", Kind: "helm", Status: "skipped", Changed: true, Reason: "dependency postgresql 15.5.0 is not vendored", Remedy: "run helm dependency build charts/db and commit charts/db/charts", Where: &finding.Location{File: "charts/db/Chart.yaml", StartLine: 8, Side: "head"}})
	r.Notices = quoted("the policy file changes in this pull request; base's was used", "a waiver of drain-blocked expired on 2026-06-30")
	r.Workloads = append(r.Workloads, finding.Workload{ID: "apps/Deployment default/api", Release: "api", Change: "added", Verdict: finding.Inconclusive, Reason: "the time budget ended the search after 90,000 states"})
	r.Coverage.Bound = "time"
	return r
}

// emptyResult is a pass with nothing found; nothingResult has nothing at all.
func emptyResult() *finding.Result {
	r := spreadResult()
	r.Verdict, r.Findings = finding.Pass, nil
	r.Workloads[0].Verdict = finding.Pass
	return r
}

func nothingResult() *finding.Result {
	return &finding.Result{SchemaVersion: "1", Verdict: finding.Errored}
}

// bigResult has n findings of 60 steps and n changed workloads, in many scripts.
func bigResult(n int) *finding.Result {
	r := spreadResult()
	f, w := r.Findings[0], r.Workloads[0]
	r.Findings, r.Workloads = nil, nil
	for i := range n {
		g := f
		g.Workload = fmt.Sprintf("apps/Deployment ns-%d/web-%d", i%97, i)
		g.Message = fmt.Sprintf("a pod of web-%d stays pending 𝒳𝒴𝒵 %s", i, strings.Repeat("🂡漢é", i%40))
		g.Fingerprint = fmt.Sprintf("f-%d", i)
		g.Status = [...]finding.Status{finding.New, finding.Existing, finding.Fixed, finding.New}[i%4]
		g.Severity = [...]string{"error", "warning", "note"}[i%3]
		g.Interleaving = nil
		for k := range 60 {
			s := f.Interleaving[k%len(f.Interleaving)]
			s.Text += fmt.Sprintf(" [%d.%d]", i, k)
			g.Interleaving = append(g.Interleaving, s)
		}
		if i%2 == 0 {
			start := 50
			g.CycleStart = &start
		}
		r.Findings = append(r.Findings, g)
		v := w
		v.ID = g.Workload
		r.Workloads = append(r.Workloads, v)
	}
	return r
}

// hostile are strings that try to leave the place they are put in.
var hostile = []string{
	"</details><script>alert(1)</script>", "```\n# owned\n```", "`code` ``x`` ```", "@octocat please", "#1 GH-2 owner/repo#3 owner/repo@4f1c2aa",
	"https://evil.example/x www.evil.example a@evil.example mailto:x@y.z xmpp:a@b.c", "[x](javascript:alert(1)) ![i](http://e/i.png) [^1] [ref]", "1. one\n2. two\n- three\n# four",
	"| a | b |\n|---|---|", "-->\n<!-- kubesettle instance=x -->", "::error::owned\n::set-output name=verdict::pass", "%0A::error::owned", "\x1b[31mred\x1b[0m\x07\x9b2J",
	"\u202egnp.exe\u2066", "a\x00b\xff\xfe", "end\nloop x\nPar; Note over p1: x", "$x$ $$y$$ $`z`$", "{{ .Values }} ${{ secrets.X }}", "&lt;b&gt; &#64;x &amp;", "~~strike~~ **bold** _it_ \\", ":tada: 100:1", "\t\n ", "",
	"<img src=x onerror=alert(1)>", "' onmouseover='alert(1)' \" style=\"x\"", "javascript:alert(1)", "\u2028</script><svg onload=alert(1)>", "- [ ] task", "> quote", "===", "+ plus", "%%{init: {}}%%", "%SRCROOT%/../../etc/passwd", "/etc/passwd", "../../x", "C:\\x", "file:///etc/passwd",
}

// hostileResult has hostile strings in every field, k of them rotated.
func hostileResult(k int) *finding.Result {
	r := loopResult()
	n := k
	fillStrings(r, func(string) string { n++; return hostile[n%len(hostile)] + "," + hostile[(n*7+3)%len(hostile)] })
	for i := range r.Findings { // what the schema fixes stays
		f := &r.Findings[i]
		f.Status, f.Severity = [...]finding.Status{finding.New, finding.Existing, finding.Fixed, finding.New}[i%4], "error"
		f.Certainty, f.Scenario, f.Timing = finding.Possible, "change", "realistic"
	}
	return r
}

// rolloutResult is a rollout that surges onto another workload's place: two revisions,
// two workloads, every phase, a loop of evictions.
func rolloutResult() *finding.Result {
	r := spreadResult()
	const api, batch = "apps/Deployment prod/api", "apps/Deployment prod/batch"
	shot := func(pending int, nodes ...[]finding.PodsSnapshot) *finding.Snapshot {
		s := &finding.Snapshot{Workloads: []finding.WorkloadSnapshot{{Workload: api, Replicas: 3, Ready: 3}, {Workload: batch, Replicas: 2, Ready: 2 - pending}}}
		for i, pods := range nodes {
			s.Nodes = append(s.Nodes, finding.NodeSnapshot{Name: fmt.Sprintf("general-%d", i+1), Class: "general", Pods: pods})
		}
		if pending > 0 {
			s.Pending = []finding.PodsSnapshot{{Workload: batch, Phase: "pending", Count: pending}}
		}
		return s
	}
	pod := func(w, rev, phase string, n int) finding.PodsSnapshot {
		return finding.PodsSnapshot{Workload: w, Revision: rev, Phase: phase, Count: n}
	}
	type pods = []finding.PodsSnapshot
	at := func(l int, field string) []finding.Because {
		return []finding.Because{{File: "charts/api/templates/deployment.yaml", Line: l, Field: field}}
	}
	start := 2
	r.Findings = []finding.Finding{{
		Rule: "never-settles", Class: "convergence", Severity: "error", Status: finding.New, Certainty: finding.Inevitable, Scenario: "change", Timing: "realistic",
		Workload: api, Release: "api-prod", Message: "the surge of prod/api preempts prod/batch again and again",
		Scale: finding.Scale{Nodes: 2, Pods: 6, Classes: map[string]int{"general": 2}}, AtDeclaredScale: true, Events: []string{"apply"}, CycleStart: &start,
		Interleaving: []finding.Step{
			{Actor: "apply", Class: "event", Action: "apply", Object: api, Text: "the change is applied", After: shot(0, pods{pod(api, "old", "ready", 2), pod(batch, "", "ready", 1)}, pods{pod(api, "old", "ready", 1), pod(batch, "", "ready", 1)})},
			{Actor: "deployment/api", Class: "sync", Action: "scale", Object: "apps/ReplicaSet prod/api", Text: "new size 0 -> 1, a surge of 25% rounded up", Because: at(14, "spec.strategy.rollingUpdate.maxSurge"), After: shot(0, pods{pod(api, "old", "ready", 2), pod(batch, "", "ready", 1)}, pods{pod(api, "old", "ready", 1), pod(api, "new", "pending", 1), pod(batch, "", "ready", 1)})},
			{Actor: "scheduler", Class: "sync", Action: "preempt", Object: "Pod prod/batch", Text: "preempts 1 pod of prod/batch on general-2", Because: at(31, "spec.template.spec.priorityClassName"), After: shot(1, pods{pod(api, "old", "ready", 2), pod(batch, "", "ready", 1)}, pods{pod(api, "old", "ready", 1), pod(api, "new", "starting", 1), pod(batch, "", "terminating", 1)})},
			{Actor: "kubelet/general-2", Class: "kubelet", Action: "start", Object: "Pod prod/api", Text: "1 pod becomes ready", After: shot(1, pods{pod(api, "old", "terminating", 1), pod(api, "old", "ready", 1), pod(batch, "", "ready", 1)}, pods{pod(api, "old", "ready", 1), pod(api, "new", "ready", 1)})},
			{Actor: "replicaset/batch", Class: "sync", Action: "create", Object: "Pod prod/batch", Text: "creates 1 pod in place of the evicted one", After: shot(1, pods{pod(api, "old", "ready", 1), pod(batch, "", "starting", 1)}, pods{pod(api, "old", "ready", 1), pod(api, "new", "ready", 1)})},
		},
		Locations: []finding.Location{*head("charts/api/templates/deployment.yaml", 31, 7, 40, true)}, Fingerprint: "never-settles:0c",
		Blame: []finding.Blame{{Object: api, Path: "spec.template.spec.priorityClassName", New: `"high"`, Location: head("charts/api/templates/deployment.yaml", 31, 7, 40, true)}},
		Fix:   &finding.Fix{Text: "set preemptionPolicy: Never on the PriorityClass high"},
	}}
	return r
}

// quoted are notes in words of another version.
func quoted(texts ...string) (out []finding.Note) {
	for _, s := range texts {
		out = append(out, finding.Say(finding.Quoted, s))
	}
	return out
}
