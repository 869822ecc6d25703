package helmfile

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// helmValues takes the entry's values in their order. Files before the first map stay files; from
// there on all is merged.
func (b *installation) helmValues(r *release.Release) *object.Failure {
	handler := firstText(b.field("missingFileHandler"), document.Text(b.state, "missingFileHandler"))
	var merged []helm.ValuesSource
	list := append(slices.Clone(document.Items(b.content, "valuesTemplate")), document.Items(b.content, "values")...)
	for i, e := range list {
		field := b.element("values", i-len(document.Items(b.content, "valuesTemplate")))
		at := b.place(field)
		switch e := e.(type) {
		case string:
			name := b.fill(b.fill(e, b.fields), b.fields)
			files, f := b.files(name, handler, at)
			if f != nil {
				return f
			}
			if len(files) > 1 {
				return skip(at, "%s names several files", name)
			}
			for _, p := range files {
				if len(merged) == 0 && path.Ext(p) != ".gotmpl" {
					r.Values = append(r.Values, p)
					continue
				}
				m, place, f := b.readValues(p, at, b.fields)
				if f != nil {
					return f
				}
				merged = append(merged, helm.ValuesSource{Values: m, At: place})
			}
		case map[string]any:
			filled, ok := b.filled(e).(map[string]any)
			if !ok {
				return skip(at, "its values are templated with "+notKnown)
			}
			merged = append(merged, helm.ValuesSource{Values: filled, At: func(p fieldpath.Path) object.Location {
				loc := b.place(field + "." + p.String())
				loc.Rung = "value"
				return loc
			}})
		}
	}
	for _, m := range merged {
		r.Inline = helm.MergeValues(r.Inline, m.Values)
	}
	r.InlineAt = func(p fieldpath.Path) object.Location {
		for i := len(merged) - 1; i >= 0; i-- {
			if _, ok := p.Get(merged[i].Values); ok {
				return merged[i].At(p)
			}
		}
		return r.By
	}
	return nil
}

// unknownValues are the encrypted files of the release: those with equal ciphertexts are the same.
func (b *installation) unknownValues() object.Hole {
	var of []any
	for _, e := range document.Items(b.content, "secrets") {
		of = append(of, e)
		name, _ := e.(string)
		files, _ := b.files(b.fill(b.fill(name, b.fields), b.fields), "Info", b.place("secrets"))
		for _, p := range files {
			text, err := b.Src.Read(p)
			of = append(of, string(text), err != nil)
		}
	}
	const what = "what its `secrets` give the chart"
	return object.Hole{Kind: object.Values, What: what, Where: b.place("secrets"), Reason: what + " is encrypted",
		Remedy: "check its changes by hand", Own: helm.Digest(of...)}
}

// filled fills the texts of a value in; nil where one is templated beyond that.
func (b *installation) filled(v any) any {
	switch v := v.(type) {
	case string:
		if s := b.fill(v, b.fields); !strings.Contains(s, "{{") {
			return s
		}
		return nil
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			if out[i] = b.filled(e); out[i] == nil && e != nil {
				return nil
			}
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) { // filled in values are noted
			e := v[k]
			if out[k] = b.filled(e); out[k] == nil && e != nil {
				return nil
			}
		}
		return out
	}
	return v
}

// attempts reads how helm is called: helmfile hands `wait`, `atomic` and `timeout` on, of the release or of all.
//
// Upstream: helm v3.21, pkg/action: Install and Upgrade (Atomic waits, and a failed upgrade is rolled back, a failed
// install uninstalled); helmfile, pkg/state: (*HelmState).flagsForUpgrade, timeoutFlags.
func (b *installation) attempts() (install, upgrade object.Attempt) {
	atomic := b.orDefault("atomic") == true
	if !atomic && b.orDefault("wait") != true {
		return install, upgrade
	}
	install.Patience = 5 * time.Minute
	if n, err := strconv.Atoi(fmt.Sprint(b.orDefault("timeout"))); err == nil && n > 0 {
		install.Patience = time.Duration(n) * time.Second
	}
	upgrade = install
	if atomic {
		install.Undo, install.Last = object.Uninstall, true
		upgrade.Undo, upgrade.Last = object.Rollback, true
	}
	return install, upgrade
}

// orDefault is a field of the release, or else of helmDefaults.
func (b *installation) orDefault(name string) any {
	if v := b.content[name]; v != nil {
		return v
	}
	return document.Value(b.state, "helmDefaults", name)
}

// asks reports whether helm is called with a flag, by a field of its own or among the arguments of all releases.
//
// Upstream: helmfile, pkg/state: (*HelmState).flagsForUpgrade, appendSkipSchemaValidationFlags,
// appendTakeOwnershipFlagsForUpgrade.
func (b *installation) asks(name, flag string) bool {
	return b.orDefault(name) == true ||
		slices.Contains(document.Texts(document.Value(b.state, "helmDefaults", "args")), flag)
}

// settings takes what helmfile hands to helm's --set, --set-string and --set-file.
func (b *installation) settings(r *release.Release) *object.Failure {
	places := map[string]object.Location{}
	for _, k := range []string{"setTemplate", "set", "setString"} {
		for i, e := range document.Items(b.content, k) {
			at := b.place(b.element(k, i))
			e, ok := b.filled(e).(map[string]any)
			if !ok {
				return skip(at, "a setting is templated with "+notKnown)
			}
			name := document.Text(e, "name")
			places[name] = at
			into := &r.Set
			if k == "setString" {
				into = &r.SetString
			}
			switch {
			case e["value"] != nil && e["value"] != "":
				put(into, name, escapeSetting.Replace(fmt.Sprint(e["value"])))
			case document.Text(e, "file") != "":
				files, f := b.files(document.Text(e, "file"), "", at)
				if f != nil {
					return f
				}
				put(&r.SetFile, name, files[0])
			case len(document.Items(e, "values")) > 0:
				var list []string
				for _, one := range document.Items(e, "values") {
					list = append(list, escapeSetting.Replace(fmt.Sprint(one)))
				}
				put(into, name, "{"+strings.Join(list, ",")+"}")
			}
		}
	}
	r.SettingAt = func(name string) object.Location { return places[name] }
	return nil
}

func put(m *map[string]string, name, v string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[name] = v
}
