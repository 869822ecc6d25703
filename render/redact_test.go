package render

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/mask"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/tree"
)

const canary = "kanarienvogel-9f8e7d"

// plants are the places where a secret may stand; %s is the canary.
var plants = map[string]string{
	"secret data": `apiVersion: v1
kind: Secret
metadata: {name: s}
data: {anything: ` + base64.StdEncoding.EncodeToString([]byte(canary)) + `}`,
	"secret stringData": `apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {anything: "%s"}`,
	"environment":   pod(`env: [{name: DB_PASSWORD, value: "%s"}]`),
	"flag":          pod(`args: ["--api-key=%s"]`),
	"two arguments": pod(`args: ["--auth-token", "%s"]`),
	"shell":         pod(`command: [sh, -c, "PGPASSWORD=%s psql"]`),
	"address":       pod(`env: [{name: DATABASE, value: "postgres://app:%s@db:5432/app"}]`),
	"annotation": `apiVersion: v1
kind: Service
metadata: {name: s, annotations: {example.com/auth-token: "%s"}}`,
	"last applied": `apiVersion: v1
kind: Service
metadata: {name: s, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"data": "%s"}'}}`,
	"config key": `apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {smtp_password: "%s"}`,
	"config text": `apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  app.properties: |
    db.user=app
    db.password=%s
    db.host=x`,
	"config yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  app.yaml: |
    auth:
      client_secret: "%s"`,
	"custom resource": `apiVersion: example.com/v1
kind: Database
metadata: {name: d}
spec: {admin: {password: "%s"}}`,
	"private key": `apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  file: |
    -----BEGIN RSA PRIVATE KEY-----
    %s
    -----END RSA PRIVATE KEY-----`,
	"key of a pair": `apiVersion: example.com/v1
kind: Gateway
metadata: {name: g}
spec: {listener: {cert: public, key: "%s"}}`,
	"key for TLS": `apiVersion: example.com/v1
kind: Gateway
metadata: {name: g}
spec: {tls: {key: "%s"}}`,
	"ADMIN_PASS":    pod(`env: [{name: ADMIN_PASS, value: "%s"}]`),
	"DB_PASS":       pod(`env: [{name: DB_PASS, value: "%s"}]`),
	"PGPASS":        pod(`env: [{name: PGPASS, value: "%s"}]`),
	"REDIS_AUTH":    pod(`env: [{name: REDIS_AUTH, value: "%s"}]`),
	"CREDS":         pod(`env: [{name: CREDS, value: "u:%s"}]`),
	"SLACK_WEBHOOK": pod(`env: [{name: SLACK_WEBHOOK, value: "https://hooks.slack.com/services/T0/B0/%s"}]`),
	"any variable":  pod(`env: [{name: PLAIN, value: "%s"}]`),
	"bearer":        pod(`args: ["--header", "Authorization: Bearer %s"]`),
	"curl user":     pod(`command: [sh, -c, "curl -u admin:%s https://x"]`),
	"short flag":    pod(`command: [mysql, "-p%s"]`),
	"chpasswd":      pod(`command: [sh, -c, "echo root:%s | chpasswd"]`),
	"probe":         pod(`livenessProbe: {exec: {command: [check, "%s"]}}`),
	"probe header":  pod(`livenessProbe: {httpGet: {port: 80, path: /, httpHeaders: [{name: X, value: "%s"}]}}`),
	"probe path":    pod(`livenessProbe: {httpGet: {port: 80, path: "/check/%s"}}`),
	"hook":          pod(`lifecycle: {preStop: {exec: {command: ["%s"]}}}`),
	"working dir":   pod(`workingDir: "/%s"`),
	"netrc": `apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {.netrc: "machine x login y password %s"}`,
	"pgpass": `apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {file: "db:5432:app:app:%s"}`,
	"docker auth": `apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {config.json: '{"auths": {"r": {"auth": "%s"}}}'}`,
	"any config key": `apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {motd: "%s"}`,
	"any annotation": `apiVersion: v1
kind: Service
metadata: {name: s, annotations: {example.com/owner: "%s"}}`,
	"external": `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: s}
spec: {target: {template: {data: {a: "x %s"}}}}`,
	"sealed template": `apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: s}
spec: {template: {data: {a: "%s"}}}`,
	"storage class": `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: s}
provisioner: x
parameters: {adminId: "%s"}`,
	"volume attributes": pod(`tty: true`) + `
  volumes: [{name: v, csi: {driver: d, volumeAttributes: {a: "%s"}}}]`,
	"scaled object": `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: s}
spec: {scaleTargetRef: {name: web}, triggers: [{type: postgresql, metadata: {connection: "%s", query: "SELECT '%s'"}}]}`,
	"helm release values": `apiVersion: example.com/v2
