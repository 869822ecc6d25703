package helm

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	hooks "helm.sh/helm/v3/pkg/release"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// execute renders the templates once, as an install that finds nothing.
func execute(c *release.Chart, ch *chart.Chart, vals map[string]any, known *document.Known) ([]document.Document,
	*object.Failure) {
	return executeAs(c, ch, vals, asInstall, &steps{most: MaxSteps}, known)
}

var asInstall = chartutil.ReleaseOptions{Revision: 1, IsInstall: true}

// executeAs renders the templates once, as opts says and with what lookup finds.
func executeAs(c *release.Chart, ch *chart.Chart, vals map[string]any, opts chartutil.ReleaseOptions,
	s *steps, known *document.Known) ([]document.Document, *object.Failure) {
	caps, err := capabilities(c.KubeVersion)
	if err != nil {
		return nil, &object.Failure{Reason: err.Error(), Where: object.FileStart(path.Join(c.Dir, "Chart.yaml")),
			Remedy: "give a version such as 1.36"}
	}
	caps.APIVersions = append(caps.APIVersions, c.APIVersions...)
	if want := ch.Metadata.KubeVersion; want != "" && !chartutil.IsCompatibleRange(want, caps.KubeVersion.String()) {
		file := path.Join(c.Dir, "Chart.yaml")
		return nil, &object.Failure{
			Reason: fmt.Sprintf("the chart wants Kubernetes %s, rendered for %s", want, caps.KubeVersion.Version),
			Where:  object.FileStart(file), Remedy: "declare the release with `kubeVersion`",
		}
	}
	if err := chartutil.ProcessDependenciesWithMerge(ch, vals); err != nil {
		return nil, templateFailure(c, ch, nil, err)
	}
	opts.Name, opts.Namespace = c.Name, c.Namespace
	if opts.Name == "" {
		opts.Name = ch.Name()
	}
	top, err := chartutil.ToRenderValuesWithSchemaValidation(ch, vals, opts, caps, true)
	if err != nil {
		return nil, templateFailure(c, ch, nil, err)
	}
	if !c.AnyValues && !c.SkipSchema {
		if f := validate(c, ch, top["Values"].(chartutil.Values)); f != nil {
			return nil, f
		}
	}
	texts, err := renderCounted(ch, top, s)
	if errors.Is(err, ErrSteps) {
		file := path.Join(c.Dir, "Chart.yaml")
		return nil, &object.Failure{Reason: fmt.Sprintf("%s: %s", file, err), Where: object.FileStart(file),
			Remedy: "look for a loop in the templates that grows with its input"}
	}
	if err != nil {
		return nil, templateFailure(c, ch, nil, err)
	}
	return documents(c, ch, texts, known)
}

// documents decodes what the templates gave, in the order of their paths.
func documents(c *release.Chart, ch *chart.Chart, texts map[string]string, known *document.Known) ([]document.Document,
	*object.Failure) {
	if c.IncludeCRDs {
		for _, crd := range ch.CRDObjects() {
			texts[crd.Filename] = string(crd.File.Data)
		}
	}
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	sort.Strings(names)
	var docs []document.Document
	for _, name := range names {
		if strings.HasPrefix(path.Base(name), "_") || strings.HasSuffix(name, "NOTES.txt") ||
			strings.TrimSpace(texts[name]) == "" {
			continue
		}
		list, err := templateDocuments(c, name, texts[name], known)
		if err != nil {
			return nil, templateFailure(c, ch, texts, err)
		}
		docs = append(docs, list...)
	}
	return docs, nil
}

