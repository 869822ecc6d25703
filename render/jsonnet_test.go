package render

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// jsonnetFiles are an Application of Jsonnet, a library that it is given, and one beside it.
func jsonnetFiles() map[string]string {
	return map[string]string{
		"app.yaml": `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  source:
    repoURL: https://github.com/example/repo
    path: apps/web
    directory:
      jsonnet:
        extVars: [{name: replicas, value: "3", code: true}, {name: app, value: $ARGOCD_APP_NAME}]
        tlas: [{name: name, value: web}]
        libs: [vendor, lib]
`,
		"apps/web/main.jsonnet": `local k = import 'k.libsonnet';
function(name) [
  k.deployment(name, std.extVar('replicas')),
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: std.extVar('app') }, data: { text: importstr '../web.txt' } },
]
`,
		"apps/web.txt": "one\n",
		// The last library is asked first, and what lies beside the importing file before all.
		"vendor/k.libsonnet": "error 'the library of another folder'",
		"lib/k.libsonnet": `{
  deployment(name, n):: {
    apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: name },
    spec: {
      replicas: n,
      minReadySeconds: 7,
      template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  },
}
`,
	}
}

func renderedPath(t *testing.T, files map[string]string, dir string) *object.Rendered {
	t.Helper()
	for _, r := range renderFiles(t, files).Releases {
		if r.Path == dir {
			return r
		}
	}
	t.Fatalf("no release of %s", dir)
	return nil
}

func TestJsonnetOfAnApplication(t *testing.T) {
	r := renderedPath(t, jsonnetFiles(), "apps/web")
	if r.Err != nil || len(r.Objects) != 2 {
		t.Fatalf("%d objects, %v", len(r.Objects), r.Err)
	}
	config, web := r.Objects[0], r.Objects[1]
	if config.ID.Kind == "Deployment" {
		config, web = web, config
	}
	if id := web.ID.String(); id != "apps/Deployment shop/web" || config.ID.Name != "web" {
		t.Errorf("%s and %s", id, config.ID)
	}
	if n := web.Content["spec"].(map[string]any)["replicas"]; n != int64(3) {
		t.Errorf("%T %v replicas", n, n)
	}
	for path, want := range map[string]string{"spec.minReadySeconds": "lib/k.libsonnet:6", "spec.replicas": "lib/k.libsonnet:5",
		"spec.template.spec.containers[0].image": "lib/k.libsonnet:7", "metadata.none": "apps/web/main.jsonnet:1"} {
		if at := web.Origin.(interface{ Locate(string) object.Location }).Locate(path); !strings.HasPrefix(place(at), want+":") {
			t.Errorf("%s is at %s, want %s", path, place(at), want)
		}
	}
	want := []string{"app.yaml", "apps/web.txt", "apps/web/main.jsonnet", "lib/k.libsonnet"}
	if got := slices.Clone(r.Reads); !slices.Equal(got, want) {
		t.Errorf("reads %q, want %q", got, want)
	}
}

// What a program cannot have from the repository is unknown; what is wrong with it is its fault. Both have their line.
func TestJsonnetThatGivesNothing(t *testing.T) {
	program := func(text string) map[string]string {
		return map[string]string{"apps/web/main.jsonnet": "function(name) [\n" + text + "\n]\n"}
	}
	for name, row := range map[string]struct {
		edit             map[string]string
		skipped, refused bool
		says             string
	}{
		"a library that is not there":     {map[string]string{"lib/k.libsonnet": "", "vendor/k.libsonnet": ""}, true, false, "main.jsonnet:1: the import k.libsonnet is not in the repository"},
		"one that is found elsewhere":     {map[string]string{"lib/k.libsonnet": ""}, false, false, "k.libsonnet:1: the library of another folder"},
		"an absolute path":                {program("importstr '/etc/passwd'"), true, true, "main.jsonnet:2: the import /etc/passwd leads out"},
		"a path out of the repository":    {program("importstr '../../../../etc/passwd'"), true, true, "main.jsonnet:2: the import ../../../../etc/passwd leads out"},
		"a path that is written oddly":    {program(`importstr '..\/web.txt'`), true, false, `is not in the repository`},
		"a folder":                        {program("import '../web'"), true, false, "main.jsonnet:2: the import ../web is not"},
		"a function of its caller":        {program("std.native('parseYaml')('a: 1')"), true, true, "main.jsonnet:2: the function parseYaml is given"},
		"a variable that nobody gives":    {program("std.extVar('other')"), false, false, "main.jsonnet:2: Undefined external variable: other"},
		"an argument that it lacks":       {map[string]string{"apps/web/main.jsonnet": "function(other) []\n"}, false, false, "name"},
		"an error":                        {program("error 'no'"), false, false, "main.jsonnet:2: no"},
		"no syntax":                       {program("{"), false, false, "main.jsonnet:3"},
		"itself":                          {program("local f(x) = f(x) + 1; f(1)"), false, false, "max stack frames exceeded"},
		"what is no object":               {program("1"), false, false, "$[0] is no object"},
		"a map of objects":                {program("{ a: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } }"), false, false, "$[0] is no object"},
		"an object that it never imports": {program("if false then import 'none.libsonnet' else { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }"), false, false, ""},
	} {
		files := jsonnetFiles()
		maps.Copy(files, row.edit)
		maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
		r := renderedPath(t, files, "apps/web")
		switch {
		case row.says == "":
			if r.Err != nil || len(r.Objects) != 1 {
				t.Errorf("%s: %v, %d objects", name, r.Err, len(r.Objects))
			}
		case r.Err == nil:
			t.Errorf("%s: rendered to %d objects", name, len(r.Objects))
		case r.Err.Skipped != row.skipped || r.Err.Refused != row.refused || !strings.Contains(r.Err.Reason, row.says):
			t.Errorf("%s: skipped %v, refused %v: %s", name, r.Err.Skipped, r.Err.Refused, r.Err.Reason)
		}
	}
}

