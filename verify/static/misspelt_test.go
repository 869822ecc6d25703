package static

import "testing"

func TestSlip(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"web", "webs", true}, {"frontend", "fronted", true}, {"frontend", "backend", false},
		{"api", "app", false}, {"web-1", "web-2", false}, {"redis", "redis-exporter", false}, {"redis", "redsi", false},
		{"controller", "contorller", true},
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
