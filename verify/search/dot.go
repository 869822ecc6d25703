package search

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
)

// DOT writes the graph that a search explores in Graphviz's language, states in the
// order in which they are found: quiescent ones with a double line, states that break
// an invariant filled, events dashed. label words a state; nil: its bytes. It is meant
// for small graphs: without a MaxStates, 1,000 states bound it.
//
// Errors: [ErrSystem] and [ErrActor] as [Run], and the writer's.
func DOT(ctx context.Context, out io.Writer, sys System, opt Options, label func(s []byte) string) error {
	if opt.MaxStates == 0 {
		opt.MaxStates = 1000
	}
	opt.Compact, opt.Settled, opt.StopAtFirst = false, false, false
	c, err := compile(sys, &opt)
	if err != nil {
		return err
	}
	if label == nil {
		label = func(s []byte) string { return fmt.Sprintf("%x", s) }
	}
	e := newEngine(ctx, c, opt)
	e.keepOrder = true
	if err := e.explore(); err != nil {
		return err
	}
	d := &drawing{e: e, w: newWorker(c), out: bufio.NewWriter(out), label: label, number: map[uint32]int{}}
	return d.write()
}

// drawing is a graph being written.
type drawing struct {
	e      *engine
	w      *worker
	out    *bufio.Writer
	label  func(s []byte) string
	number map[uint32]int
}

func (d *drawing) write() error {
	for _, b := range d.e.layers.buckets {
		for _, id := range b.order {
			d.number[id] = len(d.number)
		}
	}
	fmt.Fprintln(d.out, "digraph states {")
	for _, b := range d.e.layers.buckets {
		for _, id := range b.order {
			if err := d.state(id, b.events); err != nil {
				return err
			}
		}
	}
	if d.e.result.Bound != Complete {
		fmt.Fprintln(d.out, "\tmore [shape=none, label=\"…\"]")
	}
	fmt.Fprintln(d.out, "}")
	return d.out.Flush()
}

// state writes one state and its transitions.
func (d *drawing) state(id uint32, level int) error {
	s := d.e.store.key(id)
	loops, err := d.w.successors(s, false)
	if err != nil {
		return err
	}
	style := ""
	if len(loops) == 0 {
		style += ", peripheries=2"
	}
	for _, r := range d.e.sys.bad { // tried before, without a panic
		if d.e.sys.Rules[r].Bad(s) {
			style += ", style=filled"
			break
		}
	}
	fmt.Fprintf(d.out, "\tn%d [label=%s%s]\n", d.number[id], strconv.Quote(d.label(s)), style)
	d.arrows(id, loops, "")
	if d.e.opt.MaxEvents >= 0 && level >= d.e.opt.MaxEvents {
		return nil
	}
	events, err := d.w.successors(s, true)
	if err != nil {
		return err
	}
	d.arrows(id, events, ", style=dashed")
	return nil
}

// arrows writes transitions; those to states beyond a bound are left out.
func (d *drawing) arrows(from uint32, steps []Step, style string) {
	for _, s := range steps {
		to := d.e.store.find(d.w.canonOf(s.To))
		if to == none {
			continue
		}
		name := strconv.Quote(d.e.sys.Actors[s.Actor].Name())
		fmt.Fprintf(d.out, "\tn%d -> n%d [label=%s%s]\n", d.number[from], d.number[to], name, style)
	}
}
