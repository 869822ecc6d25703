package static

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestSlip(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"web", "webs", true}, {"frontend", "fronted", true}, {"frontend", "backend", false},
		{"api", "app", false}, {"web-1", "web-2", false}, {"redis", "redis-exporter", false}, {"redis", "redsi", true},
		{"controller", "contorller", true}, {"port", "prot", true}, {"wbe", "web", false}, {"service-12", "service-21", false},
		{"backend", "bakcned", false}, {"app-frontend", "app-forntedn", false},
	} {
		if got := slip(c.a, c.b); got != c.want {
			t.Errorf("%s for %s: %v", c.a, c.b, got)
		}
	}
}

func TestLeavesOut(t *testing.T) {
	for _, c := range []struct {
		short, long string
		want        bool
	}{
		{"proxy", "shop-proxy", true}, {"shop-worker", "shop-default-worker", true}, {"web", "web-1", true},
		{"web", "webs", false}, {"worker-shop", "shop-default-worker", false}, {"web", "web", false}, {"default-shop", "shop-default", false},
	} {
		if got := leavesOut(c.short, c.long); got != c.want {
			t.Errorf("%s of %s: %v", c.short, c.long, got)
		}
	}
}

// A rule of placement with one label of its pods misspelt was meant for them, whatever the labels are; one with a label
// of another name was not.
func TestMeantOwn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + rnd.IntN(26))
		}
		return string(b)
	}
	slipped := func(s string) string {
		i := rnd.IntN(len(s))
		return s[:i] + s[i+1:]
	}
	for range 500 {
		pod := map[string]string{}
		for range 1 + rnd.IntN(3) {
			pod[word(4+rnd.IntN(8))] = word(4 + rnd.IntN(8))
		}
		key := slices.Sorted(maps.Keys(pod))[rnd.IntN(len(pod))]
		sel := metav1.LabelSelector{MatchLabels: maps.Clone(pod)}
		if at, ok := meantOwn(&sel, pod); ok {
			t.Fatalf("%v selects %v, but is told to miss them at %s", sel.MatchLabels, pod, at)
		}
		sel.MatchLabels[key] = slipped(pod[key])
		if at, ok := meantOwn(&sel, pod); !ok || at != ".matchLabels["+key+"]" {
			t.Fatalf("%v misses %v by %s: told %q %v", sel.MatchLabels, pod, key, at, ok)
		}
		sel.MatchLabels[key] = "0" + word(8)
		if at, ok := meantOwn(&sel, pod); ok {
			t.Fatalf("%v is for others than %v, but is told at %s", sel.MatchLabels, pod, at)
		}
		delete(sel.MatchLabels, key)
		misspelt := slipped(key)
		sel.MatchLabels[misspelt] = pod[key]
		if at, ok := meantOwn(&sel, pod); !ok || at != ".matchLabels["+misspelt+"]" {
			t.Fatalf("%v misses %v by %s: told %q %v", sel.MatchLabels, pod, misspelt, at, ok)
		}
	}
}

// Names that are told apart by a part of one or two letters are no slips of each other; a dash that is typed twice is one.
func TestLettered(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"web-a", "web-b", true}, {"service-a", "service", true}, {"store-admin", "store--admin", false},
		{"store-admin", "store-adnin", false},
	} {
		if lettered(tt.a, tt.b) != tt.want {
			t.Errorf("%s and %s: %t", tt.a, tt.b, !tt.want)
		}
	}
}
