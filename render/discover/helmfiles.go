package discover

import (
	"bytes"
	"path"

	"github.com/kubesettle/kubesettle/render/deploys"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helmfile"
	"github.com/kubesettle/kubesettle/render/source"
)

// environmentsOf lists the environments that scripts call a helmfile with, or the folder that it is in.
func (d *Found) environmentsOf(file string) []string {
	var out []string
	for i := range d.calls {
		c := &d.calls[i]
		if c.Tool == deploys.Helmfile && c.Name != "" && deploys.Known(c.Name) && source.Under(file, c.Path) {
			out = append(out, c.Name)
		}
	}
	return out
}

// helmfiles adds the releases of helmfiles.
func (d *Found) helmfiles() {
	type found struct{ file, text string }
	var list []found
	given := map[string][]string{} // pattern of helmfiles to those that give them values
	for _, f := range d.src.Files {
		if d.over() {
			return
		}
		if ext := path.Ext(f); ext != ".yaml" && ext != ".yml" && ext != ".gotmpl" || d.src.Links[f] || d.inTemplates(f) {
			continue
		}
		b, err := d.src.Read(f)
		has := func(key string) bool { return bytes.Contains(b, []byte(key)) }
		if err != nil || !has("releases:") && !has("helmfiles:") && !has("bases:") {
			continue
		}
		helmfile.GivesValues(f, b, given)
		if !helmfile.Is(f, b, d.chartAbove(f) != "") {
			continue
		}
		if test := TestFolder(f); test != "" && !d.opt.Paths.asked(f) {
			d.ignore(f, "test data, in "+test)
			continue
		}
		list = append(list, found{f, string(document.UTF8(b))})
	}
	host := &helmfile.Host{Src: d.src, Over: d.over, OnBase: d.readOnBase, Add: d.add, Fail: d.fail,
		Called: d.environmentsOf}
	for _, one := range list {
		if d.over() {
			return
		}
		helmfile.Read(host, one.file, one.text, given)
	}
}
