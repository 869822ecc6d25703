package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"sync"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/source"
)

// job is everything the rendering of one release depends on: files that were gathered
// from a tree, and settings. Its output is a function of it alone, so that it can run
// in another process and be reused where base and head have equal jobs.
type job struct {
	Release Release
	Files   map[string][]byte // by repository path
	// Chart is set for Helm.
	Chart *chartJob `json:",omitempty"`
	// Inflate holds the charts of a kustomization's helmCharts, by their generated file.
	Inflate map[string]*chartJob `json:",omitempty"`
	// Template is set for an ApplicationSet's.
	Template *templateJob `json:",omitempty"`
	// Bases are the folders that stand for remote references, by kustomization file.
	Bases map[string]map[string]string `json:",omitempty"`
	// Encrypted are the manifests that a program would decrypt, by kustomization file.
	Encrypted map[string]encrypted `json:",omitempty"`
	Notes     []string
	// Lost are files of plain manifests that base reads, and that are no objects any more.
	Lost []lostFile `json:",omitempty"`
	// Later says that something was not fetched, and is not among the files.
	Later bool `json:",omitempty"`
	// Fetched are the lines that brought something fetched in, by its folder.
	Fetched map[string]document.Location `json:"-"`

	declares map[string]bool // files that say what to render, and are not rendered

	once sync.Once
	hash string
}

// output is what a job gives.
type output struct {
	Docs  []document.Document
	Notes []string
	Err   *document.Failure
	Lost  []lostFile `json:",omitempty"`

	Untouched bool `json:"-"` // not rendered: it is the same on the other side
	shared    bool // taken from the other side
}

// beside adds a file that declares the release.
func (j *job) beside(p string, b []byte) {
	if _, ok := j.Files[p]; ok {
		return
	}
	if j.declares == nil {
		j.declares = map[string]bool{}
	}
	j.Files[p], j.declares[p] = b, true
}

// reads lists the files of a job, sorted.
func (j *job) reads() []string {
	list := make([]string, 0, len(j.Files))
	for p := range j.Files {
		list = append(list, p)
	}
	sort.Strings(list)
	return list
}

// digest identifies a job by content.
func (j *job) digest() string {
	j.once.Do(func() { j.hash = j.computeDigest() })
	return j.hash
}

func (j *job) computeDigest() string {
	h := sha256.New()
	for _, p := range j.reads() {
		sum := sha256.Sum256(j.Files[p])
		fmt.Fprintf(h, "%q %x\n", p, sum)
	}
	b, err := json.Marshal(&job{Release: j.Release, Chart: j.Chart, Inflate: j.Inflate, Bases: j.Bases, Encrypted: j.Encrypted, Notes: j.Notes, Template: j.Template, Lost: j.Lost, Later: j.Later})
	if err != nil {
		panic("render: a job does not marshal: " + err.Error())
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// cut is the failure of a release that there was no time for.
func (j *job) cut() *document.Failure {
	return &document.Failure{
		Cut: true, Skipped: true, Reason: j.Release.Path + ": the time budget ran out before it was rendered",
		Where: document.FileStart(j.entryFile()), Remedy: "give it more time with --time-budget, or find out what makes it slow",
	}
}

// run renders a job in this process.
func (j *job) run() (out output) {
	defer func() {
		if r := recover(); r != nil { // a library's bug on hostile input is this release's failure
			out = output{Err: &document.Failure{
				Reason: fmt.Sprintf("%s: the renderer failed: %v", j.Release.Path, r),
				Where:  document.FileStart(j.Release.Path), Remedy: "report this with the files it happens on",
			}}
		}
		out.Notes = append(append([]string(nil), j.Notes...), out.Notes...)
		if out.Err != nil {
			out.Err.Reason = hide(out.Err.Reason, j.Release.Hidden)
		}
	}()
	switch j.Release.Kind {
	case Helm:
		return j.helm()
	case Kustomize:
		return j.kustomizeDeclared()
	case templates:
		return j.Template.render()
	default:
		return j.manifests()
	}
}

// helm renders a chart and builds the post-renderers' overlays over what it gave.
func (j *job) helm() output {
	out := j.Chart.render(j.Files)
	for i := range j.Release.PostRender {
		if out.Err != nil {
			break
		}
		var err error
		if out.Docs, err = j.Release.PostRender[i].postRender(out.Docs); err != nil {
			out.Err = j.kustomizeFailure(err)
			out.Err.Where, out.Err.Remedy = j.Release.By, "correct `postRenderers` of the HelmRelease"
		}
	}
	return out
}

// kustomizeDeclared builds a kustomization and does what Flux does to what was built.
func (j *job) kustomizeDeclared() output {
	out := j.kustomize()
	if out.Err != nil {
		return out
	}
	if s := j.Release.Substitute; s != nil {
		out.Err = s.substitute(out.Docs)
	}
	j.Release.Overlay.label(out.Docs)
	return out
}

// gather collects what a release needs from a tree.
func gather(s *source.Source, rel Release) (*job, *document.Failure) {
	switch rel.Kind {
	case Helm:
		return gatherHelm(s, rel)
	case Kustomize:
		return gatherKustomize(s, rel)
	default:
		return gatherManifests(s, rel)
	}
}
