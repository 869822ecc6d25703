package tree

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// packedRepository has two packs with deltas, some loose objects, and a file of 40 KiB.
func packedRepository(t *testing.T, r *rand.Rand) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	var lines []string
	for range 1500 {
		lines = append(lines, fmt.Sprintf("line %x", r.Uint64()))
	}
	for i := range 6 {
		for range 20 {
			lines[r.IntN(len(lines))] = fmt.Sprintf("edited %x", r.Uint64())
		}
		writeFile(t, dir+"/big.yaml", strings.Join(lines, "\n"))
		writeFile(t, fmt.Sprintf("%s/d%d/small.yaml", dir, r.IntN(4)), strings.Join(lines[:r.IntN(40)], "\n"))
		runGit(t, dir, "add", ".")
		runGit(t, dir, "commit", "-qm", fmt.Sprint(i))
		if i == 2 || i == 4 {
			runGit(t, dir, "-c", fmt.Sprintf("pack.writeReverseIndex=%v", i == 2), "repack", "-qdf")
		}
	}
	return dir
}

// openBoth opens a repository so that its packs are read by need, and as go-git does.
func openBoth(t *testing.T, dir string) (byNeed, whole *git.Repository) {
	t.Helper()
	byNeed, err := openRepository(dir)
	if err != nil {
		t.Fatal(err)
	}
	if whole, err = git.PlainOpen(dir); err != nil {
		t.Fatal(err)
	}
	return byNeed, whole
}

// TestPacksGiveWhatGoGitReads wants every object as go-git reads it, and no other.
func TestPacksGiveWhatGoGitReads(t *testing.T) {
	for seed := range uint64(1) {
		r := rand.New(rand.NewPCG(seed, 3))
		dir := packedRepository(t, r)
		revs, _ := filepath.Glob(dir + "/.git/objects/pack/*.rev")
		idxs, _ := filepath.Glob(dir + "/.git/objects/pack/*.idx")
		if len(idxs) != 2 || len(revs) != 1 {
			t.Fatalf("%d packs, %d with their order: the repository shows too little", len(idxs), len(revs))
		}
		byNeed, whole := openBoth(t, dir)
		store, ok := byNeed.Storer.(*packed)
		if !ok || len(store.packs) != 2 {
			t.Fatalf("the packs are not read by need: %T", byNeed.Storer)
		}
		var hashes []plumbing.Hash
		for _, line := range strings.Split(runGit(t, dir, "cat-file", "--batch-check=%(objectname)", "--batch-all-objects"), "\n") {
			hashes = append(hashes, plumbing.NewHash(line))
		}
		r.Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
		found := 0
		for _, h := range append(hashes, plumbing.NewHash(fmt.Sprintf("%040x", r.Uint64()))) {
			got, want := objectText(byNeed, h), objectText(whole, h)
			if got != want {
				t.Errorf("%s: got %.60q, want %.60q", h, got, want)
			}
			for _, p := range store.packs {
				if at, err := p.FindOffset(h); err == nil {
					if back, err := p.FindHash(at); back != h || err != nil {
						t.Errorf("%s is at %d, where %s is: %v", h, at, back, err)
					}
					found++
				}
			}
			if _, err := byNeed.CommitObject(h); (err == nil) != strings.HasPrefix(want, "commit ") {
				t.Errorf("%s: as a commit: %v", h, err)
			}
		}
		if found < 20 || found >= len(hashes) {
			t.Errorf("%d of %d objects are in packs", found, len(hashes))
		}
	}
}

func objectText(repo *git.Repository, h plumbing.Hash) string {
	o, err := repo.Storer.EncodedObject(plumbing.AnyObject, h)
	if err != nil {
		return err.Error()
	}
	r, err := o.Reader()
	if err != nil {
		return err.Error()
	}
	b, err := io.ReadAll(r)
	return fmt.Sprint(o.Type(), " ", o.Size(), " ", string(b), err)
}

// TestBrokenPacksAreLeftToGoGit wants no answer from an index, or an order, that is not what it says, and no panic.
func TestBrokenPacksAreLeftToGoGit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	dir := packedRepository(t, r)
	hash := plumbing.NewHash(runGit(t, dir, "rev-parse", "main:big.yaml"))
	_, whole := openBoth(t, dir)
	want := objectText(whole, hash)
	files, _ := filepath.Glob(dir + "/.git/objects/pack/*.*")
	for _, f := range files {
		good, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(f, 0o644); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			bad := bytes.Clone(good)
			if r.IntN(3) == 0 {
				bad = bad[:r.IntN(len(bad))]
			} else {
				bad[r.IntN(min(len(bad), 1100))] ^= byte(1 + r.IntN(255))
			}
			if err := os.WriteFile(f, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			byNeed, _ := openBoth(t, dir)
			if got := objectText(byNeed, hash); strings.HasPrefix(got, "blob ") && got != want {
				t.Errorf("%s: another object: %.60q", filepath.Base(f), got)
			}
		}
		if err := os.WriteFile(f, good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