// An environment of Tanka takes its libraries from the project, its namespace and destination from spec.json, and its
// objects from wherever they lie in what the program gives.
func TestEnvironmentOfTanka(t *testing.T) {
	files := map[string]string{
		"infra/jsonnetfile.json": `{"version": 1}`,
		"infra/environments/prod/spec.json": `{"apiVersion": "tanka.dev/v1alpha1", "kind": "Environment",
			"metadata": {"name": "x"}, "spec": {"apiServer": "https://example.com", "namespace": "shop"}}`,
		"infra/environments/prod/main.jsonnet": `local c = import 'c.libsonnet', env = std.extVar('tanka.dev/environment');
{ hidden:: c, none: null, all: { deep: [c.config(env.metadata.name, std.native('parseYaml')('{a: 1}')[0].a)] } }
`,
		"infra/lib/c.libsonnet": `local base = import 'base.libsonnet';
{ config(name, n):: base + { data: { name: name, n: '' + n, ns: std.extVar('tanka.dev/environment').spec.namespace } } }
`,
		"infra/vendor/base.libsonnet": "{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }",
	}
	r := renderedPath(t, files, "infra/environments/prod")
	if r.Err != nil || len(r.Objects) != 1 {
		t.Fatalf("%d objects, %v", len(r.Objects), r.Err)
	}
	data := r.Objects[0].Content["data"].(map[string]any)
	if r.Objects[0].ID.String() != "ConfigMap shop/c" || data["name"] != "environments/prod" || data["n"] != "1" ||
		data["ns"] != "shop" || r.Cluster != "https://example.com" {
		t.Errorf("%s %v on %s", r.Objects[0].ID, data, r.Cluster)
	}
	if !slices.Contains(r.Reads, "infra/environments/prod/spec.json") || !slices.Contains(r.Reads, "infra/vendor/base.libsonnet") {
		t.Errorf("reads %q", r.Reads)
	}
	files["infra/environments/prod/main.jsonnet"] = "std.native('helmTemplate')('a', './charts/a', { calledFrom: std.thisFile })\n"
	r = renderedPath(t, files, "infra/environments/prod")
	if r.Err == nil || !r.Err.Skipped || !strings.Contains(r.Err.Reason, "helmTemplate") {
		t.Errorf("helmTemplate: %v", r.Err)
	}
}

// A program that nothing names is a release where it gives what says itself how it is delivered, and open otherwise.
func TestJsonnetThatNothingNames(t *testing.T) {
	files := map[string]string{
		"root.jsonnet": "local app = import 'app.libsonnet'; function(name='shop') app(name, 'apps/')\n",
		"lib/app.libsonnet": `function(name, path) {
  apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name: name, namespace: 'argocd' },
  spec: { destination: { namespace: name, server: 'https://kubernetes.default.svc' },
    source: { repoURL: 'https://github.com/example/repo', path: path, directory: { jsonnet: { libs: ['lib'] } } } },
}
`,
		"apps/web.jsonnet":         "local app = import 'app.libsonnet'; { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } }\n",
		"other.jsonnet":            "local app = import 'app.libsonnet'; [app('a', 'b'), { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }]\n",
		"variable.jsonnet":         "(import 'app.libsonnet')('a', std.extVar('path'))\n",
		"settings.jsonnet":         "{ a: 1 }\n",
		"infra/jsonnetfile.json":   `{"version": 1, "dependencies": [{"source": {"local": {"directory": "../common/env"}}}]}`,
		"infra/env/prod.jsonnet":   "(import 'env/env.libsonnet') { spec+: { namespace: 'shop' }, data: { items: [], kind: 'list', a: null } } + { data: { all: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }] } }\n",
		"common/env/env.libsonnet": "{ apiVersion: 'tanka.dev/v1alpha1', kind: 'Environment', metadata: { name: 'e' }, spec: {}, data: {} }",
	}
	rev := renderFiles(t, files)
	got := map[string]string{}
	for _, r := range rev.Releases {
		got[r.Path] = "nothing"
		for _, o := range r.Objects {
			got[r.Path] = o.ID.String()
		}
		if r.Err != nil {
			got[r.Path] = r.Err.Reason
			if !r.Err.Skipped || !strings.Contains(r.Err.Remedy, "--head-dir") {
				t.Errorf("%s: skipped %v: %s", r.Path, r.Err.Skipped, r.Err.Remedy)
			}
		}
	}
	want := map[string]string{"root.jsonnet": "argoproj.io/Application argocd/shop", "apps": "ConfigMap shop/web",
		"other.jsonnet":    "other.jsonnet: nothing says who applies its Pod",
		"variable.jsonnet": "variable.jsonnet:1: Undefined external variable: path", "infra/env/prod.jsonnet": "ConfigMap shop/c"}
	if !maps.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
