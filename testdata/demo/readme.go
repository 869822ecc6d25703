package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// The README shows the demo's first finding between these lines.
const readmeFrom, readmeTo = "<!-- demo: the first finding of out/comment.md -->\n", "<!-- /demo -->\n"

// readmeShows demands that the README shows the first finding of the comment as it is,
// or with rewrite puts it there.
func readmeShows(readme, comment string, rewrite bool) error {
	page, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	said, err := os.ReadFile(comment)
	if err != nil {
		return err
	}
	finding, err := firstFinding(string(said))
	if err != nil {
		return fmt.Errorf("%s: %w", comment, err)
	}
	before, rest, ok := strings.Cut(string(page), readmeFrom)
	shown, after, closed := strings.Cut(rest, readmeTo)
	switch {
	case !ok || !closed:
		return fmt.Errorf("%s: the lines that enclose the demo's finding are missing", readme)
	case shown == finding:
		return nil
	case rewrite:
		return os.WriteFile(readme, []byte(before+readmeFrom+finding+readmeTo+after), 0o644)
	}
	return fmt.Errorf("%s: shows another finding than %s: make readme", readme, comment)
}

// firstFinding cuts the first finding's section out of a comment.
func firstFinding(comment string) (string, error) {
	const heading = "\n### "
	_, rest, ok := strings.Cut(comment, heading)
	if !ok {
		return "", errors.New("no finding")
	}
	section, _, _ := strings.Cut(rest, heading)
	section, _, _ = strings.Cut(section, "\n---\n") // the comment's foot
	section, _, _ = strings.Cut(section, "\n<details>")
	return "\n### " + section + "\n", nil
}
