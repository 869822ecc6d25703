package helm

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
)

// firstLoaded loads a chart that Helm cannot load once more, with one of its charts at a time, in the order of their
// names, and gives the first error: LoadFiles ranges over a map, and gives any of them.
//
// Upstream: helm v3.20, pkg/chart/loader: LoadFiles.
func firstLoaded(files []*loader.BufferedFile) error {
	var own []*loader.BufferedFile
	charts := map[string][]*loader.BufferedFile{}
	for _, f := range files {
		if within, ok := strings.CutPrefix(f.Name, "charts/"); ok {
			of, _, _ := strings.Cut(within, "/")
			charts[of] = append(charts[of], f)
		} else {
			own = append(own, f)
		}
	}
	ch, err := loader.LoadFiles(own)
	if err != nil {
		return err
	}
	for _, of := range slices.Sorted(maps.Keys(charts)) {
		_, err := loader.LoadFiles(append(slices.Clip(own), charts[of]...))
		if err == nil {
			continue
		}
		if inner := within(of, charts[of]); len(inner) > 0 {
			if first := firstLoaded(inner); first != nil {
				err = fmt.Errorf("error unpacking subchart %s in %s: %w", of, ch.Name(), first)
			}
		}
		return err
	}
	return nil
}

// within are the files of a chart in charts/, by their names there; none where it is an archive that cannot be read.
func within(of string, files []*loader.BufferedFile) []*loader.BufferedFile {
	if path.Ext(of) == ".tgz" {
		list, err := loader.LoadArchiveFiles(bytes.NewReader(files[0].Data))
		if err != nil {
			return nil
		}
		return list
	}
	var out []*loader.BufferedFile
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Name, "charts/"+of+"/"); ok {
			out = append(out, &loader.BufferedFile{Name: name, Data: f.Data})
		}
	}
	return out
}
