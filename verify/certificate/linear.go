package certificate

import (
	"maps"
	"math/big"
	"slices"
)

// A Sum is a linear expression over counters and parameters, by name; One is the name of the constant.
type Sum map[string]int64

// One is the name under which a Sum holds its constant.
const One = "1"

// plus gives a + k*b.
func (a Sum) plus(k int64, b Sum) Sum {
	out := maps.Clone(a)
	if out == nil {
		out = Sum{}
	}
	for name, c := range b {
		out[name] += k * c
	}
	return out
}

// after gives the expression in the state after a step: each counter that the step changes is replaced.
func (a Sum) after(effect map[string]Sum) Sum {
	out := Sum{}
	for name, c := range a {
		if to, changes := effect[name]; changes {
			out = out.plus(c, to)
		} else {
			out[name] += c
		}
	}
	return out
}

// An inequality is a Sum that is at least 0. Over the integers it is false where its negation is at least 1.
func not(a Sum) Sum { return Sum{One: -1}.plus(-1, a) }

// impossible reports whether no rational numbers make all of some sums at least 0, by elimination after Fourier and
// Motzkin: a name is eliminated by adding each sum that has it with one sign to each that has it with the other. Sums
// in the same direction are merged, the least of which counts.
//
// G. Dantzig, B. Eaves, Fourier-Motzkin elimination and its dual, 1973.
func impossible(sums []Sum) bool {
	rows := newRows(sums)
	for {
		name, few := "", 0
		for _, n := range rows.names() {
			up, down := rows.signs(n)
			if cost := up*down - up - down; name == "" || cost < few {
				name, few = n, cost
			}
		}
		if name == "" {
			return rows.contradict()
		}
		rows = rows.eliminate(name)
		if rows.contradict() {
			return true
		}
	}
}

// rows are sums with coefficients of any size, by their direction.
type rows map[string]row

type row struct {
	of    map[string]*big.Int // without the constant
	least *big.Rat            // the constant, where the coefficients have no common divisor
}

func newRows(sums []Sum) rows {
	out := rows{}
	for _, s := range sums {
		of := map[string]*big.Int{}
		for name, c := range s {
			if name != One && c != 0 {
				of[name] = big.NewInt(c)
			}
		}
		out.add(of, big.NewRat(s[One], 1))
	}
	return out
}

// add keeps a row, divided by the common divisor of its coefficients.
func (r rows) add(of map[string]*big.Int, constant *big.Rat) {
	common := new(big.Int)
	for name, c := range of {
		if c.Sign() == 0 {
			delete(of, name)
			continue
		}
		common.GCD(nil, nil, common, new(big.Int).Abs(c))
	}
	key := ""
	for _, name := range slices.Sorted(maps.Keys(of)) {
		of[name] = new(big.Int).Quo(of[name], common)
		key += name + of[name].String() + " "
	}
	if common.Sign() > 0 {
		constant = new(big.Rat).Quo(constant, new(big.Rat).SetInt(common))
	}
	if have, there := r[key]; !there || constant.Cmp(have.least) < 0 {
		r[key] = row{of, constant}
	}
}

func (r rows) names() []string {
	all := map[string]bool{}
	for _, x := range r {
		for name := range x.of {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// signs are how many rows have a name with a positive and with a negative coefficient.
func (r rows) signs(name string) (up, down int) {
	for _, x := range r {
		switch c := x.of[name]; {
		case c == nil:
		case c.Sign() > 0:
			up++
		default:
			down++
		}
	}
	return up, down
}

func (r rows) eliminate(name string) rows {
	out := rows{}
	for _, x := range r {
		a := x.of[name]
		if a == nil {
			out.add(maps.Clone(x.of), x.least)
			continue
		}
		for _, y := range r {
			b := y.of[name]
			if a.Sign() < 0 || b == nil || b.Sign() > 0 {
				continue
			}
			p, q := new(big.Int).Neg(b), a // both positive: p*x + q*y lacks the name
			of := map[string]*big.Int{}
			for _, of1 := range []struct {
				k  *big.Int
				of map[string]*big.Int
			}{{p, x.of}, {q, y.of}} {
				for n, c := range of1.of {
					if of[n] == nil {
						of[n] = new(big.Int)
					}
					of[n].Add(of[n], new(big.Int).Mul(of1.k, c))
				}
			}
			sum := new(big.Rat).Mul(new(big.Rat).SetInt(p), x.least)
			out.add(of, sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetInt(q), y.least)))
		}
	}
	return out
}

// contradict reports whether a row without names is less than 0.
func (r rows) contradict() bool {
	x, there := r[""]
	return there && x.least.Sign() < 0
}
