package memo

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/render/kept"
)

func this() string { return "this program" }

func keyOf(i int) Key { return Key{byte(i), byte(i >> 8), 1} }

// fill keeps some values in three packs.
func fill(t *testing.T, dir string, values int) {
	t.Helper()
	s := Open(dir, this, true)
	for i := range values {
		s.Keep(fmt.Sprint("pack ", i%3), keyOf(i), []int{i, i})
	}
	s.Close()
}

// foundIn lists which of the values a store has; one that is not as it was kept fails the test.
func foundIn(t *testing.T, s *Store, values int) []int {
	t.Helper()
	var out []int
	for i := range values {
		var v []int
		if !s.Find(fmt.Sprint("pack ", i%3), keyOf(i), &v, func() bool { return true }) {
			continue
		}
		if out = append(out, i); !slices.Equal(v, []int{i, i}) {
			t.Errorf("%d is %v", i, v)
		}
	}
	return out
}

// put writes a file as a store does, whatever it holds.
func put(t *testing.T, file string, b []byte) {
	t.Helper()
	if !(kept.Folder{Dir: filepath.Dir(file)}).Write(filepath.Base(file), b) {
		t.Fatal("not written")
	}
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "v1", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestValuesAreFoundWhereTheyWereKept(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 20)
	if got := foundIn(t, Open(dir, this, false), 20); len(got) != 20 {
		t.Errorf("found %v", got)
	}
	s := Open(dir, this, false)
	if s.Find("pack 1", keyOf(0), new([]int), func() bool { return true }) {
		t.Error("found in another pack")
	}
	if s.Find("pack 0", keyOf(0), new([]int), func() bool { return false }) {
		t.Error("found what is not sound")
	}
	if asked, found := s.Counts(); asked != 2 || found != 0 {
		t.Errorf("asked %d, found %d", asked, found)
	}
	if got := foundIn(t, Open(dir, func() string { return "another" }, true), 20); len(got) > 0 {
		t.Errorf("another program finds %v", got)
	}
	var none *Store
	none.Keep("a", Key{}, 1)
	none.Close()
	if none.Find("a", Key{}, new(int), func() bool { return true }) {
		t.Error("nil finds something")
	}
}

// What a program that does not know itself keeps, or one that only reads, is nothing.
func TestWhoMayNotWriteWritesNothing(t *testing.T) {
	for _, s := range []func(dir string) *Store{
		func(dir string) *Store { return Open(dir, this, false) },
		func(dir string) *Store { return Open(dir, func() string { return "" }, true) },
	} {
		dir := t.TempDir()
		x := s(dir)
		x.Keep("a", keyOf(1), 1)
		x.Close()
		if list := filesIn(t, dir); len(list) > 0 {
			t.Errorf("wrote %v", list)
		}
	}
}

// Whatever becomes of the files, a value that is found is the one that was kept; and what is broken is made again.
func TestBrokenPacksAreEmpty(t *testing.T) {
	const values = 30
	r := rand.New(rand.NewPCG(1, 2))
	lost := 0
	for range 100 {
		dir := t.TempDir()
		fill(t, dir, values)
		files := filesIn(t, dir)
		file := files[r.IntN(len(files))]
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch r.IntN(6) {
		case 0:
			b = b[:r.IntN(len(b))]
		case 1:
			b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		case 2:
			b = append(b, byte(r.IntN(256)))
		case 3: // another's
			if b, err = os.ReadFile(files[(slices.Index(files, file)+1)%len(files)]); err != nil {
				t.Fatal(err)
			}
		case 4: // whole, and of nonsense
			junk := make([]byte, r.IntN(200))
			for i := range junk {
				junk[i] = byte(r.IntN(256))
			}
			b = nil
			put(t, file, junk)
		default: // another version of a value, cut off within
			k := keyOf(99)
			body := append(bytes.Clone(b[32:]), k[:]...)
			body = append(body, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)
			b = nil
			put(t, file, body)
		}
		if b != nil {
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := foundIn(t, Open(dir, this, false), values)
		if len(got) != values*2/3 {
			t.Fatalf("found %v", got)
		}
		lost += values - len(got)
		fill(t, dir, values)
		if got := foundIn(t, Open(dir, this, false), values); len(got) != values {
			t.Fatalf("kept again, found %v", got)
		}
	}
	if lost == 0 {
		t.Error("nothing was broken")
	}
}

func TestHostileFilesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	files := filesIn(t, dir)
	if err := os.Truncate(files[0], mostPack+1000); err != nil { // sparse
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "x")
	if err := os.Rename(files[1], elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, files[1]); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(files[2]); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(files[2], 0o700); err != nil {
		t.Fatal(err)
	}
	if got := foundIn(t, Open(dir, this, false), 3); len(got) > 0 {
		t.Errorf("found %v", got)
	}
	fill(t, dir, 3)
	if got := foundIn(t, Open(dir, this, false), 3); len(got) != 2 { // a folder stays in the way
		t.Errorf("kept again, found %v", got)
	}
	if b, err := os.ReadFile(elsewhere); err != nil || len(b) == 0 {
		t.Error("what a link points to was written")
	}
}

// A pack keeps what was used last, and the folder its bounds.
func TestPacksStayWithinTheirBounds(t *testing.T) {
	dir := t.TempDir()
	big := bytes.Repeat([]byte("x"), mostPack/8) // 4/3 of that as JSON
	for i := range 12 {
		s := Open(dir, this, true)
		s.Find("a", keyOf(0), new([]byte), func() bool { return true })
		s.Keep("a", keyOf(i), big)
		s.Close()
	}
	s := Open(dir, this, false)
	for i, want := range map[int]bool{0: true, 11: true, 1: false} {
		if got := s.Find("a", keyOf(i), new([]byte), func() bool { return true }); got != want {
			t.Errorf("%d is found: %v", i, got)
		}
	}
	if info, err := os.Stat(filesIn(t, dir)[0]); err != nil || info.Size() > mostPack+32 {
		t.Errorf("%v, %v", info, err)
	}
}