kind: Release
metadata: {name: s}
spec: {values: {name: "%s", image: "%s"}}`,
	"ingress host": `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: s}
spec: {rules: [{host: "%s.example.com"}]}`,
	"sealed": `apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: s}
spec: {encryptedData: {a: "%s"}}`,
}

func pod(container string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    image: c\n    " + container
}

func plant(text, secret string) string {
	if strings.Contains(text, "%s") {
		return strings.ReplaceAll(text, "%s", secret)
	}
	return strings.ReplaceAll(text, base64.StdEncoding.EncodeToString([]byte(canary)), base64.StdEncoding.EncodeToString([]byte(secret)))
}

// No output shows a secret that was planted, and a secret that changed shows as changed.
func TestRedactHidesCanary(t *testing.T) {
	for name, manifest := range plants {
		base := renderOne(t, plant(manifest, canary+"-old"))
		head := renderOne(t, plant(manifest, canary))
		ch, err := Diff(base, head)
		if err != nil {
			t.Fatal(err)
		}
		c := object.Change{Base: base.Releases[0].Objects[0], Head: head.Releases[0].Objects[0]}
		if len(ch.Changes) == 1 {
			c = ch.Changes[0]
		} else if name != "last applied" { // which is noise
			t.Errorf("%s: %d changes", name, len(ch.Changes))
		}
		out := UnifiedDiff(c) + fmt.Sprint(mask.Content(c.Base)) + fmt.Sprint(mask.Content(c.Head))
		for _, f := range c.Fields {
			out += fmt.Sprint(f.Old, f.New)
		}
		for _, leak := range []string{canary, base64.StdEncoding.EncodeToString([]byte(canary))[:20]} {
			if strings.Contains(out, leak) {
				t.Errorf("%s: leaked in\n%s", name, out)
			}
		}
		if !strings.Contains(UnifiedDiff(c), "\n+") {
			t.Errorf("%s: the change does not show:\n%s", name, UnifiedDiff(c))
		}
	}
}

// Fields that one side alone has show no secret either: a list is one value.
func TestFieldsHideCanary(t *testing.T) {
	with := pod(`env: [{name: DB_PASSWORD, value: "` + canary + `"}]
    args: ["--password", "` + canary + `", "--token=` + canary + `", "postgres://u:` + canary + `@h/d"]`)
	for name, sides := range map[string][2]string{"added": {pod("tty: true"), with}, "removed": {with, pod("tty: true")}} {
		ch, err := Diff(renderOne(t, sides[0]), renderOne(t, sides[1]))
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(ch.Changes[0].Fields)
		if strings.Contains(text, canary) || !strings.Contains(text, "DB_PASSWORD") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// What a rule reads, or what is safe by its form, stays readable; the rest does not.
func TestRedactKeepsWhatRulesRead(t *testing.T) {
	rev := renderOne(t, `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 0}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, tier: front-2}}
    spec:
      automountServiceAccountToken: false
      imagePullSecrets: [{name: registry-credentials}]
      priorityClassName: high-1
      nodeSelector: {disk: ssd}
      tolerations: [{key: spot, operator: Equal, value: "only", effect: NoSchedule}]
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]
      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: app, operator: In, values: [web, web2]}]}}]}}
      containers:
      - name: web
        image: registry.example.com/team/web@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
        resources: {requests: {cpu: 250m, memory: 1Gi}}
        readinessProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 5}
        args: ["--verbose", "--replicas=3"]
        env:
        - {name: LOG_LEVEL, value: debug}
        - {name: PASSWORD, valueFrom: {secretKeyRef: {name: web, key: password}}}
`)
	o := rev.Releases[0].Objects[0]
	if got := fmt.Sprint(mask.Content(o)); got != fmt.Sprint(o.Content) {
		t.Errorf("changed:\n%s\nfrom\n%v", got, o.Content)
	}
	rev = renderOne(t, `apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {example.com/note: "some text"}}
spec:
  hostname: somewhere
  containers:
  - {name: web, image: web, args: ["--level=lots", "word"], env: [{name: PLACE, value: "words alone"}]}
