package gitops

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/deploys"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// A config management plugin is read where the repository defines it, and never run. If its commands do nothing but
// template a chart, build a kustomization or print files, and fill in placeholders, the source is rendered like one of
// that kind. If any word of them is not understood, what the plugin gives is unknown.
//
// Upstream: argo-cd 3.2, cmpserver/plugin: (*Service).generateManifest, matchRepository; reposerver/repository:
// getPluginEnvs; util/cmp: plugins of a ConfigMap argocd-cm, until 2.8.

// definition is a plugin's, as it stands in its configuration.
type definition struct {
	name, version string
	spec          map[string]any
	file          string
}

// definitions are the plugins that a repository defines, and the files that speak of plugins and cannot be read.
type definitions struct {
	list   []definition
	unread map[string][]byte
}

// knownPlugins are the commands of plugins as their manuals give them, for the names under which they are set up there.
var knownPlugins = map[string]string{
	"argocd-vault-plugin":           `argocd-vault-plugin generate ./`,
	"argocd-vault-plugin-helm":      knownHelm + ` | argocd-vault-plugin generate -`,
	"argocd-vault-plugin-kustomize": `kustomize build . | argocd-vault-plugin generate -`,
}

// knownHelm takes whatever of the two usual variables the Application gives.
const knownHelm = `helm template "$ARGOCD_APP_NAME" -n "$ARGOCD_APP_NAMESPACE" --include-crds ` +
	`${ARGOCD_ENV_HELM_ARGS} ${ARGOCD_ENV_helm_args} -f <(echo "$ARGOCD_ENV_HELM_VALUES") .`

// settingsOfVaults are variables that say how a vault is reached.
var settingsOfVaults = regexp.MustCompile(`^(AVP|VAULT|AWS|GOOGLE|AZURE)_\w+$|^PATH_PREFIX$`)

// givenName is what a plugin sees of a variable with the name of one that Argo CD gives. Some plugins name the release
// by it: where nothing defines the plugin, it is not known by which of the two.
const givenName = "ARGOCD_ENV_ARGOCD_APP_NAME"

// plugin resolves a source that a plugin renders.
func (a *argoSource) plugin(dir string) *object.Failure {
	given := document.Value(a.content, "plugin")
	if a.r.Kind = object.Manifests; a.root != "." {
		return a.unreadPlugin("a plugin renders a folder of another repository, and is not run")
	}
	if f := a.others(a.field+".plugin", given, []string{"name", "env", "parameters"}); f != nil {
		return f
	}
	vars, open := a.pluginVars(given)
	d, why := a.definition(dir, document.Text(given, "name"), vars)
	if why != "" {
		return a.unreadPlugin("%s", why)
	}
	named := "plugin " + d.name
	if a.r.DefinedIn = d.file; d.file != "" {
		named += " (" + d.file + ")"
	}
	command := func(what string) []string {
		return append(document.Texts(document.Value(d.spec, what, "command")),
			document.Texts(document.Value(d.spec, what, "args"))...)
	}
	g, word := deploys.ReadGenerate(command("init"), command("generate"), vars, open)
	if word != "" {
		return a.unreadPlugin("%s is a program, which is not run, and %q of its commands is not understood", named,
			document.Shorten(word, 60))
	}
	p, in := source.Inside(dir, g.Path)
	if !in || !a.Src.HasDir(p) {
		return a.unreadPlugin("%s renders %q, which is no folder of this repository", named, g.Path)
	}
	a.r.Path, a.r.Filled = p, g.Fills
	if d.file == "" {
		a.r.Remarks = append(a.r.Remarks, object.Say(object.PluginAssumed, d.name))
	}
	switch g.Tool {
	case deploys.Helm:
		if name, ok := vars[givenName]; ok && d.file == "" && name != g.Name {
			g.Name = "${ARGOCD_APP_NAME}"
		}
		return a.pluginHelm(dir, given, g)
	case deploys.Kustomize:
		if kustomize.FileOf(a.Src, p) == "" {
			return a.unreadPlugin("%s builds %s, which has no kustomization", named, p)
		}
		a.r.Kind, a.r.AnyFile = object.Kustomize, g.AnyFile
		return nil
	}
	a.r.Files = a.folderFiles(p, g.Recursive, func(f string) bool {
		return g.Recursive || slices.ContainsFunc(g.Values, func(v string) bool { return source.Match(path.Join(p, v), f) })
	})
	if len(a.r.Files) == 0 {
		return a.unreadPlugin("%s gives none of the files of %s", named, p)
	}
	return nil
}

// unreadPlugin is the failure of a source that a plugin renders in a way that is not known.
func (a *argoSource) unreadPlugin(format string, args ...any) *object.Failure {
	f := a.failure(a.field+".plugin", "commit the plugin's output, and let the Application name that", format, args...)
	f.Skipped, f.Refused = true, true
	return f
}

