package verify

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// quotedCanary is what no quoted line may hold; on base it ends in -old.
const quotedCanary = "c4nary-Zq81"

// quotedManifest has a canary wherever a person may have put a secret; %[1]s is it, and
// %[2]s its base64. The lines that are no secret's stand between.
const quotedManifest = `apiVersion: v1
kind: Secret
metadata: {name: db, namespace: default}
stringData:
  token: %[1]s
data:
  harmless: %[2]s
---
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: sealed, namespace: default}
spec:
  encryptedData:
    size: %[1]s
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: default
  annotations:
    shape: %[1]s
spec:
  replicas: %[3]d
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web, tier: %[1]s}
    spec:
      nodeSelector:
        disk: %[1]s
      containers:
      - name: web
        image: web:v%[3]d
        args: ["--mode", %[1]s]
        command: [run, "--size=%[2]s"]
        env:
        - name: MODE
          value: %[1]s
        - {name: SHAPE, value: %[1]s}
        resources:
          requests:
            cpu: %[3]d00m
`

// A Secret's value is quoted by no finding and no fix, whichever lines they are about, and
// under whatever key it stands; the lines that hold none are quoted.
func TestQuoteHidesCanary(t *testing.T) {
	text := func(secret string, n int) string {
		return fmt.Sprintf(quotedManifest, secret, base64.StdEncoding.EncodeToString([]byte(secret)), n)
	}
	base, head := text(quotedCanary+"-old", 2), text(quotedCanary+"-new", 3)
	ch, _ := changeOf(t, base, head, "")
	pl := judge.NewPlaces(ch)
	lines := strings.Split(strings.TrimSuffix(head, "\n"), "\n")
	var quoted []string
	for first := 1; first <= len(lines); first++ {
		for last := first; last <= min(first+8, len(lines)); last++ {
			for _, side := range []string{"head", "base"} {
				at := finding.Location{File: "m.yaml", StartLine: first, EndLine: last, Side: side, InDiff: side == "head"}
				replaced := strings.Join(lines[first-1:last], "\n") + "\n"
				f := finding.Finding{Locations: []finding.Location{at}, Fix: &finding.Fix{Location: &at, Mechanical: true, Replacement: replaced}}
				if side == "base" { // a fix that takes the lines out
					f.Fix.Replacement = ""
				}
				pl.Quote(&f)
				for _, h := range []*finding.Hunk{f.Changed, f.Fix.Diff} {
					if h != nil {
						quoted = append(quoted, slices.Concat(h.Removed, h.Added)...)
					}
				}
				said, err := json.Marshal([]*finding.Hunk{f.Changed, f.Fix.Diff})
				if err != nil {
					t.Fatal(err)
				}
				for _, form := range canaryForms() {
					if strings.Contains(string(said), form) {
						t.Fatalf("lines %d to %d of %s quote %s: %s", first, last, side, form, said)
					}
				}
			}
		}
	}
	for _, l := range []string{"  replicas: 2", "  replicas: 3", "            cpu: 300m", "        image: web:v3"} {
		if !slices.Contains(quoted, l) {
			t.Errorf("%q is never quoted", l)
		}
	}
}

// canaryForms are the canary as it is, and the parts of its base64 that do not depend on
// what follows it.
func canaryForms() []string {
	return []string{quotedCanary, base64.StdEncoding.EncodeToString([]byte(quotedCanary))[:12]}
}
