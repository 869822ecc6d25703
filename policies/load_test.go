package policies

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/kubesettle/kubesettle/policies/rules"
)

// TestLoad reads testdata/load_*: each `load` gives a policy file and what stands in the
// policy where it differs from the default, or every problem of it.
//
// `load schema=rejects` asks that the JSON Schema refuses the file as well;
// `schema=accepts` says that what is wrong lies beyond a schema, such as two keys that
// contradict each other.
func TestLoad(t *testing.T) {
	schema := compiledSchema(t)
	datadriven.Walk(t, "testdata/load", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "load" {
				d.Fatalf(t, "no such command as %s", d.Cmd)
			}
			p, err := Load("p.yaml", []byte(d.Input))
			want := "accepts"
			if err != nil && !d.HasArg("schema") {
				d.Fatalf(t, "schema=rejects or schema=accepts is missing for: %v", err)
			}
			d.MaybeScanArgs(t, "schema", &want)
			if got := schema.verdict(t, []byte(d.Input)); got != want && !(got == "cannot read" && want == "accepts") {
				t.Errorf("%s: the schema %s it, want %s", d.Pos, got, want)
			}
			if err != nil {
				var file *FileError
				if !errors.As(err, &file) {
					t.Errorf("%s: the error is a %T, want a *FileError", d.Pos, err)
				}
				return err.Error()
			}
			return describe(p)
		})
	})
}

// describe writes what of a policy differs from the default, one line a thing.
func describe(p *Policy) string {
	var b strings.Builder
	base := Default()
	line := func(name string, got, was any) {
		if g := fmt.Sprintf("%+v", got); g != fmt.Sprintf("%+v", was) {
			fmt.Fprintf(&b, "%s: %s\n", name, g)
		}
	}
	for _, r := range p.Releases {
		fmt.Fprintf(&b, "release: %+v\n", r)
	}
	line("assumed", p.Cluster.Assumed, base.Cluster.Assumed)
	line("nodes", p.Cluster.NodesFile, "")
	line("gates", p.Cluster.Gated, base.Cluster.Gated)
	if !p.Cluster.Assumed {
		for _, pool := range p.Cluster.Pools {
			fmt.Fprintf(&b, "pool: %s %d-%d zones%v labels%v taints%v autoscaled=%t elastic=%t", pool.Name, pool.Min, pool.Max, pool.Zones, pool.Labels, pool.Taints, pool.Autoscaled, pool.Elastic)
			for _, k := range []string{"cpu", "memory", "pods"} {
				q := pool.Allocatable[resourceName(k)]
				fmt.Fprintf(&b, " %s=%s", k, q.String())
			}
			fmt.Fprintln(&b)
		}
	}
	for _, w := range p.Cluster.Workloads {
		fmt.Fprintf(&b, "workload: %s x %d", w.ID(), w.Count)
		if w.Priority != nil {
			fmt.Fprintf(&b, " priority=%d", *w.Priority)
		}
		fmt.Fprintf(&b, " requests=%v on %v, line %d\n", len(w.Requests), w.NodeSelector, w.Line)
	}
	c := p.Controllers
	gitops := "none"
	if c.GitOps != nil {
		gitops = fmt.Sprintf("%+v", *c.GitOps)
	}
	line("controllers", []any{c.SchedulerConfig, c.DeschedulerPolicy, gitops, c.ClusterAutoscaler}, []any{"", "", "none", false})
	for _, o := range c.Own {
		on := "none"
		if o.On != nil {
			on = fmt.Sprintf("%+v", *o.On)
		}
		fmt.Fprintf(&b, "own: %s on:%s watches:%q writes:%q when:%q to:%q %d-%d deed:%d pods:%s evicts:%t %s line:%d\n",
			o.Name, on, o.Watches, o.Writes, o.When, o.To, o.Min, o.Max, o.Does, o.Pods, o.Evicts, o.Latency, o.Line)
	}
	line("apply", p.Apply, base.Apply)
	e, drain := p.Events, "none"
	if e.Drain != nil {
		drain = fmt.Sprintf("%+v", *e.Drain)
	}
	if e.Spot != nil {
		drain += fmt.Sprintf(" spot:%+v", *e.Spot)
	}
	e.Drain, e.Spot = nil, nil
	line("events", fmt.Sprintf("%+v drain:%s", e, drain), fmt.Sprintf("%+v drain:none", base.Events))
	line("timing", p.Timing, base.Timing)
	line("bound", p.Bound, base.Bound)
	line("intents", p.Intents, base.Intents)
	for _, in := range p.Custom {
		fmt.Fprintf(&b, "custom: %+v\n", in)
	}
	line("gate", p.Gate, base.Gate)
	for _, w := range p.Waivers {
		fmt.Fprintf(&b, "waiver: %+v\n", w)
	}
	for _, s := range p.Unsupported() {
		fmt.Fprintf(&b, "unsupported: %s\n", s)
	}
	if b.Len() == 0 {
		return "the default\n"
	}
	return b.String()
}

