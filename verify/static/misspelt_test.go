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
