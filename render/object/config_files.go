package object

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// IsConfigFile is why discovery leaves out a file that holds settings of a program and no
const IsConfigFile = "a configuration file: no object with a name"

// ConfigFile is a file of a revision that holds the settings of a program, such as a DeschedulerPolicy, and no
// object of a cluster.
type ConfigFile struct {
	File string
	Text []byte
}

// shownOff are folders whose settings are there to be read or tried, and run nowhere.
var shownOff = []string{"example", "examples", "sample", "samples", "doc", "docs", "test", "tests", "e2e", "hack",
	"testdata", "fixtures"}

// ConfigFiles lists those of a revision's files.
func (r *Revision) ConfigFiles(texts []string) []ConfigFile {
	return ConfigFiles(r.Ignored, texts, func(p string) ([]byte, error) { return fs.ReadFile(r.Tree, p) })
}

// ConfigFiles lists those of some files that discovery left out in which one of the texts stands and that hold settings
// alone, by path. Those of examples, documentation and tests are none.
func ConfigFiles(ignored []Ignored, texts []string, read func(string) ([]byte, error)) []ConfigFile {
	var out []ConfigFile
	for _, g := range ignored {
		shown := slices.ContainsFunc(strings.Split(path.Dir(g.Path), "/"),
			func(dir string) bool { return slices.Contains(shownOff, dir) })
		if g.Reason != IsConfigFile || shown {
			continue
		}
		b, err := read(g.Path)
		if err == nil && slices.ContainsFunc(texts, func(s string) bool { return bytes.Contains(b, []byte(s)) }) {
			out = append(out, ConfigFile{g.Path, b})
		}
	}
	slices.SortFunc(out, func(a, b ConfigFile) int { return strings.Compare(a.File, b.File) })
	return out
}