func TestDefaultIsAssumedAndElastic(t *testing.T) {
	p := Default()
	if !p.Cluster.Assumed || p.File != "" {
		t.Errorf("Default is declared (assumed %t, file %q)", p.Cluster.Assumed, p.File)
	}
	if len(p.Cluster.Pools) != 1 || !p.Cluster.Pools[0].Elastic || len(p.Cluster.Pools[0].Zones) != 3 {
		t.Errorf("Default has the pools %+v, want one elastic pool of three zones", p.Cluster.Pools)
	}
	if got := p.Unsupported(); len(got) != 0 {
		t.Errorf("Default names %q as unsupported; it sets nothing", got)
	}
	p.Intents["below-floor"] = Intent{Severity: rules.Off}
	if len(Default().Intents) != 0 {
		t.Error("two Defaults share their intents")
	}
}

func TestLoadKeepsWithinItsLimits(t *testing.T) {
	numbers := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, data := range map[string]string{
		"bytes":      strings.Repeat("#", maxFileBytes+1),
		"items":      "releases:\n" + numbers(maxItems+1, "- {id: r%d, path: x}\n"),
		"values":     "releases:\n" + numbers(1, "- {id: r%d, chart: x, values: &v ["+numbers(900, "v%d, ")+"]}\n") + numbers(100, "- {id: s%d, chart: x, values: *v}\n"),
		"custom":     "intents: {custom: [" + numbers(maxCustom+1, "{name: a%d, never: quiescent}, ") + "]}",
		"expression": "intents: {custom: [{name: a, never: \"" + strings.Repeat("!", maxExpression) + "quiescent\"}]}",
		"quantity":   "cluster: {nodePools: [{name: a, allocatable: {cpu: 1e-1000000000, memory: 1Gi}}]}",
	} {
		_, err := Load("p.yaml", []byte(data))
		var file *FileError
		if !errors.As(err, &file) || len(file.Problems) != 1 {
			t.Errorf("%s: Load gives %.200v, want one problem", name, err)
		}
	}
}

// FuzzLoad: a policy file may be hostile. Load neither panics nor loops, and every
// problem is one line with a place.
func FuzzLoad(f *testing.F) {
	f.Add(string(defaultFile))
	f.Add(fullExample)
	f.Add("a: &a [*a]\n")
	f.Add("events: {none: true}\nintents: {custom: [{name: x, never: \"1\"}]}\n")
	f.Add("cluster: {nodePools: [{name: a, count: {min: 0x1, max: 1_0}}]}\n")
	f.Fuzz(func(t *testing.T, data string) {
		p, err := Load("p.yaml", []byte(data))
		var file *FileError
		switch {
		case err == nil:
			p.Unsupported()
			p.NodeClasses(nil)
		case !errors.As(err, &file) || len(file.Problems) == 0:
			t.Fatalf("the error is %T %v", err, err)
		default:
			for _, x := range file.Problems {
				if x.Line < 1 || x.Column < 1 || strings.ContainsAny(x.Text+x.Field, "\n\r\x1b") {
					t.Fatalf("problem %+v", x)
				}
			}
		}
	})
}
