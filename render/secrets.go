package render

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/mask"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
)

// knowSecrets gathers what the revisions' Secrets hold, SealedSecrets, templates of
// ExternalSecrets and secretGenerators too, and takes it out of every message of theirs.
// From here on render/mask and the comparison mask it in whatever object it stands.
func knowSecrets(revs ...*object.Revision) {
	k := &redact.Known{}
	seen := map[textOf]bool{} // releases share files, and so do the two sides
	for _, rev := range revs {
		for _, r := range rev.Releases {
			for _, o := range r.Objects {
				knowObject(k, o)
			}
			for _, text := range side.MadeOf(r).Hidden {
				k.Add(text)
			}
			if ref := side.MadeOf(r).Fetch; ref != nil {
				k.Chart(ref.Name, ref.Version, ref.Repository)
			}
			if recipe := side.MadeOf(r).Recipe; recipe != nil {
				knowFiles(k, recipe, seen)
			}
		}
	}
	k.Seal()
	clean := map[string]string{} // most reasons are those of many
	for _, rev := range revs {
		rev.Known = k
		for i := range rev.Ignored {
			said := rev.Ignored[i].Reason
			if _, ok := clean[said]; !ok {
				clean[said] = k.Clean(said)
			}
			rev.Ignored[i].Reason = clean[said]
		}
		for _, r := range rev.Releases {
			know(r, k)
			for _, l := range side.MadeOf(r).Lost {
				know(l, k)
			}
		}
	}
}

// know gives a release's objects the known texts, and takes those out of its messages.
func know(r *object.Rendered, k *redact.Known) {
	for _, o := range r.Objects {
		o.Known = k
	}
	for i, n := range r.Notes {
		r.Notes[i] = n.Reworded(k.Clean)
	}
	if r.Err != nil {
		m := message{known: k, recipe: side.MadeOf(r).Recipe}
		f := *r.Err
		f.Reason, f.Remedy = m.clean(f.Reason), k.Clean(f.Remedy)
		r.Err = &f
	}
}

// knowObject adds the secrets of an object, and makes its names public.
func knowObject(k *redact.Known, o *object.Object) {
	k.Public(o.ID.Name, o.ID.Namespace, o.ID.Group, o.ID.Kind, o.Release)
	knowSource(k, o)
	odd := o.Undecodable()
	fieldpath.Leaves(o.Content, nil, func(p fieldpath.Path, v any) {
		if len(p) == 0 {
			return
		}
		text, ok := v.(string)
		if !ok {
			return
		}
		last := p[len(p)-1]
		if last.Index < 0 {
			k.Public(last.Key)
		}
		switch {
		case text == document.VolatileText || text == document.VolatileData:
			return // it stands for a value of every render's own
		case mask.HoldsSecrets(o, p):
			k.Add(text)
			return
		case !redact.PlainWords(text) && (mask.SecretName(o, p) || mask.FollowsFlag(o, p)):
			k.Add(text)
			return
		case odd && o.MistypedAt(p.String()) && !redact.PlainWords(text) && mask.Hidden(o, p, text):
			k.Add(text) // what should not be there may be anything
			return
		}
		if last.Key == "name" && !strings.Contains(p.String(), "data") || len(p) > 1 && mask.SelectorMaps[p[len(p)-2].Key] {
			k.Public(text)
		}
	})
}

// knowFiles adds what the Secrets in a release's files hold, also where they did not render,
// and the values of telling keys in a chart's settings.
func knowFiles(k *redact.Known, j *release.Recipe, seen map[textOf]bool) {
	unseen := map[string]bool{}
	for name, text := range j.Files {
		if len(text) > 0 {
			of := textOf{name, &text[0], len(text), j.Chart != nil, j.Chart != nil && slices.Contains(j.Chart.Values, name)}
			if seen[of] {
				continue
			}
			seen[of], unseen[name] = true, true
		}
		k.Public(strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '.' })...)
		k.Public(path.Base(name))
		k.Path(name)
		k.Names(string(text))
		k.Harvest(text)
		knowChart(k, name, text)
	}
	if j.Chart == nil {
		return
	}
	tree := map[string]any{}
	for name, text := range j.Files {
		if !unseen[name] || !isValues(name) && !slices.Contains(j.Chart.Values, name) || len(text) > 1<<20 {
			continue
		}
		if v, err := document.DecodeYAML(text); err == nil {
			tree[name] = v
		}
	}
	fieldpath.Leaves(tree, nil, func(p fieldpath.Path, v any) {
		text, ok := v.(string)
		if !ok || redact.PlainWords(text) || strings.Contains(text, "{{") {
			return
		}
		for _, s := range p[1:] {
			if s.Index < 0 && redact.Tells(s.Key) {
				k.Add(text)
				return
			}
		}
	})
}

