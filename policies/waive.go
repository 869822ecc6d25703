package policies

import (
	"strings"
	"time"
)

// Waive gives the waiver that accepts a finding of a rule on a workload today, the
// first one in the file that does. The workload is "namespace/name", with or without
// its kind before it ("apps/Deployment default/web"). With the zero time no waiver
// expires.
func (p *Policy) Waive(rule, workload string, today time.Time) (Waiver, bool) {
	name := workload[strings.LastIndexByte(workload, ' ')+1:]
	for _, w := range p.Waivers {
		if w.Rule == rule && (w.Workload == "" || w.Workload == name) && !w.expired(today) {
			return w, true
		}
	}
	return Waiver{}, false
}

// Expired lists the waivers that no longer hold today, in the file's order.
func (p *Policy) Expired(today time.Time) []Waiver {
	var out []Waiver
	for _, w := range p.Waivers {
		if w.expired(today) {
			out = append(out, w)
		}
	}
	return out
}

// expired reports whether its day is past, comparing days as written: YYYY-MM-DD sorts as the calendar does.
func (w Waiver) expired(today time.Time) bool {
	return !today.IsZero() && today.Format(time.DateOnly) > w.Expires
}
