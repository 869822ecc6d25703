package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// addReleases puts the caller's releases beside the policy's; one of the same ID takes
// its place. They are read as strictly as the policy file.
func (g *gating) addReleases(p *policies.Policy) error {
	name, text := "input releases", g.releases
	if g.releasesFile != "" {
		data, err := os.ReadFile(g.releasesFile)
		if err != nil {
			return usage("--releases: %w", err)
		}
		name, text = g.releasesFile, string(data)
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	// Indented, so that a list in brackets may start a line too.
	given, err := policies.Load(name, []byte("releases:\n "+strings.ReplaceAll(text, "\n", "\n ")))
	var file *policies.FileError
	if errors.As(err, &file) {
		for i := range file.Problems {
			file.Problems[i].Line-- // the key stands above the text
			file.Problems[i].Column = max(file.Problems[i].Column-1, 1)
		}
	}
	if err != nil {
		return &exit{exitUsage, err}
	}
	for _, r := range given.Releases {
		r.Line = 0
		same := func(o policies.Release) bool { return o.ID == r.ID }
		if i := slices.IndexFunc(p.Releases, same); i >= 0 {
			p.Releases[i] = r
			continue
		}
		p.Releases = append(p.Releases, r)
	}
	return nil
}

// level is the lowest severity that is shown: the one that was asked for, but never above
// what may fail the gate.
func level(asked string, gate finding.Gate) string {
	rank := []string{string(rules.Error), string(rules.Warning), string(rules.Note)}
	i, gates := slices.Index(rank, asked), slices.Index(rank, gate.FailOn)
	if i < 0 {
		return string(rules.Note)
	}
	return rank[max(i, gates)]
}

// lowest is the level that no gate of a result is below.
func lowest(asked string, gate finding.Gate, scopes []finding.ScopeResult) string {
	rank := []string{string(rules.Error), string(rules.Warning), string(rules.Note)}
	out := level(asked, gate)
	for _, s := range scopes {
		if own := level(asked, s.Gate); slices.Index(rank, own) > slices.Index(rank, out) {
			out = own
		}
	}
	return out
}
