package kubesettle_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	link    = regexp.MustCompile(`\]\(([^()\s]*)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// TestLinksLead: a link of a page to a file or a heading of this repository leads there.
func TestLinksLead(t *testing.T) {
	pages := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".md" || strings.Contains(path, "golden") {
			return err
		}
		text, err := os.ReadFile(path)
		pages[path] = fence.ReplaceAllString(string(text), "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	followed := 0
	for path, text := range pages {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, ":") || file == "" && anchor == "" {
				continue
			}
			to := path
			if file != "" {
				to = filepath.Join(filepath.Dir(path), file)
			}
			followed++
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %s leads nowhere", path, m[1])
			} else if page, ok := pages[to]; ok && anchor != "" && !hasHeading(page, anchor) {
				t.Errorf("%s: %s has no such heading", path, m[1])
			}
		}
	}
	if followed < 300 {
		t.Errorf("only %d links were followed", followed)
	}
}

// hasHeading reports whether a page has the heading that GitHub gives an anchor.
func hasHeading(page, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		words := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(m[1], "$1")
		slug := strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(words), ""), " ", "-")
		if slug == anchor {
			return true
		}
	}
	return false
}
