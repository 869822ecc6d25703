package main

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

// Two programs have one content if and only if their bytes are the same, however they are read: drawn texts of up to
// three parts, with a byte changed, two exchanged, one more or one less.
func TestContentTellsProgramsApart(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	content := func(b []byte) string {
		s, err := contentOf(iotest.HalfReader(bytes.NewReader(b)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for range 40 {
		b := make([]byte, 2+r.IntN(700<<10))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		was := content(b)
		if whole, err := contentOf(bytes.NewReader(b)); err != nil || whole != was {
			t.Fatalf("%d bytes read in one go: %s, %v; want %s", len(b), whole, err, was)
		}
		i, k := r.IntN(len(b)), r.IntN(len(b))
		for name, other := range map[string]func() []byte{
			"a byte changed": func() []byte { c := bytes.Clone(b); c[i] ^= 1 << r.IntN(8); return c },
			"two exchanged":  func() []byte { c := bytes.Clone(b); c[i], c[k] = c[k], c[i]; return c },
			"one more":       func() []byte { return append(bytes.Clone(b), 0) },
			"one less":       func() []byte { return b[:len(b)-1] },
		} {
			if c := other(); !bytes.Equal(b, c) && content(c) == was {
				t.Errorf("%s, of %d bytes: the content is the same", name, len(b))
			}
		}
	}
	if _, err := contentOf(iotest.ErrReader(bytes.ErrTooLarge)); err == nil {
		t.Error("what cannot be read has a content")
	}
}
