package deploys

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/source"
)

// repository finds what calls name in a repository.
type repository struct {
	src    *source.Source
	charts []string // folders
	yaml   []string // files
	listed bool
}

// maxFits is how many ways of filling in what a call leaves open are taken.
const maxFits = 24

var unknownPart = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// fit is one way of filling in unknown parts, by name.
type fit map[string]string

func (f fit) in(s string) string {
	return unknownPart.ReplaceAllStringFunc(s, func(m string) string {
		if v, ok := f[m[2:len(m)-1]]; ok {
			return v
		}
		return m
	})
}

// resolve gives what a call deploys of this repository, once for each way of filling in its paths. None: it deploys
// something else, or its paths are not known.
func (t *repository) resolve(c call) []Deploy {
	if !t.listed {
		t.listed = true
		for _, f := range t.src.Files {
			switch ext := path.Ext(f); {
			case path.Base(f) == "Chart.yaml":
				t.charts = append(t.charts, path.Dir(f))
			case ext == ".yaml" || ext == ".yml" || ext == ".json":
				t.yaml = append(t.yaml, f)
			}
		}
	}
	tried := map[string]bool{}
	for _, dir := range c.dirs {
		if tried[dir] {
			continue
		}
		tried[dir] = true
		if out := t.from(dir, c.Deploy); len(out) > 0 {
			return out
		}
	}
	var out []Deploy
	for _, dir := range c.dirs {
		one := t.remote(dir, c.Deploy)
		if len(one) > 0 && (len(out) == 0 || len(one[0].Missing) < len(out[0].Missing)) {
			out = one
		}
	}
	return out
}

// from resolves a call that runs in a folder.
func (t *repository) from(dir string, d Deploy) []Deploy {
	var out []Deploy
	here := func(found []string, f fit, p string) {
		for _, path := range found {
			one := d
			one.Path = path
			out = append(out, f.filled(one))
		}
	}
	switch d.Tool {
	case Helm:
		t.each(dir, d.Path, fit{}, t.charts, func(chart string, f fit) {
			one := d
			one.Path = chart
			out = append(out, t.valued(dir, one, f)...)
		})
	case Kustomize:
		t.each(dir, d.Path, fit{}, t.folders(), func(p string, f fit) {
			if t.src.HasDir(p) {
				here([]string{p}, f, p)
			}
		})
	case Helmfile:
		if d.Path == "" {
			for _, name := range []string{"helmfile.yaml", "helmfile.yaml.gotmpl", "helmfile.d"} {
				if p := path.Join(dir, name); len(out) == 0 && (t.src.HasFile(p) || t.src.HasDir(p)) {
					here([]string{p}, fit{}, p)
				}
			}
			break
		}
		fallthrough
	default:
		t.each(dir, d.Path, fit{}, t.yaml, func(p string, f fit) {
			if t.src.HasFile(p) || t.src.HasDir(p) && d.Tool != Template {
				here([]string{p}, f, p)
			}
		})
	}
	return out[:min(len(out), maxFits)]
}

// filled puts a fit into the texts of a call.
func (f fit) filled(d Deploy) Deploy {
	d.Name, d.Namespace = f.in(d.Name), f.in(d.Namespace)
	d.Settings = slices.Clone(d.Settings)
	for i := range d.Settings {
		d.Settings[i].Value = f.in(d.Settings[i].Value)
		d.Settings[i].Name = f.in(d.Settings[i].Name)
	}
	return d
}

func (t *repository) folders() []string { return t.src.Folders() }

