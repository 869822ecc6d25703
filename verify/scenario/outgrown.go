package scenario

import "github.com/kubesettle/kubesettle/verify/search"

// outgrown holds, by slice and rung, the first task that ran out of states where there are several rungs. What larger
// topologies of the rung give is of no use then: those that are being searched are given up.
type outgrown struct {
	cut     map[[2]int]int
	running map[int]func() // by task: how to give it up
}

// before reports whether a smaller topology of a task's rung has run out of states.
func (g outgrown) before(i int, j Task) bool {
	first, some := g.cut[[2]int{j.slice, j.rung}]
	return some && first < i
}

// note takes in what one of the tasks came to.
func (g outgrown) note(tasks []Task, i int, o Outcome) {
	at := [2]int{tasks[i].slice, tasks[i].rung}
	if first, some := g.cut[at]; o.Cov.Bound != search.StateBound || tasks[i].states == 0 || some && first <= i {
		return
	}
	g.cut[at] = i
	for k, giveUp := range g.running {
		if g.before(k, tasks[k]) {
			giveUp()
		}
	}
}
