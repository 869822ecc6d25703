// Package kept holds files in a folder from run to run: each is sealed with a digest of its name and content, is put
// into its place at once, as runs may share the folder, and goes when it was of no use for longest and too much is
// kept. It knows nothing of what the files are, and what lies there is never trusted to be whole.
package kept

import (
	"bytes"
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Folder is where files are kept. A folder that cannot be written is one that is empty next time.
type Folder struct {
	Dir     string // need not exist
	Most    int64  // bytes of all files that [Folder.Sweep] leaves
	Largest int64  // bytes of the content of one file that is read
}

// seal identifies a file's content in its place.
func seal(name string, b []byte) []byte {
	h := sha256.New()
	_, _ = io.WriteString(h, name+"\n")
	h.Write(b)
	return h.Sum(nil)
}

// Read gives the content of a file as it was written; false for one that is not there, is broken or too large, or is
// another's.
func (f Folder) Read(name string) ([]byte, bool) {
	file := filepath.Join(f.Dir, name)
	most := f.Largest + sha256.Size
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil, false
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil || int64(len(b)) > most || len(b) < sha256.Size ||
		!bytes.Equal(b[:sha256.Size], seal(name, b[sha256.Size:])) {
		return nil, false
	}
	return b[sha256.Size:], true
}

// Write puts a file into its place, and reports whether it is there.
func (f Folder) Write(name string, b []byte) bool {
	if os.MkdirAll(f.Dir, 0o700) != nil {
		return false
	}
	tmp, err := os.CreateTemp(f.Dir, ".new-*")
	if err != nil {
		return false
	}
	defer os.Remove(tmp.Name()) // gone where it was moved
	_, err = tmp.Write(append(seal(name, b), b...))
	return tmp.Close() == nil && err == nil && os.Rename(tmp.Name(), filepath.Join(f.Dir, name)) == nil
}

// Touch notes that a file was of use; only the order in which they go hangs on it.
func (f Folder) Touch(name string) {
	now := time.Now()
	_ = os.Chtimes(filepath.Join(f.Dir, name), now, now)
}

// Sweep removes the files that were of no use for longest where more is kept than should be.
func (f Folder) Sweep() {
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		return
	}
	var list []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			list = append(list, info)
			total += info.Size()
		}
	}
	slices.SortStableFunc(list, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range list {
		if total <= f.Most {
			return
		}
		if os.Remove(filepath.Join(f.Dir, info.Name())) == nil {
			total -= info.Size()
		}
	}
}
