package policies

import (
	"errors"
	"fmt"
	"math/rand"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// layer is the policy file of a folder, such as "a/b/"; "" is the root's.
type layer struct{ folder, text string }

// chain gives the policy of files of which each lies in a folder below that of the last.
func chain(files ...layer) (*Policy, error) {
	p, err := Load(files[0].folder+".kubesettle.yaml", []byte(files[0].text))
	for _, f := range files[1:] {
		if err != nil {
			break
		}
		p, err = p.Below(f.folder+".kubesettle.yaml", []byte(f.text))
	}
	return p, err
}

// said are fields that a file may give with some values, and what a policy says of each, wherever its file lies.
var said = []struct {
	field  string
	values []string
	of     func(*Policy) any
}{
	{"apply", []string{"client-side", "server-side"}, func(p *Policy) any { return p.Apply }},
	{"timing", []string{"realistic", "arbitrary"}, func(p *Policy) any { return p.Timing }},
	{"bound", []string{"{nodes: 2, podsPerNode: 3}", "{nodes: 4}"}, func(p *Policy) any { return p.Bound }},
	{"gate", []string{"{failOn: warning}", `{failOn: "off", onlyNew: false}`, "{onInconclusive: fail, baseline: b.yaml}"}, func(p *Policy) any {
		g := p.Gate
		g.Baseline = fromRoot(p, g.Baseline)
		return g
	}},
	{"events", []string{"{none: true}", "{nodeFailure: {budget: 1}}", "{drain: {concurrent: 2}, podCrash: {budget: 0}}"}, func(p *Policy) any { return p.Events }},
	{"cluster", []string{"{nodes: n.yaml}", "{nodePools: [{name: a}]}", `{version: "1.33"}`, "{nodes: m.yaml, nodePools: [{name: b}]}", "{snapshot: s.yaml, maxAge: 3d}"}, func(p *Policy) any {
		c := p.Cluster
		c.NodesFile, c.SnapshotFile = fromRoot(p, c.NodesFile), fromRoot(p, c.SnapshotFile)
		return c
	}},
	{"controllers", []string{"{discover: false}", "{gitops: {selfHeal: true}}", "{descheduler: {policy: d.yaml}}", "{own: [{name: NAME, watches: ConfigMap default/a, workload: {name: default/web}, restarts: {}}]}"}, func(p *Policy) any {
		c := p.Controllers
		c.DeschedulerPolicy = fromRoot(p, c.DeschedulerPolicy)
		var own []string
		for _, o := range c.Own {
			own = append(own, o.Name)
		}
		c.Own = nil
		return []any{c, own}
	}},
	{"intents", []string{`{drain-blocked: {severity: "off"}}`, "{drain-blocked: {workloads: [a/b]}, below-floor: {minReady: 2}}", "{custom: [{name: NAME, never: quiescent}]}"}, func(p *Policy) any {
		custom := slices.Clone(p.Custom)
		for i := range custom {
			custom[i].File = ""
		}
		return []any{p.Intents, custom}
	}},
	{"waivers", []string{"[{rule: drain-blocked, reason: r, owner: NAME, expires: 2027-01-01}]"}, func(p *Policy) any {
		list := slices.Clone(p.Waivers)
		for i := range list {
			list[i].File = ""
		}
		return list
	}},
}

// fromRoot is the path of a file that a policy names.
func fromRoot(p *Policy, name string) string {
	if name == "" {
		return ""
	}
	return path.Join(path.Dir(p.File), name)
}

// drawn is a random file, and the fields that it gives.
func drawn(r *rand.Rand, name string) (text string, gives []string) {
	for _, x := range said {
		if r.Intn(3) == 0 {
			text += x.field + ": " + strings.ReplaceAll(x.values[r.Intn(len(x.values))], "NAME", name) + "\n"
			gives = append(gives, x.field)
		}
	}
	return text, gives
}

// meaning is all that a policy says.
func meaning(p *Policy) []any {
	var out []any
	for _, x := range said {
		out = append(out, x.of(p))
	}
	return append(out, p.Releases)
}

// A file that says nothing changes nothing, wherever in a chain it stands; and what a file says does not hang on which
// others were read below the same one.
func TestAnEmptyFileBelowChangesNothing(t *testing.T) {
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		root, _ := drawn(r, "root")
		team, _ := drawn(r, "team")
		other, _ := drawn(r, "other")
		p, err := chain(layer{"", root})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, root)
		}
		below, err := p.Below("a/b/.kubesettle.yaml", []byte(team))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, team)
		}
		was, said := fmt.Sprint(meaning(p)), fmt.Sprint(meaning(below))
		if _, err := p.Below("a/other/.kubesettle.yaml", []byte(other)); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, other)
		}
		if fmt.Sprint(meaning(p)) != was || fmt.Sprint(meaning(below)) != said {
			t.Fatalf("seed %d: what one file says changed as another was read", seed)
		}
		for _, files := range [][]layer{
			{{"", root}, {"a/", ""}, {"a/b/", team}},
			{{"", root}, {"a/b/", team}, {"a/b/c/", "kind: Policy\n"}},
			{{"", root}, {"a/", "locked: []"}, {"a/b/", team}, {"a/b/c/d/", "# nothing\n"}},
		} {
			with, err := chain(files...)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for i, want := range meaning(below) {
				if got := meaning(with)[i]; !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: %q mean\n%+v, without the empty file\n%+v", seed, files, got, want)
				}
			}
		}
	}
}

