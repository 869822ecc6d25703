package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Marker identifies a comment of ours. It stands hidden at byte 0, so that a comment
// that quotes it is not taken for ours.
type Marker struct {
	Instance string // tells comments of several runs on one pull request apart
	Head     string // full hash of the head commit
	RunID    int64
	Attempt  int
}

const markerPrefix = "<!-- kubesettle "

// String is the marker's line, without a newline.
func (m Marker) String() string {
	return fmt.Sprintf("%sinstance=%s head=%s run=%d attempt=%d -->",
		markerPrefix, markerEscape(m.Instance), markerEscape(m.Head), m.RunID, m.Attempt)
}

var markerLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<!-- kubesettle instance=([A-Za-z0-9._%]*) head=([A-Za-z0-9._%]*) run=(\d{1,18}) attempt=(\d{1,9}) -->`)
})

// ParseMarker reads the marker at the beginning of a comment's body; false where there
// is none.
func ParseMarker(body string) (Marker, bool) {
	m := markerLine().FindStringSubmatch(body)
	if m == nil {
		return Marker{}, false
	}
	instance, ok1 := markerUnescape(m[1])
	head, ok2 := markerUnescape(m[2])
	run, err1 := strconv.ParseInt(m[3], 10, 64)
	attempt, err2 := strconv.Atoi(m[4])
	if !ok1 || !ok2 || err1 != nil || err2 != nil {
		return Marker{}, false
	}
	return Marker{Instance: instance, Head: head, RunID: run, Attempt: attempt}, true
}

// markerEscape writes everything but letters, digits, dots and underscores as %XX, so
// that no value can end the HTML comment.
func markerEscape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func markerUnescape(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), true
}
