package kustomize

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/provenance"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// kustomizeSchema guards the library's one global: the OpenAPI schema, which a
// kustomization may replace with its field openapi.
var kustomizeSchema sync.RWMutex

const originAnnotation = "config.kubernetes.io/origin"

// Build builds a kustomization in a file system that holds the gathered files only.
func Build(j *release.Recipe) release.Output {
	files, notes, f := buildFiles(j)
	if f != nil {
		return release.Output{Err: f}
	}
	root := "/" + j.Release.Path
	if j.Release.Path == "." {
		root = "/"
	}
	opt := krusty.MakeDefaultOptions()
	// Gathering has refused what the command would, and knows about links, which the file
	// system in memory does not.
	opt.LoadRestrictions = types.LoadRestrictionsNone
	m, err := build(files, root, opt)
	var holes []object.Hole
	if err != nil && len(j.Holes) > 0 {
		run := func(f map[string][]byte) (resmap.ResMap, error) { return build(f, root, opt) }
		m, holes, err = buildRest(j, files, run)
	}
	if err != nil {
		if f := brokenFile(j); f != nil {
			return release.Output{Notes: notes, Err: f}
		}
		return release.Output{Notes: notes, Err: Failure(j, err)}
	}
	out := release.Output{Notes: notes, Holes: append(holes, unseen(j, files, m)...)}
	for i, r := range m.Resources() {
		d, err := builtDocument(j, r)
		if err != nil {
			return release.Output{Notes: notes, Err: Failure(j, err)}
		}
		d.Doc = i
		out.Docs = append(out.Docs, d)
	}
	if len(out.Docs) == 0 && len(j.Holes) > 0 { // everything is unknown
		return release.Output{Notes: notes, Err: j.Holes[0].Failure()}
	}
	return out
}

func build(files map[string][]byte, root string, opt *krusty.Options) (resmap.ResMap, error) {
	leanSchema()
	fsys := newAnyName()
	ownSchema := false
	for p, b := range files {
		if err := fsys.WriteFile("/"+p, b); err != nil {
			return nil, err
		}
		ownSchema = ownSchema || bytes.Contains(b, []byte("openapi")) // however the key is written
	}
	if ownSchema {
		kustomizeSchema.Lock()
		defer kustomizeSchema.Unlock()
		defer forgetSchema()
	} else {
		kustomizeSchema.RLock()
		defer kustomizeSchema.RUnlock()
	}
	return krusty.MakeKustomizer(opt).Run(fsys, root)
}

// buildFiles are the gathered files, with charts rendered and with the root asked
// for the origin of its resources.
func buildFiles(j *release.Recipe) (map[string][]byte, []object.Note, *object.Failure) {
	files := make(map[string][]byte, len(j.Files))
	for p, b := range j.Files {
		files[p] = b
	}
	var notes []object.Note
	generated := map[string][]string{}
	names := make([]string, 0, len(j.Inflate))
	for p := range j.Inflate {
		names = append(names, p)
	}
	sort.Strings(names)
	for _, p := range names {
		out := helm.Render(j.Inflate[p], j.Files, nil)
		if out.Err != nil {
			return nil, nil, out.Err
		}
		notes = append(notes, out.Notes...)
		var text bytes.Buffer
		for _, d := range out.Docs {
			if d.Hook && j.Inflate[p].SkipHooks {
				continue
			}
			b, err := yaml.Marshal(d.Content)
			if err != nil {
				return nil, nil, source.AsFailure(p, err)
			}
			fmt.Fprintf(&text, "---\n%s", b)
		}
		if text.Len() == 0 {
			continue
		}
		files[p] = text.Bytes()
		generated[path.Dir(p)] = append(generated[path.Dir(p)], path.Base(p))
	}
	for p, b := range j.Files {
		dir := path.Dir(p)
		isRoot := dir == j.Release.Path
		switch path.Base(p) {
		case "kustomization.yaml", "kustomization.yml", "Kustomization":
		default:
			continue
		}
		var err error
		if b, err = overlaid(j, p, b); err != nil {
			return nil, nil, source.AsFailure(p, err)
		}
		sealed, isSealed := j.Encrypted[p]
		for _, f := range slices.Concat(sealed.Files, sealed.Patches) {
			at := path.Join(dir, f)
			if files[at], err = withoutSeal(at, j.Files[at]); err != nil {
				return nil, nil, source.AsFailure(at, err)
			}
		}
		left, isLeft := j.Left[p]
		if !isRoot && !isSealed && !isLeft && len(generated[dir]) == 0 && len(j.Bases[p]) == 0 && !inflates(j, dir) &&
			!bytes.Contains(b, []byte("helm")) {
			continue
		}
		inflated := func(ref string) bool { return j.Inflate[generatedFile(p, ref, 0)] != nil }
		edited, err := editKustomization(b, edits{generated[dir], inflated, j.Bases[p], sealed, left, isRoot})
		if err != nil {
			return nil, nil, source.AsFailure(p, err)
		}
		files[p] = edited
	}
	return files, notes, nil
}

