package render

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/source"
)

// configFile is why discovery leaves out a file that holds settings of a program and no object.
const configFile = "a configuration file: no object with a name"

// ConfigFile is a file of a revision that holds the settings of a program, such as a DeschedulerPolicy, and no
// object of a cluster.
type ConfigFile struct {
	File string
	Text []byte
}

// shownOff are folders whose settings are there to be read or tried, and run nowhere.
var shownOff = []string{"example", "examples", "sample", "samples", "doc", "docs", "test", "tests", "e2e", "hack",
	"testdata", "fixtures"}

// ConfigFiles lists the files in which one of the texts stands and that hold settings alone, by path. Those of
// examples, documentation and tests are none.
func (v *Revision) ConfigFiles(texts []string) []ConfigFile {
	return configFilesOf(v.Ignored, texts, func(p string) ([]byte, error) { return fsRead(v, p) })
}

func configFilesOf(ignored []source.Ignored, texts []string, read func(string) ([]byte, error)) []ConfigFile {
	var out []ConfigFile
	for _, g := range ignored {
		shown := slices.ContainsFunc(strings.Split(path.Dir(g.Path), "/"),
			func(dir string) bool { return slices.Contains(shownOff, dir) })
		if g.Reason != configFile || shown {
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

// configFilesDiffer reports whether two sides have other settings that concern all releases.
func configFilesDiffer(base, head *side) bool {
	of := func(s *side) []ConfigFile { return configFilesOf(s.ignored, s.opt.Concerns, s.src.Read) }
	return !slices.EqualFunc(of(base), of(head),
		func(a, b ConfigFile) bool { return a.File == b.File && bytes.Equal(a.Text, b.Text) })
}
