package discover

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/typed"
)

// plain adds one release for every folder with plain manifests: files with apiVersion
// and kind that belong to no chart and no kustomization.
func (d *Found) plain() {
	folders, claimed := map[string][]string{}, map[string][]string{}
	for _, f := range d.src.Files {
		if d.over() {
			return
		}
		if !source.IsManifestName(f) || d.declaredAbove(f) {
			continue
		}
		switch dir := path.Dir(f); {
		case !d.taken(f):
			if d.manifest(f) {
				folders[dir] = append(folders[dir], f)
			}
		case len(d.base) > 0 && !d.inTemplates(f) && !isKustomizationFile(d.src, f) && !d.src.Twin.HasDir(dir):
			if is, _ := d.holdsObjects(f); is {
				claimed[dir] = append(claimed[dir], f)
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(claimed)) {
		d.claimed = append(d.claimed, plainRelease(dir, claimed[dir]))
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		if !slices.ContainsFunc(folders[dir], func(f string) bool { return !d.astray(f) }) {
			for _, f := range folders[dir] {
				d.ignore(f, "a link to a file that is not there")
			}
			continue
		}
		folders[dir] = d.opt.Paths.narrow(folders[dir])
		r := plainRelease(dir, folders[dir])
		if kustomize.FileOf(d.src, dir) != "" { // which is a release, and does not list them
			r.ID += ":manifests"
		}
		d.add(r)
	}
}

func plainRelease(dir string, files []string) release.Release {
	return release.Release{
		Release: object.Release{ID: dir, Kind: object.Manifests, Path: dir,
			Selected: english.Plural(len(files), "plain manifest", "")},
		Files: files,
	}
}

// astray reports whether a file is a link to a missing file that base does not read either, and that no other file
// names: among manifests it breaks their release, but alone it makes none, as in a vendored part of another repository.
func (d *Found) astray(f string) bool {
	if !d.src.Links[f] || d.opt.Paths.asked(f) {
		return false
	}
	if _, err := d.src.Read(f); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if d.src.Twin == nil {
		return true
	}
	_, err := d.src.Twin.Read(f)
	return err != nil
}

// declaredAbove reports whether a declared release of plain manifests covers a file.
func (d *Found) declaredAbove(f string) bool {
	for _, r := range d.opt.Releases {
		if r.Kind == object.Manifests && source.Under(f, path.Clean(r.Path)) {
			return true
		}
	}
	return false
}

// taken reports whether something else renders a file, or reads it where it lies.
func (d *Found) taken(f string) bool {
	return d.chartAbove(f) != "" || isKustomizationFile(d.src, f) || d.used[f] != "" ||
		d.src.Links[f] && d.src.Lists(d.src.Real(f)) && d.src.Real(f) != f
}

// NotListed is said of a manifest beside a kustomization, after the name of that.
const NotListed = " does not list it"

// manifest reports whether a file outside every other release is a plain manifest, and notes why it is not where it
// could have been taken for one.
func (d *Found) manifest(f string) bool {
	is, why := d.holdsObjects(f)
	asked := slices.Contains(d.opt.Paths, f)
	if k := kustomize.FileOf(d.src, path.Dir(f)); is && k != "" && k != f && !asked && d.readable(f) {
		is, why = false, k+NotListed
	}
	if why != "" {
		d.ignore(f, why)
	}
	return is
}

func (d *Found) readable(f string) bool {
	_, err := d.src.Read(f)
	return err == nil
}

// holdsObjects reports whether a file holds objects of a cluster, or did; why it does not is said where it could have.
func (d *Found) holdsObjects(f string) (is bool, why string) {
	b, err := d.src.Read(f)
	if err != nil {
		return true, "" // the release says what is wrong with it
	}
	lost := Unreadable(d.src, f) != nil
	if !lost && !d.src.Memo.LooksLikeManifest(b) {
		return d.brokenManifest(f, b)
	}
	if test := TestFolder(f); test != "" && !d.opt.Paths.asked(f) {
		return false, "test data, in " + test
	}
	if lost {
		return true, "" // it was a manifest, and the release says why it is none any more
	}
	if why = whyNoObject(d.src.Memo, b); why == "" {
		why = d.patchOnly(f)
	}
	return why == "", why
}

// brokenManifest reports whether a file that does not look like a manifest is to be one all
// the same: it was asked for and is broken. Others that are broken are listed.
func (d *Found) brokenManifest(f string, b []byte) (is bool, why string) {
	asked := slices.Contains(d.opt.Paths, f) || len(d.src.Files) == 1
	names := func(key string, line *regexp.Regexp) bool { return bytes.Contains(b, []byte(key)) && line.Match(b) }
	if !asked && !names("apiVersion", source.ApiVersionLine) && !names("kind", source.KindLine) ||
		len(bytes.TrimSpace(b)) == 0 {
		return false, ""
	}
	_, fail := document.Decode(f, b)
	if fail == nil || !strings.Contains(fail.Reason, "broken YAML") {
		return false, ""
	}
	if !asked && TestFolder(f) == "" && whyNoObject(d.src.Memo, b) == "" {
		why = "line " + strings.TrimPrefix(fail.Reason, f+":") + "; it has not both apiVersion and kind"
	}
	return asked, why
}

func isKustomizationFile(s *source.Source, f string) bool {
	if !source.IsKustomizationName(f) {
		return false
	}
	b, err := s.Read(f)
	return err != nil || !source.IsForeignKustomization(b)
}

// templateMarks stand in texts that are filled in before they are YAML.
var templateMarks = []string{"{{", "{%", "<%", "#@"}

// filledLine is a line of broken YAML that a script fills in: a name in capitals and nothing else, as GEN3_DATE_LABEL.
var filledLine = regexp.MustCompile(`(?m)^[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+)[ \t]*\r?$`)

// NotAnObject says why a file with apiVersion and kind holds nothing for a cluster, or
// "". A broken file is an object's: its release fails and says where.
func NotAnObject(b []byte) string {
	docs, f := document.Decode("", b)
	if f != nil {
		for _, mark := range templateMarks {
			if i := bytes.Index(b, []byte(mark)); i >= 0 {
				return fmt.Sprintf("a template: %s in line %d", mark, 1+bytes.Count(b[:i], []byte("\n")))
			}
		}
		if at := filledLine.FindSubmatchIndex(b); at != nil {
			return fmt.Sprintf("a template: %s in line %d", b[at[2]:at[3]], 1+bytes.Count(b[:at[2]], []byte("\n")))
		}
		return ""
	}
	objects := 0
	for _, d := range docs {
		gvk := document.GVK(d.Content)
		if gvk.Kind == "" || gvk.Version == "" {
			continue
		}
		if gvk.Kind == "Kustomization" && gvk.Group == "kustomize.config.k8s.io" ||
			gvk.Kind == "Component" && gvk.Group == "kustomize.config.k8s.io" {
			continue
		}
		meta, _ := d.Content["metadata"].(map[string]any)
		_, isList := d.Content["items"].([]any)
		_, isTemplate := d.Content["objects"].([]any)
		if meta["name"] != nil || meta["generateName"] != nil || isList || isTemplate || typed.Known(d.Content) {
			objects++
		}
	}
	if objects == 0 {
		return object.IsConfigFile
	}
	return ""
}
