package search_test

import (
	"context"
	"fmt"

	"github.com/kubesettle/kubesettle/verify/search"
)

// philosopher i of n thinks, takes the left fork, takes the right fork, eats and puts
// both back. Byte i of a state is 0 thinking, 1 holding the left fork, 2 eating.
type philosopher struct{ i, n int }

func (p philosopher) Name() string            { return fmt.Sprintf("philosopher/%d", p.i) }
func (p philosopher) Urgency() search.Urgency { return search.Prompt }

func (p philosopher) Step(s []byte, next *search.Emit) {
	left, right := s[(p.i+p.n-1)%p.n], s[(p.i+1)%p.n]
	switch {
	case s[p.i] == 0 && left != 2: // the left neighbour eats with our left fork
	case s[p.i] == 1 && right == 0: // the right neighbour took our right fork first
	case s[p.i] == 2:
	default:
		return
	}
	next.Copy(s)[p.i] = (s[p.i] + 1) % 3
	next.Move(search.Move{})
}

func (p philosopher) Describe(from, to []byte, m search.Move) string {
	return [...]string{"takes the left fork", "takes the right fork", "puts both forks back"}[from[p.i]]
}

// Three dining philosophers, each taking the left fork first, can starve with one
// fork each.
func Example_diningPhilosophers() {
	sys := search.System{
		Width:   3,
		Initial: [][]byte{{0, 0, 0}},
		Rules: []search.Rule{{
			Name:      "no-deadlock",
			Quiescent: func(s []byte) bool { return true },
		}},
	}
	for i := range 3 {
		sys.Actors = append(sys.Actors, philosopher{i, 3})
	}
	res, err := search.Run(context.Background(), sys, search.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.States, "states")
	for _, v := range res.Violations {
		fmt.Println(sys.Rules[v.Rule].Name, "inevitable:", v.Inevitable)
		for _, st := range v.Steps {
			a := sys.Actors[st.Actor]
			fmt.Println(a.Name(), a.Describe(st.From, st.To, st.Move))
		}
	}
	// Output:
	// 14 states
	// no-deadlock inevitable: true
	// philosopher/0 takes the left fork
	// philosopher/1 takes the left fork
	// philosopher/2 takes the left fork
}