// inflates reports whether charts are rendered for the kustomization of a folder.
func inflates(j *release.Recipe, dir string) bool {
	for p := range j.Inflate {
		if path.Dir(p) == dir {
			return true
		}
	}
	return false
}

// edits are the changes to a kustomization before it is built.
type edits struct {
	generated []string              // the resources of charts
	inflated  func(ref string) bool // whether they are those of a generator
	bases     map[string]string
	sealed    release.Encrypted
	left      map[string][]string // entries that cannot be had, by field
	root      bool
}

// editKustomization replaces charts by their resources and remote bases by the fetched files, and asks for origins.
func editKustomization(b []byte, e edits) ([]byte, error) {
	v, err := document.DecodeYAML(b)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return b, nil
	}
	for _, k := range []string{"helmCharts", "helmGlobals", "helmChartInflationGenerator"} {
		delete(m, k)
	}
	replaceBases(m, e.bases)
	if len(e.left) > 0 {
		leaveOut(m, e.left)
	}
	if len(e.sealed.Generators) > 0 {
		editEncrypted(e.sealed, m)
	}
	if list, ok := m["generators"].([]any); ok {
		m["generators"] = slices.DeleteFunc(list, func(v any) bool { ref, ok := v.(string); return ok && e.inflated(ref) })
	}
	for _, name := range e.generated {
		list, _ := m["resources"].([]any)
		m["resources"] = append(list, name)
	}
	if e.root {
		list, _ := m["buildMetadata"].([]any)
		for _, x := range list {
			if x == types.OriginAnnotations {
				return yaml.Marshal(m)
			}
		}
		m["buildMetadata"] = append(list, types.OriginAnnotations)
	}
	return yaml.Marshal(m)
}

// asksOrigin reports whether the root's author wants origin annotations in the output.
func asksOrigin(j *release.Recipe) bool {
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if b, ok := j.Files[path.Join(j.Release.Path, name)]; ok {
			return bytes.Contains(b, []byte(types.OriginAnnotations))
		}
	}
	return false
}

// builtDocument turns a resource into a document that knows its origin.
func builtDocument(j *release.Recipe, r *resource.Resource) (document.Document, error) {
	d := document.Document{}
	if o, err := r.GetOrigin(); err == nil && o != nil {
		d.Origin = path.Join(j.Release.Path, o.Path)
		if o.ConfiguredIn != "" {
			d.Origin, d.Generated = path.Join(j.Release.Path, o.ConfiguredIn), true
		}
	}
	m, err := resourceMap(r)
	if err != nil {
		return d, err
	}
	v, err := document.ToJSON(m, 0)
	if err != nil {
		return d, err
	}
	d.Content, _ = v.(map[string]any)
	if !asksOrigin(j) {
		dropAnnotation(d.Content, originAnnotation)
	}
	nameBuilder(d.Content)
	d.File = d.Origin
	return d, nil
}