// each gives f what a path from a folder names: itself where it is known, else those of the candidates that fit.
func (t *repository) each(dir, p string, given fit, candidates []string, f func(string, fit)) {
	p = join(dir, given.in(p))
	switch {
	case p == ".." || strings.HasPrefix(p, "../"):
		return
	case !strings.Contains(p, "${"):
		if !strings.ContainsAny(p, "*?[") {
			f(p, given)
			return
		}
		for _, c := range candidates {
			if ok, err := path.Match(p, c); ok && err == nil {
				f(c, given)
			}
		}
		return
	case strings.Trim(unknownPart.ReplaceAllString(p, ""), "./") == "":
		return // it may be anything
	}
	re, names := pattern(p)
	if re == nil {
		return
	}
	n := 0
	for _, c := range candidates {
		m := re.FindStringSubmatch(c)
		if m == nil || n >= maxFits || inTest(c) && !inTest(p) {
			continue
		}
		one := fit{}
		for k, v := range given {
			one[k] = v
		}
		same := true
		for i, name := range names {
			v, had := one[name]
			same = same && (!had || v == m[i+1])
			one[name] = m[i+1]
		}
		if same {
			n++
			f(c, one)
		}
	}
}

// pattern is what a path with unknown parts fits, each within one folder's name, and their names.
func pattern(p string) (*regexp.Regexp, []string) {
	var b strings.Builder
	var names []string
	from := 0
	for _, at := range unknownPart.FindAllStringSubmatchIndex(p, -1) {
		b.WriteString(regexp.QuoteMeta(p[from:at[0]]) + `([^/]+)`)
		names = append(names, p[at[2]:at[3]])
		from = at[1]
	}
	b.WriteString(regexp.QuoteMeta(p[from:]))
	re, err := regexp.Compile(`\A` + b.String() + `\z`)
	if err != nil || len(names) > 8 {
		return nil, nil
	}
	return re, names
}

// valued resolves the values files of a chart's call.
func (t *repository) valued(dir string, d Deploy, f fit) []Deploy {
	if !d.Remote && !t.src.HasFile(path.Join(d.Path, "Chart.yaml")) {
		return nil
	}
	type partly struct {
		values, missing []string
		f               fit
	}
	list := []partly{{f: f}}
	for _, v := range d.Values {
		var next []partly
		for _, l := range list {
			found := false
			t.each(dir, v, l.f, t.yaml, func(p string, f fit) {
				if t.src.HasFile(p) && len(next) < maxFits {
					next = append(next, partly{append(slices.Clone(l.values), p), l.missing, f})
					found = true
				}
			})
			if !found {
				next = append(next, partly{l.values, append(slices.Clone(l.missing), l.f.in(v)), l.f})
			}
		}
		list = next[:min(len(next), maxFits)]
	}
	full := slices.ContainsFunc(list, func(l partly) bool { return len(l.missing) == 0 })
	var out []Deploy
	for _, l := range list {
		if full && len(l.missing) > 0 {
			continue // this combination is none
		}
		one := l.f.filled(d)
		one.Values, one.Missing = l.values, l.missing
		for i, s := range one.Settings {
			if s.Flag == "set-file" {
				if p := join(dir, s.Value); Known(p) && t.src.HasFile(p) {
					one.Settings[i].Value = p
				} else {
					one.Settings[i] = Setting{"set-string", s.Name, hashed("file", s.Value)}
				}
			}
		}
		out = append(out, one)
	}
	return out
}

// remote resolves a call of a chart of another host: one at a version, or with values files of this repository.
func (t *repository) remote(dir string, d Deploy) []Deploy {
	oci := strings.HasPrefix(d.Path, "oci://")
	repo, name, ok := strings.Cut(d.Path, "/")
	switch {
	case d.Tool != Helm || !Known(d.Path+d.Version+d.Repository):
		return nil
	case oci, d.Repository != "" && !strings.Contains(d.Path, "/"):
	case !ok || repo == "" || repo[0] == '.' || strings.Contains(name, "/") || strings.Contains(name, ".tgz"):
		return nil
	}
	d.Remote = true
	nothing := func(d Deploy) bool { return d.Version == "" && len(d.Values) == 0 }
	return slices.DeleteFunc(t.valued(dir, d, fit{}), nothing)
}
