package report

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify/finding"
)

func TestBriefName(t *testing.T) {
	for _, x := range []struct {
		name string
		most int
		want string
	}{
		{"checkout", 24, "checkout"},
		{"payments-reconciliation", 24, "payments-reconciliation"},
		{"payments-reconciliation-worker", 30, "payments-reconciliation-worker"},
		{"payments-reconciliation-worker", 24, "payments-…-worker"},
		{"kube-prometheus-stack-grafana-operator", 30, "kube-…-stack-grafana-operator"},
		{"averyverylongnamewithoutanyblank", 12, "averyv…blank"},
	} {
		if got := briefName(x.name, x.most); got != x.want {
			t.Errorf("%s in %d is %q, want %q", x.name, x.most, got, x.want)
		}
	}
}

// A side of a picture is never wider than it may be, unless one workload alone is; no word of a name is cut that fits;
// two workloads never have one name; and what fits is told in full.
func TestPictureNames(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 13))
	words := []string{"api", "worker", "payments", "kube", "prometheus", "stack", "reconciliation", "canary", "v2"}
	for range 2000 {
		s := &finding.Snapshot{Nodes: []finding.NodeSnapshot{{Name: "general-1"}}}
		for range 1 + r.IntN(4) {
			var name []string
			for range 1 + r.IntN(5) {
				name = append(name, words[r.IntN(len(words))])
			}
			s.Nodes[0].Pods = append(s.Nodes[0].Pods, finding.PodsSnapshot{
				Workload: "apps/Deployment default/" + strings.Join(name, "-"), Phase: "ready", Count: 1 + r.IntN(3)})
		}
		names := podNames(s, s)
		full := podsOn(s, "general-1", nil)
		short := shorter(names, func(short map[string]string) bool { return !tooWide(podsOn(s, "general-1", short)) })
		got, seen := within(podsOn(s, "general-1", short)), map[string]bool{}
		if !tooWide(full) && got != full {
			t.Fatalf("%q fits, and is told as %q", full, got)
		}
		if tooWide(got) && strings.Count(got, "●,") > 1 {
			t.Fatalf("%q has %d columns", got, utf8.RuneCountInString(got))
		}
		for _, n := range names {
			b := briefName(n, 24)
			if seen[short[n]] {
				t.Fatalf("two of %q are %q", names, short[n])
			}
			seen[short[n]] = true
			for _, w := range strings.Split(b, "-") {
				if w != ellipsis && !strings.Contains("-"+n+"-", "-"+w+"-") {
					t.Fatalf("%q of %q is no word of %q", w, b, n)
				}
			}
		}
	}
}
