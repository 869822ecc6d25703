package helmfile

import (
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// add adds the releases of the environment that are installed there.
func (h *helmfile) add() {
	shared := slices.Clone(h.read)
	there := map[string]bool{}
	for _, e := range h.entries {
		if h.Over() {
			return
		}
		h.inherited = 0
		h.read = slices.Clone(shared)
		written := e.content
		own, f := h.inherit(written, nil)
		e.content = own
		b := &installation{helmfile: h, entry: e, at: e.place(""), own: written}
		r := b.identify()
		if f == nil {
			var installed bool
			if installed, f = b.installed(); f == nil && !installed {
				continue
			}
		} else {
			f.Where, f.Reason = b.at, fmt.Sprintf("%s:%d: %s", b.at.File, b.at.StartLine, f.Reason)
		}
		if name, always := b.always(r); always && there[name] {
			h.failRead(h.release(""), &object.Failure{Where: b.at, Remedy: "give one of the two another name",
				Reason: fmt.Sprintf("%s:%d: release %s/%s stands twice, which helmfile refuses",
					b.at.File, b.at.StartLine, r.Namespace, r.Name)}, fmt.Sprint(own))
			continue
		} else if always {
			there[name] = true
		}
		if f == nil {
			f = b.build(&r)
		}
		r.Says = b.says()
		if f != nil {
			h.failRead(r, f, fmt.Sprint(own))
			continue
		}
		h.Add(r)
	}
}

// always is the name of a release in its cluster, and whether it is installed whatever the values are.
//
// Upstream: helmfile, pkg/state: (*HelmState).GetReleasesWithOverrides, checkDuplicates ("duplicate release").
func (b *installation) always(r release.Release) (name string, yes bool) {
	for _, k := range []string{"condition", "installed", "installedTemplate"} {
		if b.content[k] != nil {
			return "", false
		}
	}
	name = r.Namespace + "/" + r.Name + " " + document.Text(b.content, "kubeContext")
	return name, !strings.Contains(name, "{{") && !strings.Contains(name, stood)
}

// sets are the arguments of Helm that change what a chart renders to.
var sets = regexp.MustCompile(`^(--(set|values|post-renderer|namespace|api-versions|kube-version|set-\w+)\b|-[fn]\b)`)

// inherit puts a release, or a template of one, over the templates that it inherits from: lists grow; for anything else
// the template's value counts.
func (h *helmfile) inherit(own map[string]any, above []string) (map[string]any, *object.Failure) {
	list := document.Items(own, "inherit")
	if m, ok := own["inherit"].(map[string]any); ok {
		list = []any{m}
	}
	var names []string
	except := map[string][]string{}
	for _, e := range list {
		names = append(names, document.Text(e, "template"))
		except[document.Text(e, "template")] = document.Texts(document.Value(e, "except"))
	}
	if above == nil {
		defaults := document.Texts(h.state["defaultInherit"])
		if s, ok := h.state["defaultInherit"].(string); ok {
			defaults = []string{s}
		}
		defaults = slices.DeleteFunc(defaults, func(n string) bool { return slices.Contains(names, n) })
		names = append(defaults, names...)
	}
	merged := map[string]any{}
	for _, name := range names {
		t := mapAt(h.state, "templates", name)
		if h.inherited++; t == nil || slices.Contains(above, name) || h.inherited > maxInherits {
			return own, &object.Failure{Reason: fmt.Sprintf("template %s is not there, inherits from itself, or from too many others", name), Remedy: "correct `inherit`"}
		}
		below, f := h.inherit(t, append(slices.Clone(above), name))
		if f != nil {
			return own, f
		}
		for _, k := range except[name] {
			delete(below, k)
		}
		under(merged, below)
	}
	under(merged, own)
	delete(merged, "inherit")
	return merged, nil
}

// under adds the keys of another map that a map lacks; lists grow.
func under(m, more map[string]any) {
	for k, v := range more {
		switch have := m[k].(type) {
		case nil:
			m[k] = v
		case []any:
			if list, ok := v.([]any); ok {
				m[k] = append(slices.Clone(have), list...)
			}
		case map[string]any:
			if add, ok := v.(map[string]any); ok {
				m[k] = helm.MergeValues(add, have)
			}
		}
	}
}

// installation is one entry on its way to a release.
type installation struct {
	*helmfile
	entry
	own    map[string]any    // content without what it inherits
	at     object.Location   // of the entry
	fields map[string]string // that its own templates may name
}

// identify gives the release its names.
func (b *installation) identify() release.Release {
	b.fields = map[string]string{}
	name := b.field("name")
	b.fields["Name"] = name
	namespace := document.Text(b.state, "namespace")
	if namespace == "" {
		namespace = b.field("namespace")
	}
	b.fields["Namespace"] = namespace
	if namespace == "" {
		namespace = "default"
	}
	r := b.release(namespace + "/" + name)
	r.Name, r.Namespace, r.By = name, namespace, b.at
	r.By.Rung = "release"
	r.Selected += ", release " + namespace + "/" + name
	r.KubeVersion = firstText(b.field("kubeVersion"), document.Text(b.state, "kubeVersion"))
	if r.APIVersions = document.Texts(b.content["apiVersions"]); len(r.APIVersions) == 0 {
		r.APIVersions = document.Texts(b.state["apiVersions"])
	}
	r.SkipCRDs = document.Value(b.state, "helmDefaults", "skipCRDs") == true
	r.SkipSchema = b.asks("skipSchemaValidation", "--skip-schema-validation")
	r.Delivery.Context = firstText(b.field("kubeContext"), document.Text(b.state, "helmDefaults", "kubeContext"))
	r.Delivery.Adopts = b.asks("takeOwnership", "--take-ownership")
	r.Delivery.Install, r.Delivery.Upgrade = b.attempts()
	return r
}

// field is a text of the entry, filled in.
func (b *installation) field(name string) string {
	v := b.content[name]
	if v == nil {
		return ""
	}
	return strings.TrimSpace(b.fill(b.fill(fmt.Sprint(v), b.fields), b.fields))
}

// element names an element of a list of the entry as it is written: inherited entries come before, and stand elsewhere.
func (b *installation) element(list string, i int) string {
	if i -= len(document.Items(b.content, list)) - len(document.Items(b.own, list)); i < 0 {
		return list
	}
	return fmt.Sprintf("%s[%d]", list, i)
}

// says are the parts of the helmfile that are about the release, by file.
func (b *installation) says() map[string][]byte {
	out := map[string][]byte{}
	for _, p := range b.read {
		out[p] = []byte{}
	}
	entry, _ := yaml3.Marshal(b.content)
	out[b.file] = entry
	return out
}

// byProgram are the fields of a release that other programs do something about.
var byProgram = []string{
	"jsonPatches", "strategicMergePatches", "transformers", "dependencies", "forceNamespace", "postRenderer", "env",
	"valuesPathPrefix", "forceGoGetter", "verifyTemplate",
}

// build fills the release in.
func (b *installation) build(r *release.Release) *object.Failure {
	for _, k := range byProgram {
		if b.content[k] != nil {
			return skip(b.place(k), "what `%s` makes of the chart is not known", k)
		}
	}
	if document.Value(b.state, "helmDefaults", "postRenderer") != nil {
		return skip(b.at, "what `helmDefaults.postRenderer` makes of the chart is not known")
	}
	for _, k := range []string{"args", "syncArgs", "templateArgs"} {
		if slices.ContainsFunc(document.Texts(document.Value(b.state, "helmDefaults", k)), sets.MatchString) {
			return skip(b.at, "what helmDefaults.%s makes of the chart is not known", k)
		}
	}
	for _, k := range []string{"name", "namespace", "version", "chart", "directory"} {
		if v := b.field(k); strings.Contains(v, "{{") || k != "namespace" && strings.Contains(v, stood) {
			return skip(b.place(k), "its %s is templated with "+notKnown, k)
		}
	}
	if f := b.chart(r); f != nil {
		return f
	}
	if len(document.Items(b.content, "secrets")) > 0 {
		r.Remarks = append(r.Remarks, object.Say(object.SecretsUnknown).At(b.place("secrets")))
		r.Unknown = append(r.Unknown, b.unknownValues())
	}
	if f := b.helmValues(r); f != nil {
		return f
	}
	return b.settings(r)
}

// installed reports whether the release is one in the environment.
func (b *installation) installed() (bool, *object.Failure) {
	yes := firstText(b.field("installed"), b.field("installedTemplate"))
	if standing.FindString(yes) == yes && yes != "" { // another world than those in which it says which
		b.compared([]reflect.Value{reflect.ValueOf([]any{yes, "true", "false"})})
		yes = "true"
	}
	condition := firstText(b.field("conditionTemplate"), b.field("condition"))
	if strings.Contains(yes+condition, "{{") || strings.Contains(yes+condition, stood) {
		return false, skip(b.at, "whether it is installed is templated with "+notKnown)
	}
	if yes == "false" || condition == "false" {
		return false, nil
	}
	if condition == "" || condition == "true" {
		return true, nil
	}
	keys := strings.Split(condition, ".")
	fails := func(format string, args ...any) (bool, *object.Failure) {
		at := b.place("condition")
		return false, &object.Failure{
			Reason: fmt.Sprintf("%s:%d: %s", at.File, at.StartLine, fmt.Sprintf(format, args...)), Where: at,
			Remedy: "correct `condition`, or the environment's values",
		}
	}
	if keys[len(keys)-1] != "enabled" {
		return fails("condition %s does not end with .enabled", condition)
	}
	if mapAt(b.values, keys[:len(keys)-1]...) == nil {
		return fails("environment %s has no value %s", b.env, strings.Join(keys[:len(keys)-1], "."))
	}
	return document.Value(b.values, keys...) == true, nil
}

// chart finds the chart: a folder of the repository, or one of another host.
func (b *installation) chart(r *release.Release) *object.Failure {
	name := firstText(b.field("chart"), b.field("directory"))
	at := b.place("chart")
	if p, in := source.Inside(b.dir, name); in && b.Src.HasFile(path.Join(p, "Chart.yaml")) {
		r.Path, r.Files = p, nil
		if own := path.Join(p, "values.yaml"); b.Src.HasFile(own) {
			r.Values = []string{own}
		}
		return nil
	}
	ref := fetch.ChartRef{Name: path.Base(name), Version: b.field("version")}
	repo, rest, _ := strings.Cut(name, "/")
	switch {
	case strings.HasPrefix(name, "oci://"):
		ref.Repository = path.Dir(strings.TrimPrefix(name, "oci://"))
		ref.Repository = "oci://" + ref.Repository
	case strings.HasPrefix(name, "."), path.IsAbs(name), rest == "":
		return &object.Failure{
			Reason: fmt.Sprintf("%s:%d: there is no chart %s", at.File, at.StartLine, name), Where: at,
			Remedy: "correct `chart`",
		}
	default:
		for _, e := range document.Items(b.state, "repositories") {
			if document.Text(e, "name") != repo {
				continue
			}
			ref.Name, ref.Repository = rest, strings.TrimSuffix(document.Text(e, "url"), "/")
			if document.Value(e, "oci") == true {
				ref.Repository = "oci://" + strings.TrimPrefix(ref.Repository, "oci://")
			}
		}
	}
	if !strings.Contains(ref.Repository, "://") || strings.Contains(ref.Repository, "{{") {
		ref.Repository = ""
		return helm.RemoteChart(ref, "repository "+repo, at)
	}
	r.Fetch, r.Path = &ref, source.ChartFolder(ref)
	r.Values = []string{path.Join(r.Path, "values.yaml")}
	return nil
}

var escapeSetting = strings.NewReplacer("{", `\{`, "}", `\}`, ",", `\,`)
