package helmfile

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// GivesValues notes the helmfiles that another one lists with values.
func GivesValues(file string, b []byte, given map[string][]string) {
	if !bytes.Contains(b, []byte("helmfiles:")) || !listLine.Match(b) {
		return
	}
	for _, part := range split(string(document.UTF8(b))) {
		v, err := document.DecodeYAML([]byte(anyAction.ReplaceAllString(part, "x")))
		if err != nil {
			continue
		}
		for _, e := range document.Items(v, "helmfiles") {
			if m, ok := e.(map[string]any); ok && m["values"] != nil {
				p := path.Join(path.Dir(file), fmt.Sprint(m["path"]))
				given[p] = append(given[p], file)
			}
		}
	}
}

// Limits of one helmfile: beyond them it fails.
const (
	maxReleases = 2000 // of all its environments
	maxInherits = 2000 // templates that one release inherits, each as often as it does
)

var (
	listLine     = regexp.MustCompile(`(?m)^helmfiles:`)
	releasesLine = regexp.MustCompile(`(?m)^releases:`)
	ownLine      = regexp.MustCompile(`(?m)^(repositories|helmDefaults|helmfiles|bases|environments):`)
)

// defaultEnvironment is that of a helmfile that declares none.
const defaultEnvironment = "default"

// helmfile is one of them, read for one environment.
type helmfile struct {
	*Host
	file, dir, text string
	env             string
	several         bool // the environment is part of the releases' IDs
	state           map[string]any
	values          map[string]any  // of the environment
	entries         []entry         // of releases, in order
	read            []string        // further files
	inherited       int             // templates of the release at hand
	override        map[string]any  // values that another helmfile gives it
	why             *object.Failure // of a part that is left as it is
	anyEnvironment  bool            // it declares whatever environment it is called with
	world           world           // what its variables hold
	asked           *questions      // by its templates, in all worlds
	room            int             // how many releases it may have
}

// entry is one release, or one template of releases, and where its fields stand.
type entry struct {
	content map[string]any
	place   func(field string) object.Location
}

// release is the beginning of one; without a name it stands for the helmfile.
func (h *helmfile) release(name string) release.Release {
	id := "helmfile:" + h.file
	if h.several {
		id += ":" + h.env
	}
	r := release.Release{
		Release: object.Release{Kind: object.Helm, Path: h.file, Selected: "helmfile " + h.file,
			By: object.LineOf(h.file, 1, "release"), Parent: id},
		Files: []string{h.file},
	}
	if h.several {
		r.Selected += ", environment " + h.env
	}
	if r.ID = id; name == "" {
		r.Parent = ""
		return r
	}
	r.ID += ":" + name
	return r
}

// controlLine is a line that only controls the output.
var controlLine = regexp.MustCompile(`(?m)^[ \t]*(?:\{\{-?[ \t]*(?:if|else|end|range|with|define|template|block|/\*|\$)[^\n]*?\}\}[ \t]*)+\r?$`)

// filledWord stands for what an action writes.
const filledWord = "xFILLEDx"

// withoutActions is a text with its lines of control empty, and with a word for each other action.
func withoutActions(text string) string {
	return anyAction.ReplaceAllString(controlLine.ReplaceAllString(text, ""), filledWord)
}

// placesOf finds fields of the first document of a filled in text, in the text that it was made of: by their line if
// there are as many, or else by the line's content.
func (h *helmfile) placesOf(file, written, filled string) func(string) object.Location {
	place := placesIn(file, filled)
	if strings.Count(written, "\n") == strings.Count(filled, "\n") {
		return place
	}
	was, is := strings.Split(written, "\n"), strings.Split(filled, "\n")
	return func(field string) object.Location {
		at := place(field)
		line := strings.TrimSpace(is[min(max(at.StartLine, 1), len(is))-1])
		found := slices.IndexFunc(was, func(l string) bool { return strings.TrimSpace(l) == line })
		return object.LineOf(file, found+1, at.Rung)
	}
}

