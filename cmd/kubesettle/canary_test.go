package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// canaryPlace is a place where a secret stands; %s is the secret, and %64 its base64.
type canaryPlace struct{ name, file, text string }

const (
	canaryPod    = "apiVersion: v1\nkind: Pod\nmetadata: {name: %n}\nspec:\n  containers:\n  - name: c\n    image: c\n    "
	canaryConfig = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %n}\n"
)

// canaryPlaces are those of a repository in which everything renders; brokenPlaces those in
// which the release fails, and its error could quote them.
var (
	canaryPlaces = []canaryPlace{
		{"secret data", "m", "apiVersion: v1\nkind: Secret\nmetadata: {name: %n}\ndata: {a: %64}\n"},
		{"secret stringData", "m", "apiVersion: v1\nkind: Secret\nmetadata: {name: %n}\nstringData: {a: '%s'}\n"},
		{"secret file", "m", "apiVersion: v1\nkind: Secret\nmetadata: {name: %n}\nstringData:\n  f: |\n    user = app\n    password = %s\n"},
		{"secret and ConfigMap", "m", "apiVersion: v1\nkind: Secret\nmetadata: {name: %n}\nstringData: {a: '%s'}\n---\n" + canaryConfig + "data: {shared: '%s'}\n"},
		{"secret and variable", "m", "apiVersion: v1\nkind: Secret\nmetadata: {name: %n}\ndata: {a: %64}\n---\n" + canaryPod + "env: [{name: SHARED, value: '%s'}]\n"},
		{"secret and label", "m", "apiVersion: v1\nkind: Secret\nmetadata: {name: %n}\ndata: {a: %64}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: %n, labels: {x: '%s'}}\n"},
		{"sealed", "m", "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: %n}\nspec: {encryptedData: {a: '%s'}}\n"},
		{"sealed template", "m", "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: %n}\nspec: {template: {data: {a: '%s'}}}\n"},
		{"external template", "m", "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: %n}\nspec: {target: {template: {data: {a: 'u:%s'}}}}\n"},
		{"generator literal", "k", "secretGenerator:\n- {name: %n, literals: ['a=%s']}\n"},
		{"ADMIN_PASS", "m", canaryPod + "env: [{name: ADMIN_PASS, value: '%s'}]\n"},
		{"DB_PASS", "m", canaryPod + "env: [{name: DB_PASS, value: '%s'}]\n"},
		{"PGPASS", "m", canaryPod + "env: [{name: PGPASS, value: '%s'}]\n"},
		{"REDIS_AUTH", "m", canaryPod + "env: [{name: REDIS_AUTH, value: '%s'}]\n"},
		{"CREDS", "m", canaryPod + "env: [{name: CREDS, value: '%s'}]\n"},
		{"SLACK_WEBHOOK", "m", canaryPod + "env: [{name: SLACK_WEBHOOK, value: 'https://hooks.slack.com/services/T/B/%s'}]\n"},
		{"any variable", "m", canaryPod + "env: [{name: ANY, value: '%s'}]\n"},
		{"bearer", "m", canaryPod + "args: ['-H', 'Authorization: Bearer %s']\n"},
		{"basic", "m", canaryPod + "args: ['-H', 'Authorization: Basic %64']\n"},
		{"curl -u", "m", canaryPod + "command: [sh, -c, 'curl -u admin:%s https://x']\n"},
		{"-pX", "m", canaryPod + "command: [mysql, '-p%s']\n"},
		{"flag", "m", canaryPod + "args: ['--any=%s']\n"},
		{"flag and value", "m", canaryPod + "args: [--any, '%s']\n"},
		{"probe", "m", canaryPod + "livenessProbe: {exec: {command: [check, '%s']}}\n"},
		{"probe header", "m", canaryPod + "livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: X, value: '%s'}]}}\n"},
		{"hook", "m", canaryPod + "lifecycle: {preStop: {exec: {command: ['%s']}}}\n"},
		{"netrc", "m", canaryConfig + "data: {.netrc: 'machine x login y password %s'}\n"},
		{"pgpass", "m", canaryConfig + "data: {f: 'db:5432:shop:app:%s'}\n"},
		{"chpasswd", "m", canaryPod + "command: [sh, -c, 'echo root:%s | chpasswd']\n"},
		{"docker auth", "m", canaryConfig + "data: {f: '{\"auths\": {\"r\": {\"auth\": \"%64\"}}}'}\n"},
		{"user information", "m", canaryPod + "env: [{name: DATABASE, value: 'postgres://app:%s@db/shop'}]\n"},
		{"any config key", "m", canaryConfig + "data: {motd: '%s'}\n"},
		{"config file", "m", canaryConfig + "data:\n  app.yaml: |\n    a: {b: '%s'}\n"},
		{"binary data", "m", canaryConfig + "binaryData: {f: %64}\n"},
		{"annotation", "m", "apiVersion: v1\nkind: Service\nmetadata: {name: %n, annotations: {example.com/a: '%s'}}\n"},
		{"last applied", "m", "apiVersion: v1\nkind: Service\nmetadata: {name: %n, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"a\": \"%s\"}'}}\n"},
		{"custom resource", "m", "apiVersion: example.com/v1\nkind: Database\nmetadata: {name: %n}\nspec: {a: {b: '%s'}}\n"},
		{"key for TLS", "m", "apiVersion: example.com/v1\nkind: Gateway\nmetadata: {name: %n}\nspec: {tls: {key: '%s'}}\n"},
		{"private key", "m", canaryConfig + "data:\n  f: |\n    -----BEGIN RSA PRIVATE KEY-----\n    %s\n    -----END RSA PRIVATE KEY-----\n"},
		{"chart value", "c", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %n}\ndata: {a: {{ .Values.password | quote }}, b: {{ .Values.password | b64enc }}}\n"},
		{"storage class", "m", "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: %n}\nprovisioner: x\nparameters: {a: '%s'}\n"},
		{"storage class in a block", "m", "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: %n}\nprovisioner: x\nparameters:\n  a: '%s'\n"},
		{"unknown field", "m", canaryPod + "pasword: '%s'\n"},
		{"unknown field of a list", "m", canaryPod + "tokns: ['%s']\n"},
		{"unknown field beside one that is read", "m", "apiVersion: v1\nkind: Service\nmetadata: {name: %n}\nspec: {type: NodePort, pasword: '%s', ports: [{port: 80}]}\n"},
		{"refused value", "m", "apiVersion: v1\nkind: Service\nmetadata: {name: %n}\nspec: {type: '%s', ports: [{port: 80}]}\n"},
	}
	brokenPlaces = []canaryPlace{
		{"anchor", "m", "apiVersion: v1\nkind: Secret\nmetadata: {name: %n}\ndata: {a: *%s}\n"},
		{"tag", "m", "apiVersion: v1\nkind: Secret\nmetadata: {name: %n}\ndata: {a: !%s x}\n"},
		{"literal without =", "k", "secretGenerator:\n- {name: %n, literals: ['%s']}\n"},
		{"fail", "c", "{{ fail (printf \"bad %s\" .Values.password) }}\n"},
		{"fail, encoded", "c", "{{ fail (printf \"bad %s\" (.Values.password | b64enc)) }}\n"},
		{"fail, in upper case", "c", "{{ fail (printf \"bad %s\" (.Values.password | upper)) }}\n"},
		{"fail with any value", "c", "{{ fail (printf \"bad %s\" .Values.any) }}\n"},
		{"wrong type", "m", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %n}\nspec: {replicas: '%s'}\n"},
		{"wrong base64", "m", "apiVersion: v1\nkind: Secret\nmetadata: {name: %n}\ndata: {a: '%s!'}\n"},
		{"values that are no YAML", "v", "password: [%s\n"},
		{"remote base", "k", "resources: ['https://u:%s@example.com/x']\n"},
	}
)

