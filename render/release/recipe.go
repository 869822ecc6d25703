package release

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"sort"
	"sync"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
)

// Unread is the recipe of a release that cannot be had. The files that declare it are what
// a change has to touch to change it.
func Unread(r Release) *Recipe {
	j := &Recipe{Release: r, Files: map[string][]byte{}}
	for _, f := range r.Files {
		j.Files[f] = nil
	}
	return j
}

// Recipe is everything the rendering of one release depends on: files that were gathered
// from a tree, and settings. Its output is a function of it alone, so that it can run
// in another process and be reused where base and head have equal recipes.
type Recipe struct {
	Release Release
	Files   map[string][]byte // by repository path
	// Chart is set for Helm.
	Chart *Chart `json:",omitempty"`
	// Inflate holds the charts of a kustomization's helmCharts, by their generated file.
	Inflate map[string]*Chart `json:",omitempty"`
	// Template is set for an ApplicationSet's.
	Template *Template `json:",omitempty"`
	// Bases are the folders that stand for remote references, by kustomization file.
	Bases map[string]map[string]string `json:",omitempty"`
	// Encrypted are the manifests that a program would decrypt, by kustomization file.
	Encrypted map[string]Encrypted `json:",omitempty"`
	Notes     []object.Note
	// StandIns are the dependencies, by name, that a chart of the repository stands for as they are not at hand.
	StandIns []string `json:",omitempty"`
	// Lost are files of plain manifests that base reads, and that are no objects any more.
	Lost []LostFile `json:",omitempty"`
	// Holes are the parts that cannot be had and that it is rendered without, and Left the entries of kustomizations that
	// name them, by file and field.
	Holes []object.Hole                  `json:",omitempty"`
	Left  map[string]map[string][]string `json:",omitempty"`
	// Later says that something was not fetched, and is not among the files.
	Later bool `json:",omitempty"`
	// Unread says that some files of the repository that it is made of may not be among Files: it could not be read whole.
	// What is nowhere, or on another host, takes none away.
	Unread bool `json:"-"`
	// Settled says that it lacks nothing but the chart that could not be fetched: everything else that its output depends
	// on is among the files and settings.
	Settled bool `json:"-"`
	// Fetched are the lines that brought something fetched in, by its folder.
	Fetched map[string]object.Location `json:"-"`

	// Written are the templates of this tree, by the file that a program writes from one, which is not there itself.
	Written map[string]string `json:"-"`

	Declares map[string]bool `json:"-"` // files that say what to render, and are not rendered

	once sync.Once
	hash string
}

// Output is the result of rendering a recipe.
type Output struct {
	Docs  []document.Document
	Notes []object.Note
	Err   *object.Failure
	Lost  []LostFile    `json:",omitempty"`
	Holes []object.Hole `json:",omitempty"` // beside those of the recipe

	Untouched bool `json:"-"` // not rendered: it is the same on the other side
	Shared    bool `json:"-"` // taken from the other side
}

// Beside adds a file that declares the release.
func (j *Recipe) Beside(p string, b []byte) {
	if _, ok := j.Files[p]; ok {
		return
	}
	if j.Declares == nil {
		j.Declares = map[string]bool{}
	}
	j.Files[p], j.Declares[p] = b, true
}

// Reads lists the files of a recipe, sorted.
func (j *Recipe) Reads() []string {
	list := make([]string, 0, len(j.Files))
	for p := range j.Files {
		list = append(list, p)
	}
	sort.Strings(list)
	return list
}

// Digest identifies a recipe by content.
func (j *Recipe) Digest() string {
	j.once.Do(func() { j.hash = j.computeDigest() })
	return j.hash
}

func (j *Recipe) computeDigest() string {
	h := sha256.New()
	for _, p := range j.Reads() {
		sum := sha256.Sum256(j.Files[p])
		fmt.Fprintf(h, "%q %x\n", p, sum)
	}
	b, err := json.Marshal(&Recipe{Release: j.Release, Chart: j.Chart, Inflate: j.Inflate, Bases: j.Bases,
		Encrypted: j.Encrypted, Notes: j.Notes, Template: j.Template, Lost: j.Lost, Later: j.Later,
		Holes: j.Holes, Left: j.Left})
	if err != nil {
		panic("render: a recipe does not marshal: " + err.Error())
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// Inputs are all that the output of a settled recipe depends on, apart from where that is written: two sides with equal
// ones give the same, whatever the chart is.
func (j *Recipe) Inputs() string {
	r := j.Release
	r.Unknown = slices.Clone(r.Unknown)
	for i := range r.Unknown {
		r.Unknown[i].Where, r.Unknown[i].Reason = object.Location{}, ""
	}
	says := r.Says
	switch by := r.By.File; {
	case says == nil && r.Declaration != nil:
		says = map[string][]byte{by: r.Declaration}
	case says == nil:
		says = map[string][]byte{by: j.Files[by]}
	}
	files := map[string][]byte{}
	for p, b := range j.Files {
		if _, ok := says[p]; !ok {
			files[p] = b
		}
	}
	b, err := json.Marshal([]any{r.Settings(), r.Fetch, r.Cluster, r.ChartSource, r.MayMiss, says, files, j.Later})
	if err != nil {
		panic("render: a recipe does not marshal: " + err.Error())
	}
	return string(b)
}

// As is the same recipe of another release.
func (j *Recipe) As(r Release) *Recipe {
	return &Recipe{Release: r, Files: j.Files, Chart: j.Chart, Inflate: j.Inflate, Template: j.Template, Bases: j.Bases,
		Encrypted: j.Encrypted, Notes: j.Notes, StandIns: j.StandIns, Lost: j.Lost, Later: j.Later, Fetched: j.Fetched,
		Declares: j.Declares, Holes: j.Holes, Left: j.Left, Written: j.Written}
}

// Cut is the failure of a release that there was no time for.
func (j *Recipe) Cut() *object.Failure {
	return &object.Failure{
		Cut: true, Skipped: true, Reason: j.Release.Path + ": the time budget ran out before it was rendered",
		Where:  object.FileStart(j.EntryFile()),
		Remedy: "give it more time with --time-budget, or make it faster",
	}
}

// EntryFile is the file that stands for a release.
func (j *Recipe) EntryFile() string {
	switch {
	case j.Chart != nil:
		return j.Chart.Dir + "/Chart.yaml"
	case j.Release.Kind == object.Kustomize:
		return j.RootKustomization()
	case len(j.Release.Files) > 0:
		return j.Release.Files[0]
	}
	return j.Release.Path
}

// RootKustomization is the file that a kustomization is built from, or its folder where there is none.
func (j *Recipe) RootKustomization() string {
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if p := path.Join(j.Release.Path, name); j.Files[p] != nil {
			return p
		}
	}
	return j.Release.Path
}

// LostFile is a file of plain manifests that fails alone: the others of its folder have
// nothing to do with it.
type LostFile struct {
	File string
	Err  *object.Failure
}

// Template fills parameters into a value, once for each set of them, as an
// ApplicationSet does with its template.
//
// Upstream: argo-cd, applicationset/utils: (*Render).RenderTemplateParams and Replace.
type Template struct {
	Value      any
	Params     []map[string]any
	GoTemplate bool
	Options    []string `json:",omitempty"` // such as missingkey=error
	Patch      string   `json:",omitempty"` // a merge patch, itself a template
}

// Encrypted are the manifests that a kustomization has decrypted: they are built as they
// stand, with their values encrypted.
type Encrypted struct {
	Generators []string // entries of the kustomization that name the program
	Files      []string // as it would name them under resources
	Patches    []string // and those that it merges into existing ones
}
