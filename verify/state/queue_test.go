package state_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/state"
)

// TestQueuesAreUpstreams compares what ClusterQueues have left with what upstream's own functions gave for random cohorts,
// in use and empty.
func TestQueuesAreUpstreams(t *testing.T) {
	type row struct {
		limit                      state.QueueLimit
		used, available, potential int64
	}
	f, err := os.Open("testdata/kueue_available.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases, flat := map[string][]row{}, map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var id, nominal, borrowing, lending string
		var x row
		var cohort bool
		if _, err := fmt.Sscan(lines.Text(), &id, &cohort, &nominal, &borrowing, &lending, &x.used, &x.available, &x.potential); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		x.limit.Nominal, x.used = *milliOf(t, nominal), x.used*1000
		x.limit.Borrowing, x.limit.Lending = milliOf(t, borrowing), milliOf(t, lending)
		cases[id] = append(cases[id], x)
		flat[id] = !cohort
	}
	if len(cases) < 200 {
		t.Fatalf("only %d cases", len(cases))
	}
	for id, rows := range cases {
		left, empty := int64(0), int64(0)
		for i := range rows {
			left, empty = left+rows[i].limit.Lent(rows[i].used), empty+rows[i].limit.Lent(0)
		}
		for i := range rows {
			x := &rows[i]
			available, most := x.limit.Unused(x.used, left), x.limit.Unused(0, empty)
			if flat[id] {
				available, most = x.limit.Nominal-x.used, x.limit.Nominal
			}
			if max(available, 0) != x.available || most != x.potential {
				t.Errorf("case %s, queue %d: available %d, potential %d; upstream %d, %d", id, i, available, most, x.available, x.potential)
			}
		}
	}
}

// milliOf is a quantity in thousandths; nil for "-".
func milliOf(t *testing.T, text string) *int64 {
	t.Helper()
	if text == "-" {
		return nil
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		t.Fatal(err)
	}
	n := q.MilliValue()
	return &n
}
