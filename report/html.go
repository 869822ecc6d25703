package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/kubesettle/kubesettle/verify/finding"
)

//go:embed html/report.gohtml
var htmlTemplate string

//go:embed html/report.css
var htmlStyle string

//go:embed html/report.js
var htmlScript string

// Limits of one file, which counts the parts that they leave out.
const (
	htmlFindings = 300  // of each status, in full
	htmlParts    = 20   // of one cause besides its first finding, in full
	htmlLines    = 3000 // findings of each status, and of one cause, in a line each
	htmlSteps    = 400  // of one interleaving
	htmlChanges  = 3000 // objects
	htmlFields   = 200  // of one object
	htmlItems    = 1000 // of any other list
)

// HTML writes the report as one file that asks for no other: it works offline, without
// its script (then without the explorer's pictures), by keyboard, in light and dark.
// Its content security policy lets nothing run or load but its own style and script.
// Errors: the writer's.
func HTML(w io.Writer, r *finding.Result, opt Options) error {
	t, err := template.New("report").Parse(htmlTemplate)
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	if err := t.Execute(w, newPage(drawn(r), opt)); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return nil
}

// htmlPolicy allows the style and the script by their hashes, and nothing else.
func htmlPolicy() string {
	return "default-src 'none'; style-src " + hashSource(htmlStyle) + "; script-src " + hashSource(htmlScript) +
		"; base-uri 'none'; form-action 'none'"
}

func hashSource(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// snapshot is a [finding.Snapshot] in the few keys that the explorer reads.
type snapshot struct {
	Nodes     []nodeShot     `json:"nodes"`
	Pending   []podShot      `json:"pending,omitempty"`
	Workloads []workloadShot `json:"workloads,omitempty"`
	Facts     []string       `json:"facts,omitempty"` // budgets, quotas, volumes
	Note      string         `json:"note,omitempty"`  // what the step does outside of the picture, or waits for
}

type nodeShot struct {
	Name   string    `json:"n"`
	Class  string    `json:"c,omitempty"`
	Zone   string    `json:"z,omitempty"`
	State  string    `json:"s,omitempty"` // cordoned, draining, …
	Taints []string  `json:"t,omitempty"`
	Pods   []podShot `json:"pods,omitempty"`
}

type podShot struct {
	Workload string `json:"w"`
	Revision string `json:"r,omitempty"`
	Phase    string `json:"p"`
	Count    int    `json:"n"`
	Failing  bool   `json:"f,omitempty"`
}

type workloadShot struct {
	Workload string      `json:"w"`
	Replicas int         `json:"replicas"`
	Ready    int         `json:"ready"`
	Load     string      `json:"load,omitempty"`
	Sets     []string    `json:"sets,omitempty"`
	Scaler   *scalerShot `json:"hpa,omitempty"`
	Waits    int         `json:"waits,omitempty"`
}

type scalerShot struct {
	Desired int `json:"d"`
	Min     int `json:"a"`
	Max     int `json:"b"`
}

// shots are the pictures of the steps that are shown, nil for a step without one.
func shots(steps []shownStep) []*snapshot {
	out := make([]*snapshot, len(steps))
	var before *finding.Snapshot
	for i, s := range steps {
		if s.After == nil {
			continue
		}
		out[i] = &snapshot{Nodes: []nodeShot{}, Pending: podShots(s.After.Pending), Note: noted(before, s.Step)}
		before = s.After
		for _, n := range s.After.Nodes {
			how := line(n.Condition)
			if how == "" && n.Cordoned {
				how = "cordoned"
			}
			out[i].Nodes = append(out[i].Nodes, nodeShot{
				line(n.Name), line(n.Class), line(n.Zone), how, cleaned(n.Taints), podShots(n.Pods)})
		}
		for _, w := range s.After.Workloads {
			out[i].Workloads = append(out[i].Workloads, workloadShotOf(&w))
		}
		out[i].Facts = facts(s.After)
	}
	return out
}

func workloadShotOf(w *finding.WorkloadSnapshot) workloadShot {
	out := workloadShot{
		Workload: line(w.Workload), Replicas: w.Replicas, Ready: w.Ready, Load: line(w.Load), Waits: w.Waiting,
	}
	for _, s := range w.Sets {
		out.Sets = append(out.Sets, strings.TrimSpace(fmt.Sprintf("%d %s", s.Size, line(s.Revision))))
	}
	if a := w.Autoscaler; a != nil {
		out.Scaler = &scalerShot{a.Desired, a.Min, a.Max}
	}
	return out
}

// facts are what holds pods back, in words.
func facts(s *finding.Snapshot) []string {
	var out []string
	for _, b := range s.Budgets {
		out = append(out, fmt.Sprintf("budget %s: %s allowed, %d of %d needed are healthy", line(b.Name),
			count(b.Allowed, "eviction"), b.Healthy, b.Needed))
	}
	for _, q := range s.Quotas {
		out = append(out, fmt.Sprintf("quota %s: %s of %s %s used", line(q.Name), milli(q.Used), milli(q.Hard),
			line(q.Resource)))
	}
	for _, svc := range s.Services {
		out = append(out, fmt.Sprintf("Service %s: %s", line(svc.Name), count(svc.Endpoints, "ready endpoint")))
	}
	for _, c := range s.Claims {
		out = append(out, fmt.Sprintf("volume %s is attached to %s", line(c.Name), line(c.Node)))
	}
	return out
}

// cleaned are texts without what a terminal or page would take for more than text.
func cleaned(texts []string) []string {
	var out []string
	for _, s := range texts {
		out = append(out, line(s))
	}
	return out
}

// milli is a number of thousandths.
func milli(n int64) string { return humanize.Ftoa(float64(n) / 1000) }

func podShots(ps []finding.PodsSnapshot) []podShot {
	var out []podShot
	for _, p := range ps {
		if p.Count > 0 {
			out = append(out, podShot{line(p.Workload), line(p.Revision), line(p.Phase), p.Count, p.Failing})
		}
	}
	return out
}
