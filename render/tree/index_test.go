package tree

import (
	"crypto/sha1"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// An index without a checksum (index.skipHash) reads like any other; one that was cut short or
// changed is refused, whichever byte it is: half an index would be half a change.
func TestIndexIsReadWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "a.yaml", "b"}} {
		for _, name := range []string{"a.yaml", "b"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	names := func(data []byte) int {
		entries, err := indexEntries(data)
		if err != nil && !errors.Is(err, ErrNoIndex) {
			t.Errorf("%v is not ErrNoIndex", err)
		}
		return len(entries)
	}
	if n := names(data); n != 2 {
		t.Fatalf("%d entries, want 2", n)
	}
	unhashed := append([]byte{}, data...)
	clear(unhashed[len(data)-sha1.Size:])
	if n := names(unhashed); n != 2 {
		t.Errorf("without a checksum: %d entries, want 2", n)
	}
	for i := range data {
		if n := names(data[:i]); n != 0 {
			t.Errorf("cut after %d bytes: %d entries", i, n)
		}
		changed := append([]byte{}, data...)
		changed[i] ^= 0x41
		if n := names(changed); n != 0 {
			t.Errorf("byte %d changed: %d entries", i, n)
		}
	}
}