// split splits a helmfile at its separators, each part with as many empty lines before it
// as there are lines before.
func split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	var parts []string
	from := 0
	for i := 0; i <= len(lines); i++ {
		if i < len(lines) && strings.TrimRight(lines[i], " \r\n") != "---" {
			continue
		}
		if part := strings.Join(lines[from:min(i, len(lines))], ""); strings.TrimSpace(part) != "" {
			parts = append(parts, strings.Repeat("\n", from)+part)
		}
		from = i + 1
	}
	return parts
}

// broken is the failure of one that cannot be read: it is a template, or broken.
func broken(file, text string, err error) *object.Failure {
	line := max(document.ErrorLine(err), 1)
	until := strings.Join(strings.SplitAfterN(text, "\n", line+1)[:min(line, strings.Count(text, "\n")+1)], "")
	if i := max(strings.LastIndex(until, "{{"), strings.Index(text, "{{")); i >= 0 {
		return templated(file, text, i)
	}
	return &object.Failure{
		Reason: fmt.Sprintf("%s:%d: %s", file, line, document.ErrorText(err)),
		Where:  object.LineOf(file, line, "release"), Remedy: "correct the YAML",
	}
}

// templated is the failure of a text that a program would have to fill in.
func templated(file, text string, at int) *object.Failure {
	line := 1 + strings.Count(text[:at], "\n")
	return skip(object.LineOf(file, line, "release"),
		"only the names and values of environments and releases are filled in, and this is another template")
}

// skip is the failure of a feature of helmfile that this program does not have.
func skip(at object.Location, format string, args ...any) *object.Failure {
	return &object.Failure{
		Skipped: true, Reason: fmt.Sprintf("%s:%d: %s", at.File, at.StartLine, fmt.Sprintf(format, args...)), Where: at,
		Remedy: "render it before and after, with `helmfile template`, and compare the two: --base-dir and --head-dir",
	}
}

// load reads the helmfile's parts in order, each with the values that those before it gave.
func (h *helmfile) load() *object.Failure {
	h.state, h.values = map[string]any{}, helm.MergeValues(map[string]any{}, h.override)
	for _, part := range split(h.text) {
		h.foresee(part)
		layer, f := h.part(h.file, part, true)
		if f != nil {
			return f
		}
		entries := h.entries
		if len(layer.entries) > 0 { // lists of a later part replace those of an earlier one
			entries = layer.entries
		}
		h.entries = entries
		for k, v := range layer.state {
			if list, ok := v.([]any); v == nil || ok && len(list) == 0 {
				continue
			}
			if m, ok := v.(map[string]any); ok {
				v = helm.MergeValues(mapAt(h.state, k), m)
			}
			h.state[k] = v
		}
		if f := h.environmentValues(); f != nil {
			return f
		}
	}
	return nil
}

// layer is one part of a helmfile with its bases.
type layer struct {
	state   map[string]any
	entries []entry
}

// part reads one part, or a base.
func (h *helmfile) part(file, part string, bases bool) (layer, *object.Failure) {
	text, f := h.filledIn(file, part, false)
	if f != nil {
		return layer{}, f
	}
	text = quoteActions(text)
	v, err := document.DecodeYAML([]byte(text))
	switch {
	case err != nil && h.why != nil:
		return layer{}, h.why
	case err != nil:
		return layer{}, broken(file, text, err)
	}
	own, _ := v.(map[string]any)
	out := layer{state: map[string]any{}}
	list := document.Texts(own["bases"])
	if !bases {
		list = nil
	}
	for _, base := range list {
		p := path.Join(path.Dir(file), base)
		h.namesFiles(h.dir, base)
		b, err := h.Src.Read(p)
		if err != nil || strings.Contains(base, "{{") {
			return layer{}, skip(object.LineOf(file, 1+strings.Count(text[:max(strings.Index(text, base), 0)], "\n"),
				"release"), "base %s is not in the repository", base)
		}
		h.read = append(h.read, p)
		for _, one := range split(string(document.UTF8(b))) {
			below, f := h.part(p, one, false)
			if f != nil {
				return layer{}, f
			}
			out.join(below)
		}
	}
	place := h.placesOf(file, part, text)
	self := layer{state: own}
	for i, e := range document.Items(own, "releases") {
		if m, ok := e.(map[string]any); ok {
			root := fmt.Sprintf("releases[%d]", i)
			self.entries = append(self.entries,
				entry{m, func(field string) object.Location { return place(strings.TrimSuffix(root+"."+field, ".")) }})
		}
	}
	out.join(self)
	return out, nil
}

