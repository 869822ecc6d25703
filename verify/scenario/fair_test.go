package scenario

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// playQueue acts out a run on a clock of its own: need gives each task's slice and how
// long its search takes. It returns which tasks were finished, and when all was over.
func playQueue(workers int, budget time.Duration, need [][2]int) (done []bool, end time.Duration) {
	type run struct {
		task        int
		begin, over time.Time
		limited     bool
	}
	start := time.Unix(0, 0)
	var deadline time.Time
	if budget > 0 {
		deadline = start.Add(budget)
	}
	var sliceOf []int
	for _, n := range need {
		sliceOf = append(sliceOf, n[0])
	}
	q := newQueue(sliceOf, workers, deadline, start)
	done = make([]bool, len(need))
	var busy []run
	now := start
	for {
		for len(busy) < workers && (deadline.IsZero() || now.Before(deadline)) {
			i, until, wait := q.next(now)
			if i < 0 || wait {
				break
			}
			over := now.Add(time.Duration(need[i][1]) * time.Second)
			limited := !until.IsZero() && over.After(until)
			if limited {
				over = until
			}
			busy = append(busy, run{i, now, over, limited})
		}
		if len(busy) == 0 {
			return done, now.Sub(start)
		}
		slices.SortStableFunc(busy, func(a, b run) int { return a.over.Compare(b.over) })
		r := busy[0]
		busy = busy[1:]
		now = r.over
		q.ended(r.task, now.Sub(r.begin), r.limited, now)
		done[r.task] = !r.limited
	}
}

// TestQueueSharesTime acts out runs in which the budget does not last for all.
func TestQueueSharesTime(t *testing.T) {
	for _, tt := range []struct {
		title   string
		workers int
		budget  int      // seconds; 0: none
		need    [][2]int // slice, seconds
		done    []bool
		end     int // seconds
	}{
		{"no budget: everything is done", 2, 0,
			[][2]int{{0, 5}, {1, 50}, {0, 5}}, []bool{true, true, true}, 50},
		{"a cheap slice is done beside two that never end", 1, 100,
			[][2]int{{0, 1000}, {1, 1000}, {2, 10}, {2, 10}}, []bool{false, false, true, true}, 87}, // what is left would not do for either
		{"what a cheap slice leaves over is the others'", 1, 100,
			[][2]int{{0, 1}, {1, 90}}, []bool{true, true}, 91},
		{"a search is taken up again with what others left", 1, 100,
			[][2]int{{0, 60}, {1, 1}, {2, 1}, {3, 1}}, []bool{true, true, true, true}, 63 + 25},
		{"small topologies of every slice before the large ones of any", 1, 40,
			[][2]int{{0, 1}, {1, 1}, {0, 1000}, {1, 18}}, []bool{true, true, false, true}, 39},
		{"two workers share one slice", 2, 60,
			[][2]int{{0, 50}, {0, 50}}, []bool{true, true}, 50},
		{"two workers, three slices", 2, 60,
			[][2]int{{0, 1000}, {1, 1000}, {2, 5}, {2, 5}, {2, 5}}, []bool{false, false, true, true, true}, 50},
		{"the rest goes to one that it may do for", 1, 100,
			[][2]int{{0, 25}, {1, 45}, {2, 1}, {3, 1}, {4, 1}}, []bool{true, false, true, true, true}, 20 + 20 + 3 + 25},
	} {
		t.Run(tt.title, func(t *testing.T) {
			done, end := playQueue(tt.workers, time.Duration(tt.budget)*time.Second, tt.need)
			if !slices.Equal(done, tt.done) || end.Round(time.Second) != time.Duration(tt.end)*time.Second {
				t.Errorf("done %v after %v, want %v after %d s", done, end, tt.done, tt.end)
			}
		})
	}
}

// TestQueueDecidesSome: of slices that need alike and together more time than there is, those are finished that a third
// of it lasts for.
func TestQueueDecidesSome(t *testing.T) {
	for seed := range 200 {
		r := rand.New(rand.NewPCG(35, uint64(seed)))
		n, tasks, seconds := 20+r.IntN(400), 2+r.IntN(5), 1+r.IntN(4)
		workers, budget := 1+r.IntN(3), (20+r.IntN(60))*seconds*tasks
		var need [][2]int
		for range tasks {
			for s := range n {
				need = append(need, [2]int{s, seconds})
			}
		}
		done, _ := playQueue(workers, time.Duration(budget)*time.Second, need)
		whole := 0
		for s := range n {
			all := true
			for i := s; i < len(done); i += n {
				all = all && done[i]
			}
			if all {
				whole++
			}
		}
		if whole < min(n, budget*workers/seconds/3/tasks)-2*workers {
			t.Errorf("seed %d: %d slices of %d searches of %d s, %d workers, %d s: %d finished", seed, n, tasks, seconds, workers,
				budget, whole)
		}
	}
}

// TestFallbacksWait plays random runs of one slice: no fallback begins before every other task has been tried, or one of
// them has run out of time, and then it begins before that is tried again.
func TestFallbacksWait(t *testing.T) {
	begun, late := 0, 0
	for seed := range 300 {
		r := rand.New(rand.NewPCG(37, uint64(seed)))
		tasks, now := make([]Task, 2+r.IntN(6)), time.Unix(0, 0)
		first := 1 + r.IntN(len(tasks)-1)
		for i := first; i < len(tasks); i++ {
			tasks[i].fallback = true
		}
		q := newQueue(make([]int, len(tasks)), 1+r.IntN(2), now.Add(100*time.Second), now)
		q.fallBack(tasks)
		at, busy := map[int]stage{}, []int{}
		for range 40 {
			if i, _, wait := q.next(now); i >= 0 && !wait {
				cut := slices.Contains(values(at, first), cutOff)
				for k := range first {
					if tasks[i].fallback && (at[k] == running || at[k] == waiting && !cut) {
						t.Fatalf("seed %d: fallback %d begins although task %d has not been tried: %v", seed, i, k, at)
					}
				}
				if !tasks[i].fallback && at[i] == cutOff {
					for k := first; k < len(tasks); k++ {
						if at[k] == waiting {
							t.Fatalf("seed %d: task %d is tried again before fallback %d", seed, i, k)
						}
					}
					late++
				}
				if tasks[i].fallback {
					begun++
				}
				at[i], busy = running, append(busy, i)
			}
			if len(busy) == 0 {
				break
			}
			i, limited := busy[0], r.IntN(3) == 0
			busy = busy[1:]
			took := min(q.tasks[i].given, time.Second)
			if limited {
				took = q.tasks[i].given
			}
			now = now.Add(took)
			q.ended(i, took, limited, now)
			at[i] = map[bool]stage{false: finished, true: cutOff}[limited]
		}
	}
	if begun < 100 || late < 20 {
		t.Errorf("%d fallbacks began, %d tasks were tried again: the test has lost its teeth", begun, late)
	}
}

// values are the stages of the first n tasks.
func values(of map[int]stage, n int) (out []stage) {
	for i := range n {
		out = append(out, of[i])
	}
	return out
}
