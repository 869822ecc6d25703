package render

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
)

// sealedFiles is an overlay that has KSOPS decrypt a Secret and a ConfigMap.
func sealedFiles() map[string]string {
	return map[string]string{
		"prod/kustomization.yaml": "namePrefix: prod-\nresources: [web.yaml]\ngenerators: [./ksops.yaml]\n",
		"prod/ksops.yaml":         "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: x, annotations: {config.kubernetes.io/function: \"exec: {path: ksops}\"}}\nfiles:\n- ./sealed/key.enc.yaml\n- sealed/settings.enc.yaml\n",
		"prod/web.yaml":           "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2, template: {spec: {containers: [{name: web, image: web, envFrom: [{secretRef: {name: key}}, {configMapRef: {name: settings}}]}]}}}\n",
		"prod/sealed/key.enc.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\ndata:\n  key: ENC[AES256_GCM,data:abc=,iv:def=,tag:ghi=,type:str]\n" +
			"sops:\n  age: []\n  mac: ENC[AES256_GCM,data:jkl=,type:str]\n",
		"prod/sealed/settings.enc.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  mode: ENC[AES256_GCM,data:mno=,type:str]\nsops: {version: 3.9.0}\n",
	}
}

// TestWhatKSOPSDecryptsStaysEncrypted wants the objects that one gets who lists the manifests
// under resources, without what they were encrypted with.
func TestWhatKSOPSDecryptsStaysEncrypted(t *testing.T) {
	files := sealedFiles()
	got := renders(t, renderWith(t, files, Options{}), "prod")
	plain := maps.Clone(files)
	delete(plain, "prod/ksops.yaml")
	plain["prod/kustomization.yaml"] = "namePrefix: prod-\nresources: [web.yaml, sealed/key.enc.yaml, sealed/settings.enc.yaml]\n"
	for _, f := range []string{"prod/sealed/key.enc.yaml", "prod/sealed/settings.enc.yaml"} {
		plain[f], _, _ = strings.Cut(files[f], "sops:")
	}
	want := renders(t, renderWith(t, plain, Options{}), "prod")
	if len(got.Objects) != 3 || len(want.Objects) != 3 {
		t.Fatalf("%d objects, %d where they are listed", len(got.Objects), len(want.Objects))
	}
	for i, o := range got.Objects {
		if !reflect.DeepEqual(o.Content, want.Objects[i].Content) || len(o.Refused) > 0 || o.Source.File != want.Objects[i].Source.File {
			t.Errorf("%s differs, or has fields that are refused: %v", o.ID, o.Refused)
		}
	}
	if len(got.Notes) != 1 || got.Notes[0].Kind != object.StaysEncrypted {
		t.Errorf("notes: %v", got.Notes)
	}
	if len(got.Reads) != len(files) {
		t.Errorf("it reads %q", got.Reads)
	}

	web := objectOf(t, got, "prod-web")
	if name, _ := fieldpath.Parse("spec.template.spec.containers[0].envFrom[0].secretRef.name").Get(web.Content); name != "prod-key" {
		t.Errorf("it refers to %v", name)
	}
}

// TestWhatKSOPSDoesBeside wants refused what is more than decrypting, and what is not there.
func TestWhatKSOPSDoesBeside(t *testing.T) {
	for _, tt := range []struct{ file, old, new, reason string }{
		{"prod/ksops.yaml", "files:", "secretFrom: [{metadata: {name: a}, envs: [a.env]}]\nfiles:", "runs a program"},
		{"prod/ksops.yaml", "viaduct.ai/v1", "example.com/v1", "runs a program"},
		{"prod/ksops.yaml", "./sealed/key", "../key", "runs a program"},
		{"prod/ksops.yaml", "./sealed/key", "./sealed/none", "does not exist"},
		{"prod/kustomization.yaml", "generators: [", "transformers: [", "runs a program"},
	} {
		files := sealedFiles()
		files[tt.file] = strings.Replace(files[tt.file], tt.old, tt.new, 1)
		rev := renderWith(t, files, Options{})
		for _, r := range rev.Releases {
			if err := r.Lacks(); r.ID == "prod" && (err == nil || !strings.Contains(err.Reason, tt.reason)) {
				t.Errorf("%s: %v", tt.new, err)
			}
		}
	}
}

