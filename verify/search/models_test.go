package search_test

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/search"
)

// The models here stand twice: in Go, and in Promela in testdata/spin. SPIN counts the
// latter.

// spinSizes are the models at all sizes, each with what SPIN counted. The numbers were
// recorded with SPIN 6.5.2 by
//
//	go test ./verify/search -run TestRecordedCountsAreSPINs -v -record
//
// and are compared anew where SPIN and a C compiler are installed.
func spinSizes() []spinSize {
	return []spinSize{
		{"ring", 3, 4, 0, 125, 615, 0},
		{"ring", 4, 9, 0, 10000, 72400, 0},
		{"ring", 5, 9, 0, 100000, 905000, 0},
		{"philosophers", 5, 0, 0, 82, 265, 1},
		{"philosophers", 8, 0, 0, 1154, 5968, 1},
		{"philosophers", 11, 0, 0, 16238, 115467, 1},
		{"filter", 2, 0, 0, 24, 42, 0},
		{"filter", 3, 0, 0, 356, 810, 0},
		{"filter", 4, 0, 0, 5744, 15848, 0},
		{"stabilize", 4, 0, 4, 33, 49, 0},
		{"stabilize", 6, 0, 6, 230, 554, 0},
		{"stabilize", 8, 0, 7, 6569, 24419, 0},
		{"election", 4, 0, 0, 135, 321, 1},
		{"election", 6, 0, 0, 1539, 5589, 1},
		{"election", 8, 0, 0, 16767, 82377, 1},
		{"readers", 4, 0, 0, 113, 360, 0},
		{"readers", 7, 0, 0, 2635, 12894, 0},
		{"readers", 10, 0, 0, 64169, 432060, 0},
		{"buffer", 3, 0, 0, 135, 390, 0},
		{"buffer", 6, 0, 0, 1143, 3414, 0},
		{"buffer", 10, 0, 0, 18423, 55254, 0},
		{"commit", 3, 0, 0, 288, 761, 28},
		{"commit", 5, 0, 0, 8832, 37345, 244},
		{"commit", 7, 0, 0, 296448, 1735809, 2188},
		{"hanoi", 5, 0, 0, 243, 726, 0},
		{"hanoi", 8, 0, 0, 6561, 19680, 0},
		{"hanoi", 10, 0, 0, 59049, 177144, 0},
	}
}

// spinSize is a model at one size, with what SPIN counted there.
type spinSize struct {
	Model string
	// N processes; M and K are further parameters, of some models.
	N, M, K int
	// States, Transitions and Deadlocks as SPIN 6.5.2 counts them without reduction: of
	// its stored+matched, less one for the initial state; of its errors, invalid end
	// states.
	States, Transitions uint64
	Deadlocks           int
}

// String is such as "ring N=6 M=9".
func (s spinSize) String() string {
	out := fmt.Sprintf("%s N=%d", s.Model, s.N)
	if s.M > 0 {
		out += fmt.Sprintf(" M=%d", s.M)
	}
	if s.K > 0 {
		out += fmt.Sprintf(" K=%d", s.K)
	}
	return out
}

// spinProcess is one process of a model: byte strings in, byte strings out.
type spinProcess struct {
	i    int
	step func(i int, s []byte, next *search.Emit)
}

func (p spinProcess) Name() string            { return fmt.Sprintf("process/%d", p.i) }
func (p spinProcess) Urgency() search.Urgency { return search.Prompt }
func (p spinProcess) Step(s []byte, next *search.Emit) {
	p.step(p.i, s, next)
}
func (p spinProcess) Describe(from, to []byte, m search.Move) string {
	return fmt.Sprintf("%x -> %x", from, to)
}

// system is the model in Go.
func (s spinSize) system() search.System {
	n := s.N
	var width, processes int
	var step func(i int, s []byte, next *search.Emit)
	processes = n
	switch s.Model {
	case "ring":
		width, step = n, spinRing(n, byte(s.M))
	case "philosophers":
		width, step = n, spinPhilosophers(n)
	case "filter":
		width, step = 3*n, spinFilter(n)
	case "stabilize":
		width, step = n, spinStabilize(n, s.K)
	case "election":
		width, step = 2*n+1, spinElection(n)
	case "readers":
		width, step = n, spinReaders(n)
	case "buffer":
		width, step, processes = n+2, spinBuffer(n), 4
	case "commit":
		width, step = 2*n+1, spinCommit(n)
	case "hanoi":
		width, step = n, spinHanoi(n)
	default:
		panic("no model " + s.Model)
	}
	sys := search.System{Width: width, Initial: [][]byte{make([]byte, width)}}
	if s.Model == "stabilize" {
		for i := range n {
			sys.Initial[0][i] = byte(2 * i % s.K)
		}
	}
	for i := range processes {
		sys.Actors = append(sys.Actors, spinProcess{i, step})
	}
	return sys
}

// set offers s with one byte changed.
func set(s []byte, next *search.Emit, i int, v byte) {
	next.Copy(s)[i] = v
	next.Move(search.Move{})
}

func spinRing(n int, top byte) func(i int, s []byte, next *search.Emit) {
	return func(i int, s []byte, next *search.Emit) {
		j := (i + 1) % n
		v := s[i]
		if v < top {
			set(s, next, i, v+1)
		}
		if v > 0 && s[j] < top {
			t := next.Copy(s)
			t[i]--
			t[j]++
			next.Move(search.Move{})
		}
		if v == top {
			set(s, next, i, 0)
		}
	}
}

