package gitops

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/source"
)

// helm takes values files, inline values and parameters, in Argo CD's order.
func (a *argoSource) helm() *object.Failure {
	h := document.Value(a.content, "helm")
	if f := a.others(a.field+".helm", h, argoHelm); f != nil {
		return f
	}
	for _, to := range []struct {
		text *string
		from string
	}{{&a.r.Name, "releaseName"}, {&a.r.Namespace, "namespace"}, {&a.r.KubeVersion, "kubeVersion"}} {
		kustomize.SetText(to.text, document.Text(h, to.from))
	}
	a.r.APIVersions = document.Texts(document.Value(h, "apiVersions"))
	a.r.SkipCRDs, a.r.SkipTests = document.Value(h, "skipCrds") == true, document.Value(h, "skipTests") == true
	a.r.SkipSchema = document.Value(h, "skipSchemaValidation") == true
	if own := path.Join(a.r.Path, "values.yaml"); a.r.Fetch != nil ||
		!(a.pending && source.MountOf(own) != "") && a.Src.HasFile(own) {
		a.r.Values = []string{own}
	}
	explicit := document.Texts(document.Value(h, "valueFiles"))
	for i, v := range explicit {
		if f := a.valueFile(i, v); f != nil {
			return f
		}
	}
	if m, ok := document.Value(h, "valuesObject").(map[string]any); ok {
		a.r.Inline, a.r.InlineAt = m, a.inlineAt(a.field+".helm.valuesObject")
	} else if block := document.Text(h, "values"); block != "" {
		v, err := document.DecodeYAML([]byte(block))
		if err != nil {
			return a.failure(a.field+".helm.values", "correct the YAML", "values: %s", document.ErrorText(err))
		}
		a.r.Inline, _ = v.(map[string]any)
		field := a.prefix + a.field + ".helm.values"
		a.r.InlineAt = func(p fieldpath.Path) object.Location { return textPlace(a.Src, a.place(field), block, p) }
	}
	return a.parameters(h)
}

// valueFile adds one entry of valueFiles, which may be a pattern.
func (a *argoSource) valueFile(i int, v string) *object.Failure {
	field := fmt.Sprintf("%s.helm.valueFiles[%d]", a.field, i)
	missing := document.Value(a.content, "helm", "ignoreMissingValueFiles") == true
	p, f := a.resolve(field, v)
	if f != nil || p == "" {
		return f
	}
	if a.pending && source.MountOf(p) != "" {
		return nil
	}
	if a.r.Fetch != nil && source.Under(p, a.r.Path) { // it is not here yet
		if missing {
			a.r.MayMiss = append(a.r.MayMiss, p)
		}
		a.r.Values = append(a.r.Values, p)
		return nil
	}
	if strings.ContainsAny(p, "*?[") && !a.Src.HasFile(p) {
		found := false
		files := a.Src.Files
		if dir := source.MountOf(p); dir != "" {
			files = a.Src.Below(dir)
		}
		for _, file := range files {
			if source.Match(p, file) {
				found = true
				if !slices.Contains(a.r.Values, file) {
					a.r.Values = append(a.r.Values, file)
				}
			}
		}
		if found || missing {
			return nil
		}
		return a.failure(field, "add a file, or set `ignoreMissingValueFiles`", "no values file matches %s", v)
	}
	if !a.Src.HasFile(p) {
		if missing {
			return nil
		}
		a.r.Values = append(a.r.Values, p) // see dropUnset
		return a.failure(field, "add the file, or correct `valueFiles`", "values file %s does not exist",
			strings.TrimPrefix(p, source.FetchedRoot+"/"))
	}
	if !slices.Contains(a.r.Values, p) || p == a.r.Values[0] {
		a.r.Values = append(a.r.Values, p)
	}
	return nil
}

