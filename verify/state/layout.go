package state

import "slices"

// Field is a counter of the whole cluster, stored in one or two bytes of a [State]. The
// zero value is one that is not laid out: it is always 0.
type Field struct{ off, width uint16 }

// NodeField is a counter that every node has. The zero value is one that is not laid
// out: it is always 0.
type NodeField struct{ off, width uint16 } // off within the node record

// layout places the fields of a state: first the cluster's, then one record a node.
type layout struct {
	head   int // bytes before the first node record
	record int // bytes of one node record
	// most are the largest values that the bytes of head and record were declared for.
	headMost, recordMost []byte
}

// mostOf are the largest values of the bytes of a field.
func mostOf(max int) []byte {
	if max <= 0xff {
		return []byte{byte(max)}
	}
	return []byte{byte(max >> 8), 0xff}
}

// Most is the largest value of each byte of a state, as its fields were declared.
func (c *Config) Most() []byte {
	out := slices.Clone(c.layout.headMost)
	for range c.Nodes {
		out = append(out, c.layout.recordMost...)
	}
	return out
}

func widthFor(max int) uint16 {
	if max <= 0xff {
		return 1
	}
	return 2
}

func get(b []byte, off, width uint16) int {
	switch width {
	case 1:
		return int(b[off])
	case 0: // not laid out
		return 0
	}
	return int(b[off])<<8 | int(b[off+1]) // big endian: byte order is numeric order
}

func put(b []byte, off, width uint16, v int) {
	if v < 0 || (width == 1 && v > 0xff) || (width == 0 && v > 0) || v > 0xffff {
		panic("state: value out of the range its field was declared with")
	}
	switch width {
	case 1:
		b[off] = byte(v)
		return
	case 0:
		return
	}
	b[off], b[off+1] = byte(v>>8), byte(v)
}