// pluginHelm takes what a plugin hands to helm template. Its paths start in the Application's folder.
func (a *argoSource) pluginHelm(dir string, given any, g deploys.Generate) *object.Failure {
	a.r.Kind, a.r.Name = object.Helm, g.Name
	if g.Namespace == "" {
		g.Namespace = "default" // of no kubeconfig
	}
	a.r.Namespace = g.Namespace
	a.r.KubeVersion, a.r.APIVersions = g.KubeVersion, g.APIVersions
	a.r.SkipCRDs, a.r.SkipTests, a.r.SkipHooks, a.r.SkipSchema = !g.CRDs, g.SkipTests, g.SkipHooks, g.AnyValues
	if own := path.Join(a.r.Path, "values.yaml"); a.Src.HasFile(own) {
		a.r.Values = []string{own}
	}
	file := func(v string) (string, *object.Failure) {
		p, in := source.Inside(dir, v)
		if !in || !a.Src.HasFile(p) {
			return "", a.failure(a.field+".plugin", "add the file, or correct its name", "file %s does not exist",
				path.Join(dir, v))
		}
		return p, nil
	}
	for _, v := range g.Values {
		p, f := file(v)
		if f != nil {
			return f
		}
		a.r.Values = append(a.r.Values, p)
	}
	for _, s := range g.Settings {
		into := map[string]*map[string]string{"set": &a.r.Set, "set-string": &a.r.SetString, "set-file": &a.r.SetFile}[s.Flag]
		if s.Flag == "set-file" {
			p, f := file(s.Value)
			if f != nil {
				return f
			}
			s.Value = p
		}
		if *into == nil {
			*into = map[string]string{}
		}
		(*into)[s.Name] = s.Value
	}
	a.r.SettingAt = func(string) object.Location { return a.at(a.field + ".plugin") }
	if g.Inline == "" {
		return nil
	}
	field := a.field + ".plugin"
	for i, e := range document.Items(given, "env") {
		if a.env(document.Text(e, "value")) == g.Inline {
			field = fmt.Sprintf("%s.env[%d].value", field, i)
		}
	}
	v, err := document.DecodeYAML([]byte(g.Inline))
	m, ok := v.(map[string]any)
	if err != nil || v != nil && !ok {
		return a.failure(field, "correct the YAML", "the values are no YAML map: %v", err)
	}
	a.r.Inline = m
	place := a.prefix + field
	a.r.InlineAt = func(p fieldpath.Path) object.Location { return textPlace(a.Src, a.place(place), g.Inline, p) }
	return nil
}

// pluginVars are the variables that Argo CD gives a plugin, and those whose value the repository does not say.
func (a *argoSource) pluginVars(given any) (vars map[string]string, open []string) {
	vars = map[string]string{}
	for _, name := range []string{"ARGOCD_APP_NAME", "ARGOCD_APP_NAMESPACE", "ARGOCD_APP_PROJECT_NAME",
		"ARGOCD_APP_SOURCE_PATH", "ARGOCD_APP_SOURCE_REPO_URL", "ARGOCD_APP_SOURCE_TARGET_REVISION"} {
		vars[name] = a.env("$" + name)
	}
	for _, e := range document.Items(given, "env") {
		name, value := "ARGOCD_ENV_"+document.Text(e, "name"), a.env(document.Text(e, "value"))
		if strings.Contains(value, "$") { // Argo CD replaces it
			delete(vars, name)
			open = append(open, name)
			continue
		}
		vars[name] = value
	}
	return vars, open
}

// definition finds the plugin of a source; why says for what reason it is not known.
func (a *argoSource) definition(dir, name string, vars map[string]string) (d definition, why string) {
	all := a.Found.pluginDefinitions()
	var found []definition
	for _, d := range all.list {
		if name != "" {
			if d.name == name || d.name+"-"+d.version == name {
				found = append(found, d)
			}
			continue
		}
		takes, unread := a.discovers(dir, d, vars)
		if unread != "" {
			return d, fmt.Sprintf("the Application names no plugin, and %q of how plugin %s (%s) finds its own is not "+
				"understood", document.Shorten(unread, 60), d.name, d.file)
		}
		if takes {
			found = append(found, d)
		}
	}
	for _, f := range slices.Sorted(maps.Keys(all.unread)) {
		if name == "" || bytes.Contains(all.unread[f], []byte(name)) {
			return d, fmt.Sprintf("a plugin is a program; it is not run, and %s, which may define it, is no YAML", f)
		}
	}
	same := slices.CompactFunc(found, func(a, b definition) bool {
		return a.name == b.name && reflect.DeepEqual(a.spec, b.spec)
	})
	switch script := knownPlugins[name]; {
	case len(same) == 1:
		return same[0], ""
	case len(same) > 1:
		return d, fmt.Sprintf("a plugin is a program; it is not run, and %s and %s define it differently", same[0].file,
			same[1].file)
	case script != "":
		return a.knownPlugin(name, script, vars)
	case name == "":
		return d, "a plugin is a program; it is not run, and no plugin of this repository takes the folder for its own"
	}
	return d, fmt.Sprintf("a plugin is a program; it is not run, and nothing in this repository defines %s", name)
}

