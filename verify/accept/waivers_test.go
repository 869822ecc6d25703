package accept

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

func TestAMissingShardIsNoted(t *testing.T) {
	part := func(s string) *finding.Result { return &finding.Result{Shard: s} }
	for _, parts := range [][]*finding.Result{
		{part("1/2")}, {part("1/2"), part("1/2")}, {part("1/3"), part("2/3")}, {part("1/2"), part("")},
	} {
		if _, err := Merge(parts, finding.Gate{}); !errors.Is(err, ErrNotShards) {
			t.Errorf("merging %d results, the first %s: got %v, want ErrNotShards", len(parts), parts[0].Shard, err)
		}
	}
	if _, err := Merge([]*finding.Result{part("2/2"), part("1/2")}, finding.Gate{}); err != nil {
		t.Errorf("merging both parts: %v", err)
	}
}

func TestAWaiverCoversUntilItsLastDay(t *testing.T) {
	p, err := policies.Load("p.yaml", []byte(`apiVersion: kubesettle.dev/v1alpha1
kind: Policy
waivers:
- {rule: unschedulable, workload: default/web, reason: moves in May, owner: team-web, expires: 2027-05-31}
- {rule: below-floor, workload: default/api, reason: none is needed, owner: team-api, expires: 2027-05-31}
`))
	if err != nil {
		t.Fatal(err)
	}
	run := func(day string) *finding.Result {
		today, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		r := &finding.Result{Findings: []finding.Finding{{Rule: "unschedulable", Workload: "apps/Deployment default/web", Status: finding.New, Severity: "error"}}}
		used := waive(r, p, today)
		r.Notices = idleWaivers([]*policies.Policy{p}, used, today)
		return r
	}
	if r := run("2027-05-31"); len(r.Findings) != 0 || len(r.Waived) != 1 || len(r.Notices) != 1 {
		t.Errorf("on its last day: %d findings, %d waived, notices %q; want 0, 1 and the unused one", len(r.Findings), len(r.Waived), r.Notices)
	}
	if r := run("2027-06-01"); len(r.Findings) != 1 || len(r.Waived) != 0 || len(r.Notices) != 2 {
		t.Errorf("a day later: %d findings, %d waived, notices %q; want 1, 0 and both expired", len(r.Findings), len(r.Waived), r.Notices)
	}
}

func TestTheSameDefectInSeveralReleasesIsOneFinding(t *testing.T) {
	at := []finding.Location{{File: "base/web.yaml", StartLine: 7}}
	fs := finding.Across([]finding.Finding{
		{Rule: "unschedulable", Workload: "w", Status: finding.New, Severity: "error", Release: "prod", Locations: at},
		{Rule: "unschedulable", Workload: "w", Status: finding.New, Severity: "error", Release: "staging", Locations: at},
		{Rule: "unschedulable", Workload: "w", Status: finding.New, Severity: "warning", Release: "dev", Locations: at},
	})
	if len(fs) != 2 || !slices.Equal(fs[0].AlsoIn, []string{"staging"}) {
		t.Errorf("got %+v, want prod (also in staging) and dev", fs)
	}
}
