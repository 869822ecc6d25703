package mends

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// A pair is two revisions of a repository.
type pair struct{ base, head string }

// pairs gives the revisions that make the mistake and those that fix it: the two commits of a row that names the origin
// of the mistake, and else the fixing commit with one on top of it that makes the mistake again.
func pairs(repo *corpus.Repository, r row) (mistake, fix pair, err error) {
	if came, mended, ok := strings.Cut(r.commit, ".."); ok {
		for rev, at := range map[string]*string{came + "^1": &mistake.base, came: &mistake.head, mended + "^1": &fix.base, mended: &fix.head} {
			if *at, err = repo.Resolve(rev); err != nil {
				return mistake, fix, err
			}
		}
		return mistake, fix, nil
	}
	mistake.base, mistake.head, err = undone(repo, r)
	return mistake, pair{base: mistake.head, head: mistake.base}, err
}

// undone gives the fixing commit, and one on top of it that makes the mistake again.
func undone(repo *corpus.Repository, r row) (base, head string, err error) {
	if base, err = repo.Resolve(r.commit); err != nil {
		return "", "", err
	}
	parent, err := repo.Resolve(base + "^1")
	if err != nil {
		return "", "", err
	}
	args := []string{"diff", "--no-renames", "--no-ext-diff", "--no-color", "--binary", "-U3", base, parent, "--"}
	for _, u := range r.files {
		args = append(args, u.file)
	}
	patch, err := repo.Git("", args...)
	if err != nil {
		return "", "", err
	}
	if patch, err = some(patch, r.files); err != nil {
		return "", "", fmt.Errorf("%s %s: %w", r.repository, r.commit, err)
	}
	head, err = repo.Apply(base, patch)
	return base, head, err
}

var (
	fileHead = regexp.MustCompile(`(?m)^diff --git `)
	hunkHead = regexp.MustCompile(`(?m)^@@ `)
	headName = regexp.MustCompile(`^a/(.*) b/(.*)\n`)
)

// some leaves the hunks that were named in a patch.
func some(patch string, files []undo) (string, error) {
	var out strings.Builder
	var met []string
	for _, part := range fileHead.Split(patch, -1)[1:] {
		name := headName.FindStringSubmatch(part)
		if name == nil {
			return "", fmt.Errorf("a file name that git quotes: %.80q", part)
		}
		met = append(met, name[1])
		i := slices.IndexFunc(files, func(u undo) bool { return u.file == name[1] })
		if i < 0 || files[i].hunks == nil {
			out.WriteString("diff --git " + part)
			continue
		}
		hunks := hunkHead.Split(part, -1)
		out.WriteString("diff --git " + hunks[0])
		for _, h := range files[i].hunks {
			if h >= len(hunks) {
				return "", fmt.Errorf("%s has %d hunks and no hunk %d", name[1], len(hunks)-1, h)
			}
			out.WriteString("@@ " + hunks[h])
		}
	}
	for _, u := range files {
		if !slices.ContainsFunc(met, func(m string) bool { return m == u.file || strings.HasPrefix(m, u.file+"/") }) {
			return "", fmt.Errorf("the commit does not change %s", u.file)
		}
	}
	if out.Len() == 0 {
		return "", fmt.Errorf("the commit changes nothing")
	}
	return out.String(), nil
}
