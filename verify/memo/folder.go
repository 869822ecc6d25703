package memo

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"

	"github.com/kubesettle/kubesettle/render/kept"
)

// folder holds packs as files. Its files are never trusted to be whole: a pack that is broken, cut, too large or in
// another's place is an empty one.
//
//	v1/<digest of the program and the pack's name>: a digest of the file's name and of all that follows; then, of each
//	value, its key, its length and itself
type folder struct {
	kept.Folder
	program func() string
}

// mostKept is how many bytes are kept: beyond it, the packs that were of no use for longest go.
const mostKept = 256 << 20

func newFolder(dir string, program func() string) folder {
	return folder{kept.Folder{Dir: filepath.Join(dir, "v1"), Most: mostKept, Largest: mostPack}, program}
}

func (f folder) file(pack string) string {
	sum := sha256.Sum256([]byte(f.program() + "\n" + pack))
	return hex.EncodeToString(sum[:])
}

// read gives a pack as it lies there, or an empty one.
func (f folder) read(name string) *pack {
	empty := &pack{values: map[Key][]byte{}, used: map[Key]bool{}}
	if f.program() == "" {
		return empty
	}
	b, ok := f.Read(f.file(name))
	if !ok {
		return empty
	}
	p := &pack{values: map[Key][]byte{}, used: map[Key]bool{}}
	for len(b) > 0 {
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

// write puts a pack into its place, at once, without the values beyond its size.
func (f folder) write(name string, p *pack) {
	if f.program() == "" {
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
	f.Write(f.file(name), b)
}
