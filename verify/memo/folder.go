package memo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// folder holds packs as files. What lies there is never trusted to be whole: a pack that is broken, cut, too large or in
// another's place is an empty one.
//
//	v1/<digest of the program and the pack's name>: a digest of the file's name and of all that follows; then, of each
//	value, its key, its length and itself
type folder struct {
	dir     string
	program func() string
}

// mostKept is how many bytes are kept: beyond it, the packs that were not written for longest go.
const mostKept = 256 << 20

func (f folder) file(pack string) string {
	sum := sha256.Sum256([]byte(f.program() + "\n" + pack))
	return filepath.Join(f.dir, "v1", hex.EncodeToString(sum[:]))
}

// seal identifies a file's content in its place.
func seal(file string, b []byte) []byte {
	h := sha256.New()
	_, _ = io.WriteString(h, filepath.Base(file)+"\n")
	h.Write(b)
	return h.Sum(nil)
}

// read gives a pack as it lies there, or an empty one.
func (f folder) read(name string) *pack {
	empty := &pack{values: map[Key][]byte{}, used: map[Key]bool{}}
	if f.program() == "" {
		return empty
	}
	file := f.file(name)
	b, ok := content(file)
	if !ok || len(b) < sha256.Size || !bytes.Equal(b[:sha256.Size], seal(file, b[sha256.Size:])) {
		return empty
	}
	p := &pack{values: map[Key][]byte{}, used: map[Key]bool{}}
	for b = b[sha256.Size:]; len(b) > 0; {
		if len(b) < len(Key{}) {
			return empty
		}
		k := Key(b[:len(Key{})])
		b = b[len(k):]
		n, width := binary.Uvarint(b)
		if width <= 0 || n > uint64(len(b)-width) {
			return empty
		}
		p.values[k] = b[width : width+int(n)]
		p.order = append(p.order, k)
		b = b[width+int(n):]
	}
	return p
}

// content reads a regular file of a pack's size at most.
func content(file string) ([]byte, bool) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostPack+sha256.Size {
		return nil, false
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostPack+sha256.Size+1))
	return b, err == nil && len(b) <= mostPack+sha256.Size
}

// write puts a pack into its place, at once, without what is over its size.
func (f folder) write(name string, p *pack) {
	dir := filepath.Join(f.dir, "v1")
	if f.program() == "" || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	var b []byte
	for _, k := range p.inOrder() {
		v := p.values[k]
		if len(b)+len(k)+binary.MaxVarintLen64+len(v) > mostPack {
			continue
		}
		b = append(b, k[:]...)
		b = binary.AppendUvarint(b, uint64(len(v)))
		b = append(b, v...)
	}
	tmp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return
	}
	defer os.Remove(tmp.Name())
	file := f.file(name)
	_, err = tmp.Write(append(seal(file, b), b...))
	if tmp.Close() == nil && err == nil {
		_ = os.Rename(tmp.Name(), file)
	}
}

// sweep removes the packs that were not written for longest where more is kept than should be.
func (f folder) sweep() {
	dir := filepath.Join(f.dir, "v1")
	entries, err := os.ReadDir(dir)
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
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range list {
		if total <= mostKept {
			return
		}
		if os.Remove(filepath.Join(dir, info.Name())) == nil {
			total -= info.Size()
		}
	}
}

// touch notes that a pack was of use; nothing but the order in which packs go hangs on it.
func (f folder) touch(name string) {
	now := time.Now()
	_ = os.Chtimes(f.file(name), now, now)
}
