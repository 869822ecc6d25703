package kept

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What is read is what was written under that name, or nothing, whatever becomes of the file.
func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	read := 0
	for range 300 {
		f := Folder{Dir: filepath.Join(t.TempDir(), "a"), Largest: 100}
		if _, ok := f.Read("x"); ok {
			t.Fatal("read what was never written")
		}
		want := map[string][]byte{}
		for _, name := range []string{"x", "y"} {
			want[name] = bytes.Repeat([]byte(name), 1+r.IntN(100))
			if !f.Write(name, want[name]) {
				t.Fatal("not written")
			}
		}
		file := filepath.Join(f.Dir, "x")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		broken := true
		switch r.IntN(5) {
		case 0:
			b = b[:r.IntN(len(b))]
		case 1:
			b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		case 2:
			b = append(b, make([]byte, 1+r.IntN(200))...)
		case 3: // another's
			if b, err = os.ReadFile(filepath.Join(f.Dir, "y")); err != nil {
				t.Fatal(err)
			}
		default:
			broken = false
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := f.Read("x"); ok == broken || ok && !bytes.Equal(got, want["x"]) {
			t.Fatalf("broken %v: read %v, %q", broken, ok, got)
		} else if ok {
			read++
		}
		if got, ok := f.Read("y"); !ok || !bytes.Equal(got, want["y"]) {
			t.Fatalf("the other one is %q", got)
		}
		if list, err := os.ReadDir(f.Dir); err != nil || len(list) != 2 {
			t.Fatalf("%v lie there: %v", list, err)
		}
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}

// A file that is larger than it may be, and one behind a link, are none.
func TestHostileFilesAreNotRead(t *testing.T) {
	f := Folder{Dir: t.TempDir(), Largest: 10}
	if !f.Write("large", make([]byte, 11)) || !f.Write("fits", make([]byte, 10)) {
		t.Fatal("not written")
	}
	if err := os.Symlink(filepath.Join(f.Dir, "fits"), filepath.Join(f.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"large": false, "link": false, "fits": true} {
		if _, ok := f.Read(name); ok != want {
			t.Errorf("%s is read: %v", name, ok)
		}
	}
}

// Whatever the sizes and times, a sweep leaves no more than it may, and of two files the one of later use.
func TestSweepsTakeWhatWasOfNoUseForLongest(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		f := Folder{Dir: t.TempDir(), Most: int64(r.IntN(2000)), Largest: 1000}
		n := 1 + r.IntN(8)
		total := int64(0)
		for i := range n {
			name := fmt.Sprint(i)
			f.Write(name, make([]byte, r.IntN(500)))
			at := time.Unix(int64(1000+i), 0)
			if err := os.Chtimes(filepath.Join(f.Dir, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
		first := r.IntN(n)
		f.Touch(fmt.Sprint(first)) // goes last
		f.Sweep()
		gone := false
		for i := n - 1; i >= 0; i-- {
			info, err := os.Stat(filepath.Join(f.Dir, fmt.Sprint(i)))
			if err == nil {
				total += info.Size()
			}
			if i != first && err == nil && gone {
				t.Fatalf("%d is there, and one of later use is gone", i)
			}
			gone = gone || i != first && err != nil
		}
		if total > f.Most {
			t.Fatalf("%d bytes are kept, %d may be", total, f.Most)
		}
	}
}
