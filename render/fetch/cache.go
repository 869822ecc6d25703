package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// cache keeps fetched files by the digest of their bytes, and for each exact version which digest it had. Each file is
// checked against its digest when it is read, so that a broken entry is fetched again. Entries are written beside their
// place and moved there: runs may share a cache.
//
//	v1/blobs/sha256/<digest>
//	v1/refs/<digest of the name>.json
type cache struct{ dir string } // "": nothing is kept

// entry says what an exact name stands for.
type entry struct {
	Name     string // as [cache.key] was given, against two names with one digest
	Digest   string // "sha256:…" of the blob
	Version  string `json:",omitempty"` // of a chart
	Manifest string `json:",omitempty"` // digest of an OCI manifest
	Checked  bool   `json:",omitempty"` // its source named the digest before it was fetched
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

var sha256Digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func (c cache) blob(digest string) string {
	return filepath.Join(c.dir, "v1", "blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))
}

func (c cache) ref(name string) string {
	return filepath.Join(c.dir, "v1", "refs", strings.TrimPrefix(digestOf([]byte(name)), "sha256:")+".json")
}

// find gives the bytes that a name stands for. A broken entry is not found.
func (c cache) find(name string) (entry, []byte, bool) {
	var e entry
	if c.dir == "" {
		return e, nil, false
	}
	b, err := readBounded(c.ref(name), 1<<16)
	if err != nil || json.Unmarshal(b, &e) != nil || e.Name != name || !sha256Digest.MatchString(e.Digest) {
		return e, nil, false
	}
	b, err = readBounded(c.blob(e.Digest), maxBlobBytes)
	if err != nil || digestOf(b) != e.Digest {
		return e, nil, false
	}
	return e, b, true
}

// keep stores bytes under a name. The run does not depend on it: a cache that cannot be
// written is a cache that is empty next time.
func (c cache) keep(e entry, b []byte) error {
	if c.dir == "" {
		return nil
	}
	if err := writeWhole(c.blob(e.Digest), b); err != nil {
		return err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return writeWhole(c.ref(e.Name), append(text, '\n'))
}

// maxBlobBytes is the limit of everything that is kept.
const maxBlobBytes = 256 << 20

var errTooLong = errors.New("file too long")

func readBounded(file string, limit int64) ([]byte, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	if info.Size() > limit {
		return nil, errTooLong
	}
	return os.ReadFile(file)
}

// writeWhole writes a file at once: no reader sees a part of it.
func writeWhole(file string, b []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone where it was moved
	if _, err := tmp.Write(b); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
