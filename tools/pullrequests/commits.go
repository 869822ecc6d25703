package pullrequests

import (
	"fmt"
	"path"
	"regexp"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// clone is one repository.
type clone struct{ *corpus.Repository }

// change is one commit as a pull request would bring it.
type change struct {
	Commit, Base string // full hashes
	Subject      string
	Files        []string // all that it changes
}

// changes lists the last n first-parent commits that touch a chart, a kustomization or a
// manifest, the newest first; before is a date, or empty.
func (c clone) changes(n int, before string) ([]change, error) {
	var out []change
	for skip, page := 0, 100; len(out) < n && skip < 20000; skip += page {
		args := []string{"log", "--first-parent", "-m", "--no-renames", "--name-only", "-z", "--format=%x01%H%x02%P%x02%s%x02",
			fmt.Sprintf("--skip=%d", skip), fmt.Sprintf("--max-count=%d", page)}
		if before != "" {
			args = append(args, "--before="+before)
		}
		raw, err := c.Ask(append(args, "HEAD")...)
		if err != nil {
			return nil, err
		}
		if len(raw) == 0 {
			break
		}
		for _, one := range strings.Split(raw, "\x01")[1:] {
			ch, ok := parseChange(one)
			if !ok || len(out) == n {
				continue
			}
			relevant, err := c.relevant(ch)
			if err != nil {
				return nil, err
			}
			if relevant {
				out = append(out, ch)
			}
		}
	}
	return out, nil
}

// parseChange reads one commit of git's log; false where it has no parent or no file.
func parseChange(text string) (change, bool) {
	fields := strings.SplitN(text, "\x02", 4)
	if len(fields) < 4 || fields[1] == "" {
		return change{}, false
	}
	ch := change{Commit: fields[0], Base: strings.Fields(fields[1])[0], Subject: fields[2]}
	for _, f := range strings.Split(fields[3], "\x00") {
		if f = strings.TrimPrefix(f, "\n"); f != "" {
			ch.Files = append(ch.Files, f)
		}
	}
	sort.Strings(ch.Files)
	return ch, len(ch.Files) > 0
}

// relevant reports whether a change touches a chart, a kustomization or a manifest. Prose does not count: a chart's
// README is touched by every other pull request.
func (c clone) relevant(ch change) (bool, error) {
	for _, rev := range []string{ch.Commit, ch.Base} {
		var candidates []string
		for _, f := range ch.Files {
			switch path.Ext(f) {
			case ".yaml", ".yml", ".json", ".tpl", ".txt", ".env", ".properties", ".lock", "":
				candidates = append(candidates, f)
			}
		}
		if len(candidates) == 0 {
			continue
		}
		t, err := c.listTree(rev)
		if err != nil {
			return false, err
		}
		for _, f := range candidates {
			if t.inChart(f) || t.inKustomization(f) {
				return true, nil
			}
			if t.files[f] && isYAML(f) && !strings.HasPrefix(f, ".") {
				b, err := c.Ask("cat-file", "blob", rev+":"+f)
				if err != nil {
					return false, err
				}
				if isManifest([]byte(b)) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

func isYAML(f string) bool { return strings.HasSuffix(f, ".yaml") || strings.HasSuffix(f, ".yml") }

var manifest = regexp.MustCompile(`(?m)^apiVersion:[ \t]*\S`)

// isManifest reports whether a file reads as Kubernetes objects do.
func isManifest(b []byte) bool {
	return manifest.Match(b) && regexp.MustCompile(`(?m)^kind:[ \t]*\S`).Match(b)
}

// listing is the files of a revision.
type listing struct {
	files          map[string]bool
	charts         map[string]bool // folders with a Chart.yaml
	kustomizations map[string]string
}

var kustomizationNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

func (c clone) listTree(rev string) (*listing, error) {
	raw, err := c.Ask("ls-tree", "-r", "--name-only", "-z", rev)
	if err != nil {
		return nil, err
	}
	t := &listing{files: map[string]bool{}, charts: map[string]bool{}, kustomizations: map[string]string{}}
	for _, f := range strings.Split(raw, "\x00") {
		t.files[f] = true
		switch base := path.Base(f); {
		case base == "Chart.yaml":
			t.charts[path.Dir(f)] = true
		case base == kustomizationNames[0], base == kustomizationNames[1], base == kustomizationNames[2]:
			t.kustomizations[path.Dir(f)] = f
		}
	}
	return t, nil
}

// inChart reports whether a file lies below a chart and is more than its prose.
func (t *listing) inChart(f string) bool {
	switch path.Ext(f) {
	case "", ".md", ".txt", ".gotmpl":
		return false
	}
	return t.chartOf(f) != ""
}

// chartOf is the outermost chart that a file lies in, or "".
func (t *listing) chartOf(f string) string {
	found := ""
	for d := path.Dir(f); ; d = path.Dir(d) {
		if t.charts[d] {
			found = d
		}
		if d == "." || d == "/" {
			return found
		}
	}
}

// inKustomization reports whether a file lies in or below a folder with a kustomization.
func (t *listing) inKustomization(f string) bool {
	for d := path.Dir(f); ; d = path.Dir(d) {
		if t.kustomizations[d] != "" {
			return true
		}
		if d == "." || d == "/" {
			return false
		}
	}
}
