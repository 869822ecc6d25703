package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// A scalar of a manifest, with what stands before it.
var scalarIn = regexp.MustCompile(`((?:[A-Za-z]+: |\[|- ))("?[A-Za-z0-9][A-Za-z0-9./:-]*"?)([\n,}\]])`)

// unknownIn turns the n-th scalar of a text into a placeholder; "" where it has fewer.
func unknownIn(text, placeholder string, n int) string {
	all := scalarIn.FindAllStringSubmatchIndex(text, -1)
	if n >= len(all) {
		return ""
	}
	return text[:all[n][4]] + placeholder + text[all[n][5]:]
}

// unknownTry is a change, and the same one with something unknown in it.
type unknownTry struct {
	base, head, holeBase, holeHead treeFiles
	what                           string
}

// drawUnknown draws a deployable that changes, and turns a value of it into a placeholder or adds a part that cannot be
// had: on both sides, or on head alone.
func drawUnknown(r *rand.Rand) unknownTry {
	was := deployables(100)
	kind := slices.Sorted(maps.Keys(was))[r.IntN(len(was))]
	base, head := was[kind], was[kind]
	var what string
	edit := func(old, now string) {
		head = maps.Clone(head)
		for name, text := range head {
			if strings.HasPrefix(name, "k/") && strings.HasSuffix(name, "web.yaml") {
				head[name] = strings.ReplaceAll(text, old, now)
			}
		}
	}
	switch r.IntN(4) {
	case 0:
		what, head = "a request that fits nowhere", deployables(1500)[kind]
	case 1:
		what = "another selector"
		edit("app: web", "app: other")
	case 2:
		what = "another image"
		edit("image: web,", "image: \"web:2\",")
	case 3:
		what = "nothing"
	}
	placeholder := `"<path:kv/data/web#x>"`
	if kind == "plain" || kind == "kustomization" {
		placeholder = `"${X}"`
	}
	try := unknownTry{base: base, head: head, holeBase: maps.Clone(base), holeHead: maps.Clone(head)}
	both := r.IntN(2) == 0
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(head)), func(n string) bool {
		return !strings.HasSuffix(n, "web.yaml") && !strings.HasPrefix(n, "k/values")
	})
	name := names[r.IntN(len(names))]
	switch _, ok := head["k/kustomization.yaml"]; {
	case ok && r.IntN(3) == 0:
		entries := []string{"web.yaml"}
		entries = slices.Insert(entries, r.IntN(2), "https://example.invalid/x.yaml")
		k := "resources: [" + strings.Join(entries, ", ") + "]\n"
		try.holeHead["k/kustomization.yaml"] = k
		if both {
			try.holeBase["k/kustomization.yaml"] = k
		}
		what += ", with a part that cannot be had"
	default:
		n := r.IntN(40)
		text := unknownIn(head[name], placeholder, n)
		for ; text == ""; n /= 2 {
			text = unknownIn(head[name], placeholder, n)
		}
		try.holeHead[name] = text
		if text := unknownIn(base[name], placeholder, n); both && text != "" {
			try.holeBase[name] = text
		}
		what += fmt.Sprintf(", with value %d of %s unknown", n, name)
	}
	try.what = fmt.Sprintf("%s: %s, on both sides: %v", kind, what, both)
	return try
}

// renamed reports whether a gate is of a workload whose name or namespace is unknown, and others have its rule.
func renamed(gate string, others []string) bool {
	rule, workload, _ := strings.Cut(gate, " of ")
	return strings.ContainsAny(workload, "$<") &&
		slices.ContainsFunc(others, func(s string) bool { return strings.HasPrefix(s, rule+" ") })
}

var unknownDraws = flag.Int("unknown", 150, "changes that TestWhatIsUnknownIsNeverBetter draws")

// What is not known makes no verdict better, no error new, and hides nothing that does not depend on it.
func TestWhatIsUnknownIsNeverBetter(t *testing.T) {
	t.Parallel()
	seed, n := uint64(34), *unknownDraws
	policy := treeFiles{".kubesettle.yaml": actionPolicy}
	other := func(app string) treeFiles {
		return treeFiles{"other/other.yaml": "apiVersion: apps/v1\nkind: Deployment\n" +
			"metadata: {name: bystander, namespace: default}\nspec:\n  selector: {matchLabels: {app: " + app + "}}\n  template:\n    metadata: {labels: {app: " + app + "}}\n" +
			"    spec: {containers: [{name: b, image: \"b:1\"}]}\n"}
	}
	for i := range n {
		try := drawUnknown(rand.New(rand.NewPCG(seed, uint64(i))))
		if maps.Equal(try.holeBase, try.holeHead) {
			continue // what changes is what is unknown, and equal
		}
		whole := checkTrees(t, try.base.with(policy).with(other("a")), try.head.with(policy).with(other("b")))
		holed := checkTrees(t, try.holeBase.with(policy).with(other("a")), try.holeHead.with(policy).with(other("b")))
		had, has := whole.gates(), holed.gates()
		open := slices.ContainsFunc(holed.result.Releases, func(rel finding.ReleaseResult) bool {
			return rel.Open() || rel.Missing() || rel.Status == "failed-base"
		}) || slices.ContainsFunc(holed.result.Workloads, func(w finding.Workload) bool {
			return w.Verdict == finding.Inconclusive
		})
		bystander := func(list []string) bool {
			return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "bystander") })
		}
		switch {
		case !bystander(had):
			t.Fatalf("seed %d %d: %s: nothing is said of the bystander:\n%s", seed, i, try.what, whole.text)
		case !bystander(has):
			t.Errorf("seed %d %d: %s: the bystander is hidden:\n%s", seed, i, try.what, holed.text)
		case slices.ContainsFunc(has, func(s string) bool { return !slices.Contains(had, s) && !renamed(s, had) }):
			t.Errorf("seed %d %d: %s: a new error: %v, not of %v\n%s", seed, i, try.what, has, had, holed.text)
		case !open && slices.ContainsFunc(had, func(s string) bool { return !slices.Contains(has, s) }):
			t.Errorf("seed %d %d: %s: %v is gone, and nothing is open:\n%s", seed, i, try.what, had, holed.text)
		}
	}
}
