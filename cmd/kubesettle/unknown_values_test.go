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
	now := deployables(1500)[kind]
	var what string
	wrapped := r.IntN(2) == 0
	if around := wrappers(); wrapped {
		what = slices.Sorted(maps.Keys(around))[r.IntN(len(around))]
		base, head, now = base.with(around[what]), head.with(around[what]), now.with(around[what])
		what = "with " + what + ", "
	}
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
		what += "a request that fits nowhere"
		head = now
	case 1:
		what += "another selector"
		edit("app: web", "app: other")
	case 2:
		what += "another image"
		edit("image: web,", "image: \"web:2\",")
	case 3:
		what += "nothing"
	}
	placeholder := `"<path:kv/data/web#x>"`
	if !wrapped && (kind == "plain" || kind == "kustomization") { // nothing says who applies it, and fills it in
		placeholder = `"${X}"`
	}
	try := unknownTry{base: base, head: head, holeBase: maps.Clone(base), holeHead: maps.Clone(head)}
	both := r.IntN(2) == 0
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(head)), func(n string) bool {
		return !strings.HasSuffix(n, "web.yaml") && n != "k/web.libsonnet" && !strings.HasPrefix(n, "k/values")
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
	case r.IntN(8) == 0:
		quota := "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: default}\nspec: {hard: {requests.cpu: %s}}\n"
		known, open := treeFiles{"q/q.yaml": fmt.Sprintf(quota, "200m")}, treeFiles{"q/q.yaml": fmt.Sprintf(quota, `"${X}"`)}
		try.base, try.head = base.with(known), head.with(known)
		try.holeBase, try.holeHead, both = base.with(open), head.with(open), true
		what += ", with the quota of another release unknown"
	case base["k/Chart.yaml"] != "" && r.IntN(3) == 0:
		value, asked := "cpu", `{{ required "a size" .Values.size }}`
		if r.IntN(2) == 0 {
			asked = "{{ .Values.node.size }}"
		}
		if r.IntN(3) == 0 || strings.HasSuffix(what, "nowhere") { // of which it is the value that changes
			value = "replicas"
		}
		for _, tree := range []treeFiles{try.holeBase, try.holeHead} {
			const web = "k/templates/web.yaml"
			tree[web] = strings.ReplaceAll(tree[web], "{{ .Values."+value+" }}", asked)
		}
		both = true
		what += ", with " + value + " as " + asked
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

// stands reports whether others have a gate, be it of a workload whose name or namespace is unknown.
func stands(gate string, others []string) bool {
	rule, workload, _ := strings.Cut(gate, " of ")
	return slices.Contains(others, gate) || slices.ContainsFunc(others, func(s string) bool {
		name, ok := strings.CutPrefix(s, rule+" of ")
		return ok && strings.ContainsAny(workload+name, "$<")
	})
}

var (
	unknownDraws = flag.Int("unknown", 150, "changes that TestWhatIsUnknownIsNeverBetter draws")
	unknownFrom  = flag.Int("unknown-from", 0, "the first of them")
)

// What is not known makes no verdict better, no error new, and hides nothing that does not depend on it.
func TestWhatIsUnknownIsNeverBetter(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	seed, n := uint64(34), *unknownDraws
	if testing.Short() {
		n = min(n, 20) // a draw takes three checks
	}
	policy := treeFiles{".kubesettle.yaml": actionPolicy}
	other := func(app string) treeFiles {
		return treeFiles{"other/other.yaml": "apiVersion: apps/v1\nkind: Deployment\n" +
			"metadata: {name: bystander, namespace: default}\nspec:\n  selector: {matchLabels: {app: " + app + "}}\n  template:\n    metadata: {labels: {app: " + app + "}}\n" +
			"    spec: {containers: [{name: b, image: \"b:1\"}]}\n"}
	}
	for i := *unknownFrom; i < *unknownFrom+n; i++ {
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
		case !bystander(had) && strings.Contains(try.what, "above"): // the chart above owns its folder
		case !bystander(had):
			t.Fatalf("seed %d %d: %s: nothing is said of the bystander:\n%s", seed, i, try.what, whole.text)
		case !bystander(has):
			t.Errorf("seed %d %d: %s: the bystander is hidden:\n%s", seed, i, try.what, holed.text)
		case slices.ContainsFunc(has, func(s string) bool { return !stands(s, had) }):
			t.Errorf("seed %d %d: %s: a new error: %v, not of %v\n%s", seed, i, try.what, has, had, holed.text)
		case !open && slices.ContainsFunc(had, func(s string) bool { return !stands(s, has) }):
			t.Errorf("seed %d %d: %s: %v is gone, and nothing is open:\n%s", seed, i, try.what, had, holed.text)
		}
	}
}