// knowChart makes public what a chart's own files call it and the charts that it needs.
func knowChart(k *redact.Known, name string, text []byte) {
	switch path.Base(name) {
	case "Chart.yaml", "Chart.lock", "requirements.yaml", "requirements.lock":
	default:
		return
	}
	v, err := document.DecodeYAML(text)
	if err != nil {
		return
	}
	k.Chart(document.Text(v, "name"), document.Text(v, "version"), "")
	for _, d := range document.Items(v, "dependencies") {
		k.Chart(document.Text(d, "name"), document.Text(d, "version"), document.Text(d, "repository"))
		k.Public(document.Text(d, "alias"))
	}
}

// knowSource makes public the charts and addresses that GitOps objects name. The content is read by where the fields
// stand in all of their kinds, so that a kind's version does not matter.
func knowSource(k *redact.Known, o *object.Object) {
	spec := document.Value(o.Content, "spec")
	switch o.ID.Kind {
	case "HelmRelease":
		k.Chart(document.Text(spec, "chart", "spec", "chart"), document.Text(spec, "chart", "spec", "version"), "")
		k.Public(document.Text(spec, "releaseName"))
	case "HelmRepository", "OCIRepository", "GitRepository", "HelmChart":
		k.Chart(document.Text(spec, "chart"), document.Text(spec, "version"), document.Text(spec, "url"))
	case "Application":
		for _, s := range append(document.Items(spec, "sources"), document.Value(spec, "source")) {
			k.Chart(document.Text(s, "chart"), document.Text(s, "targetRevision"), document.Text(s, "repoURL"))
		}
	}
}

// textOf is a file's text where it lies in memory.
type textOf struct {
	name   string
	first  *byte
	length int
	chart  bool // of one
	values bool // by its declaration
}

func isValues(name string) bool {
	ext := path.Ext(name)
	return (ext == ".yaml" || ext == ".yml") && strings.Contains(path.Base(name), "values")
}

// message cleans the text of a failure.
type message struct {
	known  *redact.Known
	recipe *release.Recipe
	public []string // texts of files that everybody may read, filled when it is needed
	read   bool
}

var (
	quoted = regexp.MustCompile("'[^'\n]{8,}'|\"[^\"\n]{8,}\"|`[^`\n]{8,}`")
	// said is what a template's author has it say, with values in it.
	said = regexp.MustCompile(`error calling (?:fail|required): (.*)$`)
	word = regexp.MustCompile(`[^\s'"` + "`" + `()<>{}\[\],;]{6,}`)
)

// clean takes possible values of the input out of a message: known secrets, credentials, and any quoted text unless it
// is plain words or stands in a file that holds no values.
func (m *message) clean(text string) string {
	text = m.known.Clean(text)
	if m.recipe == nil {
		return text
	}
	text = quoted.ReplaceAllStringFunc(text, func(q string) string { return m.words(q, 8) })
	if at := said.FindStringSubmatchIndex(text); at != nil {
		return text[:at[2]] + m.words(text[at[2]:], 6)
	}
	return text
}

// words masks the words of a text that not everybody may read, from a length on.
func (m *message) words(text string, shortest int) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if len(w) < shortest || strings.Contains(w, "redacted") || m.open(strings.Trim(w, ".:!?=*/")) {
			return w
		}
		return redact.Mask
	})
}

// open reports whether everybody may read a text.
func (m *message) open(text string) bool {
	if redact.PlainWords(text) || redact.SafeForm(text) || advised(text) {
		return true
	}
	for name := range m.recipe.Files {
		if strings.Contains(name, text) || strings.Contains(text, name) && len(text) < 2*len(name) {
			return true
		}
	}
	if !m.read {
		m.read = true
		for name, b := range m.recipe.Files {
			if base := path.Base(name); base == "Chart.yaml" || source.IsKustomizationName(base) ||
				strings.Contains(name, "/templates/") {
				m.public = append(m.public, string(b))
			}
		}
	}
	for _, file := range m.public {
		if strings.Contains(file, text) {
			return true
		}
	}
	return m.isKey(text)
}

// advised reports whether a text is the program's own words and the signs that join them, with one number or the like
// at most, as the options of a command that a message says to run: --depth=1, +refs/heads/*:refs/remotes/origin/*.
func advised(text string) bool {
	others := 0
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("-+*=:./", r) }) {
		if !redact.Own(part) {
			if others++; others > 1 || !redact.SafeForm(part) {
				return false
			}
		}
	}
	return true
}

// isKey reports whether a text is a key in one of the files.
func (m *message) isKey(text string) bool {
	re, err := regexp.Compile(`(?m)^\s*(?:- )?["']?` + regexp.QuoteMeta(text) + `["']?\s*:`)
	if err != nil || len(text) > 200 {
		return false
	}
	for _, b := range m.recipe.Files {
		if len(b) < 1<<20 && re.Match(b) {
			return true
		}
	}
	return false
}
