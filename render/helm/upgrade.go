package helm

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// A chart may render otherwise as an upgrade, or depend on objects in the cluster. It is rendered as an install that
// finds nothing, and again as an upgrade of that install, which finds its objects. If the two differ in something that
// pods depend on, the applied objects are unknown.

// upgradeCall matches what may tell an upgrade from an install.
var upgradeCall = regexp.MustCompile(`\.Release\.(IsUpgrade|IsInstall|Revision)\b`)

// asksForUpgrade reports whether a template of a chart mentions what tells an upgrade from an install.
func asksForUpgrade(ch *chart.Chart) bool {
	return slices.ContainsFunc(ch.Templates, func(t *chart.File) bool {
		return bytes.Contains(t.Data, []byte(".Release.")) && upgradeCall.Match(t.Data)
	}) || slices.ContainsFunc(ch.Dependencies(), asksForUpgrade)
}

// upgraded are the documents of a chart as an upgrade gives them, in a cluster that has some documents; nil: it gives
// none. It fails if it needs more of an object in the cluster than is known.
func upgraded(c *release.Chart, files map[string][]byte, has []document.Document,
	known *document.Known) []document.Document {
	for _, found := range []engine.ClientProvider{cluster{has}, nil} {
		ch, vals, _, f := loadWithValues(c, files)
		if f != nil {
			return nil
		}
		opts := chartutil.ReleaseOptions{Revision: 2, IsUpgrade: true}
		if docs, f := executeAs(c, ch, vals, opts, &steps{most: MaxSteps, found: found}, known); f == nil {
			return docs
		}
	}
	return nil
}

// decided are the templates that an upgrade, or the cluster, makes something else of.
func decided(c *release.Chart, docs, again []document.Document) []object.Hole {
	was, is := byTemplate(docs, docs), byTemplate(again, docs)
	names := maps.Clone(was)
	maps.Copy(names, is)
	var out []object.Hole
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if slices.Equal(was[name], is[name]) {
			continue
		}
		file := TemplateFile(c, name)
		out = append(out, object.Hole{Kind: object.Cluster, What: file + " as an upgrade renders it",
			Where:  object.FileStart(file),
			Reason: file + ": an upgrade, or what lookup finds in the cluster, makes something else of it",
			Remedy: "let a value decide it in place of .Release and lookup, or check both ways by hand",
			Own:    Digest(was[name], is[name])})
	}
	return out
}

// byTemplate are the texts of documents by template, sorted, without objects that no pod depends on, and without values
// that differ at every render.
func byTemplate(list, first []document.Document) map[string][]string {
	volatile := map[string][]string{}
	for _, d := range first {
		volatile[nameOf(d)] = d.VolatilePaths()
	}
	out := map[string][]string{}
	for _, d := range list {
		kind := document.GVK(d.Content).Kind
		if d.Hook || kind == "Secret" || kind == "ConfigMap" {
			continue
		}
		content := fieldpath.DeepCopy(d.Content).(map[string]any)
		for _, path := range append(volatile[nameOf(d)], "metadata.annotations", "spec.template.metadata.annotations") {
			fieldpath.Parse(path).Blank(content)
		}
		out[d.File] = append(out[d.File], Digest(content))
	}
	for _, texts := range out {
		slices.Sort(texts)
	}
	return out
}

func nameOf(d document.Document) string {
	return fmt.Sprint(d.File, document.GVK(d.Content), document.Text(d.Content, "metadata", "namespace"),
		document.Text(d.Content, "metadata", "name"))
}

// cluster has some documents, and of every other kind and name an otherwise unknown object.
type cluster struct{ has []document.Document }

// GetClientFor implements [engine.ClientProvider].
func (c cluster) GetClientFor(apiVersion, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	return finder{cluster: c, version: apiVersion, kind: kind}, true, nil
}

type finder struct {
	dynamic.NamespaceableResourceInterface // a template asks for one object, or for all
	cluster
	version, kind, namespace string
}

func (f finder) Namespace(ns string) dynamic.ResourceInterface {
	f.namespace = ns
	return f
}

func (f finder) Get(_ context.Context, name string, _ metav1.GetOptions,
	_ ...string) (*unstructured.Unstructured, error) {
	list := f.all(name)
	return &list[0], nil
}

func (f finder) List(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	return &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": f.version, "kind": f.kind + "List"},
		Items: f.all("")}, nil
}

// all are the objects of a kind, with a name if one is given: at least one.
func (f finder) all(name string) []unstructured.Unstructured {
	var out []unstructured.Unstructured
	for _, d := range f.has {
		meta, _ := d.Content["metadata"].(map[string]any)
		if d.Content["apiVersion"] != f.version || d.Content["kind"] != f.kind || name != "" && meta["name"] != name {
			continue
		}
		content := fieldpath.DeepCopy(d.Content).(map[string]any)
		if texts, ok := content["stringData"].(map[string]any); ok && f.kind == "Secret" {
			data := map[string]any{}
			for k, v := range texts {
				data[k] = base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(v)))
			}
			before, _ := content["data"].(map[string]any)
			content["data"] = MergeValues(before, data)
		}
		out = append(out, unstructured.Unstructured{Object: content})
	}
	if len(out) == 0 {
		meta := map[string]any{"name": name, "namespace": f.namespace, "uid": strings.Repeat("0", 8)}
		out = append(out, unstructured.Unstructured{Object: map[string]any{"apiVersion": f.version, "kind": f.kind,
			"metadata": meta}})
	}
	return out
}
