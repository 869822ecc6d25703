package search

import (
	"context"
	"errors"
)

type Emit struct {
	Local any
	buf   []byte
}

func (e *Emit) Copy(s []byte) []byte { e.buf = append(e.buf[:0], s...); return e.buf }
func (e *Emit) Move(m Move)          {}

var ErrSystem = errors.New("search: system")
var ErrActor = errors.New("search: actor")

func run(ctx context.Context, sys System, opt Options) (*Result, error) { return nil, errors.New("x") }
