package tree

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"
)

// A list that is made of another revision's is the one that is made of nothing, whatever comes, goes, moves or becomes
// something else; and also where a tree names something twice.
func TestAListIsMadeOfTheOneBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	twice := 0
	for range 60 {
		repo, err := git.Init(memory.NewStorage(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var before *listed
		for range 5 {
			root := randomFolder(t, r, repo, 3)
			want, err := listing(repo, root, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := listing(repo, root, before)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got.entries, want.entries) || !sameNames(got.dirs, want.dirs) {
				t.Fatalf("%v %v\nand of nothing\n%v %v", got.entries, got.dirs, want.entries, want.dirs)
			}
			if err := (&listed{repo: repo, entries: map[string]entry{}, dirs: map[string][]string{}}).add(root, "."); err != nil {
				twice++
			}
			before = got
		}
	}
	if twice < 5 {
		t.Errorf("%d trees name something twice: too few to show anything", twice)
	}
}

func sameNames(a, b map[string][]string) bool {
	return maps.EqualFunc(a, b, func(x, y []string) bool { return len(x) == 0 && len(y) == 0 || reflect.DeepEqual(x, y) })
}

// randomFolder stores a tree object of a few names, which are files, links, submodules and folders.
func randomFolder(t *testing.T, r *rand.Rand, repo *git.Repository, depth int) *object.Tree {
	t.Helper()
	var tree object.Tree
	for _, name := range []string{"a", "a.b", "b", "b-c", "c"} {
		for n := range 2 {
			if n > 0 && r.IntN(60) > 0 || r.IntN(3) == 0 {
				continue
			}
			e := object.TreeEntry{Name: name, Hash: plumbing.NewHash(fmt.Sprintf("%040d", r.IntN(3)))}
			switch kind := r.IntN(8); {
			case kind < 4 && depth > 0:
				e.Mode, e.Hash = filemode.Dir, randomFolder(t, r, repo, depth-1).Hash
			case kind == 5:
				e.Mode = filemode.Symlink
			case kind == 6:
				e.Mode = filemode.Submodule
			default:
				e.Mode = filemode.Regular
			}
			tree.Entries = append(tree.Entries, e)
		}
	}
	o := repo.Storer.NewEncodedObject()
	o.SetType(plumbing.TreeObject)
	w, err := o.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tree.Entries { // not by the library, which wants them in order
		fmt.Fprintf(w, "%o %s\x00%s", uint32(e.Mode), e.Name, e.Hash[:])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	hash, err := repo.Storer.SetEncodedObject(o)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := repo.TreeObject(hash)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// Walk names what fs.WalkDir names, in its order, in a tree of this package and in any other.
func TestWalkIsThatOfTheLibrary(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/b/c.yaml", "a/b.yaml", "a.yaml", "a-b/c.yaml", "z/node_modules/x.yaml", "z/y.yaml"} {
		writeFile(t, dir+"/"+name, name)
	}
	if err := os.Symlink("a.yaml", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	own, err := Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	walk := func(tree Tree) (out []string) {
		err := Walk(tree, func(p string, mode fs.FileMode) error {
			out = append(out, fmt.Sprint(p, " ", mode))
			switch p {
			case "z/node_modules", "a/b.yaml":
				return fs.SkipDir
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got, want := walk(own), walk(struct{ Tree }{own}); !reflect.DeepEqual(got, want) || len(got) < 9 {
		t.Errorf("%q, and the library %q", got, want)
	}
}