func spinPhilosophers(n int) func(i int, s []byte, next *search.Emit) {
	return func(i int, s []byte, next *search.Emit) {
		left, right := s[(i+n-1)%n], s[(i+1)%n]
		switch {
		case s[i] == 0 && left != 2:
			set(s, next, i, 1)
		case s[i] == 1 && right == 0:
			set(s, next, i, 2)
		case s[i] == 2:
			set(s, next, i, 0)
		}
	}
}

// spinFilter keeps level, stage and victim, n bytes each.
func spinFilter(n int) func(i int, s []byte, next *search.Emit) {
	return func(i int, s []byte, next *search.Emit) {
		level, stage := s[i], s[n+i]
		switch stage {
		case 0:
			t := next.Copy(s)
			t[i], t[n+i] = 1, 1
			next.Move(search.Move{})
		case 1:
			t := next.Copy(s)
			t[n+i], t[2*n+int(level)] = 2, byte(i)+1
			next.Move(search.Move{})
		case 2:
			at := 0
			for _, l := range s[:n] {
				if l >= level {
					at++
				}
			}
			if s[2*n+int(level)] == byte(i)+1 && at > 1 {
				return
			}
			t := next.Copy(s)
			if int(level) < n-1 {
				t[i], t[n+i] = level+1, 1
			} else {
				t[n+i] = 3
			}
			next.Move(search.Move{})
		case 3:
			t := next.Copy(s)
			t[i], t[n+i] = 0, 0
			next.Move(search.Move{})
		}
	}
}

func spinStabilize(n, k int) func(i int, s []byte, next *search.Emit) {
	return func(i int, s []byte, next *search.Emit) {
		if i == 0 {
			if s[0] == s[n-1] {
				set(s, next, 0, (s[0]+1)%byte(k))
			}
			return
		}
		if s[i] != s[i-1] {
			set(s, next, i, s[i-1])
		}
	}
}

// spinElection keeps the channel to each node, whether it has sent, and the leader.
func spinElection(n int) func(i int, s []byte, next *search.Emit) {
	return func(i int, s []byte, next *search.Emit) {
		id, j := byte(i+1), (i+1)%n
		if s[n+i] == 0 && s[j] == 0 {
			t := next.Copy(s)
			t[j], t[n+i] = id, 1
			next.Move(search.Move{})
		}
		switch {
		case s[i] > id && s[j] == 0:
			t := next.Copy(s)
			t[j], t[i] = s[i], 0
			next.Move(search.Move{})
		case s[i] > 0 && s[i] < id:
			set(s, next, i, 0)
		case s[i] == id:
			t := next.Copy(s)
			t[i], t[2*n] = 0, id
			next.Move(search.Move{})
		}
	}
}

func spinReaders(n int) func(i int, s []byte, next *search.Emit) {
	return func(i int, s []byte, next *search.Emit) {
		var count [4]int
		for _, x := range s {
			count[x]++
		}
		switch s[i] {
		case 0:
			if count[3] == 0 && count[2] == 0 {
				set(s, next, i, 1)
			}
			set(s, next, i, 2)
		case 1, 3:
			set(s, next, i, 0)
		case 2:
			if count[1] == 0 && count[3] == 0 {
				set(s, next, i, 3)
			}
		}
	}
}

// spinBuffer keeps the queue, 0 for a free place, and what the two consumers hold.
func spinBuffer(n int) func(i int, s []byte, next *search.Emit) {
	return func(i int, s []byte, next *search.Emit) {
		if i < 2 {
			for k := range n {
				if s[k] == 0 {
					set(s, next, k, byte(i)+1)
					return
				}
			}
			return
		}
		hand := n + i - 2
		if s[hand] != 0 {
			set(s, next, hand, 0)
		} else if s[0] != 0 {
			t := next.Copy(s)
			t[hand] = s[0]
			copy(t[:n], s[1:n])
			t[n-1] = 0
			next.Move(search.Move{})
		}
	}
}

// spinCommit keeps each manager's state, its messages (1 sent, 2 heard) and the decision.
func spinCommit(n int) func(i int, s []byte, next *search.Emit) {
	return func(i int, s []byte, next *search.Emit) {
		tm := s[2*n]
		all := true
		for _, m := range s[n : 2*n] {
			all = all && m == 2
		}
		if tm == 0 && s[n+i] == 1 {
			set(s, next, n+i, 2)
		}
		if s[i] == 0 {
			t := next.Copy(s)
			t[i], t[n+i] = 1, 1
			next.Move(search.Move{})
			set(s, next, i, 3)
		}
		if tm == 1 && s[i] != 2 {
			set(s, next, i, 2)
		}
		if tm == 2 && s[i] != 3 {
			set(s, next, i, 3)
		}
		if i == 0 && tm == 0 {
			if all {
				set(s, next, 2*n, 1)
			}
			set(s, next, 2*n, 2)
		}
	}
}

func spinHanoi(n int) func(i int, s []byte, next *search.Emit) {
	return func(i int, s []byte, next *search.Emit) {
		blocked := [3]bool{}
		for _, p := range s[:i] {
			blocked[p] = true
		}
		if blocked[s[i]] {
			return
		}
		for p := byte(0); p < 3; p++ {
			if p != s[i] && !blocked[p] {
				set(s, next, i, p)
			}
		}
	}
}