// nameBuilder puts the version of kustomize that this is into the label that buildMetadata: [managedByLabel] asks for.
// The library names the program that it is in, which may be no value for a label.
func nameBuilder(content map[string]any) {
	meta, _ := content["metadata"].(map[string]any)
	labels, _ := meta["labels"].(map[string]any)
	if labels[konfig.ManagedbyLabelKey] == "kustomize-"+provenance.GetProvenance().Semver() {
		labels[konfig.ManagedbyLabelKey] = "kustomize-v5"
	}
}

// resourceMap decodes a resource. Kustomize's own output goes through text, in which its YAML library changes folded
// blocks; that text is deployed, so such a resource goes the same way.
func resourceMap(r *resource.Resource) (map[string]any, error) {
	folded := false
	document.Walk(r.YNode(), func(n *kyaml.Node) { folded = folded || n.Style&kyaml.FoldedStyle != 0 })
	var m map[string]any
	if !folded {
		err := r.YNode().Decode(&m)
		return m, err
	}
	b, err := r.MarshalJSON()
	if err != nil {
		return nil, err
	}
	err = utiljson.Unmarshal(b, &m)
	return m, err
}

// dropAnnotation removes an annotation, and the map where it was the only one.
func dropAnnotation(content map[string]any, name string) {
	meta, _ := content["metadata"].(map[string]any)
	notes, _ := meta["annotations"].(map[string]any)
	if _, ok := notes[name]; !ok {
		return
	}
	delete(notes, name)
	if len(notes) == 0 {
		delete(meta, "annotations")
	}
}

var kustomizePath = regexp.MustCompile(`/[A-Za-z0-9_.@/ -]+\.(?:ya?ml|json)`)

// The library prints its state in memory: a generator, and with it the object that it is to be merged into.
var (
	pointers    = regexp.MustCompile(`&?\{?0x[0-9a-f]{6,}( 0x[0-9a-f]{6,})*\}?`)
	missedMerge = regexp.MustCompile(`merging from generator \S+ \S+: id resid\.ResId\{.*Kind:\\?"(\w+).*` +
		`Name:\\?"([^"\\]*).*\} does not exist; cannot merge or replace`)
)

// Failure gives an error of the library's the repository's file.
func Failure(j *release.Recipe, err error) *object.Failure {
	file := j.RootKustomization()
	text := strings.Join(strings.Fields(document.Backquoted.ReplaceAllString(err.Error(), "a value")), " ")
	text = pointers.ReplaceAllString(missedMerge.ReplaceAllString(text,
		"a generator merges into $1 $2, which the kustomization does not have"), "a value")
	for _, m := range kustomizePath.FindAllString(text, -1) {
		if _, ok := j.Files[strings.TrimPrefix(m, "/")]; ok {
			file = strings.TrimPrefix(m, "/")
		}
	}
	if f := patchFailure(j, text); f != nil {
		return f
	}
	line := document.ErrorLine(err)
	if line == 1 && strings.Contains(text, "does not apply") {
		line = max(document.KeyLine(j.Files[file], "patches"), document.KeyLine(j.Files[file], "patchesJson6902"))
	}
	return &object.Failure{
		Reason: fmt.Sprintf("%s:%d: %s", file, line, document.Shorten(text, 600)),
		Where:  object.LineOf(file, line, "file"),
		Remedy: "correct the kustomization; `kustomize build " + j.Release.Path + "` shows the same",
	}
}

// brokenFile finds a file that is no YAML: the library does not say its line.
func brokenFile(j *release.Recipe) *object.Failure {
	for _, p := range j.Reads() {
		if f := source.CheckYAML(p, j.Files[p]); f != nil && !source.IsKustomizationName(p) {
			return f
		}
	}
	return nil
}
