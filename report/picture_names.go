package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// podName is the name of a pod's workload, without its kind and namespace.
func podName(p *finding.PodsSnapshot) string {
	name := line(p.Workload)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// podNames lists the workloads of two pictures.
func podNames(a, b *finding.Snapshot) []string {
	var out []string
	add := func(ps []finding.PodsSnapshot) {
		for i := range ps {
			if name := podName(&ps[i]); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	for _, s := range []*finding.Snapshot{a, b} {
		for i := range s.Nodes {
			add(s.Nodes[i].Pods)
		}
		add(s.Pending)
	}
	return out
}

// within is a cell with as many of its workloads, one at least, as there is room for, and a count of the others.
func within(cell string) string {
	list := strings.Split(cell, ", ")
	for i := len(list) - 1; i > 0 && tooWide(cell); i-- {
		cell = fmt.Sprintf("%s, and %d more", strings.Join(list[:i], ", "), len(list)-i)
	}
	return cell
}

func tooWide(s string) bool { return utf8.RuneCountInString(s) > pictureWide }

// shorter gives names that are short enough to fit, as long as can be; two that differ stay two. If they cannot fit,
// they are as short as possible while distinct.
func shorter(names []string, fits func(map[string]string) bool) map[string]string {
	best := map[string]string{}
	for _, most := range []int{pictureWide, 30, 24, 18, 12} {
		short, taken := map[string]string{}, map[string]int{}
		for _, n := range names {
			short[n] = briefName(n, most)
			taken[short[n]]++
		}
		for _, n := range names {
			if taken[short[n]] > 1 {
				short[n] = cmp.Or(best[n], n)
			}
		}
		if best = short; fits(short) {
			return best
		}
	}
	return best
}

// briefName leaves words out of the middle of a name, and of a word only where it is too long by itself:
// "payments-…-worker".
func briefName(name string, most int) string {
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	words := strings.Split(name, "-")
	n := len(words)
	head, tail := 1, 1
	told := func(head, tail int) string {
		return strings.Join(words[:head], "-") + "-" + ellipsis + "-" + strings.Join(words[n-tail:], "-")
	}
	if n < 3 || utf8.RuneCountInString(told(1, 1)) > most {
		if first := words[0] + "-" + ellipsis; n > 1 && utf8.RuneCountInString(first) <= most {
			return first
		}
		r := []rune(name)
		return string(r[:most/2]) + ellipsis + string(r[len(r)-(most-most/2-1):])
	}
	for {
		switch {
		case head+tail+1 < n && utf8.RuneCountInString(told(head, tail+1)) <= most:
			tail++
		case head+tail+1 < n && utf8.RuneCountInString(told(head+1, tail)) <= most:
			head++
		default:
			return told(head, tail)
		}
	}
}
