package state

import (
	"bytes"
	"slices"
)

// exchange lists groups of node classes that can be exchanged as a whole: equal in
// [NodeClass.Shape] and in size. Zones that no manifest calls by name are such classes.
func exchange(classes []NodeClass, topology []int) [][]int {
	var out [][]int
	for i, c := range classes {
		if c.Shape == "" || topology[i] == 0 {
			continue
		}
		k := slices.IndexFunc(out, func(g []int) bool {
			return classes[g[0]].Shape == c.Shape && topology[g[0]] == topology[i]
		})
		if k < 0 {
			out = append(out, []int{i})
		} else {
			out[k] = append(out[k], i)
		}
	}
	return slices.DeleteFunc(out, func(g []int) bool { return len(g) < 2 })
}

// sortClasses puts the blocks of node records of exchangeable classes in byte order.
func (c *Config) sortClasses(b []byte) {
	for _, group := range c.exchange {
		for i := 1; i < len(group); i++ {
			for j := i; j > 0; j-- {
				x, y := c.block(b, group[j-1]), c.block(b, group[j])
				if bytes.Compare(x, y) <= 0 {
					break
				}
				swap(x, y)
			}
		}
	}
}

// block is the node records of a class.
func (c *Config) block(b []byte, class int) []byte {
	first, end := c.NodesOf(class)
	return b[c.layout.head+first*c.layout.record : c.layout.head+end*c.layout.record]
}
