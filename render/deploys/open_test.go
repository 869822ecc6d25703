package deploys

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
)

// sourceOf is a repository of some files.
func sourceOf(t *testing.T, files map[string]string) *source.Source {
	t.Helper()
	m, err := tree.Map("test", files)
	if err != nil {
		t.Fatal(err)
	}
	s, err := source.New(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A change is open where it changes what a command does to a cluster that nothing else follows, what that is given, or
// what a tool that is not run deploys. Whatever it changes beside these is not.
func TestOpenedByCommandsAndTools(t *testing.T) {
	const chart = "apiVersion: v2\nname: k\nversion: 1.0.0\n"
	script := func(lines string) string { return "#!/bin/bash\n" + lines + "\n" }
	job := func(run string) string {
		return "on: push\njobs:\n  d:\n    runs-on: ubuntu-latest\n    steps:\n    - run: " + run + "\n"
	}
	for name, row := range map[string]struct {
		file, was, is string
		want          string // file and line; "": nothing
		beside        map[string]string
	}{
		"kubectl scales":               {"d.sh", script("kubectl scale deploy/web --replicas 1"), script("kubectl scale deploy/web --replicas 9"), "d.sh:2", nil},
		"kubectl sets":                 {"d.sh", script("true"), script("kubectl -n a set resources deploy/web --requests cpu=1"), "d.sh:2", nil},
		"kubectl patches":              {"Makefile", "d:\n\tkubectl patch deploy web -p '{}'\n", "d:\n\tkubectl patch deploy web -p '{a: 1}'\n", "Makefile:2", nil},
		"kubectl drains":               {"d.sh", script("true"), script("kubectl drain n"), "d.sh:2", nil},
		"kubectl reads":                {"d.sh", script("kubectl get deploy"), script("kubectl get deploy -A"), "", nil},
		"kubectl edits no pods":        {"d.sh", script("kubectl patch sa default -p a"), script("kubectl patch sa default -p b"), "", nil},
		"kubectl tries":                {"d.sh", script("true"), script("kubectl scale deploy/web --replicas 1 --dry-run=server"), "", nil},
		"kubectl takes an address":     {"d.sh", script("kubectl apply -f https://example.com/v1.yaml"), script("kubectl apply -f https://example.com/v2.yaml"), "d.sh:2", nil},
		"kubectl takes a text":         {"d.sh", script("kubectl apply -f - <<EOF\nkind: A\nEOF"), script("kubectl apply -f - <<EOF\nkind: B\nEOF"), "d.sh:2", nil},
		"kubectl takes a template":     {"d.sh", script("export N=1\nenvsubst < a.tpl | kubectl apply -f -"), script("export N=2\nenvsubst < a.tpl | kubectl apply -f -"), "d.sh:3", nil},
		"the template itself":          {"a.tpl", "a", "b", "a.tpl:1", map[string]string{"d.sh": script("envsubst < a.tpl | kubectl apply -f -")}},
		"make fills in":                {"Makefile", "N=1\nd:\n\tsed 's/N/$(N)/' a.tpl | kubectl apply -f -\n", "N=2\nd:\n\tsed 's/N/$(N)/' a.tpl | kubectl apply -f -\n", "Makefile:3", nil},
		"an edit after helm":           {"d.sh", script("helm template k ./k | sed s/a/b/ | kubectl apply -f -"), script("helm template k ./k | sed s/a/c/ | kubectl apply -f -"), "d.sh:2", nil},
		"nothing after helm":           {"d.sh", script("helm template k ./k | kubectl apply -f -"), script("helm template k ./k | tee out | kubectl apply -f -"), "", nil},
		"a namespace is made":          {"d.sh", script("kubectl create ns a --dry-run=client -o yaml | kubectl apply -f -"), script("kubectl create ns b --dry-run=client -o yaml | kubectl apply -f -"), "", nil},
		"kustomize edits":              {".github/workflows/d.yml", job("cd k && kustomize edit set replicas web=1"), job("cd k && kustomize edit set replicas web=9"), ".github/workflows/d.yml:6", nil},
		"helm takes JSON":              {"d.sh", script("helm upgrade k ./k --set-json a=1"), script("helm upgrade k ./k --set-json a=2"), "d.sh:2", nil},
		"helm has a renderer":          {"d.sh", script("helm upgrade k ./k"), script("helm upgrade k ./k --post-renderer ./p"), "d.sh:2", nil},
		"helm takes what is followed":  {"d.sh", script("helm upgrade k ./k --set a=1"), script("helm upgrade k ./k --set a=2"), "", nil},
		"helm writes an unknown chart": {"d/gen", script("true"), script("helm template k k \\\n  --repo https://a.example > out/k.yaml"), "", map[string]string{"d/out/k.yaml": "a: b"}},
		"helm writes for kubectl":      {"d/gen", script("helm template k $CHART --set a=1 > k.yaml\nkubectl apply -f k.yaml"), script("helm template k $CHART --set a=2 > k.yaml\nkubectl apply -f k.yaml"), "d/gen:2", nil},
		"nothing deploys it any more":  {"d.sh", script("helm upgrade k $CHART"), script("true"), "", nil},
		"a test makes a pod":           {"tasks/test.yaml", "tasks: {a: {cmds: ['kubectl create deploy web --image a']}}", "tasks: {a: {cmds: ['kubectl create deploy web --image b']}}", "", nil},
		"helm takes an unknown chart":  {"d.sh", script("helm upgrade k $CHART --set a=1"), script("helm upgrade k $CHART --set a=2"), "d.sh:2", nil},
		"helmfile has a state":         {"Makefile", "d:\n\thelmfile --state-values-set a=1 apply\n", "d:\n\thelmfile --state-values-set a=2 apply\n", "Makefile:2", nil},
		"helmfile is given a file":     {"s.yaml", "a: 1\n", "a: 2\n", "s.yaml:1", map[string]string{"d.sh": script("helmfile --state-values-file=$PWD/s.yaml apply")}},
		"helmfile asks a file":         {"c.yaml", "a: 1\n", "a: 2\n", "c.yaml:1", map[string]string{"helmfile.yaml": "releases: [{name: k, values: [{a: 'ref+file://c.yaml#/a'}]}]\n"}},
		"helmfile runs a file":         {"c.sh", "echo 1\n", "echo 2\n", "c.sh:1", map[string]string{"helmfile.yaml": "releases: [{name: k, values: [{a: '{{ exec \"./c.sh\" (list) }}'}]}]\n"}},
		"variables of a file":          {".env", "A=1\n", "A=2\n", ".env:1", map[string]string{"Makefile": "include .env\nd:\n\thelmfile apply\n"}},
		"variables of something else":  {".env", "A=1\n", "A=2\n", "", map[string]string{"Makefile": "include .env\nd:\n\tdocker compose up\n"}},
		"argocd sets":                  {".github/workflows/d.yml", job("argocd app set k -p a=1"), job("argocd app set k -p a=2"), ".github/workflows/d.yml:6", nil},
		"a cluster for a test":         {"d.sh", script("kind create cluster\nkubectl apply -f https://example.com/v1.yaml"), script("kind create cluster\nkubectl apply -f https://example.com/v2.yaml"), "", nil},
		"a file is written for a call": {"d.sh", script("N=1 envsubst < a > v.yaml\nhelm upgrade k ./k -f v.yaml"), script("N=2 envsubst < a > v.yaml\nhelm upgrade k ./k -f v.yaml"), "d.sh:2", nil},
		"a file is written for none":   {"d.sh", script("yq -i .a=1 Chart.yaml"), script("yq -i .a=2 Chart.yaml"), "", nil},
		"another step of a job":        {".github/workflows/d.yml", job("helm upgrade k ./k") + "    - run: a\n", job("helm upgrade k ./k") + "    - run: b\n", "", nil},

		"values of a bundle of Fleet":    {"f/v.yaml", "a: 1\n", "a: 2\n", "f/v.yaml:1", map[string]string{"f/fleet.yaml": "helm: {valuesFiles: [v.yaml]}\n"}},
		"a file beside a bundle":         {"g/v.yaml", "a: 1\n", "a: 2\n", "", map[string]string{"f/fleet.yaml": "helm: {valuesFiles: [v.yaml]}\n"}},
		"Kluctl":                         {"w/v.yaml", "a: 1\n", "a: 2\n", "w/v.yaml:1", map[string]string{".kluctl.yaml": "targets: []\n"}},
		"werf":                           {".helm/values.yaml", "a: 1\n", "a: 2\n", ".helm/values.yaml:1", map[string]string{"werf.yaml": "project: k\n"}},
		"a hidden chart of none":         {".helm/values.yaml", "a: 1\n", "a: 2\n", "", nil},
		"DevSpace":                       {"devspace.yaml", "deployments: {k: {helm: {values: {a: 1}}}}\n", "deployments: {k: {helm: {values: {a: 2}}}}\n", "devspace.yaml:1", nil},
		"Garden":                         {"garden.yml", "kind: Deploy\ntype: helm\n", "kind: Deploy\ntype: helm\nname: k\n", "garden.yml:1", nil},
		"Score":                          {"score.yaml", "apiVersion: score.dev/v1b1\na: 1\n", "apiVersion: score.dev/v1b1\na: 2\n", "score.yaml:1", nil},
		"Timoni":                         {"b.cue", "bundle: {instances: {a: 1}}\n", "bundle: {instances: {a: 2}}\n", "b.cue:1", nil},
		"a library of ytt":               {"y/c/l.star", "1", "2", "y/c/l.star:1", map[string]string{"y/c/a.yaml": "#@ load(\"l.star\", \"a\")\nkind: A\n"}},
		"a program of Starlark":          {"y/c/l.star", "1", "2", "", nil},
		"a play of Ansible":              {"p.yml", "- tasks:\n  - kubernetes.core.helm: {name: a}\n", "- tasks:\n  - kubernetes.core.helm: {name: b}\n", "p.yml:1", nil},
		"a play that only looks":         {"p.yml", "- tasks:\n  - kubernetes.core.k8s_info: {name: a}\n", "- tasks:\n  - kubernetes.core.k8s_info: {name: b}\n", "", nil},
		"one that looks, and runs":       {"p.yml", "- tasks:\n  - kubernetes.core.k8s_info: {name: a}\n  - command: kubectl apply -f a\n", "- tasks:\n  - kubernetes.core.k8s_info: {name: a}\n  - command: kubectl apply -f b\n", "p.yml:1", nil},
		"one that deletes":               {"p.yml", "- tasks:\n  - kubernetes.core.k8s:\n      state: absent\n      name: a\n", "- tasks:\n  - kubernetes.core.k8s:\n      state: absent\n      name: b\n", "p.yml:1", nil},
		"a template of Ansible":          {"ansible/templates/a.yaml.j2", "a", "b", "ansible/templates/a.yaml.j2:1", map[string]string{"ansible/p.yml": "- tasks:\n  - kubernetes.core.k8s:\n      template: a.yaml.j2\n"}},
		"another template of it":         {"ansible/templates/b.conf.j2", "a", "b", "", map[string]string{"ansible/p.yml": "- tasks:\n  - kubernetes.core.k8s:\n      template: a.yaml.j2\n"}},
		"Terraform in JSON":              {"main.tf.json", `{"resource": {"helm_release": {"a": 1}}}`, `{"resource": {"helm_release": {"a": 2}}}`, "main.tf.json:1", nil},
		"a bucket in JSON":               {"main.tf.json", `{"resource": {"aws_s3_bucket": {"a": 1}}}`, `{"resource": {"aws_s3_bucket": {"a": 2}}}`, "", nil},
		"inputs by Terragrunt":           {"l/terragrunt.hcl", "terraform {\n  source = \"../m\"\n}\ninputs = { a = 1 }\n", "terraform {\n  source = \"../m\"\n}\ninputs = { a = 2 }\n", "l/terragrunt.hcl:1", map[string]string{"m/main.tf": "resource \"helm_release\" \"a\" {\n}\n"}},
		"inputs of a file":               {"l/e.yaml", "a: 1\n", "a: 2\n", "l/e.yaml:1", map[string]string{"l/terragrunt.hcl": "terraform {\n  source = \"../m\"\n}\nlocals { e = yamldecode(file(\"e.yaml\")) }\n", "m/main.tf": "resource \"helm_release\" \"a\" {\n}\n"}},
		"inputs of a network":            {"l/terragrunt.hcl", "terraform {\n  source = \"git::https://example.com/vpc\"\n}\ninputs = { a = 1 }\n", "terraform {\n  source = \"git::https://example.com/vpc\"\n}\ninputs = { a = 2 }\n", "", nil},
		"documents that a pattern finds": {"m/a.tpl", "a", "b", "m/a.tpl:1", map[string]string{"main.tf": "data \"kubectl_path_documents\" \"d\" {\n  pattern = \"${path.module}/m/*.tpl\"\n}\nresource \"kubectl_manifest\" \"a\" {\n  x = data.kubectl_path_documents.d.y\n}\n"}},
	} {
		files := map[string]string{"k/Chart.yaml": chart}
		maps.Copy(files, row.beside)
		files[row.file] = row.was
		now := maps.Clone(files)
		now[row.file] = row.is
		var got []string
		for _, o := range Opened(sourceOf(t, files), sourceOf(t, now), []string{row.file}, func(string) bool { return false }) {
			got = append(got, fmt.Sprintf("%s:%d", o.File, o.Line))
		}
		if !slices.Equal(got, strings.Fields(row.want)) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
