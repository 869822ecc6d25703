package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify"
)

// mermaidLine is every line that a diagram may have.
var mermaidLine = regexp.MustCompile(`^(sequenceDiagram|  (participant|actor) p\d+ as [A-Za-z0-9 ._/,:=()%+-]+|` +
	` {2,4}p\d+->>p\d+: \d+\. [A-Za-z0-9 ._/,:=()%+-]+|  loop for ever| {2,4}Note over p\d+: [A-Za-z0-9 ._/,:=()%+-]+|  end)$`)

func checkMermaid(t *testing.T, d string) {
	t.Helper()
	if d == "" {
		return
	}
	if len(d) >= mermaidBytes {
		t.Fatalf("%d bytes", len(d))
	}
	edges, open := 0, 0
	for _, l := range strings.Split(strings.TrimSuffix(d, "\n"), "\n") {
		if !mermaidLine.MatchString(l) {
			t.Fatalf("line %q in\n%s", l, d)
		}
		if _, text, ok := strings.Cut(l, ": "); ok && (strings.Contains(text, "--") || strings.Contains(text, "%%") || regexp.MustCompile(`(?i)(^|[^(])\bend\b`).MatchString(text)) {
			t.Fatalf("text %q", text)
		}
		switch {
		case strings.Contains(l, "->>"):
			edges++
		case strings.HasPrefix(l, "  loop"):
			open++
		case l == "  end":
			open--
		}
	}
	if edges == 0 || edges >= 60 || open != 0 {
		t.Fatalf("%d edges, %d loops open", edges, open)
	}
}

func TestMermaidOfAnything(t *testing.T) {
	for k := range hostile {
		for i := range hostileResult(k).Findings {
			checkMermaid(t, mermaid(&hostileResult(k).Findings[i]))
		}
	}
	r := bigResult(40)
	for i := range r.Findings {
		for k := range r.Findings[i].Interleaving { // many lifelines
			r.Findings[i].Interleaving[k].Object += strings.Repeat("x", k)
		}
		checkMermaid(t, mermaid(&r.Findings[i]))
	}
}

func FuzzMermaid(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, actor, object, text string) {
		r := loopResult()
		for i := range r.Findings {
			g := &r.Findings[i]
			g.Message = text
			g.Interleaving = append(spreadSteps()[:3:3], g.Interleaving...)
			g.Interleaving[1].Actor, g.Interleaving[1].Object, g.Interleaving[2].Text = actor, object, text
			checkMermaid(t, mermaid(g))
		}
	})
}

func TestLifelines(t *testing.T) {
	for in, want := range map[string]string{
		"apps/Deployment prod/web": "prod/web", "Pod prod/web (new revision)": "prod/web", "apps/ReplicaSet prod/web": "prod/web",
		"Node": "Node", "Pod": "Pod", "Node a-1": "Node a-1", "a/b.c/Rollout x/y": "Rollout x/y", "": "",
	} {
		if got := lifeline(in); got != want {
			t.Errorf("lifeline(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"replicaset/prod/web@new": "replicaset", "kubelet-start/prod/web@old": "kubelet", "scheduler": "scheduler", "hpa/prod/web": "hpa",
	} {
		if got := role(&verify.Step{Actor: in, Class: "sync"}); got != want {
			t.Errorf("role(%q) = %q, want %q", in, got, want)
		}
	}
	if got := role(&verify.Step{Actor: "load/prod/web", Class: "event"}); got != "environment" {
		t.Errorf("an event is of %q", got)
	}
}
