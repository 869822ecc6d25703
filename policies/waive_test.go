package policies

import (
	"testing"
	"time"
)

func TestWaive(t *testing.T) {
	p, err := Load("p.yaml", []byte(`waivers:
- {rule: unschedulable, workload: default/web, reason: old, owner: a, expires: 2027-06-29}
- {rule: unschedulable, workload: default/web, reason: now, owner: a, expires: 2027-06-30}
- {rule: below-floor, reason: any, owner: b, expires: 2028-01-01}
`))
	if err != nil {
		t.Fatal(err)
	}
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d.Add(23 * time.Hour)
	}
	for _, x := range []struct {
		rule, workload string
		today          time.Time
		want           string
	}{
		{"unschedulable", "default/web", day("2027-06-29"), "old"},
		{"unschedulable", "default/web", day("2027-06-30"), "now"}, // the last day it holds
		{"unschedulable", "apps/Deployment default/web", day("2027-06-30"), "now"},
		{"unschedulable", "default/web", day("2027-07-01"), ""},
		{"unschedulable", "default/web", time.Time{}, "old"},
		{"unschedulable", "default/api", day("2027-01-01"), ""},
		{"rollout-stuck", "default/web", day("2027-01-01"), ""},
		{"below-floor", "shop/api", day("2027-01-01"), "any"},
	} {
		w, ok := p.Waive(x.rule, x.workload, x.today)
		if w.Reason != x.want || ok != (x.want != "") {
			t.Errorf("Waive(%s, %s, %s) = %q, %t, want %q", x.rule, x.workload, x.today, w.Reason, ok, x.want)
		}
	}
	if got := p.Expired(day("2027-06-30")); len(got) != 1 || got[0].Reason != "old" {
		t.Errorf("Expired = %+v, want the first", got)
	}
}
