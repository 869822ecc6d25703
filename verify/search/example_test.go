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

// peterson is process i of Peterson's mutual exclusion. A state is the two program
// counters, the two flags and the turn. A process that is hasty takes the turn before
// it raises its flag.
type peterson struct {
	i     int
	hasty bool
}

const (
	resting = iota
	half    // one of flag and turn is set
	waiting
	critical
)

func (p peterson) Name() string            { return [...]string{"left", "right"}[p.i] }
func (p peterson) Urgency() search.Urgency { return search.Prompt }

func (p peterson) Step(s []byte, next *search.Emit) {
	me, other := p.i, 1-p.i
	if s[me] == waiting && s[2+other] == 1 && s[4] == byte(other) {
		return
	}
	t := next.Copy(s)
	var kind uint16
	switch {
	case s[me] == critical:
		t[me], t[2+me], kind = resting, 0, leaves
	case s[me] == waiting:
		t[me], kind = critical, enters
	case (s[me] == resting) == p.hasty:
		t[me], t[4], kind = s[me]+1, byte(other), givesTurn
	default:
		t[me], t[2+me], kind = s[me]+1, 1, raisesFlag
	}
	next.Move(search.Move{Kind: kind})
}

const (
	raisesFlag = iota
	givesTurn
	enters
	leaves
)

func (p peterson) Describe(from, to []byte, m search.Move) string {
	return [...]string{"raises the flag", "gives the turn away", "enters", "leaves"}[m.Kind]
}

// Peterson's protocol excludes and lets everyone in; with flag and turn exchanged, both
// processes can be inside. A process that may rest for ever would be an [search.Environment]
// actor; here both always want to enter.
func Example_mutualExclusion() {
	for _, hasty := range []bool{false, true} {
		sys := search.System{
			Width:   5,
			Initial: [][]byte{{resting, resting, 0, 0, 0}},
			Actors:  []search.Actor{peterson{0, hasty}, peterson{1, hasty}},
			Rules: []search.Rule{
				{Name: "exclusion", Bad: func(s []byte) bool { return s[0] == critical && s[1] == critical }},
				{Name: "left gets in", Persists: func(s []byte) bool { return s[0] == waiting }},
			},
		}
		res, err := search.Run(context.Background(), sys, search.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("hasty:", hasty, res.States, "states,", len(res.Violations), "violations")
		for _, v := range res.Violations {
			for _, st := range v.Steps {
				a := sys.Actors[st.Actor]
				fmt.Println(" ", a.Name(), a.Describe(st.From, st.To, st.Move))
			}
		}
	}
	// Output:
	// hasty: false 20 states, 0 violations
	// hasty: true 32 states, 1 violations
	//   left gives the turn away
	//   right gives the turn away
	//   right raises the flag
	//   right enters
	//   left raises the flag
	//   left enters
}

// machine i of n passes a token on in Dijkstra's self-stabilizing ring: byte i is its
// counter, below k. Machine 0 holds the token where its counter equals the last one,
// any other where its counter differs from the one before it.
type machine struct{ i, n, k int }

func (m machine) Name() string            { return fmt.Sprintf("machine/%d", m.i) }
func (m machine) Urgency() search.Urgency { return search.Prompt }

func (m machine) holds(s []byte) bool {
	return m.i == 0 && s[0] == s[m.n-1] || m.i > 0 && s[m.i] != s[m.i-1]
}

func (m machine) Step(s []byte, next *search.Emit) {
	if !m.holds(s) {
		return
	}
	t := next.Copy(s)
	if m.i == 0 {
		t[0] = (s[0] + 1) % byte(m.k)
	} else {
		t[m.i] = s[m.i-1]
	}
	next.Move(search.Move{})
}

func (m machine) Describe(from, to []byte, mv search.Move) string {
	return fmt.Sprint(from, " -> ", to)
}

// A ring of four machines comes down to one token from every state with three values a
// counter, but not with two.
func Example_tokenRing() {
	const n = 4
	for k := 3; k >= 2; k-- {
		sys := search.System{Width: n}
		for code := range k * k * k * k {
			s := make([]byte, n)
			for i := range s {
				s[i] = byte(code % k)
				code /= k
			}
			sys.Initial = append(sys.Initial, s)
		}
		for i := range n {
			sys.Actors = append(sys.Actors, machine{i, n, k})
		}
		sys.Rules = []search.Rule{{Name: "one token", Settles: func(s []byte) bool {
			tokens := 0
			for i := range n {
				if (machine{i, n, k}).holds(s) {
					tokens++
				}
			}
			return tokens == 1
		}}}
		res, err := search.Run(context.Background(), sys, search.Options{Settled: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(k, "values:", res.States, "states,", res.Cyclic, "terminal cycle")
		for _, v := range res.Violations {
			fmt.Println(sys.Rules[v.Rule].Name, "is violated, inevitable:", v.Inevitable)
			for _, st := range v.Steps[v.CycleStart:] {
				a := sys.Actors[st.Actor]
				fmt.Println(" ", a.Name(), a.Describe(st.From, st.To, st.Move))
			}
		}
	}
	// Output:
	// 3 values: 81 states, 1 terminal cycle
	// 2 values: 16 states, 1 terminal cycle
	// one token is violated, inevitable: false
	//   machine/2 [0 1 0 0] -> [0 1 1 0]
	//   machine/1 [0 1 1 0] -> [0 0 1 0]
	//   machine/0 [0 0 1 0] -> [1 0 1 0]
	//   machine/3 [1 0 1 0] -> [1 0 1 1]
	//   machine/2 [1 0 1 1] -> [1 0 0 1]
	//   machine/1 [1 0 0 1] -> [1 1 0 1]
	//   machine/0 [1 1 0 1] -> [0 1 0 1]
	//   machine/3 [0 1 0 1] -> [0 1 0 0]
}
