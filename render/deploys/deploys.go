package deploys

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/source"
)

// Tool is what a call applies.
type Tool string

const (
	Helm      Tool = "helm"
	Kustomize Tool = "kustomize" // also kubectl apply -k
	Manifests Tool = "manifests" // kubectl apply -f
	Template  Tool = "template"  // oc process -f
	Helmfile  Tool = "helmfile"
)

// Deploy is one call. Its paths start at the root of the repository. Its names and settings may have unknown parts,
// "${NAME}" ([Known]); its paths have none.
type Deploy struct {
	File string
	Line int
	Tool Tool
	Path string // of the chart, folder or file; "REPOSITORY/NAME" or an address for a chart of another host

	Name, Namespace string // "": not given; the name is a release's, or helmfile's environment
	Values          []string
	Missing         []string // values files that are not here, or whose names are not known
	Settings        []Setting
	Recursive       bool // kubectl -R
	// AnyValues and Adopts are helm's --skip-schema-validation and --take-ownership.
	AnyValues, Adopts bool

	// Remote says that the chart is of another host. Repository is its address, "" where the file does not say it.
	Remote              bool
	Repository, Version string
}

// Setting is one of helm's --set, --set-string and --set-file, or a parameter of oc process.
type Setting struct {
	Flag, Name, Value string
}

// Known reports whether a text has no unknown part.
func Known(s string) bool { return !strings.Contains(s, "${") }

// Starred is a text in which a star stands for each unknown part.
func Starred(s string) string { return unknownPart.ReplaceAllString(s, "*") }

// Escaped is the value of a setting whose unknown parts helm takes for text, also within a list.
func Escaped(s string) string { return unknownPart.ReplaceAllString(s, `$$\{$1\}`) }

// At is where the call is written.
func (d *Deploy) At() string { return fmt.Sprintf("%s:%d", d.File, d.Line) }

// key is the same for calls that deploy the same.
func (d *Deploy) key() string {
	return fmt.Sprintf("%q %q %q %q %q %q %q %v %q %q %v %v", d.Tool, d.Path, d.Name, d.Namespace, d.Values, d.Missing,
		d.Settings, d.Recursive, d.Repository, d.Version, d.AnyValues, d.Adopts)
}

const (
	// maxFile is the longest file that is read, in bytes: the parsers recurse, and scripts are never longer.
	maxFile = 96 << 10
	// maxDeploys is how many calls are taken of one repository.
	maxDeploys = 1000
	// maxSteps is how many commands of one file are followed, in all combinations of unknown values.
	maxSteps = 4000
)

// toolWords find the texts in which a tool may be called.
var toolWords = regexp.MustCompile(`(?i)\b(helm|kubectl|oc|kustomize|helmfile|k8s_yaml|HelmDeploy)\b|deployer-openshift|skaffold/v`)

// callMarks are what a text that [toolWords] matches holds one of. Most texts hold none, and looking for these costs a
// hundredth of the expression.
var callMarks = [][]byte{[]byte("helm"), []byte("HELM"), []byte("Helm"), []byte("kubectl"), []byte("KUBECTL"),
	[]byte("oc process"), []byte("oc apply"), []byte("oc create"), []byte("oc -"), []byte("(OC)"), []byte("OC}"),
	[]byte("kustomize"), []byte("KUSTOMIZE"), []byte("k8s_yaml"), []byte("deployer-openshift"), []byte("skaffold/v")}

// mayCall reports whether a text may call a tool.
func mayCall(b []byte) bool {
	return slices.ContainsFunc(callMarks, func(m []byte) bool { return bytes.Contains(b, m) }) && toolWords.Match(b)
}

// mayCallIn is [mayCall] of a text that a source has read.
func mayCallIn(m *source.Memo, b []byte) bool {
	return source.Learn(m, "may call", b, func() (bool, bool) { return mayCall(b), true })
}