// write puts a place into a folder, with a secret.
func (c canaryPlace) write(t *testing.T, dir string, n int, secret string) {
	t.Helper()
	text := c.text
	if c.file != "c" { // whose % are the template's
		text = strings.NewReplacer("%64", base64.StdEncoding.EncodeToString([]byte(secret)), "%s", secret).Replace(text)
	}
	text = strings.ReplaceAll(text, "%n", fmt.Sprintf("p%d", n))
	base := filepath.Join(dir, fmt.Sprintf("place%d", n))
	files := map[string]string{"a.yaml": text}
	switch c.file {
	case "k":
		files = map[string]string{"kustomization.yaml": text}
	case "c":
		files = map[string]string{"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "templates/a.yaml": text, "values.yaml": "password: " + secret + "\nany: " + secret + "\n"}
	case "v":
		files = map[string]string{"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "templates/a.yaml": "", "values.yaml": text}
	}
	for name, text := range files {
		file := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// No secret, in whatever place, reaches any surface: text, JSON, SARIF, comment, summary,
// HTML, Markdown, diff, render, standard error, and of the action its log, annotations,
// files, summary and the comment that it posts. Whatever a surface shows of it in another
// form, such as base64, is a leak too.
func TestCanariesReachNoSurface(t *testing.T) {
	for name, places := range map[string][]canaryPlace{"rendered": canaryPlaces, "broken": brokenPlaces} {
		t.Run(name, func(t *testing.T) {
			s := newStep(t, 1500)
			secrets := plantCanaries(t, s, places)
			outputs := everySurface(t, s)
			for surface, text := range outputs {
				for i, forms := range secrets {
					for _, form := range forms {
						if at := strings.Index(text, form); at >= 0 {
							t.Errorf("%s: %s shows %q: %.200q", places[i].name, surface, form, text[max(0, at-80):])
						}
					}
				}
				if surface != "standard error" && surface != "plan json" && len(text) < 50 {
					t.Errorf("%s is empty: %q", surface, text)
				}
			}
			t.Logf("%d places × %d surfaces", len(places), len(outputs))
		})
	}
}

// plantCanaries commits the places to both branches, each with a secret of its own on each
// side, and gives the forms of each place's.
func plantCanaries(t *testing.T, s *step, places []canaryPlace) (forms [][]string) {
	t.Helper()
	forms = make([][]string, len(places))
	for _, branch := range []string{"main", "topic"} {
		s.git("checkout", "--quiet", branch)
		for i, place := range places {
			// No two are alike, in no form: what is known of one must not hide another.
			secret := fmt.Sprintf("zq%dK%s-%sX9w%d", i*7919%1000, strings.ToUpper(letters(i)), branch, i*104729%1000)
			place.write(t, filepath.Join(s.dir, "workspace"), i, secret)
			for _, form := range []string{secret, strings.ToUpper(secret), base64.StdEncoding.EncodeToString([]byte(secret))[:16], fmt.Sprintf("%x", secret)} {
				if !slices.Contains(forms[i], form) {
					forms[i] = append(forms[i], form)
				}
			}
		}
		s.git("add", "--all")
		s.git("commit", "--quiet", "-m", "places")
	}
	s.git("checkout", "--quiet", "--detach", "main")
	s.git("merge", "--quiet", "--no-ff", "-X", "theirs", "-m", "merge", "topic")
	s.event("pull_request", s.pull("shop/gitops"))
	return forms
}

func letters(i int) string { return string([]byte{byte('a' + i%26), byte('a' + i/26), 'q'}) }

// everySurface runs every command over the pull request and gives what each wrote.
func everySurface(t *testing.T, s *step) map[string]string {
	t.Helper()
	out := map[string]string{}
	var comment bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			_, _ = comment.ReadFrom(r.Body)
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"id": 1, "html_url": "https://github.example/c/1"}`)
			return
		}
		fmt.Fprint(w, `[]`)
	}))
	defer server.Close()
	s.env["INPUT_HTML-FILE"], s.env["INPUT_COMMENT"], s.env["INPUT_GITHUB-TOKEN"], s.env["INPUT_INLINE-SUGGESTIONS"] = "k.html", "always", "t0ken", "true"
	s.env["GITHUB_API_URL"], s.env["GITHUB_GRAPHQL_URL"] = server.URL, server.URL+"/graphql"
	s.run()
	out["log and annotations"] = s.log.String()
	for name, file := range map[string]string{"job summary": "summary", "JSON file": "workspace/kubesettle.json", "SARIF file": "workspace/kubesettle.sarif", "HTML file": "workspace/k.html", "outputs": "output"} {
		out[name] = s.read(file)
	}
	out["posted comment"] = comment.String()
	repo := filepath.Join(s.dir, "workspace")
	var stderr bytes.Buffer
	command := func(args ...string) string {
		var stdout bytes.Buffer
		p := &process{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }, today: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)}
		execute(context.Background(), p, args)
		return stdout.String()
	}
	for _, format := range []string{"text", "markdown", "comment", "codequality", "junit"} {
		out["check "+format] = command("check", "--repo", repo, "--base", "main", "--head", "HEAD", "--output", format)
	}
	for _, format := range []string{"text", "json", "markdown"} {
		out["diff "+format] = command("diff", "--repo", repo, "--base", "main", "--head", "HEAD", "--output", format)
	}
	for _, format := range []string{"text", "json"} {
		out["doctor "+format] = command("doctor", repo, "--output", format)
		out["plan "+format] = command("plan", "--repo", repo, "--base", "main", "--head", "HEAD", "--output", format)
	}
	accepted := filepath.Join(t.TempDir(), "baseline.yaml")
	command("check", "--repo", repo, "--base", "main", "--head", "HEAD", "--write-baseline", accepted)
	if b, err := os.ReadFile(accepted); err == nil {
		out["baseline"] = string(b)
	}
	for _, format := range []string{"text", "json", "yaml"} {
		out["render "+format] = command("render", repo, "--output", format)
	}
	out["standard error"] = stderr.String()
	return out
}
