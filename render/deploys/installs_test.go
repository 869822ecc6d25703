package deploys

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A change is open where it changes what a program installs, or what that refers to, and nowhere else.
func TestOpened(t *testing.T) {
	const module = `locals {
  env   = "prod"
}
locals { other = "x" }
variable "replicas" {
  default = 2 # two
}
variable "zone" {}
resource "aws_s3_bucket" "b" {
  bucket = "a"
  policy = jsonencode({ "helm_release" = "x" })
}
resource "kubernetes_namespace" "n" { metadata { name = "a" } }
resource "helm_release" "web" {
  name   = "web-${var.x["}"]}"
  chart  = "web"
  values = [file("${path.module}/values.yaml"), templatefile("values-${local.env}.yaml.tpl", { r = var.replicas })]
  set {
    value = <<-EOT
      { x
    EOT
  }
}
/* resource "helm_release" "none" { chart = "a" } */
resource "aws_iam_role" "r" { name = "a" }
`
	base := map[string]string{"tf/main.tf": module, "tf/values.yaml": "a: 1\n", "tf/values-prod.yaml.tpl": "a: 1\n",
		"tf/other.yaml": "a: 1\n", "env/prod.tfvars": "replicas = 3\nzone = \"a\"\n",
		"root/main.tf": "module \"m\" {\n  source   = \"../tf\"\n  replicas = 1\n}\nmodule \"n\" {\n  source = \"hashicorp/x/y\"\n  a = 1\n}\n",
		"aws/main.ts":  "import * as aws from '@pulumi/aws'\n", "aws/Pulumi.yaml": "name: a\n",
		"k8s/src/main.ts": "import * as k8s from '@pulumi/kubernetes'\n", "k8s/Pulumi.yaml": "name: a\n", "k8s/data/a.yaml": "a: 1\n",
		"charts/main.py": "from cdk8s import App\n", "charts/cdk8s.yaml": "app: main.py\n",
		"web/fleet.yaml": "helm: {chart: a}\n", "vendir.yml": "kind: Config\n"}
	edit := func(file, was, is string) map[string]string {
		if !strings.Contains(base[file], was) {
			t.Fatalf("%s has no %s", file, was)
		}
		return map[string]string{file: strings.Replace(base[file], was, is, 1)}
	}
	for name, row := range map[string]struct {
		head map[string]string
		want string
	}{
		"a comment":                   {edit("tf/main.tf", "# two", "# 2"), ""},
		"its space":                   {edit("tf/main.tf", "env   =", "env ="), ""},
		"a bucket":                    {edit("tf/main.tf", `bucket = "a"`, `bucket = "b"`), ""},
		"a role behind it":            {edit("tf/main.tf", `name = "a" }`+"\n", `name = "b" }`+"\n"), ""},
		"a resource in a comment":     {edit("tf/main.tf", `chart = "a"`, `chart = "b"`), ""},
		"a namespace":                 {edit("tf/main.tf", `{ name = "a" } }`, `{ name = "b" } }`), ""},
		"a local that nothing needs":  {edit("tf/main.tf", `"x" }`, `"y" }`), ""},
		"a chart":                     {edit("tf/main.tf", `"web"`+"\n  values", `"api"`+"\n  values"), "tf/main.tf:14"},
		"a text in it":                {edit("tf/main.tf", "{ x", "{ y"), "tf/main.tf:14"},
		"a variable of it":            {edit("tf/main.tf", "default = 2", "default = 3"), "tf/main.tf:5"},
		"a local of it":               {edit("tf/main.tf", `"prod"`, `"dev"`), "tf/main.tf:1"},
		"it goes":                     {map[string]string{"tf/main.tf": ""}, "tf/main.tf:1"},
		"its values":                  {map[string]string{"tf/values.yaml": "a: 2\n"}, "tf/values.yaml:1"},
		"its template":                {map[string]string{"tf/values-prod.yaml.tpl": "a: 2\n"}, "tf/values-prod.yaml.tpl:1"},
		"values beside":               {map[string]string{"tf/other.yaml": "a: 2\n"}, ""},
		"a given variable of it":      {edit("env/prod.tfvars", "3", "4"), "env/prod.tfvars:1"},
		"another given variable":      {edit("env/prod.tfvars", `"a"`, `"b"`), ""},
		"a call of the module":        {edit("root/main.tf", "replicas = 1", "replicas = 2"), "root/main.tf:1"},
		"a call of another":           {edit("root/main.tf", "a = 1", "a = 2"), ""},
		"a program of Pulumi":         {map[string]string{"k8s/src/main.ts": "// @pulumi/kubernetes\n"}, "k8s/src/main.ts:1"},
		"a stack of Pulumi":           {map[string]string{"k8s/Pulumi.prod.yaml": "a: 1\n"}, "k8s/Pulumi.prod.yaml:1"},
		"data beside it":              {map[string]string{"k8s/data/a.yaml": "a: 2\n"}, ""},
		"one without Kubernetes":      {map[string]string{"aws/main.ts": "// a\n"}, ""},
		"a program of cdk8s":          {map[string]string{"charts/main.py": "from cdk8s import *\n"}, "charts/main.py:1"},
		"a bundle of Fleet":           {map[string]string{"web/fleet.yaml": "helm: {chart: b}\n"}, "web/fleet.yaml:1"},
		"what vendir fetches":         {map[string]string{"vendir.yml": "kind: Config # b\n"}, "vendir.yml:1"},
		"a file that breaks off":      {map[string]string{"tf/main.tf": module + `resource "helm_release" "a" { x = "${`}, "tf/main.tf:26"},
		"another module that does so": {map[string]string{"new/a.tofu": "resource \"kubernetes_deployment_v1\" \"a\" {\n"}, "new/a.tofu:1"},
	} {
		now := maps.Clone(base)
		maps.Copy(now, row.head)
		maps.DeleteFunc(now, func(_, text string) bool { return text == "" })
		var got []string
		for _, o := range Opened(sourceOf(t, base), sourceOf(t, now), slices.Sorted(maps.Keys(row.head)), func(string) bool { return false }) {
			got = append(got, fmt.Sprintf("%s:%d", o.File, o.Line))
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
