package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/slice"
)

func newDoctor(p *process) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "doctor [PATH...]",
		Short: "Show discovered releases, planned searches and unknown facts on one page",
		Long: `Doctor renders the PATHs (default: the working directory), and lists the releases, their cluster,
the searches that a check would run, and the undeclared facts that verdicts depend on. It does
not search.`,
		Example: `  kubesettle doctor
  kubesettle doctor clusters/prod --output json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := f.outputs.list()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			tree, paths, err := oneTree(p, args)
			if err != nil {
				return err
			}
			f.rendering.paths = paths
			policy, err := f.gating.load(tree)
			if err != nil {
				return err
			}
			line := newProgress(p)
			ropt, vopt, err := f.options(p, policy, line)
			line.end()
			if err != nil {
				return err
			}
			rev, err := render.Render(cmd.Context(), tree, ropt)
			if err != nil {
				return analysis(err)
			}
			if vopt.Scopes, err = f.gating.scopes(tree, &object.Changes{Head: rev}); err != nil {
				return err
			}
			found, err := run.Inspect(rev, vopt)
			if err != nil {
				return analysis(withoutSecrets(err, rev))
			}
			page := examine(rev, policy, found)
			page.Scopes = f.gating.diagnosed(tree, vopt.Scopes)
			err = write(p, list, func(format string, _ bool, w io.Writer) error { return page.write(w, format) })
			if err != nil {
				return err
			}
			return ended(rendered(rev))
		},
	}
	f.rendering.flags(cmd)
	f.gating.docFlags(cmd)
	f.outputs.flags(cmd, "text", "json")
	return cmd
}

// docFlags are the flags of declarations, without the gate's.
func (g *gating) docFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.policy, "policy", "", "policy file (default: "+policyFile+", if present)")
	f.StringVar(&g.nodes, "nodes", "", "file of Node objects that become the cluster, from 'kubectl get nodes -o yaml'")
	f.StringVar(&g.snapshot, "snapshot", "", "file from 'kubesettle snapshot': nodes, placements, live counts")
	f.StringVar(&g.releasesFile, "releases", "", "file with a YAML list of releases, added to the policy's")
}

// diagnosis is the page as `doctor --output json` has it; secrets are taken out.
type diagnosis struct {
	SchemaVersion string             `json:"schemaVersion"`
	Policy        string             `json:"policy"` // file; "" is the built-in default
	Scopes        []diagnosedScope   `json:"scopes"` // policies of folders
	Releases      []diagnosedRelease `json:"releases"`
	Cluster       diagnosedCluster   `json:"cluster"`
	Workloads     int                `json:"workloads"`
	Searches      int                `json:"searches"`
	Slices        []run.SliceSurvey  `json:"slices"`
	Unknown       []run.Unknown      `json:"unknown"`
	Unmodeled     []string           `json:"unmodeled"`
	Ignored       []listedPath       `json:"ignored"`
}

// diagnosedScope is the policy of a folder.
type diagnosedScope struct {
	Policy   string   `json:"policy"`   // file
	Releases []string `json:"releases"` // that it is for; none: it counts for nothing
	Gives    []string `json:"gives"`    // sections that it has
	Locked   []string `json:"locked"`   // fields that it may not give
}

type diagnosedRelease struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Path     string   `json:"path"`
	Values   []string `json:"values,omitempty"`
	Selected string   `json:"selected"`
	Objects  int      `json:"objects"`
	Status   string   `json:"status"` // ok, failed, skipped
	Reason   string   `json:"reason,omitempty"`
	Remedy   string   `json:"remedy,omitempty"`
	// Together says that it shares the cluster with the other releases that do.
	Together bool `json:"together,omitempty"`
}

type diagnosedCluster struct {
	Assumed bool     `json:"assumed"`
	From    string   `json:"from,omitempty"` // the file that declares it
	Nodes   []string `json:"nodes"`          // pools in words
	// Workloads are those that the policy declares beside the releases, in words.
	Workloads []string `json:"workloads,omitempty"`
}

func examine(rev *object.Revision, policy *policies.Policy, s *run.Survey) *diagnosis {
	hide := hider(rev)
	d := &diagnosis{
		SchemaVersion: "1", Policy: policy.File, Releases: []diagnosedRelease{}, Cluster: clusterOf(policy),
		Slices: s.Slices, Unknown: run.Unknowns(rev, s.Policy), Unmodeled: []string{}, Ignored: []listedPath{},
	}
	for _, l := range list(rev).Releases {
		r := diagnosedRelease{
			ID: l.ID, Kind: l.Kind, Path: l.Path, Values: l.Values, Selected: l.Selected, Objects: len(l.Objects),
			Status: l.Status, Reason: hide(l.Reason), Remedy: hide(l.Remedy),
		}
		r.Together = len(policy.Cluster.Releases) > 0 && policy.Cluster.Runs(l.ID, l.Path)
		d.Releases = append(d.Releases, r)
	}
	for i := range d.Slices {
		x := &d.Slices[i]
		x.Release = hide(x.Release)
		for _, names := range [][]string{x.Workloads, x.Beside} {
			for k := range names {
				names[k] = hide(names[k])
			}
		}
		d.Workloads += len(x.Workloads)
		d.Searches += x.Searches
	}
	if d.Unknown == nil {
		d.Unknown = []run.Unknown{}
	}
	for i := range d.Unknown {
		d.Unknown[i].What = hide(d.Unknown[i].What)
	}
	for _, w := range s.Workloads {
		if w.Verdict == finding.Inconclusive {
			d.Unmodeled = append(d.Unmodeled, hide(w.ID+": "+w.Reason))
		}
	}
	for _, n := range slice.Foreign(rev, func(*object.Rendered, object.ID) bool { return true }) {
		d.Unmodeled = append(d.Unmodeled, hide(report.NoteText(n)))
	}
	for _, x := range rev.Ignored {
		d.Ignored = append(d.Ignored, listedPath{hide(x.Path), hide(x.Reason)})
	}
	return d
}

// clusterOf words the nodes that are searched.
func clusterOf(p *policies.Policy) diagnosedCluster {
	c := diagnosedCluster{Assumed: p.Cluster.Assumed, Nodes: []string{}}
	if !c.Assumed {
		if c.From = p.File; p.Cluster.Snapshot != nil {
			c.From = p.Cluster.SnapshotFile
		} else if len(p.Cluster.Nodes) > 0 {
			c.From = p.Cluster.NodesFile
		}
	}
	if n := len(p.Cluster.Nodes); n > 0 {
		c.Nodes = append(c.Nodes, fmt.Sprintf("%d nodes by name", n))
	}
	for _, pool := range p.Cluster.Pools {
		s := fmt.Sprintf("%s: %d to %d nodes", pool.Name, pool.Min, pool.Max)
		if len(pool.Zones) > 0 {
			s += " in zones " + strings.Join(pool.Zones, ", ")
		}
		c.Nodes = append(c.Nodes, s)
	}
	for i := range p.Cluster.Workloads {
		w := &p.Cluster.Workloads[i]
		c.Workloads = append(c.Workloads, fmt.Sprintf("%s/%s: %d pods", w.Namespace, w.Name, w.Count))
	}
	return c
}

func (d *diagnosis) write(w io.Writer, format string) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	_, err := io.WriteString(w, printable(d.text()))
	return err
}

// page collects lines, each section with a bound, so that all of them are one page.
type page struct{ lines []string }

// maxColumns is where a line is cut.
const maxColumns = 120

func (p *page) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	indent := ""
	if strings.HasPrefix(format, "  ") {
		indent = "  "
	}
	p.lines = append(p.lines, indent+report.Plain(s, maxColumns-len(indent)))
}

// section writes a heading and at most so many items; rest says where the others are.
func (p *page) section(title string, items []string, most int, rest string) {
	if len(items) == 0 {
		return
	}
	p.lines = append(p.lines, "")
	p.line("%s", title)
	for i, s := range items {
		if i == most-1 && len(items) > most {
			p.line("  … and %d more%s", len(items)-i, rest)
			return
		}
		p.line("  %s", s)
	}
}

// broken words the releases that do not render, once for all that have the same to do.
func (d *diagnosis) broken() []string {
	type cause struct {
		first diagnosedRelease
		n     int
	}
	var list []*cause
	for _, r := range d.Releases {
		if r.Status == "ok" {
			continue
		}
		i := slices.IndexFunc(list, func(c *cause) bool { return r.Remedy != "" && c.first.Remedy == r.Remedy })
		if i < 0 {
			list = append(list, &cause{first: r})
			i = len(list) - 1
		}
		list[i].n++
	}
	slices.SortStableFunc(list, func(a, b *cause) int { return b.n - a.n })
	var out []string
	for _, c := range list {
		switch {
		case c.first.Remedy == "":
			out = append(out, c.first.Reason+" ("+c.first.ID+")")
		case c.n == 1:
			reason, remedy := report.Plain(c.first.Reason, 60), report.Plain(c.first.Remedy, 50)
			out = append(out, fmt.Sprintf("%s -> %s (%s)", reason, remedy, c.first.ID))
		default:
			out = append(out, fmt.Sprintf("%d releases -> %s (%s, …)", c.n, report.Plain(c.first.Remedy, 84), c.first.ID))
		}
	}
	return out
}

// text is the page: at most 60 lines.
func (d *diagnosis) text() string {
	var p page
	var found, searched, open, ignored, scopes []string
	largest := slices.Clone(d.Releases)
	slices.SortStableFunc(largest, func(a, b diagnosedRelease) int { return b.Objects - a.Objects })
	for _, r := range largest {
		if r.Status != "ok" {
			continue
		}
		s := fmt.Sprintf("%s, objects %d: %s", r.Kind, r.Objects, r.ID)
		if !strings.Contains(r.ID, r.Path) {
			s += " at " + r.Path
		}
		if s += " (" + r.Selected + ")"; r.Together {
			s += "; shares the cluster"
		}
		found = append(found, s)
	}
	bySize := slices.Clone(d.Slices)
	slices.SortStableFunc(bySize, func(a, b run.SliceSurvey) int { return b.Searches - a.Searches })
	for _, x := range bySize {
		names := slices.Clone(x.Workloads[:min(len(x.Workloads), 2)])
		for i, id := range names {
			names[i] = id[strings.IndexByte(id, '/')+1:] // without the group
		}
		s := strings.Join(names, ", ")
		if n := len(x.Workloads) - len(names); n > 0 {
			s += fmt.Sprintf(" and %d more", n)
		}
		s += fmt.Sprintf(" of %s: topologies: %d, nodes: up to %d, pods: %d", x.Release, x.Searches, x.MaxNodes, x.Pods)
		if len(x.Events) > 0 {
			s += "; " + strings.Join(x.Events, ", ")
		}
		searched = append(searched, s)
	}
	for _, u := range d.Unknown {
		s := u.What
		if u.File != "" {
			s += fmt.Sprintf(" (%s:%d", u.File, max(u.Line, 1))
			if u.Times > 1 {
				s += fmt.Sprintf(" and %d more", u.Times-1)
			}
			s += ")"
		}
		open = append(open, s+" -> "+u.Declare)
	}
	for _, x := range d.Ignored {
		ignored = append(ignored, x.Path+": "+x.Reason)
	}
	policy := d.Policy
	if policy == "" {
		policy = "none; kubesettle init writes one"
	}
	p.line("releases: %d (%d render), workloads: %d in %d slices, topologies to search: %d, policy: %s",
		len(d.Releases), len(found), d.Workloads, len(d.Slices), d.Searches, policy)
	for _, s := range d.Scopes {
		scopes = append(scopes, s.text())
	}
	p.section("Policies of folders", scopes, 6, ": --output json")
	p.section("Releases", found, 10, ": kubesettle render . --explain")
	p.section("Not rendered", d.broken(), 5, ": kubesettle render . --explain")
	where := "assumed: elastic, three zones; no finding rests on its capacity"
	if !d.Cluster.Assumed {
		where = "declared in " + d.Cluster.From
	}
	p.section("Cluster of every release ("+where+")", d.Cluster.Nodes, 4, "")
	p.section("Beside the releases (cluster.workloads)", d.Cluster.Workloads, 4, "")
	p.section("Would be searched", searched, 7, ": --output json")
	p.section("Not known -> how to declare it", open, 10, ": --output json")
	p.section("Not modeled", d.Unmodeled, 4, ": --output json")
	p.section("Not looked at", ignored, 3, ": --output json")
	return strings.Join(p.lines, "\n") + "\n"
}
