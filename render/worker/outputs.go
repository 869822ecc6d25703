package worker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"regexp"
	"sync/atomic"

	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/kept"
	"github.com/kubesettle/kubesettle/render/release"
)

// Outputs keeps what workers rendered, from run to run: an output is a function of its recipe and of
// the program. What failed is not kept, as it may have been the machine's fault, nor what asks
// for the time of day. A nil *Outputs keeps nothing.
//
//	outputs/v1/<digest of the program and the recipe>: a digest of all that follows, and the output
type Outputs struct {
	folder  kept.Folder
	program func() string
	written atomic.Bool
}

// NewOutputs keeps outputs in a folder; program identifies the build, whose outputs may differ from those of any other,
// and is "" if it is unknown: then nothing is found or kept.
func NewOutputs(dir string, program func() string) *Outputs {
	folder := kept.Folder{Dir: filepath.Join(dir, "outputs", "v1"), Most: mostOutputs, Largest: maxOutputBytes}
	return &Outputs{folder: folder, program: program}
}

// mostOutputs is how many bytes are kept: beyond it, the output that was not read for longest goes.
const mostOutputs = 256 << 20

// name is the file of a recipe.
func (o *Outputs) name(j *release.Recipe) string {
	sum := sha256.Sum256([]byte(o.program() + "\n" + j.Digest()))
	return hex.EncodeToString(sum[:])
}

// find gives the output of a recipe as a worker wrote it.
func (o *Outputs) find(j *release.Recipe) (release.Output, bool) {
	if o == nil || !lasting(j) || o.program() == "" {
		return release.Output{}, false
	}
	name := o.name(j)
	b, ok := o.folder.Read(name)
	if !ok {
		return release.Output{}, false
	}
	out, _, err := decodeOutput(b, nil)
	if err != nil {
		return release.Output{}, false
	}
	o.folder.Touch(name)
	return out, true
}

// keep stores an output, of which frame is the text, or nil if that is not at hand. If the folder cannot be written, it
// is empty next time.
func (o *Outputs) keep(j *release.Recipe, out release.Output, frame []byte) {
	if o == nil || out.Err != nil || !lasting(j) || o.program() == "" {
		return
	}
	if frame == nil {
		var err error
		if frame, err = json.Marshal(out); err != nil {
			return
		}
	}
	if o.folder.Write(o.name(j), frame) {
		o.written.Store(true)
	}
}

// timeOfDay are the functions of templates that give another value tomorrow, and the same one
// twice today: sprig's date formats the time of day where it is given no time.
var timeOfDay = regexp.MustCompile(`\b(now|ago|date|dateInZone|date_in_zone|htmlDate|htmlDateInZone|durationRound)\b`)

// asksTheTime reports whether a file has them between the braces of a template.
func asksTheTime(b []byte) bool { return timeOfDay.Match(b) && helm.Calls(b, timeOfDay.Match) }

// lasting reports whether a recipe gives the same tomorrow.
func lasting(j *release.Recipe) bool {
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

// sweep removes the outputs that were not read for longest if more is kept than should be.
func (o *Outputs) sweep() {
	if o != nil && o.written.Load() {
		o.folder.Sweep()
	}
}