// join puts a layer over this one: lists grow, of texts the later one counts.
func (l *layer) join(over layer) {
	l.entries = append(l.entries, over.entries...)
	keys := make([]string, 0, len(over.state))
	for k := range over.state {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		switch v := over.state[k].(type) {
		case []any:
			l.state[k] = append(slices.Clone(document.Items(l.state, k)), v...)
		case map[string]any:
			merged := helm.MergeValues(mapAt(l.state, k), v)
			if k == "environments" {
				for name, spec := range v {
					m, _ := spec.(map[string]any)
					if before := document.Items(l.state, k, name, "values"); len(before) > 0 && m != nil {
						merged[name] = helm.MergeValues(m,
							map[string]any{"values": append(slices.Clone(before), document.Items(m, "values")...)})
					}
				}
			}
			l.state[k] = merged
		case nil:
		default:
			l.state[k] = v
		}
	}
}

func mapAt(v any, keys ...string) map[string]any {
	m, _ := document.Value(v, keys...).(map[string]any)
	return m
}

// Is reports whether a file is a helmfile: by its name, or because it lies in no chart and has, beside releases, keys
// that only helmfiles have.
func Is(f string, b []byte, inChart bool) bool {
	named := strings.HasPrefix(path.Base(f), "helmfile.") || path.Base(path.Dir(f)) == "helmfile.d"
	if source.HasAPIVersion(b) || !releasesLine.Match(b) && !(named && basesLine.Match(b)) {
		return false // releases, or a base that may have them
	}
	return named || !inChart && bytes.Contains(b, []byte("chart")) && ownLine.Match(b)
}

// Host is the discovery that helmfiles are read for.
type Host struct {
	Src    *source.Source
	Over   func() bool            // no time is left
	OnBase func(file string) bool // base reads a helmfile as it stands
	// Called lists the environments that scripts call a helmfile with; nil: there are none.
	Called func(file string) []string
	Add    func(release.Release)
	Fail   func(release.Release, *object.Failure) // adds one that cannot be had
}

// Read adds the releases of one helmfile; given has the patterns of helmfiles that others give values, and these.
func Read(d *Host, file, text string, given map[string][]string) {
	h := &helmfile{Host: d, file: file, dir: path.Dir(file), text: text}
	names, f := h.environments()
	givers := h.givers(given)
	if d.OnBase(file) { // as it stands: whoever gives it values on head alone takes nothing away
		givers = slices.DeleteFunc(givers, func(g string) bool {
			b, err := d.Src.Twin.Read(g)
			was := map[string][]string{}
			if err == nil {
				GivesValues(g, b, was)
			}
			return len(h.givers(was)) == 0
		})
	}
	var giver *helmfile
	switch {
	case f != nil || len(givers) == 0:
	case len(givers) > 1:
		f = skip(object.LineOf(file, 1, "release"), "%s and %s give it values: how often it is deployed is not followed",
			givers[0], givers[1])
	default:
		if b, err := d.Src.Read(givers[0]); err == nil && givers[0] != file {
			giver = &helmfile{Host: d, file: givers[0], dir: path.Dir(givers[0]), text: string(document.UTF8(b))}
			if more, fail := giver.environments(); fail == nil && slices.Equal(names, []string{defaultEnvironment}) {
				names = more
			}
		}
	}
	if f != nil {
		h.failRead(h.release(""), f, h.whole()...)
		return
	}
	total := 0
	for _, env := range names {
		if d.Over() {
			return
		}
		one := &helmfile{Host: d, file: file, dir: h.dir, text: text, env: env, room: maxReleases - total,
			several: len(names) > 1 || env != defaultEnvironment}
		total += one.worlds(giver)
	}
}
