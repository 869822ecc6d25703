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
func (f *Finding) hedge(v scenario.Variant, nodes int) {
	f.Certainty = finding.Possible
	fit, what := "fit", "nodes"
	if nodes == 1 {
		fit, what = "fits", "node"
	}
	while := fmt.Sprintf("at most %d %s", nodes, what)
	if zones := min(zonesIn(v.Spec.Classes), nodes); nodes > 1 && len(scenario.ApartBy(v.Spec.Workloads)) > 0 {
		while += fmt.Sprintf(" in %d zones", zones)
	}
	f.while(while+" "+fit, "cluster.nodes, cluster.nodePools or --snapshot")
}

// Premised words a finding that rests on there being no further device, or on nodes of a size, or full, or tainted.
func (f *Finding) Premised(premise string) {
	f.Certainty = finding.Possible
	f.while(premise, "cluster.nodes, cluster.nodePools or --snapshot")
}

// Unlent words a finding that rests on there being no further ClusterQueue of a cohort, or Cohort, that lends: they may
// be in another repository. It is no error.
func (f *Finding) Unlent(cohort string) {
	f.Severity = string(atMostWarning(rules.Severity(f.Severity)))
	f.while("no other ClusterQueue lends to cohort "+cohort, "cluster.nodes, cluster.nodePools or --snapshot")
}

// Translated words a finding that rests on a ClusterQueue covering none of an extended resource: what Kueue makes
// others of, and what it leaves out, is in its own configuration, which is not read.
func (f *Finding) Translated(resource string) {
	f.Severity = string(atMostWarning(rules.Severity(f.Severity)))
	f.while("Kueue's configuration neither transforms nor leaves out "+resource, "")
}

// while adds a condition, in the message as well.
func (f *Finding) while(what, declare string) {
	f.Holds = append(f.Holds, Condition{what, declare})
	f.Message += " (while " + what + ")"
}

func zonesIn(classes []state.NodeClass) int {
	seen := map[string]bool{}
	for _, c := range classes {
		seen[c.Node.Labels[corev1.LabelTopologyZone]] = true
	}
	return len(seen)
}

// atMostWarning is the severity of a finding that rests on what nobody declared.
func atMostWarning(s rules.Severity) rules.Severity {
	if s == rules.Error {
		return rules.Warning
	}
	return s
}

// placed words a finding that is there while the pods of other workloads stand where the scheduler puts
// them on empty nodes, and not where they stand as tightly as they fit: it is not inevitable.
func (d *Judge) placed(ctx context.Context, v scenario.Violation, f *Finding) {
	if f.Status == Existing || d.Checker.HoldsPacked(ctx, v) {
		return
	}
	f.Certainty = finding.Possible
	f.while("the pods of other workloads stand where the scheduler puts them on empty nodes", "--snapshot")
}

// doubt is the severity of a finding on a snapshot: where this is old, or nodes may come of which
// nothing is declared, what rests on room is no error.
func (d *Judge) doubt(ctx context.Context, v scenario.Violation, f *Finding, s rules.Severity) rules.Severity {
	if !d.Doubted || s != rules.Error || !d.Checker.RestsOnRoom(ctx, v) {
		return s
	}
	f.while("no more room than in the snapshot comes", "cluster.nodePools, or a newer snapshot")
	return rules.Warning
}
