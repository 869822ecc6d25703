package reach

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Pods of two releases meet where the affinity, the anti-affinity or the spread of the ones looks at labels of the
// others, where both mount one claim, or where a budget beside the ones selects the others too. On nodes of a declared
// size, they also meet where they want one port, or where one may preempt the other. If one of them differs, the
// release of the other is rendered.

var (
	chosen   = regexp.MustCompile(`matchLabels:[ \t]*(?:\{([^}]*)\}|\r?\n((?:[ \t]+[\w./"'-]+:[ \t]*\S+[ \t]*\r?\n)+))`)
	oneOf    = regexp.MustCompile(`values:[ \t]*(?:\[([^\]]*)\]|\r?\n((?:[ \t]*- \S+[ \t]*\r?\n)+))`)
	word     = regexp.MustCompile(`[^\s,:"'\[\]{}]+`)
	mounting = regexp.MustCompile(`claimName:[ \t]*["']?([\w.-]+)`)
	binding  = regexp.MustCompile(`hostPort["']?:[ \t]*["']?(\d+)`)
)

// looking are the fields of pods below which they choose others.
var looking = [][]byte{[]byte("podAffinity"), []byte("podAntiAffinity"), []byte("topologySpreadConstraints")}

// meeting is what pods say by which they meet others.
type meeting struct {
	labels [][]byte // values of the labels that they look at
	claims [][]byte
	ports  [][]byte
	guards [][2][]byte // keys and values of labels that budgets beside them select by
	ranked bool        // they have a class of priority
}

// meetingIn reads the texts of a release.
func meetingIn(j *release.Recipe, differs func(p string) bool) meeting {
	var out meeting
	for _, p := range j.Reads() {
		b := j.Files[p]
		if j.Declares[p] || !differs(p) {
			continue
		}
		out.labels = append(out.labels, lookedAt(b)...)
		out.guards = append(out.guards, guardsIn(b)...)
		out.claims = append(out.claims, firstGroups(mounting, b)...)
		out.ports = append(out.ports, firstGroups(binding, b)...)
		out.ranked = out.ranked || bytes.Contains(b, []byte("priorityClassName"))
	}
	return out
}

// lookedAt are the values of labels that the terms of pods in a text choose others by. A document has them below its
// own selector.
func lookedAt(b []byte) [][]byte {
	var out [][]byte
	for _, doc := range bytes.SplitAfter(b, []byte("\n---")) {
		from := len(doc)
		for _, term := range looking {
			if i := bytes.Index(doc, term); i >= 0 {
				from = min(from, i)
			}
		}
		for _, m := range chosen.FindAllSubmatch(doc[from:], -1) {
			for i, w := range word.FindAll(slices.Concat(m[1], m[2]), -1) {
				if i%2 == 1 {
					out = append(out, w)
				}
			}
		}
		for _, m := range oneOf.FindAllSubmatch(doc[from:], -1) {
			for _, w := range word.FindAll(slices.Concat(m[1], m[2]), -1) {
				if len(w) > 1 || w[0] != '-' {
					out = append(out, w)
				}
			}
		}
	}
	return out
}

// guardsIn are what the budgets in a text select by, as far as it is written out.
func guardsIn(b []byte) [][2][]byte {
	var out [][2][]byte
	for _, doc := range bytes.SplitAfter(b, []byte("\n---")) {
		if !hasKind(doc, []string{"PodDisruptionBudget"}) {
			continue
		}
		for _, m := range chosen.FindAllSubmatch(doc, -1) {
			words := word.FindAll(slices.Concat(m[1], m[2]), -1)
			for i := 0; i+1 < len(words); i += 2 {
				out = append(out, [2][]byte{words[i], words[i+1]})
			}
		}
	}
	return out
}

// firstValue is the value of a label that a text begins with.
func firstValue(b []byte) []byte {
	b = bytes.TrimLeft(b, " \t\"'")
	if i := bytes.IndexAny(b, " \t\r\n,\"'{}"); i >= 0 {
		return b[:i]
	}
	return b
}

// labels reports whether a text gives something one of some labels.
func labels(b []byte, any [][2][]byte) bool {
	return slices.ContainsFunc(any, func(l [2][]byte) bool {
		for rest := b; ; {
			i := bytes.Index(rest, l[0])
			if i < 0 {
				return false
			}
			rest = rest[i+len(l[0]):]
			after, is := bytes.CutPrefix(bytes.TrimLeft(rest, `"'`), []byte(":"))
			if value := firstValue(after); is && bytes.Equal(value, l[1]) {
				return true
			}
		}
	})
}

func firstGroups(x *regexp.Regexp, b []byte) [][]byte {
	var out [][]byte
	for _, m := range x.FindAllSubmatch(b, -1) {
		out = append(out, m[1])
	}
	return out
}

// join adds what other pods say.
func (m *meeting) join(o meeting) {
	m.labels, m.claims = append(m.labels, o.labels...), append(m.claims, o.claims...)
	m.ports, m.ranked = append(m.ports, o.ports...), m.ranked || o.ranked
	m.guards = append(m.guards, o.guards...)
}

// met reports whether pods of a release may meet those that differ.
func (e *effects) met(j *release.Recipe) bool {
	if len(e.runs) == 0 || j.Release.Kind != object.Helm && !anyFile(j, isWorkload) {
		return false
	}
	named := func(list [][]byte) func(b []byte) bool {
		return func(b []byte) bool {
			return slices.ContainsFunc(list, func(w []byte) bool { return hasWord(b, w) })
		}
	}
	own := meetingIn(j, func(string) bool { return true })
	ofOthers := func(list [][]byte) bool {
		return slices.ContainsFunc(list, func(w []byte) bool {
			return slices.ContainsFunc(e.running, func(b []byte) bool { return hasWord(b, w) })
		})
	}
	if anyFile(j, named(e.meeting.labels)) || anyFile(j, named(e.meeting.claims)) || ofOthers(own.labels) ||
		ofOthers(own.claims) || anyFile(j, func(b []byte) bool { return labels(b, e.meeting.guards) }) ||
		slices.ContainsFunc(e.running, func(b []byte) bool { return labels(b, own.guards) }) {
		return true
	}
	return e.limited && j.Release.Kind != object.Helm &&
		(e.meeting.ranked || own.ranked || meetAny(e.meeting.ports, own.ports))
}

func meetAny(a, b [][]byte) bool {
	return slices.ContainsFunc(a, func(x []byte) bool {
		return slices.ContainsFunc(b, func(y []byte) bool { return bytes.Equal(x, y) })
	})
}