// resolve is the repository path of a file that the source names; "" for one that is
// remote, which makes the release skipped.
func (a *argoSource) resolve(field, v string) (string, *object.Failure) {
	v = a.env(v)
	switch {
	case strings.HasPrefix(v, "$"):
		name, rest, _ := strings.Cut(v[1:], "/") // from the root of the repository the reference names
		if root := a.refs[name]; root != "" {
			return a.below(root, field, rest)
		}
		return path.Clean(rest), nil
	case strings.HasPrefix(v, "/") && a.root != ".":
		return a.below(a.root, field, v)
	case strings.HasPrefix(v, "/"):
		return fromRoot(v), nil
	case kustomize.RemoteRef().MatchString(v):
		f := a.failure(field, "commit the file, and name it by its path",
			"values file %s is remote; nothing is fetched", redact.URL(v))
		f.Skipped = true
		return "", f
	}
	p, in := source.Inside(a.r.Path, v)
	if !in {
		return "", a.failure(field, "copy it into the repository", "values file %s leaves the repository", v)
	}
	return p, nil
}

// below is a path from the root of a fetched repository.
func (a *argoSource) below(root, field, v string) (string, *object.Failure) {
	p, in := source.Inside(root, fromRoot(v))
	if !in {
		return "", a.failure(field, "name a file of the repository", "values file %s leaves its repository", v)
	}
	return p, nil
}

// env replaces the variables of Argo CD's build environment that the repository tells.
func (a *argoSource) env(v string) string {
	known := map[string]string{
		"ARGOCD_APP_NAME":                   document.Text(a.declaring.content, "metadata", "name"),
		"ARGOCD_APP_NAMESPACE":              document.Text(a.declaring.content, "spec", "destination", "namespace"),
		"ARGOCD_APP_PROJECT_NAME":           document.Text(a.declaring.content, "spec", "project"),
		"ARGOCD_APP_SOURCE_PATH":            document.Text(a.content, "path"),
		"ARGOCD_APP_SOURCE_REPO_URL":        document.Text(a.content, "repoURL"),
		"ARGOCD_APP_SOURCE_TARGET_REVISION": document.Text(a.content, "targetRevision"),
	}
	return os.Expand(v, func(name string) string {
		if got, ok := known[name]; ok {
			return got
		}
		return "$" + name
	})
}

// parameters takes what Argo CD hands to helm's --set flags.
func (a *argoSource) parameters(h any) *object.Failure {
	at := map[string]int{}
	a.r.SettingAt = func(name string) object.Location { // when it is asked for: it may take renders to tell
		return a.at(fmt.Sprintf("%s.helm.parameters[%d].value", a.field, at[name]))
	}
	for i, e := range document.Items(h, "parameters") {
		name := document.Text(e, "name")
		if name == "" {
			continue
		}
		to := &a.r.Set
		if document.Value(e, "forceString") == true {
			to = &a.r.SetString
		}
		if *to == nil {
			*to = map[string]string{}
		}
		(*to)[name] = argoCommas(a.env(fmt.Sprint(document.Value(e, "value"))))
		at[name] = i
	}
	for i, e := range document.Items(h, "fileParameters") {
		field := fmt.Sprintf("%s.helm.fileParameters[%d].path", a.field, i)
		p, f := a.resolve(field, document.Text(e, "path"))
		if f != nil {
			return f
		}
		if a.pending && source.MountOf(p) != "" {
			continue
		}
		if !(a.r.Fetch != nil && source.Under(p, a.r.Path)) && !a.Src.HasFile(p) {
			return a.failure(field, "add the file, or correct the path", "file %s of parameter %s does not exist", p,
				document.Text(e, "name"))
		}
		if a.r.SetFile == nil {
			a.r.SetFile = map[string]string{}
		}
		a.r.SetFile[document.Text(e, "name")] = p
	}
	return nil
}

// argoCommas escapes commas, which would end a parameter. Upstream: cleanSetParameters.
func argoCommas(v string) string {
	if strings.HasPrefix(v, "{") && strings.HasSuffix(v, "}") {
		return v
	}
	var out strings.Builder
	for i := range len(v) {
		if v[i] == ',' && (i == 0 || v[i-1] != '\\') {
			out.WriteByte('\\')
		}
		out.WriteByte(v[i])
	}
	return out.String()
}
