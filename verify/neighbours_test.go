package verify

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

var hostname = regexp.MustCompile(`kubernetes\.io/hostname: [a-z]+-(\d+)`)

// besides are workloads of another namespace that no change touches, on a pair of Node objects in two zones.
type besides struct {
	names, zones [2]string
	counts, cpu  [2]int // of the two workloads: pods, and hundreds of millicores each
	homeless     bool   // one more asks for a label that no node has
	reversed     bool
}

func (b besides) dress() dress {
	d := plainDress
	d.objects, d.reversed = true, b.reversed
	for i, name := range b.names {
		if b.counts[i] == 0 {
			continue
		}
		d.beside += "---\n" + besideManifest(name, b.counts[i], 100*b.cpu[i], "")
	}
	if b.homeless {
		d.beside += "---\n" + besideManifest("lost", 1, 100, "nodeSelector: {gpu: \"yes\"}, ")
	}
	d.beside = strings.TrimPrefix(d.beside, "---\n")
	d.text = func(part int, s string) string {
		if part < 2 {
			return strings.ReplaceAll(s, "nodeSelector: {disk: ssd}", "nodeSelector: {topology.kubernetes.io/zone: "+b.zones[0]+"}")
		}
		return hostname.ReplaceAllStringFunc(s, func(label string) string {
			n := label[len(label)-1] - '0'
			return label + ", topology.kubernetes.io/zone: " + b.zones[n%2]
		})
	}
	return d
}

func besideManifest(name string, replicas, milli int, where string) string {
	return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s, namespace: other}\nspec: {replicas: %d, selector: {matchLabels: {app: %s}}, template: {metadata: {labels: {app: %s}}, spec: {%scontainers: [{name: c, image: \"by:1\", resources: {requests: {cpu: %dm}}}]}}}\n",
		name, replicas, name, name, where, milli)
}

// ofOwn is what a result tells of other workloads than those beside the pair.
func ofOwn(r *finding.Result) []string {
	return slices.DeleteFunc(told(r, plainDress), func(s string) bool { return strings.Contains(s, " other/") })
}

// Who stands around a change has no say by its name, and nor has the name of a zone: the verdict is the same when
// workloads are called otherwise, when two zones change places in nodes and manifests alike, and in whatever order
// objects are written. A workload that has no node on either side changes nothing at all.
func TestNeighboursHaveNoNames(t *testing.T) {
	comparison(t)
	pairs := 12
	if *morePairs > 0 {
		pairs = *morePairs
	}
	crowded := 0
	for seed := range pairs {
		seed += *firstPair
		r := rand.New(rand.NewPCG(36, uint64(seed)))
		p := newRandomPair(r)
		p.nodes, p.cpu = 2+r.IntN(2), 1+r.IntN(2)
		b := besides{names: [2]string{"by", "near"}, zones: [2]string{"a", "b"}, counts: [2]int{1 + r.IntN(2), r.IntN(3)}, cpu: [2]int{3 + r.IntN(5), 1 + r.IntN(7)}}
		plain := p.check(t, b.dress(), Options{})
		if slices.ContainsFunc(plain.Assumptions, func(n finding.Note) bool { return n.Kind == finding.OthersTakeRoom }) {
			crowded++
		}
		for name, other := range map[string]func(*besides){
			"renamed":       func(b *besides) { b.names = [2]string{"zz", "aa"} },
			"zones":         func(b *besides) { b.zones = [2]string{"b", "a"} },
			"other zones":   func(b *besides) { b.zones = [2]string{"zone-9", "zone-0"} },
			"another order": func(b *besides) { b.reversed = true },
			"one homeless":  func(b *besides) { b.homeless = true },
		} {
			c := b
			other(&c)
			again := p.check(t, c.dress(), Options{})
			if cutOff(plain, again) {
				continue
			}
			if d := differ(ofOwn(plain), ofOwn(again)); d != "" {
				t.Errorf("pair %d, %s: %s", seed, name, d)
			}
		}
	}
	if crowded < pairs/5 {
		t.Errorf("others matter in %d of %d pairs: they say little", crowded, pairs)
	}
	t.Logf("%d pairs, others matter in %d", pairs, crowded)
}
