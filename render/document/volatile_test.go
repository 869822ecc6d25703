package document

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestVolatileLeavesWhateverTheOrder shuffles the objects of the second of two random renders, as templates that range
// over the keys of a map do: the same leaves are marked, with the same masks, and no kind or name that both have.
func TestVolatileLeavesWhateverTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	kinds := []string{"Deployment", "Job", "Service", "Secret"}
	marked, moved := 0, 0
	for range 300 {
		var first, second []Document
		for n := range 1 + r.IntN(8) {
			kind, name := kinds[r.IntN(len(kinds))], fmt.Sprint("a", n)
			file := fmt.Sprint("f", r.IntN(2))
			if once := r.IntN(6) == 0; once { // a name that differs at every render, alone of its kind
				kind = fmt.Sprint("Kind", n)
				first, second = append(first, drawn(r, file, kind, "x")), append(second, drawn(r, file, kind, "y"))
				continue
			}
			first, second = append(first, drawn(r, file, kind, name)), append(second, drawn(r, file, kind, name))
		}
		want := MarkVolatile(append([]Document(nil), first...), second)
		shuffled := append([]Document(nil), second...)
		r.Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
		for i := range shuffled {
			shuffled[i].Doc = i
			if !reflect.DeepEqual(shuffled[i].Content, second[i].Content) {
				moved++
			}
		}
		got := MarkVolatile(append([]Document(nil), first...), shuffled)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("in order %v\nshuffled %v", want, got)
		}
		for i, d := range got {
			for _, v := range d.Volatile {
				marked++
				if v.Path == "kind" || v.Path == "metadata.name" && !reflect.DeepEqual(v.Mask, VolatileText) ||
					v.Path == "metadata.name" && first[i].Content["kind"].(string)[:2] != "Ki" {
					t.Fatalf("%v: %v", d.Content, v)
				}
			}
		}
	}
	if marked < 300 || moved < 300 {
		t.Errorf("%d leaves marked, %d objects moved: the renders show nothing", marked, moved)
	}
}

// drawn is an object with a leaf that is the same in all renders and one that is not.
func drawn(r *rand.Rand, file, kind, name string) Document {
	return Document{File: file, Content: map[string]any{
		"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name},
		"data": map[string]any{"a": "b", "key": fmt.Sprint(r.Uint64())},
	}}
}
