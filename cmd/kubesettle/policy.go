package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// policyFile is where a repository keeps its policy.
const policyFile = ".kubesettle.yaml"

// gating holds the flags that override a policy.
type gating struct {
	policy, nodes          string
	snapshot               string
	inTree                 string // where the tree has the policy; "" is [policyFile]
	failOn, onInconclusive string
	// releases is a YAML list as the policy's section has it, and releasesFile a file of
	// one: they take the place of those of the same ID.
	releases, releasesFile string
	reportLevel            string // lowest severity that texts and comments show
	accepting              accepting
	declared               finding.Gate // of the policy that was loaded, whatever the flags say
}

func (g *gating) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.policy, "policy", "", "policy file (default: "+policyFile+" of base, if present)")
	f.StringVar(&g.nodes, "nodes", "", "file of Node objects that become the cluster, from 'kubectl get nodes -o yaml'")
	f.StringVar(&g.snapshot, "snapshot", "", "file from 'kubesettle snapshot': nodes, placements, live counts")
	f.StringVar(&g.releasesFile, "releases", "", "file with a YAML list of releases, added to the policy's")
	g.gateFlags(cmd)
}

func (g *gating) gateFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.failOn, "fail-on", "", "lowest severity that fails: error, warning, note or off; prefix new- or any- for new findings only or all (default: the policy's gate)")
	f.StringVar(&g.onInconclusive, "on-inconclusive", "", "warn or fail (default: the policy's gate)")
	f.StringVar(&g.reportLevel, "report-level", "note", "lowest severity that text, markdown, comment and summary show: error, warning or note; findings that gate are always shown")
}

// load reads the policy: the file that the user names, else that of the tree, else the
// embedded default.
func (g *gating) load(t tree.Tree) (*policies.Policy, error) {
	p, err := g.read(t)
	if err != nil {
		return nil, analysis(err)
	}
	if err := g.addReleases(p); err != nil {
		return nil, err
	}
	if err := g.flagged(p, t); err != nil {
		return nil, err
	}
	g.declared = p.Gate.Gate
	return p, g.override(&p.Gate.Gate)
}

// flagged gives a policy the cluster that flags name, and its baseline.
func (g *gating) flagged(p *policies.Policy, t fs.FS) error {
	if g.nodes != "" {
		data, err := os.ReadFile(g.nodes)
		if err != nil {
			return usage("--nodes: %w", err)
		}
		if err := p.SetNodes(g.nodes, data); err != nil {
			return usage("--nodes: %w", err)
		}
	}
	if g.snapshot != "" {
		if g.nodes != "" {
			return usage("--snapshot and --nodes: a snapshot holds the nodes; give one of the two")
		}
		data, err := os.ReadFile(g.snapshot)
		if err != nil {
			return usage("--snapshot: %w", err)
		}
		if err := p.SetSnapshot(g.snapshot, data); err != nil {
			return usage("--snapshot: %w", err)
		}
	}
	return g.loadBaseline(p, t)
}

func (g *gating) read(t tree.Tree) (*policies.Policy, error) {
	if g.policy != "" {
		data, err := os.ReadFile(g.policy)
		if err != nil {
			return nil, usage("--policy: %w", err)
		}
		p, err := policies.Load(g.policy, data)
		if err != nil {
			return nil, err
		}
		return p, withFiles(p, g.nodes+g.snapshot == "", func(name string) ([]byte, error) {
			return os.ReadFile(filepath.Join(filepath.Dir(g.policy), filepath.FromSlash(name)))
		})
	}
	file := g.file()
	if !fs.ValidPath(file) {
		return nil, usage("config: %s is outside the repository: name a policy file by its path in it", oneLine(file))
	}
	data, err := fs.ReadFile(t, file)
	if errors.Is(err, fs.ErrNotExist) {
		return policies.Default(), nil
	}
	if err != nil {
		return nil, &exit{exitUsage, fmt.Errorf("%s: %w", file, err)}
	}
	p, err := policies.Load(file, data)
	if err != nil {
		return nil, err
	}
	return p, withFiles(p, g.nodes+g.snapshot == "", func(name string) ([]byte, error) {
		return fs.ReadFile(t, path.Join(path.Dir(file), name))
	})
}