// TestWhatKSOPSMergesIntoOthers wants what kustomize's own Secret generator gives for the same entries,
// behavior and hash, with a base that has them, and that what refers to the object follows its name.
func TestWhatKSOPSMergesIntoOthers(t *testing.T) {
	for _, tt := range []struct{ behavior, hash, plain string }{
		{"merge", "true", "true"}, {"merge", "true", "false"}, {"merge", "false", "true"}, {"merge", "false", "false"},
		{"replace", "true", "true"}, {"replace", "true", "false"}, {"replace", "false", "false"},
		{"create", "true", ""}, {"", "true", ""}, {"", "false", ""},
	} {
		notes := "kustomize.config.k8s.io/needs-hash: " + strconv.Quote(tt.hash)
		if tt.behavior != "" {
			notes += ", kustomize.config.k8s.io/behavior: " + tt.behavior
		}
		web, _, _ := strings.Cut(sealedFiles()["prod/web.yaml"], ", {configMapRef")
		files := map[string]string{
			"base/kustomization.yaml": "resources: [web.yaml]\nsecretGenerator: [{name: key, literals: [key=old, kept=x], options: {disableNameSuffixHash: " + tt.plain + ", labels: {a: b}}}]\n",
			"base/web.yaml":           web + "]}]}}}\n",
			"prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\ngenerators: [ksops.yaml]\npatches: [{patch: '{apiVersion: v1, kind: Secret, metadata: {name: key, labels: {late: patch}}}'}]\n",
			"prod/ksops.yaml":         "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: x}\nfiles: [key.enc.yaml]\n",
			"prod/key.enc.yaml":       "apiVersion: v1\nkind: Secret\nmetadata: {name: key, annotations: {" + notes + "}}\ntype: Opaque\ndata: {key: bmV3}\nsops: {version: 3.9.0}\n",
		}
		twin := maps.Clone(files)
		behavior := tt.behavior
		if behavior == "" || behavior == "create" {
			behavior = "create"
			none := "resources: [web.yaml]\n"
			files["base/kustomization.yaml"], twin["base/kustomization.yaml"] = none, none
		}
		twin["prod/kustomization.yaml"] = strings.Replace(files["prod/kustomization.yaml"], "generators: [ksops.yaml]",
			fmt.Sprintf("secretGenerator: [{name: key, behavior: %s, type: Opaque, literals: [key=new], options: {disableNameSuffixHash: %v}}]", behavior, tt.hash != "true"), 1)
		got, want := renders(t, renderWith(t, files, Options{}), "prod"), renders(t, renderWith(t, twin, Options{}), "prod")
		if got.Err != nil || want.Err != nil || len(got.Objects) != len(want.Objects) {
			t.Errorf("%v: %v, %v, %d objects for %d", tt, got.Err, want.Err, len(got.Objects), len(want.Objects))
			continue
		}
		for i, o := range got.Objects {
			if !reflect.DeepEqual(o.Content, want.Objects[i].Content) {
				t.Errorf("%v: %s is %v, by a generator %v", tt, o.ID, o.Content, want.Objects[i].Content)
			}
		}
	}
}

// TestWhatKSOPSCannotMerge wants refused what would be merged into another kind, and failed what is merged
// into nothing, as kustomize does.
func TestWhatKSOPSCannotMerge(t *testing.T) {
	for _, tt := range []struct{ old, new, reason string }{
		{"metadata: {name: key}", "metadata: {name: key, annotations: {kustomize.config.k8s.io/behavior: merge}}", "no matches for Id"},
		{"kind: Secret\nmetadata: {name: key}", "kind: Role\nmetadata: {name: key, annotations: {kustomize.config.k8s.io/behavior: replace}}", "runs a program"},
	} {
		files := sealedFiles()
		files["prod/sealed/key.enc.yaml"] = strings.Replace(files["prod/sealed/key.enc.yaml"], tt.old, tt.new, 1)
		for _, r := range renderWith(t, files, Options{}).Releases {
			if err := r.Lacks(); r.ID == "prod" && (err == nil || !strings.Contains(err.Reason, tt.reason)) {
				t.Errorf("%s: %v", tt.new, err)
			}
		}
	}
}