`)
	if got := fmt.Sprint(mask.Content(rev.Releases[0].Objects[0])); strings.Contains(got, "some") || strings.Contains(got, "word") || strings.Contains(got, "lots") {
		t.Errorf("what no rule reads is shown: %s", got)
	}
}

// Helm prints values in its errors; those of telling keys are taken out.
func TestFailureHidesCanary(t *testing.T) {
	rev := renderFiles(t, map[string]string{
		"c/Chart.yaml":         "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"c/values.yaml":        "database:\n  password: " + canary + "\n",
		"c/templates/a.yaml":   "{{ fail (printf \"bad database %v\" .Values.database) }}",
		"d/Chart.yaml":         "apiVersion: v2\nname: d\nversion: 1.0.0\n",
		"d/values.yaml":        "password: [" + canary + "\n",
		"e/a.yaml":             "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: \"" + canary + "\"}\n",
		"f/kustomization.yaml": "resources: [https://user:" + canary + "@example.com/x]\n",
	})
	for _, r := range rev.Releases {
		if r.ID == "e" && r.Err == nil { // what the API server refuses of an object is no failure
			if said := fmt.Sprint(r.Objects[0].Refused); !strings.Contains(said, "base64") || strings.Contains(said, canary) {
				t.Errorf("e: refused for %s", said)
			}
		} else if r.Err == nil {
			t.Errorf("%s did not fail", r.ID)
		} else if strings.Contains(r.Err.Reason+r.Err.Remedy, canary) {
			t.Errorf("%s: leaked in %s", r.ID, r.Err.Reason)
		}
	}
}

func renderOne(t testing.TB, manifest string) *object.Revision {
	t.Helper()
	rev := renderFiles(t, map[string]string{"m/a.yaml": manifest + "\n"})
	if r := rev.Releases[0]; r.Err != nil {
		t.Fatalf("%s\n%s", r.Err.Reason, manifest)
	}
	return rev
}

func renderFiles(t testing.TB, files map[string]string) *object.Revision {
	t.Helper()
	tree, err := tree.Map("test", files)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := Render(context.Background(), tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

// A Secret may hold words that any sentence has, alone or base64: masking them would garble what is said of
// other things, and hides nothing. A password beside them stays hidden.
func TestSentencesStayReadable(t *testing.T) {
	objects := `apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {a: with, b: "and", c: refetch, d: they, e: hunter2-9x, f: unknown}
`
	tree, err := tree.Map("head", map[string]string{"s.yaml": objects})
	if err != nil {
		t.Fatal(err)
	}
	rev, err := Render(t.Context(), tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := "they read it when they start, and nothing changes with it; run with --refetch; an unknown field belongs elsewhere"
	if got := rev.Known.Scrub(text); got != text {
		t.Errorf("%q became %q", text, got)
	}
	if got := rev.Known.Scrub("with hunter2-9x"); strings.Contains(got, "hunter2") {
		t.Errorf("the password is shown: %q", got)
	}
}

// A value by itself is masked as it is in the copy of its whole object, a list or a map as each of its leaves.
func TestAValueIsMaskedAsInItsObject(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	known := &redact.Known{}
	known.Add("hunter2-hunter2")
	known.Seal()
	texts := []string{"a", "true", "hunter2-hunter2", "x hunter2-hunter2 y", "https://u:pw123456@example.com", "--token=abcdefgh", "--password", "ghp_" + strings.Repeat("a", 36)}
	keys := []string{"name", "value", "password", "args", "command", "env", "data", "key", "tls", "image", "annotations", "list"}
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.Intn(6); {
		case n < 2 && depth > 0:
			m := map[string]any{}
			for range r.Intn(4) {
				m[keys[r.Intn(len(keys))]] = value(depth - 1)
			}
			return m
		case n == 2 && depth > 0:
			list := []any{}
			for range r.Intn(4) {
				list = append(list, value(depth-1))
			}
			return list
		case n == 3:
			return []any{int64(7), true, nil, 1.5}[r.Intn(4)]
		}
		return texts[r.Intn(len(texts))]
	}
	hidden := 0
	for range 300 {
		o := &object.Object{ID: object.ID{Kind: []string{"Thing", "Secret", "SealedSecret"}[r.Intn(3)]}, Known: known}
		o.Content = map[string]any{"spec": value(4), "data": value(2)}
		whole := mask.Content(o)
		var walk func(p fieldpath.Path, v any)
		walk = func(p fieldpath.Path, v any) {
			want, _ := p.Get(whole)
			if got := mask.Value(o, p, v); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s of %v: %v, and in the whole object %v", p, o.Content, got, want)
			}
			if !reflect.DeepEqual(want, v) {
				hidden++
			}
			for _, s := range fieldpath.Steps(v) {
				below, _ := fieldpath.Path{s}.Get(v)
				walk(p.With(s), below)
			}
		}
		walk(fieldpath.Path{fieldpath.Key("spec")}, o.Content["spec"])
		walk(fieldpath.Path{fieldpath.Key("data")}, o.Content["data"])
	}
	if hidden < 100 {
		t.Errorf("%d values are masked: too few to show anything", hidden)
	}
}
