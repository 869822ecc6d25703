package kustomize

import (
	"encoding/hex"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// anyName is kustomize's file system in memory for every file name: the library's own
// takes letters, digits and "-_.:" only, which a folder called "c++" or "my app" is not.
// Names are escaped on the way in and read back on the way out.
type anyName struct{ filesys.FileSystem }

func newAnyName() anyName { return anyName{filesys.MakeFsInMemory()} }

func (fs anyName) WriteFile(p string, b []byte) error {
	return fs.FileSystem.WriteFile(escapeName(p), b)
}
func (fs anyName) ReadFile(p string) ([]byte, error)   { return fs.FileSystem.ReadFile(escapeName(p)) }
func (fs anyName) Open(p string) (filesys.File, error) { return fs.FileSystem.Open(escapeName(p)) }
func (fs anyName) IsDir(p string) bool                 { return fs.FileSystem.IsDir(escapeName(p)) }
func (fs anyName) Exists(p string) bool                { return fs.FileSystem.Exists(escapeName(p)) }
func (fs anyName) CleanedAbs(p string) (filesys.ConfirmedDir, string, error) {
	dir, name, err := fs.FileSystem.CleanedAbs(escapeName(p))
	return filesys.ConfirmedDir(unescapeName(string(dir))), unescapeName(name), err
}

func (fs anyName) ReadDir(p string) ([]string, error) {
	names, err := fs.FileSystem.ReadDir(escapeName(p))
	for i := range names {
		names[i] = unescapeName(names[i])
	}
	return names, err
}

// escapeName writes each byte that the file system refuses as a colon and two digits.
func escapeName(p string) string {
	var b strings.Builder
	for i := range len(p) {
		c := p[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_./", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte(':')
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
	}
	return b.String()
}

func unescapeName(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] == ':' && i+2 < len(p) {
			if c, err := hex.DecodeString(p[i+1 : i+3]); err == nil {
				b.Write(c)
				i += 2
				continue
			}
		}
		b.WriteByte(p[i])
	}
	return b.String()
}
