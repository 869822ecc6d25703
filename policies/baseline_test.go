package policies

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// What is written is read again as it was, whatever the names are, and the file is a function of
// the set of findings: their order does not matter, and none stands in it twice.
func TestBaselineIsWrittenAsItIsRead(t *testing.T) {
	names := []string{"web", "a: b", "- x", "\"q'", "null", "1e3", "é\u2028", "#c", "{}", "a\nb"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var b Baseline
		for range rng.IntN(8) {
			b.Entries = append(b.Entries, BaselineEntry{
				Fingerprint: fmt.Sprintf("%032x", rng.IntN(12)), Rule: "unschedulable",
				Workload: "apps/Deployment default/" + names[rng.IntN(len(names))], File: names[rng.IntN(len(names))],
			})
		}
		for i := range b.Entries { // one finding has one name
			for _, o := range b.Entries[:i] {
				if o.Fingerprint == b.Entries[i].Fingerprint {
					b.Entries[i] = o
				}
			}
		}
		first, err := b.YAML()
		if err != nil {
			t.Fatal(err)
		}
		read, err := LoadBaseline("b.yaml", first)
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		if more := append(read.Lacks(&b), b.Lacks(read)...); len(more) > 0 {
			t.Fatalf("%v came or went\n%s", more, first)
		}
		rng.Shuffle(len(b.Entries), reflect.Swapper(b.Entries))
		for _, other := range []*Baseline{&b, read} {
			if again, err := other.YAML(); err != nil || string(again) != string(first) {
				t.Fatalf("%v: another file for the same findings:\n%s\n%s", err, first, again)
			}
		}
	}
}
