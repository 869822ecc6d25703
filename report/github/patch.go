package github

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kubesettle/kubesettle/report"
)

// ErrNotInDiff says why a suggestion cannot stand on a pull request.
var ErrNotInDiff = errors.New("no suggestion can be placed there")

// fits reports whether a suggestion can stand on the pull request: its lines are those of
// one hunk, and the file that was analysed is the one of the pull request's head. sha is
// the blob that GitHub has there, patch its hunks, text what was analysed.
// Errors: [ErrNotInDiff] with the reason.
func fits(s *report.Suggestion, text, sha, patch string) error {
	refuse := func(why string) error {
		return fmt.Errorf("%s:%d: %w: %s", s.File, s.First, ErrNotInDiff, why)
	}
	switch {
	case strings.Contains(text, "\r"):
		return refuse("the file has carriage returns, which a suggestion does not keep")
	case sha != blobSHA(text):
		return refuse("base has moved on in this file, and lines may have other numbers")
	case patch == "":
		return refuse("GitHub shows no diff of the file")
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if s.Last > len(lines) {
		return refuse("the file has fewer lines")
	}
	for _, h := range rightLines(patch) {
		if h.first > s.First || s.Last > h.first+len(h.lines)-1 {
			continue
		}
		for i := s.First; i <= s.Last; i++ {
			if h.lines[i-h.first] != lines[i-1] {
				return refuse("the diff has other text on its lines")
			}
		}
		return nil
	}
	return refuse("its lines are not in one hunk of the diff")
}

// blobSHA is git's name of a file's content.
func blobSHA(text string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)) // git's own, not a matter of security
	return hex.EncodeToString(sum[:])
}

// hunkLines are the lines of one hunk that head has.
type hunkLines struct {
	first int
	lines []string
}

var hunkHead = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)

// rightLines reads the hunks of a unified diff; one that is not as it says ends them.
func rightLines(patch string) []hunkLines {
	var out []hunkLines
	left := 0 // lines of head that the open hunk still has
	for _, l := range strings.Split(patch, "\n") {
		if m := hunkHead.FindStringSubmatch(l); m != nil && left == 0 {
			first, err := strconv.Atoi(m[1])
			left = 1
			if m[2] != "" {
				var bad error
				left, bad = strconv.Atoi(m[2])
				err = errors.Join(err, bad)
			}
			if err != nil {
				return out
			}
			out = append(out, hunkLines{first: first})
			continue
		}
		if len(out) == 0 {
			continue
		}
		switch {
		case strings.HasPrefix(l, "-"), strings.HasPrefix(l, "\\"), l == "" && left == 0:
		case left == 0:
			return out // neither a hunk's line nor its head
		case strings.HasPrefix(l, "+"), strings.HasPrefix(l, " "):
			h := &out[len(out)-1]
			h.lines = append(h.lines, l[1:])
			left--
		default:
			return out
		}
	}
	return out
}
