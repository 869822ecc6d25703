package judge

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/state"
)

// hedge words a finding that rests on how many nodes were assumed: it names the clusters
// that it holds for, those of at most so many nodes, and is not inevitable.
func hedge(f *finding.Finding, v scenario.Variant, nodes int) {
	f.Certainty = finding.Possible
	fit, what := "fit", "nodes"
	if nodes == 1 {
		fit, what = "fits", "node"
	}
	while := fmt.Sprintf("at most %d %s", nodes, what)
	if zones := min(zonesIn(v.Spec.Classes), nodes); nodes > 1 && len(scenario.ApartBy(v.Spec.Workloads)) > 0 {
		while += fmt.Sprintf(" in %d zones", zones)
	}
	f.While(while+" "+fit, "cluster.nodes, cluster.nodePools or --snapshot")
}

func zonesIn(classes []state.NodeClass) int {
	seen := map[string]bool{}
	for _, c := range classes {
		seen[c.Node.Labels[corev1.LabelTopologyZone]] = true
	}
	return len(seen)
}

// placed words a finding that is there in one placement of the pods of other workloads, and not known to be wherever
// else the scheduler may put them: it is not inevitable.
func (d *Judge) placed(ctx context.Context, v scenario.Violation, f *finding.Finding, o *open) {
	if f.Status == finding.Existing {
		return
	}
	switch o.ask(d.Checker.HoldsElsewhere(ctx, v), "whether it shows wherever the pods of other workloads stand") {
	case scenario.Yes:
		return
	case scenario.No:
		f.Certainty, o.capped = finding.Possible, true
	default:
		f.Certainty = finding.Unknown
	}
	f.While("the pods of other workloads are placed in some of the possible ways", "--snapshot")
}

// doubt is the severity of a finding on a snapshot: if that is old, or undeclared nodes may come, a finding that rests
// on room is no error.
func (d *Judge) doubt(
	ctx context.Context, v scenario.Violation, f *finding.Finding, s rules.Severity, o *open,
) rules.Severity {
	if !d.Doubted || s != rules.Error {
		return s
	}
	switch o.ask(d.Checker.WithRoom(ctx, v), "whether it rests on room that may come") {
	case scenario.Yes:
		return s
	case scenario.No:
		o.capped = true
	}
	f.While("no more room than in the snapshot comes", "cluster.nodePools, or a newer snapshot")
	return rules.Warning
}

// atMostWarning is the severity of a finding that rests on undeclared facts.
func atMostWarning(s rules.Severity) rules.Severity {
	if s == rules.Error {
		return rules.Warning
	}
	return s
}
