package static

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// TestHeld: on random releases of Flux, those that are held up are those from which a way of dependsOn leads to the one
// that is not ready, one hop after the other; and none is by one that waits for nothing, unless it is refused.
func TestHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	some, most := 0, 0
	for range 2000 {
		n := 2 + r.IntN(5)
		ch := &object.Changes{Head: &object.Revision{}}
		name := func(i int) string { return fmt.Sprintf("flux-system/k%d", i) }
		for i := range n {
			x := &object.Rendered{}
			x.ID = fmt.Sprint("r", i)
			x.Delivery = object.Delivery{Tool: object.Flux, Name: name(i), All: r.IntN(2) == 0, Suspended: r.IntN(8) == 0}
			for j := range n {
				if r.IntN(4) == 0 {
					x.Delivery.DependsOn = append(x.Delivery.DependsOn, name(j))
				}
			}
			ch.Head.Releases = append(ch.Head.Releases, x)
			if r.IntN(4) > 0 {
				ch.Changes = append(ch.Changes, object.Change{Release: x.ID})
			}
		}
		refused := r.IntN(2) == 0
		of := ch.Head.Releases[0]
		late := make([]bool, n)
		late[0] = true
		var want []string
		for range n { // one hop further each time
			for i, x := range ch.Head.Releases {
				for j := range n {
					late[i] = late[i] || late[j] && !x.Delivery.Suspended && slices.Contains(x.Delivery.DependsOn, name(j))
				}
			}
		}
		for i, x := range ch.Head.Releases[1:] {
			touched := slices.ContainsFunc(ch.Changes, func(c object.Change) bool { return c.Release == x.ID })
			if late[i+1] && touched && !of.Delivery.Suspended && (refused || of.Delivery.All) {
				want = append(want, "Kustomization "+name(i+1))
			}
		}
		got := Held(ch, "r0", "apps/Deployment shop/web", refused)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nheld up: %v, want %v", ch.Head.Releases, got, want)
		}
		if len(got) > 0 {
			some++
		}
		most = max(most, len(got))
	}
	if some < 200 || most < 4 {
		t.Errorf("only %d are held up, %d at once", some, most)
	}
}