// missing says that the policy's file was named and lies in neither tree: the default in
// its place would be another gate than the one that was asked for. A change may bring it.
func (g *gating) missing(base, head tree.Tree) error {
	if g.policy != "" || g.file() == policyFile {
		return nil
	}
	for _, t := range []tree.Tree{base, head} {
		if _, err := fs.Stat(t, g.file()); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	return usage("config: %s is neither on base nor on head: name a policy file by its path in the repository, or leave config empty for %s", oneLine(g.file()), policyFile)
}

// file is where a tree has its policy.
func (g *gating) file() string {
	if g.inTree != "" {
		return path.Clean(g.inTree)
	}
	return policyFile
}

// withFiles reads the files that a policy names from where it lies.
func withFiles(p *policies.Policy, nodes bool, read func(string) ([]byte, error)) error {
	if err := withNodes(p, nodes, read); err != nil {
		return err
	}
	c := &p.Controllers
	for _, f := range []struct {
		field, name string
		load        func(name string, data []byte) error
	}{
		{"controllers.scheduler.config", c.SchedulerConfig, func(name string, data []byte) (err error) {
			c.SchedulerLines = policies.FieldLines(data)
			c.Scheduler, err = policies.LoadScheduler(name, data)
			return err
		}},
		{"controllers.descheduler.policy", c.DeschedulerPolicy, func(name string, data []byte) (err error) {
			c.DeschedulerLines = policies.FieldLines(data)
			c.Descheduler, err = policies.LoadDescheduler(name, data)
			return err
		}},
		{"controllers.karpenter.nodePools", c.KarpenterFile, func(name string, data []byte) error {
			pools, err := policies.LoadNodePools(name, data)
			if err != nil {
				return err
			}
			with, unknown := p.WithKarpenter(pools)
			if len(unknown) > 0 {
				return fmt.Errorf("cluster.nodePools has no pool %s, which says how large its nodes are", unknown[0])
			}
			*p = *with
			return nil
		}},
	} {
		if f.name == "" {
			continue
		}
		data, err := read(f.name)
		if err == nil {
			err = f.load(f.name, data)
		}
		if err != nil {
			return &exit{exitUsage, fmt.Errorf("%s: %s: %w", p.File, f.field, err)}
		}
	}
	return nil
}

// withNodes reads the policy's nodes file, if it is needed.
func withNodes(p *policies.Policy, needed bool, read func(string) ([]byte, error)) error {
	if name := p.Cluster.SnapshotFile; name != "" && needed {
		data, err := read(name)
		if err == nil {
			err = p.SetSnapshot(name, data)
		}
		if err != nil {
			return &exit{exitUsage, fmt.Errorf("%s: cluster.snapshot: %w", p.File, err)}
		}
		return nil
	}
	name := p.Cluster.NodesFile
	if name == "" || !needed {
		return nil
	}
	data, err := read(name)
	if err != nil {
		return &exit{exitUsage, fmt.Errorf("%s: cluster.nodes: %w", p.File, err)}
	}
	if err := p.SetNodes(name, data); err != nil {
		return &exit{exitUsage, fmt.Errorf("%s: cluster.nodes: %w", p.File, err)}
	}
	return nil
}

// override applies --fail-on and --on-inconclusive.
func (g *gating) override(gate *finding.Gate) error {
	severity := g.failOn
	if rest, ok := strings.CutPrefix(severity, "new-"); ok {
		severity, gate.OnlyNew = rest, true
	} else if rest, ok := strings.CutPrefix(severity, "any-"); ok {
		severity, gate.OnlyNew = rest, false
	}
	switch s := rules.Severity(severity); s {
	case "":
		if g.failOn != "" {
			return usage("--fail-on is %q: give error, warning, note or off", g.failOn)
		}
	case rules.Error, rules.Warning, rules.Note, rules.Off:
		gate.FailOn = severity
	default:
		return usage("--fail-on is %q: give error, warning, note or off, optionally prefixed, e.g. new-error or any-warning", g.failOn)
	}
	switch g.reportLevel {
	case "", string(rules.Error), string(rules.Warning), string(rules.Note):
	default:
		return usage("--report-level is %q: give error, warning or note", g.reportLevel)
	}
	switch g.onInconclusive {
	case "":
	case "warn", "fail":
		gate.OnInconclusive = g.onInconclusive
	default:
		return usage("--on-inconclusive is %q: give warn or fail", g.onInconclusive)
	}
	return nil
}

// declared are the policy's releases, as rendering wants them.
func declared(p *policies.Policy) []release.Release {
	var out []release.Release
	for _, r := range p.Releases {
		rel := release.Release{
			Release: object.Release{ID: r.ID, Values: r.Values, Namespace: r.Namespace, Declared: true,
				Selected: fmt.Sprintf("declared in %s:%d", p.File, r.Line)},
			Set: r.Set, KubeVersion: r.KubeVersion,
		}
		if r.Line > 0 && fs.ValidPath(p.File) { // else it lies in no revision
			rel.At = object.Location{File: p.File, StartLine: r.Line, StartColumn: 1, EndLine: r.Line,
				EndColumn: 2, Rung: "release"}
		}
		rel.AnyFile = r.LoadRestrictor == "none"
		for k, line := range r.SetLines {
			if rel.SetAt == nil {
				rel.SetAt = map[string]object.Location{}
			}
			rel.SetAt[k] = object.Location{File: filepath.ToSlash(p.File), StartLine: line, StartColumn: 1,
				EndLine: line, EndColumn: 2}
		}
		if r.Line == 0 { // not the policy's
			rel.Selected = "declared by the caller's list of releases"
		}
		switch {
		case r.Chart != "":
			rel.Kind, rel.Path = object.Helm, r.Chart
		case r.Kustomize != "":
			rel.Kind, rel.Path = object.Kustomize, r.Kustomize
		default:
			rel.Kind, rel.Path = object.Manifests, r.Path
		}
		out = append(out, rel)
	}
	return out
}

// further are the releases of head's policy, where base's has none: whoever starts with a policy is checked by it.
func (g *gating) further(p *policies.Policy, head tree.Tree) []release.Release {
	if g.policy != "" || len(p.Releases) > 0 {
		return nil
	}
	own, err := g.read(head)
	if err != nil {
		return nil // which is said of the change of the policy
	}
	return declared(own)
}

// notices says that the change edits the policy, which is read from base: a pull
// request cannot loosen its own gate.
func (g *gating) notices(p *policies.Policy, base, head tree.Tree) []finding.Note {
	if g.policy != "" {
		return nil // the user's own file, not the change's
	}
	files := []string{g.file()}
	for _, n := range []string{p.Cluster.NodesFile, p.Cluster.SnapshotFile} {
		if n != "" {
			files = append(files, path.Join(path.Dir(g.file()), n))
		}
	}
	var out []finding.Note
	for _, f := range files {
		was, errBase := fs.ReadFile(base, f)
		is, errHead := fs.ReadFile(head, f)
		what := "changes"
		switch {
		case errBase != nil && errHead != nil, errBase == nil && errHead == nil && bytes.Equal(was, is):
			continue
		case errBase != nil:
			what = "adds"
		case errHead != nil:
			what = "removes"
		}
		out = append(out, finding.Say(finding.PolicyEdited, what).At(f, 0))
	}
	return out
}
