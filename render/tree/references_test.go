package tree

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// TestRevisionsMeanWhatTheyDoToGoGit wants every name, abbreviation and relation to give the commit, or the lack of
// one, that go-git finds where it goes through all references and objects.
func TestRevisionsMeanWhatTheyDoToGoGit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	dir := packedRepository(t, r)
	commits := strings.Fields(runGit(t, dir, "rev-list", "HEAD"))
	names := []string{"HEAD", "main", "nope", commits[0] + "0", "refs/heads", "../HEAD", ""}
	for i := range 12 {
		name := []string{"top", "to", "feature/top", "v1", "fade", "topp"}[r.IntN(6)] + []string{"", "-2"}[r.IntN(2)]
		at := commits[r.IntN(len(commits))]
		switch r.IntN(4) {
		case 0:
			runGit(t, dir, "branch", "-f", "b/"+name, at)
		case 1:
			runGit(t, dir, "tag", "-f", name, at)
		case 2:
			runGit(t, dir, "tag", "-fam", "annotated", name, at)
		case 3:
			runGit(t, dir, "update-ref", "refs/remotes/origin/"+name, at)
		}
		if i == 8 {
			runGit(t, dir, "pack-refs", "--all")
			runGit(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/"+name)
		}
		names = append(names, name, "b/"+name, "tags/"+name, "origin/"+name, "refs/heads/b/"+name, name[:len(name)-1], "origin")
	}
	for _, line := range strings.Split(runGit(t, dir, "cat-file", "--batch-check=%(objectname)", "--batch-all-objects"), "\n") {
		names = append(names, line[:4+r.IntN(37)])
	}
	byNeed, whole := openBoth(t, dir)
	if _, ok := byNeed.Storer.(*packed); !ok {
		t.Fatalf("the references are not read by need: %T", byNeed.Storer)
	}
	found := 0
	for _, name := range names {
		for _, rev := range []string{name, name + "~1", name + "^{}"} {
			got, want := resolved(byNeed, rev), resolved(whole, rev)
			if got != want {
				t.Errorf("%s: %s, want %s", rev, got, want)
			}
			if len(want) == 40 {
				found++
			}
		}
	}
	if found < 40 || found > 2*len(names) {
		t.Errorf("%d of %d revisions mean a commit: the test shows too little", found, 3*len(names))
	}
}

func resolved(repo *git.Repository, rev string) string {
	h, err := repo.ResolveRevision(plumbing.Revision(rev))
	if err != nil {
		return err.Error()
	}
	return h.String()
}

// TestAbbreviationsListWhatGoGitLists wants the names of all objects, in packs and outside, that begin so.
func TestAbbreviationsListWhatGoGitLists(t *testing.T) {
	dir := packedRepository(t, rand.New(rand.NewPCG(5, 8)))
	byNeed, whole := openBoth(t, dir)
	several := 0
	for first := range 256 {
		for _, prefix := range [][]byte{{byte(first)}, {byte(first), byte(first * 7)}} {
			got, want := beginning(t, byNeed, prefix), beginning(t, whole, prefix)
			if got != want {
				t.Errorf("%x: %s, want %s", prefix, got, want)
			}
			if strings.Count(got, " ") > 0 {
				several++
			}
		}
	}
	if several == 0 {
		t.Error("no abbreviation means several objects")
	}
}

func beginning(t *testing.T, repo *git.Repository, prefix []byte) string {
	t.Helper()
	list, err := repo.Storer.(interface {
		HashesWithPrefix([]byte) ([]plumbing.Hash, error)
	}).HashesWithPrefix(prefix)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
	return fmt.Sprint(slices.Compact(list))
}
