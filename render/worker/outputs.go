package worker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"sync/atomic"
	"time"

	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/release"
)

// Outputs keeps what workers rendered, from run to run: an output is a function of its job and of
// the program. What failed is not kept, as it may have been the machine's fault, nor what asks
// for the time of day. A nil *Outputs keeps nothing.
//
//	outputs/v1/<digest of the program and the job>: a digest of all that follows, and the output
type Outputs struct {
	dir     string
	program func() string
	written atomic.Int64 // bytes
}

// NewOutputs keeps outputs in a folder; program identifies the build, whose outputs may differ
// from those of any other, and is "" where nobody knows, so that nothing is found or kept.
func NewOutputs(dir string, program func() string) *Outputs {
	return &Outputs{dir: filepath.Join(dir, "outputs", "v1"), program: program}
}

// mostOutputs is how many bytes are kept: beyond it, what was not read for longest goes.
const mostOutputs = 256 << 20

func (o *Outputs) file(j *release.Job) string {
	sum := sha256.Sum256([]byte(o.program() + "\n" + j.Digest()))
	return filepath.Join(o.dir, hex.EncodeToString(sum[:]))
}

// seal identifies an entry's content in its place, so that a broken or moved one is none.
func seal(file string, b []byte) []byte {
	h := sha256.New()
	h.Write([]byte(filepath.Base(file) + "\n"))
	h.Write(b)
	return h.Sum(nil)
}

// find gives the output of a job as a worker wrote it.
func (o *Outputs) find(j *release.Job) (release.Output, bool) {
	if o == nil || !lasting(j) || o.program() == "" {
		return release.Output{}, false
	}
	file := o.file(j)
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxOutputBytes+sha256.Size {
		return release.Output{}, false
	}
	b, err := os.ReadFile(file)
	if err != nil || len(b) < sha256.Size || !bytes.Equal(b[:sha256.Size], seal(file, b[sha256.Size:])) {
		return release.Output{}, false
	}
	out, err := decodeOutput(b[sha256.Size:])
	if err != nil {
		return release.Output{}, false
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // the order in which they go; nothing else hangs on it
	return out, true
}

// keep stores an output. A folder that cannot be written is one that is empty next time.
func (o *Outputs) keep(j *release.Job, out release.Output, frame []byte) {
	if o == nil || out.Err != nil || !lasting(j) || o.program() == "" {
		return
	}
	file := o.file(j)
	if os.MkdirAll(o.dir, 0o700) != nil {
		return
	}
	tmp, err := os.CreateTemp(o.dir, ".new-*") // moved to its place at once: runs may share the folder
	if err != nil {
		return
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(append(seal(file, frame), frame...))
	if tmp.Close() != nil || err != nil || os.Rename(tmp.Name(), file) != nil {
		return
	}
	o.written.Add(int64(len(frame)))
}

// timeOfDay are the functions of templates that give another value tomorrow, and the same one
// twice today: sprig's date formats the time of day where it is given no time.
var timeOfDay = regexp.MustCompile(`\b(now|ago|date|dateInZone|date_in_zone|htmlDate|htmlDateInZone|durationRound)\b`)

// asksTheTime reports whether a file has them between the braces of a template; a word of its text or of a comment is none.
func asksTheTime(b []byte) bool {
	if !timeOfDay.Match(b) {
		return false
	}
	for i, part := range bytes.Split(b, []byte("{{")) {
		if i == 0 {
			continue
		}
		if c := bytes.TrimLeft(part, "- \t\r\n"); bytes.HasPrefix(c, []byte("/*")) {
			_, c, _ = bytes.Cut(c, []byte("*/"))
			part = c
		}
		// Up to the last braces: others may stand in a text.
		if end := bytes.LastIndex(part, []byte("}}")); end >= 0 && timeOfDay.Match(part[:end]) {
			return true
		}
	}
	return false
}

// lasting reports whether a job gives the same tomorrow.
func lasting(j *release.Job) bool {
	if j.Chart == nil && len(j.Inflate) == 0 && j.Template == nil {
		return true
	}
	for p, b := range j.Files {
		if filepath.Ext(p) == ".tgz" {
			b = helm.PlainText(p, b)
		}
		if bytes.Contains(b, []byte("{{")) && asksTheTime(b) {
			return false
		}
	}
	return true
}

// sweep removes what was not read for longest where more is kept than should be.
func (o *Outputs) sweep() {
	if o == nil || o.written.Load() == 0 {
		return
	}
	entries, err := os.ReadDir(o.dir)
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
	sort.Slice(list, func(a, b int) bool { return list[a].ModTime().Before(list[b].ModTime()) })
	for _, info := range list {
		if total <= mostOutputs {
			return
		}
		if os.Remove(filepath.Join(o.dir, info.Name())) == nil {
			total -= info.Size()
		}
	}
}
