package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"sync"
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
	Notes   []string

	once sync.Once
	hash string
}

// output is what a job gives.
type output struct {
	Docs  []document
	Notes []string
	Err   *Failure

	shared bool // taken from the other side
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
	b, err := json.Marshal(&job{Release: j.Release, Chart: j.Chart, Inflate: j.Inflate, Notes: j.Notes})
	if err != nil {
		panic("render: a job does not marshal: " + err.Error())
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// run renders a job in this process.
func (j *job) run() (out output) {
	defer func() {
		if r := recover(); r != nil { // a library's bug on hostile input is this release's failure
			out = output{Err: &Failure{
				Reason: fmt.Sprintf("%s: the renderer broke: %v", j.Release.Path, r),
				Where:  fileStart(j.Release.Path), Remedy: "report this with the files it happens on",
			}}
		}
		out.Notes = append(append([]string(nil), j.Notes...), out.Notes...)
	}()
	switch j.Release.Kind {
	case Helm:
		return j.Chart.render(j.Files)
	case Kustomize:
		return j.kustomize()
	default:
		return j.manifests()
	}
}

// gather collects what a release needs from a tree.
func gather(s *source, rel Release) (*job, *Failure) {
	switch rel.Kind {
	case Helm:
		return gatherHelm(s, rel)
	case Kustomize:
		return gatherKustomize(s, rel)
	default:
		return gatherManifests(s, rel)
	}
}
