package policies

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Lock is a field that policies of folders below may not give: what the file that locks it says of it, or one above, is
// the last word.
type Lock struct {
	Field string // such as gate or gate.failOn
	File  string
	Line  int
}

// atRoot are the fields of a policy at the root alone: the rendered releases are chosen before their folders are known.
var atRoot = []string{"releases", "parked", "cluster.releases"}

// Below gives the policy of a folder below that of p, which has no files loaded yet: what the file in that folder gives
// is as it says, and all else as in p. Waivers, custom intents and own controllers are added to p's; an intent, and the
// nodes of a cluster, are replaced as a whole. name is the file's path from the root, as p.File is. p stays as it is.
// Errors: a [*FileError] with every problem of the file, among them that it gives what p locks.
func (p *Policy) Below(name string, data []byte) (*Policy, error) {
	out := p.copied()
	out.File = name
	out.rebase(path.Dir(p.File), path.Dir(name))
	custom, own, waivers := len(p.Custom), len(p.Controllers.Own), len(p.Waivers)
	d := newDecoder()
	d.file, d.within = name, p
	if err := out.read(d, data); err != nil {
		return nil, err
	}
	out.lines = p.linesWith(out.lines,
		map[string]int{"intents.custom": custom, "controllers.own": own, "waivers": waivers})
	return out, nil
}

// copied is a copy of a policy that shares nothing that reading a file writes to.
func (p *Policy) copied() *Policy {
	out := *p
	out.Intents = maps.Clone(p.Intents)
	out.Custom, out.Waivers, out.Locked = slices.Clip(p.Custom), slices.Clip(p.Waivers), slices.Clip(p.Locked)
	out.Controllers.Own = slices.Clip(p.Controllers.Own)
	return &out
}

// rebase makes the names of files that are relative to one folder relative to another.
func (p *Policy) rebase(from, to string) {
	up := strings.Repeat("../", strings.Count(to, "/")+1)
	if to == "." {
		up = ""
	}
	c := &p.Controllers
	for _, name := range []*string{&p.Cluster.NodesFile, &p.Cluster.SnapshotFile, &c.SchedulerConfig, &c.DeschedulerPolicy,
		&c.KarpenterFile, &p.Gate.Baseline} {
		if *name != "" {
			*name = up + path.Join(from, *name)
		}
	}
}

var indexed = regexp.MustCompile(`^([a-z.]+)\[(\d+)\](.*)$`)

// linesWith are p's lines under those of a file below, whose lists go on where p's end.
func (p *Policy) linesWith(below map[string]int, from map[string]int) map[string]int {
	out := maps.Clone(p.lines)
	if out == nil {
		out = map[string]int{}
	}
	for at, line := range below {
		if m := indexed.FindStringSubmatch(at); m != nil {
			n, _ := strconv.Atoi(m[2])
			at = item(m[1], n+from[m[1]]) + m[3]
		}
		out[at] = line
	}
	return out
}

// line words a line that another file may have.
func (d *decoder) line(file string, line int) string {
	if file == d.file {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// lockable are the fields that may be locked: those that a file below gives without touching others.
func lockable() []string {
	out := []string{"cluster", "controllers", "apply", "events", "timing", "bound", "intents", "gate", "waivers", "traffic",
		"bound.nodes", "bound.podsPerNode", "intents.custom",
		"gate.failOn", "gate.onlyNew", "gate.onInconclusive", "gate.baseline"}
	for _, c := range []string{"discover", "scheduler", "descheduler", "gitops", "own", "karpenter", "clusterAutoscaler"} {
		out = append(out, "controllers."+c)
	}
	for _, id := range ruleIDs() {
		out = append(out, "intents."+id)
	}
	return out
}

// locks reads which fields are locked for folders below.
func (d *decoder) locks(p *Policy) read {
	known := lockable()
	return d.list(func(n *yaml.Node, at string) {
		var field string
		if d.text(&field)(n, at); field == "" {
			return
		}
		if !slices.Contains(known, field) {
			d.fail(n, at, "%s cannot be locked; %s", quote(field), hint(field, known))
			return
		}
		for _, l := range p.Locked {
			if l.Field == field && l.File == d.file {
				d.fail(n, at, "%s appears twice in the list; keep one", quote(field))
				return
			}
		}
		p.Locked = append(p.Locked, Lock{field, d.file, n.Line})
	})
}

// Lock is the policy that locks a field for folders below, the nearest to the root; nil: there is none.
func (p *Policy) Lock(field string) *Lock {
	for i := range p.Locked {
		if l := &p.Locked[i]; l.Field == field || partOf(field, l.Field) {
			return l
		}
	}
	return nil
}

// partOf reports whether a field is a part of another.
func partOf(field, of string) bool {
	return strings.HasPrefix(field, of+".") || strings.HasPrefix(field, of+"[")
}

// permitted says of a file below which of its fields it may not give: those that a file above locks, and those that
// only the policy at the root has.
func (d *decoder) permitted() {
	if d.within == nil {
		return
	}
	for at, key := range d.set {
		if slices.Contains(atRoot, at) {
			d.fail(key, at, "belongs in the policy at the root of the repository; move it there")
		}
		if l := d.within.Lock(at); l != nil && l.Field == at { // not of each of its parts
			d.fail(key, at, "is locked by %s:%d (%s); remove it", l.File, l.Line, l.Field)
		}
	}
}

// Gives are the sections that the policy's own file has, in order; those of files above are not among them.
func (p *Policy) Gives() []string { return slices.Clone(p.gives) }
