package policies

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// BaselineKind heads a baseline file, beside [APIVersion].
const BaselineKind = "Baseline"

// maxBaselineBytes is the most that a tree gives of one file.
const maxBaselineBytes = 5 << 20

// Baseline is a list of findings that were there when somebody began to check. They do not
// fail; the list is to shrink, and never grows by itself.
type Baseline struct {
	File    string // as given
	Entries []BaselineEntry
}

// BaselineEntry is one finding. Its fingerprint alone decides; the rest is for readers.
type BaselineEntry struct {
	Fingerprint string `yaml:"fingerprint"`
	Rule        string `yaml:"rule"`
	Workload    string `yaml:"workload,omitempty"`
	Release     string `yaml:"release,omitempty"`
	File        string `yaml:"file,omitempty"` // where it stood
	Line        int    `yaml:"-"`              // in the baseline file
}

var fingerprintText = regexp.MustCompile(`^[0-9a-f]{32}$`)

// LoadBaseline reads a baseline file; name stands in messages.
// Errors: a [*FileError] with every problem of the file.
func LoadBaseline(name string, data []byte) (*Baseline, error) {
	b := &Baseline{File: name}
	d := newDecoder()
	d.most = fileLimits{bytes: maxBaselineBytes, values: 200_000, items: 20_000}
	seen := map[string]int{}
	var version, kind string
	entry := func(n *yaml.Node, at string) {
		e := BaselineEntry{Line: n.Line}
		d.object(n, at, fields{
			"fingerprint": d.text(&e.Fingerprint, func(s string) string {
				if !fingerprintText.MatchString(s) {
					return fmt.Sprintf("%s is not a fingerprint; copy findings[].fingerprint of the JSON result, or let --write-baseline write the file", quote(s))
				}
				return ""
			}),
			"rule": d.text(&e.Rule), "workload": d.text(&e.Workload), "release": d.text(&e.Release), "file": d.text(&e.File),
		}, "fingerprint", "rule")
		if first := seen[e.Fingerprint]; first != 0 {
			d.fail(n, at, "the finding is also in line %d; keep one of them", first)
			return
		}
		if e.Fingerprint != "" {
			seen[e.Fingerprint] = n.Line
		}
		b.Entries = append(b.Entries, e)
	}
	if root := d.document(data); root != nil {
		d.object(root, "", fields{
			"apiVersion": oneOf(d, &version, APIVersion),
			"kind":       oneOf(d, &kind, BaselineKind),
			"findings":   d.list(entry),
		}, "apiVersion", "kind", "findings")
	} else {
		d.fail(&yaml.Node{}, "", "is empty; a baseline has apiVersion, kind and findings")
	}
	return b, d.err(name)
}

// Lacks lists the entries of o that b has not; a nil b has none.
func (b *Baseline) Lacks(o *Baseline) []BaselineEntry {
	has := map[string]bool{}
	if b != nil {
		for _, e := range b.Entries {
			has[e.Fingerprint] = true
		}
	}
	var out []BaselineEntry
	for _, e := range o.Entries {
		if !has[e.Fingerprint] {
			out = append(out, e)
		}
	}
	return out
}

// YAML is the file as [LoadBaseline] reads it: sorted, one key a line, so that a diff shows
// which finding came or went.
// Errors: none but the encoder's.
func (b *Baseline) YAML() ([]byte, error) {
	list := slices.Clone(b.Entries)
	slices.SortFunc(list, func(x, y BaselineEntry) int {
		return cmp.Or(cmp.Compare(x.Workload, y.Workload), cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Release, y.Release),
			cmp.Compare(x.Fingerprint, y.Fingerprint))
	})
	list = slices.CompactFunc(list, func(x, y BaselineEntry) bool { return x.Fingerprint == y.Fingerprint })
	if list == nil {
		list = []BaselineEntry{}
	}
	var out bytes.Buffer
	out.WriteString("# Findings that do not fail. Remove entries that no longer occur; do not add any by hand.\n")
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	err := enc.Encode(struct {
		APIVersion string          `yaml:"apiVersion"`
		Kind       string          `yaml:"kind"`
		Findings   []BaselineEntry `yaml:"findings"`
	}{APIVersion, BaselineKind, list})
	return out.Bytes(), err
}