// templateDocuments decodes the documents of one rendered template.
func templateDocuments(c *release.Chart, name, text string, known *document.Known) ([]document.Document, error) {
	manifests := splitManifests(text)
	if err := document.TooMany(len(manifests), func(i int) []byte { return []byte(manifests[i]) }); err != nil {
		return nil, &renderedError{name: name, err: fmt.Errorf("yaml: %w", err)}
	}
	var docs []document.Document
	for i, one := range manifests {
		m, twice, ok, err := known.Object(one + "\n") // Helm writes them out so: a block at the end keeps its newline
		if err != nil {
			return nil, &renderedError{name: name, text: one, err: err}
		}
		if !ok {
			return nil, &renderedError{name: name, text: one, err: fmt.Errorf("yaml: the document is not an object")}
		}
		if len(m) == 0 {
			continue
		}
		hook, unknown := hookOf(m)
		if strings.Contains(name, "/crds/") && !strings.Contains(name, "/templates/") {
			hook, unknown = false, "" // Helm does not look at what crds/ holds
		}
		if hook && (c.SkipHooks || c.SkipTests && isTest(m)) {
			continue
		}
		docs = append(docs, document.Document{Content: m, File: name, Doc: i, Hook: hook && unknown == "", NoHook: unknown,
			Twice: twice})
	}
	return docs, nil
}

// isTest reports whether a hook is a test.
func isTest(content map[string]any) bool {
	v, _ := fieldpath.Path{fieldpath.Key("metadata"), fieldpath.Key("annotations"),
		fieldpath.Key(hooks.HookAnnotation)}.Get(content)
	return strings.Contains(fmt.Sprint(v), "test")
}

// hookOf reports whether an object is a hook, and which type of it Helm does not know.
func hookOf(content map[string]any) (hook bool, unknown string) {
	v, ok := fieldpath.Path{fieldpath.Key("metadata"), fieldpath.Key("annotations"),
		fieldpath.Key(hooks.HookAnnotation)}.Get(content)
	text, isText := v.(string)
	if !ok || !isText {
		return false, ""
	}
	for _, e := range strings.Split(text, ",") {
		switch e = strings.TrimSpace(e); strings.ToLower(e) {
		case "pre-install", "post-install", "pre-delete", "post-delete", "pre-upgrade", "post-upgrade",
			"pre-rollback", "post-rollback", "test", "test-success":
		default:
			return true, cmp.Or(e, `""`)
		}
	}
	return true, ""
}

// withoutUnknownHooks leaves out what Helm does, and says so.
//
// Upstream: helm v3.21.4, pkg/releaseutil: (*manifestFile).sort.
func withoutUnknownHooks(c *release.Chart, ch *chart.Chart, out release.Output) release.Output {
	docs := out.Docs
	out.Docs = nil
	for _, d := range docs {
		if d.NoHook == "" {
			out.Docs = append(out.Docs, d)
			continue
		}
		lines := strings.Split(string(templateSource(ch, ch.ChartFullPath(), d.File)), "\n")
		annotates := func(s string) bool {
			return strings.Contains(strings.ReplaceAll(s, hooks.HookAnnotation+"-", ""), hooks.HookAnnotation)
		}
		line := 1 + slices.IndexFunc(lines, func(s string) bool { return annotates(s) && strings.Contains(s, d.NoHook) })
		if line == 0 {
			line = 1 + slices.IndexFunc(lines, annotates)
		}
		out.Notes = append(out.Notes, object.Say(object.HookUnknown, d.NoHook, document.Text(d.Content, "kind"),
			document.Text(d.Content, "metadata", "name")).At(object.LineOf(TemplateFile(c, d.File), line, "template")))
	}
	return out
}

// splitManifests gives the documents of one rendered template, in order.
//
// Upstream: helm v3.21.4, pkg/releaseutil.SplitManifests, which splits by an expression that takes longer than
// decoding large definitions. Exact: what is between two matches of (?:^|\s*\n)---\s*, without space around it.
func splitManifests(text string) []string {
	const space = "\t\n\f\r "
	text = strings.TrimSpace(text)
	var out []string
	keep := func(doc string) {
		if doc != "" {
			out = append(out, strings.TrimSpace(doc))
		}
	}
	from := 0
	for at := 0; ; {
		i := strings.Index(text[at:], "---")
		if i < 0 {
			break
		}
		i += at
		if at = i + 1; i > 0 && (i == from || text[i-1] != '\n') {
			continue
		}
		keep(strings.TrimRight(text[from:i], space))
		end := i + len("---")
		from = end + len(text[end:]) - len(strings.TrimLeft(text[end:], space))
		at = from
	}
	keep(text[from:])
	return out
}
