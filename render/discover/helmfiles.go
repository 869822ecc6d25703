package discover

import (
	"bytes"
	"path"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helmfile"
)

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
		if err != nil || !bytes.Contains(b, []byte("releases:")) && !bytes.Contains(b, []byte("helmfiles:")) {
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
	host := &helmfile.Host{Src: d.src, Over: d.over, OnBase: d.readOnBase, Add: d.add, Fail: d.fail}
	for _, one := range list {
		if d.over() {
			return
		}
		helmfile.Read(host, one.file, one.text, given)
	}
}