// What is locked is, for every folder below, as the file that locks it says or one above; a file that gives it is refused,
// with its line. What is not locked is as the nearest file says.
func TestALockedFieldIsTheLastWord(t *testing.T) {
	refused, allowed := 0, 0
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		root, _ := drawn(r, "root")
		locked := said[r.Intn(len(said))].field
		files := []layer{{"", root + "locked: [" + locked + "]\n"}}
		var gives []string
		for i := range 1 + r.Intn(2) {
			text, of := drawn(r, fmt.Sprint("team", i))
			files, gives = append(files, layer{strings.Repeat("team/", i+1), text}), append(gives, of...)
		}
		top, err := chain(files[0])
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p, err := chain(files...)
		var file *FileError
		if errors.As(err, &file) {
			refused++
			for _, x := range file.Problems {
				if x.Field != locked || x.Line < 1 || !strings.Contains(x.Text, "is locked by .kubesettle.yaml:") {
					t.Errorf("seed %d: %+v", seed, x)
				}
			}
		}
		if (err != nil) != slices.Contains(gives, locked) {
			t.Fatalf("seed %d: %s is locked, files %q: %v", seed, locked, files, err)
		}
		if err != nil {
			continue
		}
		allowed++
		for _, x := range said {
			if x.field == locked && !reflect.DeepEqual(x.of(p), x.of(top)) {
				t.Errorf("seed %d: the locked %s is %+v, at the root %+v", seed, locked, x.of(p), x.of(top))
			}
		}
	}
	if refused < 50 || allowed < 50 {
		t.Errorf("%d chains refused, %d not: too few to show anything", refused, allowed)
	}
}

func TestWhatAFileBelowMayNotSay(t *testing.T) {
	for _, x := range []struct{ root, team, want string }{
		{"locked: [gate.failOn]", "gate:\n  onlyNew: false\n  failOn: warning", "team/.kubesettle.yaml:3:3: gate.failOn: is locked by .kubesettle.yaml:1 (gate.failOn); remove it"},
		{"locked: [gate]", "gate: {failOn: warning}", "team/.kubesettle.yaml:1:1: gate: is locked by .kubesettle.yaml:1 (gate); remove it"},
		{"locked: [intents.custom]", "intents: {custom: [{name: a, never: quiescent}]}", "team/.kubesettle.yaml:1:11: intents.custom: is locked by .kubesettle.yaml:1 (intents.custom); remove it"},
		{"locked: [intents.drain-blocked]", "intents: {drain-blocked: {workloads: [a/b]}}", "is locked by .kubesettle.yaml:1 (intents.drain-blocked); remove it"},
		{"locked: [gate.fail]", "", `.kubesettle.yaml:1:10: locked[0]: "gate.fail" cannot be locked; did you mean "gate.failOn"?`},
		{"locked: [gate, gate]", "", `locked[1]: "gate" appears twice in the list; keep one`},
		{"", "releases: [{id: a, path: a}]", "team/.kubesettle.yaml:1:1: releases: belongs in the policy at the root of the repository; move it there"},
		{"", "cluster: {releases: ['*']}", "cluster.releases: belongs in the policy at the root of the repository; move it there"},
		{"intents: {custom: [{name: a, never: quiescent}]}", "intents: {custom: [{name: a, never: quiescent}]}", `intents.custom[0].name: "a" is the name of the intent in .kubesettle.yaml:1 as well; give it another`},
		{"locked: [gate]", "bound: {nodes: 3}", ""},
	} {
		_, err := chain(layer{"", x.root}, layer{"team/", x.team})
		if x.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), x.want) || x.want == "" {
			t.Errorf("%q below %q: %v, want %s", x.team, x.root, err, x.want)
		}
	}
}

// Every key that a file has is locked by some name, but for what only the root's may give and what is no field.
func TestEveryFieldCanBeLocked(t *testing.T) {
	p, err := Load("full.yaml", []byte(fullExample))
	if err != nil {
		t.Fatal(err)
	}
	known := lockable()
	for at := range p.lines {
		head := strings.SplitN(at, "[", 2)[0]
		ok := slices.ContainsFunc(known, func(k string) bool { return head == k || partOf(head, k) })
		if free := slices.Contains([]string{"apiVersion", "kind", "locked", "releases"}, head); !ok && !free {
			t.Errorf("%s cannot be locked", at)
		}
	}
	c := compiledSchema(t)
	for _, k := range known {
		if got := c.verdict(t, []byte("locked: ["+k+"]")); got != "accepts" {
			t.Errorf("the schema %s the lock of %s", got, k)
		}
	}
}
