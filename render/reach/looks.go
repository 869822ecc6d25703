package reach

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Pods of two releases meet where the affinity, the anti-affinity or the spread of the ones looks at labels of the
// others, or where both mount one claim. On nodes of a declared size, they also meet where they want one port, or where
// one may preempt the other. If one of them differs, the release of the other is rendered.

var (
	looking  = regexp.MustCompile(`podAffinity|podAntiAffinity|topologySpreadConstraints`)
	chosen   = regexp.MustCompile(`matchLabels:[ \t]*(?:\{([^}]*)\}|\r?\n((?:[ \t]+[\w./"'-]+:[ \t]*\S+[ \t]*\r?\n)+))`)
	oneOf    = regexp.MustCompile(`values:[ \t]*(?:\[([^\]]*)\]|\r?\n((?:[ \t]*- \S+[ \t]*\r?\n)+))`)
	word     = regexp.MustCompile(`[^\s,:"'\[\]{}]+`)
	mounting = regexp.MustCompile(`claimName:[ \t]*["']?([\w.-]+)`)
	binding  = regexp.MustCompile(`hostPort["']?:[ \t]*["']?(\d+)`)
)

// meeting is what pods say by which they meet others.
type meeting struct {
	labels [][]byte // values of the labels that they look at
	claims [][]byte
	ports  [][]byte
	ranked bool // they have a class of priority
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
		at := looking.FindIndex(doc)
		if at == nil {
			continue
		}
		for _, m := range chosen.FindAllSubmatch(doc[at[0]:], -1) {
			for i, w := range word.FindAll(slices.Concat(m[1], m[2]), -1) {
				if i%2 == 1 {
					out = append(out, w)
				}
			}
		}
		for _, m := range oneOf.FindAllSubmatch(doc[at[0]:], -1) {
			for _, w := range word.FindAll(slices.Concat(m[1], m[2]), -1) {
				if len(w) > 1 || w[0] != '-' {
					out = append(out, w)
				}
			}
		}
	}
	return out
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
		ofOthers(own.claims) {
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
