package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// maxSuggestions is how many fixes one review offers.
const maxSuggestions = 10

// maxSuggestionBytes bounds the text of one.
const maxSuggestionBytes = 4000

// Suggestion is a fix as a comment beside its lines, which a reader commits with a click.
type Suggestion struct {
	File        string
	First, Last int      // lines of head, from 1
	Lines       []string // in their place, without ends; none takes them out
	Body        string   // Markdown, with a marker at byte 0
	Key         string   // the same for the same fix at the same lines
}

// Suggestions lists the fixes of new findings that are text and were verified, worst first; one that meets an earlier
// one's lines is left out, and equal edits of the same lines count once. instance tells the comments of several runs
// apart.
func Suggestions(r *finding.Result, instance string) []Suggestion {
	fresh, _, _ := byStatus(r.Findings) // not sanitized: exactly the verified text is offered
	var out []Suggestion
	var mended [][]*finding.Finding
	for i := range fresh {
		s, ok := suggestion(&fresh[i])
		if !ok {
			continue
		}
		at := -1
		for k := range out {
			if out[k].File == s.File && out[k].First <= s.Last && s.First <= out[k].Last {
				at = k
			}
		}
		switch {
		case at >= 0 && out[at].Key == s.Key:
			mended[at] = append(mended[at], &fresh[i])
		case at < 0 && len(out) < maxSuggestions:
			out = append(out, s)
			mended = append(mended, []*finding.Finding{&fresh[i]})
		}
	}
	for k := range out {
		out[k].Body = out[k].body(instance, mended[k])
	}
	return out
}

// suggestion is the fix of a finding, where it is lines that can be replaced as they are.
func suggestion(f *finding.Finding) (Suggestion, bool) {
	x := f.Fix
	if x == nil || !x.Mechanical || !x.Verified || x.Location == nil || x.Location.Side != "head" ||
		uri(x.Location.File) == "" {
		return Suggestion{}, false
	}
	s := Suggestion{File: line(x.Location.File), First: x.Location.StartLine,
		Last: max(x.Location.EndLine, x.Location.StartLine)}
	text := x.Replacement
	if s.First < 1 || s.File != x.Location.File || len(text) > maxSuggestionBytes || text != Clean(text) ||
		text != "" && !strings.HasSuffix(text, "\n") {
		return Suggestion{}, false
	}
	if text != "" {
		s.Lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "v1\x00%s\x00%d\x00%d\x00%s", s.File, s.First, s.Last, text))
	s.Key = hex.EncodeToString(sum[:8])
	return s, true
}

const suggestionPrefix = "<!-- kubesettle-suggestion "

var suggestionMarker = regexp.MustCompile(`^` + suggestionPrefix + `instance=([A-Za-z0-9._%]*) key=([0-9a-f]{16}) -->`)

// ParseSuggestion reads the marker at the beginning of a suggestion's body: which run's
// it is, and its key; false where there is none.
func ParseSuggestion(body string) (instance, key string, ok bool) {
	m := suggestionMarker.FindStringSubmatch(body)
	if m == nil {
		return "", "", false
	}
	instance, ok = markerUnescape(m[1])
	return instance, m[2], ok
}

// marker identifies a suggestion of ours; its value cannot end the HTML comment.
func (s *Suggestion) marker(instance string) string {
	return suggestionPrefix + "instance=" + markerEscape(instance) + " key=" + s.Key + " -->"
}

func (s *Suggestion) body(instance string, fs []*finding.Finding) string {
	var b strings.Builder
	b.WriteString(s.marker(instance) + "\n")
	for _, f := range fs[:min(len(fs), 5)] {
		fmt.Fprintf(&b, "Kubesettle, %s: %s\n\n", mdCode(Plain(f.Rule, 100)), mdText(clip(sentence(title(f)), 600)))
	}
	if n := len(fs) - 5; n > 0 {
		fmt.Fprintf(&b, "And %s.\n\n", count(n, "more finding"))
	}
	b.WriteString(mdText(clip(fixText(fs[0].Fix), 1000)) + "\n\n")
	return b.String() + suggestionFence(s.Lines)
}

// suggestionFence encloses a replacement that GitHub takes letter by letter: the fence is longer than any in it, and no
// line at all takes the lines out.
func suggestionFence(lines []string) string {
	text := ""
	for _, l := range lines {
		text += l + "\n"
	}
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + "suggestion\n" + text + fence + "\n"
}