// knownPlugin is a plugin that the repository does not define, set up as its manual says. A variable that the manual
// does not have says that it is set up in another way.
func (a *argoSource) knownPlugin(name, script string, vars map[string]string) (d definition, why string) {
	for _, v := range slices.Sorted(maps.Keys(vars)) {
		short, own := strings.CutPrefix(v, "ARGOCD_ENV_")
		if own && v != givenName && !strings.Contains(script, v) && !settingsOfVaults.MatchString(short) {
			return d, fmt.Sprintf("plugin %s is defined nowhere in this repository, and its variable %s is not in its manual",
				name, short)
		}
	}
	generate := map[string]any{"command": []any{"bash", "-c", script}}
	return definition{name: name, spec: map[string]any{"generate": generate}}, ""
}

// discovers reports whether a plugin takes a folder for its own.
func (a *argoSource) discovers(dir string, d definition, vars map[string]string) (takes bool, unread string) {
	how, _ := d.spec["discover"].(map[string]any)
	match := func(pattern string) bool {
		return slices.ContainsFunc(a.Src.Below(dir), func(f string) bool { return source.Match(path.Join(dir, pattern), f) })
	}
	if file := document.Text(how, "fileName"); file != "" {
		return match(file), ""
	}
	if pattern := document.Text(how, "find", "glob"); pattern != "" {
		return match(pattern), ""
	}
	find := document.Value(how, "find")
	command := append(document.Texts(document.Value(find, "command")), document.Texts(document.Value(find, "args"))...)
	if len(command) == 0 {
		return false, "" // only by its name
	}
	names, unread := deploys.Finds(command, vars)
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(a.Src.Below(dir), func(f string) bool {
			ok, _ := path.Match(name, path.Base(f))
			return ok
		})
	}), unread
}

// pluginDefinitions finds the plugins that a repository defines: as a file or an object, as a text in a ConfigMap, and
// in the values of Argo CD's chart.
func (s *Found) pluginDefinitions() *definitions {
	s.defining.Lock()
	defer s.defining.Unlock()
	if s.plugins != nil {
		return s.plugins
	}
	s.plugins = &definitions{unread: map[string][]byte{}}
	for _, f := range s.src.Files {
		b, err := s.src.Read(f)
		if err != nil || !source.IsManifestName(f) || !speaksOfPlugins(b) {
			continue
		}
		for _, raw := range document.Split(b) {
			v, err := document.DecodeYAML(raw.Text)
			if err != nil && speaksOfPlugins(raw.Text) {
				s.plugins.unread[f] = raw.Text
			}
			s.plugins.look(f, v)
		}
	}
	return s.plugins
}

func speaksOfPlugins(b []byte) bool {
	return bytes.Contains(b, []byte("onfigManagementPlugin")) || bytes.Contains(b, []byte("cmp:"))
}

// look finds the definitions in a value.
func (l *definitions) look(file string, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			l.look(file, e)
		}
	case string:
		if speaksOfPlugins([]byte(v)) {
			if in, err := document.DecodeYAML([]byte(v)); err != nil {
				l.unread[file] = []byte(v)
			} else if _, text := in.(string); !text {
				l.look(file, in)
			}
		}
	case map[string]any:
		if v["kind"] == "ConfigManagementPlugin" {
			spec, _ := v["spec"].(map[string]any)
			l.list = append(l.list, definition{document.Text(v, "metadata", "name"), document.Text(spec, "version"), spec, file})
			return
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			switch {
			case k == "configManagementPlugins":
				l.old(file, v[k])
			case k == "cmp" && document.Value(v[k], "plugins") != nil:
				plugins, _ := document.Value(v[k], "plugins").(map[string]any)
				for _, name := range slices.Sorted(maps.Keys(plugins)) {
					spec, _ := plugins[name].(map[string]any)
					l.list = append(l.list, definition{name, document.Text(spec, "version"), spec, file})
				}
			default:
				l.look(file, v[k])
			}
		}
	}
}

// old takes the plugins of argocd-cm, a text with a list.
func (l *definitions) old(file string, v any) {
	text, _ := v.(string)
	list, err := document.DecodeYAML([]byte(text))
	if err != nil {
		l.unread[file] = []byte(text)
	}
	for _, e := range document.Items(list) {
		if spec, ok := e.(map[string]any); ok {
			l.list = append(l.list, definition{name: document.Text(spec, "name"), spec: spec, file: file})
		}
	}
}
