package main

import (
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// placePolicies are what the policy of a folder may say: nothing, or what makes a broken web pass there.
func placePolicies() map[string]string {
	return map[string]string{
		"none":     "",
		"strict":   "gate: {failOn: warning}\n",
		"open":     "gate: {failOn: 'off'}\n",
		"milder":   "intents: {unschedulable: {severity: warning}}\n",
		"without":  "intents: {unschedulable: {severity: 'off'}}\n",
		"waives":   "waivers: [{rule: unschedulable, workload: default/web, reason: r, owner: o, expires: '2099-01-01'}]\n",
		"accepts":  "gate: {baseline: accepted.json}\n",
		"has room": "cluster: {nodePools: [{name: n, count: {min: 1, max: 1}, zones: [a], allocatable: {cpu: '9', memory: 16Gi, pods: '110'}}]}\n",
		"locks":    "locked: [gate, waivers]\n",
	}
}

// acceptedWeb is a baseline file with the finding of a broken web.
func acceptedWeb(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "accepted.json")
	policy := treeFiles{".kubesettle.yaml": actionPolicy}
	checkTrees(t, policy.with(treeFiles{"a/k/web.yaml": webManifest(100)}), policy.with(treeFiles{"a/k/web.yaml": webManifest(1500)}),
		"--write-baseline", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What moves from one folder to another, with its release, with its file or into another release, is judged at least as
// strictly as in the stricter of both places, and a policy that the change edits or adds counts in neither.
func TestMovesAreJudgedByBothPlaces(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	seed := rand.Int63()
	r := rand.New(rand.NewSource(seed))
	names := slices.Sorted(maps.Keys(placePolicies()))
	n := 60
	if testing.Short() {
		n = 12
	}
	gated, accepted := 0, acceptedWeb(t)
	for range n {
		at := [2]string{names[r.Intn(len(names))], names[r.Intn(len(names))]}
		policy := treeFiles{".kubesettle.yaml": actionPolicy}
		for i, dir := range []string{"a", "b"} {
			if text := placePolicies()[at[i]]; text != "" {
				policy[dir+"/.kubesettle.yaml"] = text
			}
			if at[i] == "accepts" {
				policy[dir+"/accepted.json"] = accepted
			}
		}
		kinds := deployables(100)
		kind := []string{"plain", "kustomization", "chart"}[r.Intn(3)]
		good, bad := kinds[kind].moved("k", "a/k"), deployables(1500)[kind].moved("k", "a/k")
		there := treeFiles{}
		move := []string{"folder", "folder and name", "into another"}[r.Intn(3)]
		to := "b/k"
		switch move {
		case "folder and name":
			to = "b/other"
		case "into another":
			there = treeFiles{"b/k/x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\n"}
			good, bad, kind = kinds["plain"].moved("k", "a/k"), deployables(1500)["plain"].moved("k", "a/k"), "plain"
		}
		edits := treeFiles{}
		if r.Intn(2) == 0 {
			edits = treeFiles{"a/.kubesettle.yaml": "gate: {failOn: 'off'}\n", to + "/.kubesettle.yaml": "gate: {failOn: 'off'}\n"}
		}
		title := fmt.Sprintf("seed %d: a %s of %s, %s -> %s", seed, move, kind, at[0], at[1])
		stays := checkTrees(t, policy.with(good), policy.with(bad))
		was := policy.with(good.moved("a/k", to)).with(there)
		lies := checkTrees(t, was, policy.with(bad.moved("a/k", to)).with(there))
		moves := checkTrees(t, policy.with(good).with(there), policy.with(bad.moved("a/k", to)).with(there).with(edits))
		want := max(stays.code, lies.code)
		if moves.code < want || moves.code > 1 || at[0] == at[1] && len(edits) == 0 && moves.code != want {
			t.Errorf("%s: exit code %d, and %d and %d where it stays\n%s", title, moves.code, stays.code, lies.code, moves.text)
		}
		if gated += want; strings.Contains(moves.text, "waived") && want == 1 && at[0] != at[1] && len(moves.result.Waived) > 0 {
			t.Errorf("%s: what gates is said to be waived\n%s", title, moves.text)
		}
	}
	if gated == 0 || gated == n {
		t.Errorf("seed %d: %d of %d gate", seed, gated, n)
	}
}
