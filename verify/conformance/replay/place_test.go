package replay

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// tosses is how often pods are placed anew until they lie as the counterexample has them.
const tosses = 10

// arrange settles the cluster in the state that the counterexample begins with, up to an
// exchange of nodes of one class: the scheduler tosses between equally good nodes, so
// pods are deleted until they fall right. After an event as first step, which moves no
// pod, that state is known.
func (p *player) arrange(ctx context.Context, f *finding.Finding) error {
	limit := 40 * time.Second
	if f.Interleaving[0].Class != "event" { // it may loop already, and never settle
		limit = 10 * time.Second
	}
	for toss := range tosses {
		p.view.quiet(ctx, 3*time.Second, limit)
		off := p.rename(&f.Interleaving[0])
		fmt.Fprintf(p.out, "settled: %s\n", p.view.now())
		if off == 0 || p.twin || f.Interleaving[0].Class != "event" || toss == tosses-1 {
			return p.plane.Err()
		}
		for _, pod := range p.view.pods() {
			if err := p.plane.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
				return fmt.Errorf("place pods anew: %w", err)
			}
		}
	}
	return nil
}

// rename finds which real node plays which node of the counterexample, so that the pods
// lie as much alike as can be. It gives the number of pods that lie elsewhere.
func (p *player) rename(first *finding.Step) int {
	nodes := first.After.Nodes
	want := make([]map[string]int, len(nodes))
	have := make([]map[string]int, len(nodes))
	for i, n := range nodes {
		want[i], have[i] = map[string]int{}, map[string]int{}
		for _, x := range n.Pods {
			if x.Phase != "terminating" {
				_, w, _ := strings.Cut(x.Workload, " ")
				want[i][w] += x.Count
			}
		}
		for _, pod := range p.view.pods() {
			if w, _ := workloadOf(pod); pod.Spec.NodeName == n.Name && phaseOf(pod) != "terminating" {
				have[i][w]++
			}
		}
	}
	best, at := math.MaxInt, make([]int, len(nodes))
	var try func(i, cost int)
	plays, used := make([]int, len(nodes)), make([]bool, len(nodes))
	try = func(i, cost int) {
		if cost >= best {
			return
		}
		if i == len(nodes) {
			best = cost
			copy(at, plays)
			return
		}
		for j := range nodes {
			if !used[j] && nodes[i].Class == nodes[j].Class {
				used[j], plays[i] = true, j
				try(i+1, cost+apart(want[i], have[j]))
				used[j] = false
			}
		}
	}
	try(0, 0)
	p.plays = map[string]string{}
	for i, j := range at {
		p.plays[nodes[i].Name] = nodes[j].Name
	}
	return best
}

// apart is in how many pods two nodes differ.
func apart(a, b map[string]int) int {
	n := 0
	for w := range a {
		n += max(a[w]-b[w], b[w]-a[w])
	}
	for w := range b {
		if _, both := a[w]; !both {
			n += b[w]
		}
	}
	return n
}