// Read lists the calls of a repository by file and line, each once. over ends it.
func Read(s *source.Source, over func() bool) []Deploy {
	var out []Deploy
	seen := map[string]bool{}
	all, called := &repository{src: s}, callers(s)
	for _, f := range s.Files {
		if over() || len(out) >= maxDeploys {
			break
		}
		read, b := legible(s, f, func(b []byte) bool { return mayCallIn(s.Memo, b) })
		if read == nil {
			continue
		}
		about := "deploys " + f
		if rows := called[f]; len(rows) > 0 {
			read, about = readCalled(rows), fmt.Sprintf("%s %q", about, rows)
		}
		calls := source.Learn(s.Memo, about, b, func() ([]call, bool) { return read(f, b), true })
		for _, c := range calls {
			if c.Tool == Step {
				continue
			}
			for _, d := range all.resolve(c) {
				if k := d.key(); !seen[k] && len(out) < maxDeploys {
					seen[k] = true
					out = append(out, d)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Deploy) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// legible is a text in which calls may be, of a file that some is, and how it is read; nil: it is not.
func legible(s *source.Source, f string, some func([]byte) bool) (read func(string, []byte) []call, b []byte) {
	if read = readerOf(f); read == nil || s.Links[f] || inTest(f) || strings.Contains(f, "/templates/") {
		return nil, nil
	}
	b, err := s.Read(f)
	if err != nil || len(b) > maxFile || source.IsManifestName(f) && isObjects(b) || !some(b) {
		return nil, nil
	}
	plain := source.Learn(s.Memo, "legible", b, func() (bool, bool) { return bytes.IndexByte(b, 0) < 0 && !deep(b), true })
	if !plain {
		return nil, nil
	}
	return read, b
}

// maxDepth is how deeply brackets may be nested in a text that is parsed.
const maxDepth = 200

// deep reports whether brackets are nested too deep for parsers that recurse.
func deep(b []byte) bool {
	depth := 0
	for _, c := range b {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// inTest reports whether a path belongs to the repository's own tests: their releases are not deployed.
func inTest(p string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(p), "/"), func(part string) bool {
		switch part {
		case "test", "tests", "testing", "testdata", "test-data", "e2e", "fixtures", "__snapshots__", "vendor":
			return true
		}
		return false
	})
}

// isObjects reports whether a file of YAML is for a cluster.
func isObjects(b []byte) bool {
	return bytes.Contains(b, []byte("apiVersion")) && source.HasAPIVersion(b) && !bytes.Contains(b, []byte("skaffold/"))
}

// readerOf is how a file of that name is read; nil: it is not.
func readerOf(f string) func(file string, b []byte) []call {
	base := strings.ToLower(path.Base(f))
	switch ext := path.Ext(base); {
	case ext == ".yaml" || ext == ".yml":
		return readYAML
	case base == "makefile" || base == "gnumakefile" || ext == ".mk":
		return readMakefile
	case base == "justfile" || base == ".justfile" || ext == ".just":
		return readJustfile
	case strings.HasPrefix(base, "jenkinsfile") || ext == ".jenkinsfile" || ext == ".groovy":
		return readJenkinsfile
	case strings.HasPrefix(base, "tiltfile") || ext == ".tiltfile":
		return readTiltfile
	case ext == ".sh" || ext == ".bash" || ext == ".zsh" || ext == ".ksh":
		return readScript
	case ext == "":
		return func(file string, b []byte) []call {
			if !shebang.Match(b) {
				return nil
			}
			return readScript(file, b)
		}
	}
	return nil
}

// shebang is the first line of a script without an extension.
var shebang = regexp.MustCompile(`^#![^\n]*\b(ba|da|k|z|a)?sh\b`)

// readScript reads a script: it starts at the root of the repository, or in its own folder.
func readScript(file string, b []byte) []call {
	sh := newShell(file)
	sh.run(string(b), func(n int) int { return n }, nil, []string{".", path.Dir(file)})
	return sh.calls
}
