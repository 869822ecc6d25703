package helm

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
)

// keyForms are what charts do with new keys, by function.
var keyForms = []string{
	`{{ $ca := genCA "x-ca" 365 }}` + "\na: {{ $ca.Cert | b64enc }}\nb: {{ $ca.Key | quote }}\n",
	`{{- $ca := genCA "x-ca" 365 }}{{ $c := genSignedCert "x" nil (list "a.b" "c") 30 $ca }}` + "\na: |\n  {{- $c.Cert | nindent 2 }}\n",
	`{{ with genSelfSignedCert "x" (list "10.0.0.1") nil 30 }}` + "a: {{ toJson . | quote }}\nb: {{ .Cert | sha256sum }}\n{{ end }}",
	"a: {{ genPrivateKey \"rsa\" | b64enc }}\n",
	"a: {{ (genCA \"genCA\" 1).Cert | trunc 27 }}\nb: \"genCA\" # {{/* genCA */}}\n",
	"a: {{ htpasswd \"me\" \"secret\" }}\nb: {{ bcrypt \"secret\" | quote }}\n",
	"a: {{ \"secret\" | htpasswd \"me\" | b64enc }}\n",
	"a: {{ if contains \"BEGIN\" (genCA \"x\" 1).Cert }}yes{{ else }}no{{ end }}\nb: {{ .Values.genCA }}\n",
	// What is ready is no certificate that can be read: made for real.
	`{{ $ca := genCA "x" 1 }}{{ $b := buildCustomCert (b64enc $ca.Cert) (b64enc $ca.Key) }}` + "\na: {{ $b.Cert | b64enc }}\n",
	"a: {{ genPrivateKey \"ecdsa\" | b64enc }}\n",
	"a: {{ tpl \"{{ bcrypt .Values.genCA }}\" . }}\nb: {{ now | unixEpoch }}\n",
}

// TestReadyKeysMarkWhatRealOnesDo renders a chart whose templates are drawn at random, as keys take long: what differs at
// every render, and what stands for it, is the same whether the second render makes keys or not.
func TestReadyKeysMarkWhatRealOnesDo(t *testing.T) {
	var texts []string
	for _, k := range rand.New(rand.NewPCG(7, 8)).Perm(len(keyForms))[:3] {
		texts = append(texts, keyForms[k])
	}
	c, files := keyChart(texts...)
	out := Render(c, files, nil)
	if out.Err != nil {
		t.Fatalf("%q: %v", texts, out.Err)
	}
	plain := slices.Clone(out.Docs)
	for i := range plain {
		plain[i].Volatile = nil
	}
	marked := 0
	for i, d := range document.MarkVolatile(plain, real(t, c, files)) {
		if marked += len(d.Volatile); !reflect.DeepEqual(out.Docs[i].Volatile, d.Volatile) {
			t.Errorf("%s\nmarked %v\nwith real keys %v", texts[i], out.Docs[i].Volatile, d.Volatile)
		}
	}
	if marked == 0 {
		t.Error("nothing differs: the forms show nothing")
	}
}

// real renders once more, with keys of its own.
func real(t *testing.T, c *release.Chart, files map[string][]byte) []document.Document {
	t.Helper()
	ch, vals, _, f := loadWithValues(c, files)
	if f == nil {
		anotherTime(ch)
		var docs []document.Document
		if docs, f = execute(c, ch, vals, nil); f == nil {
			return docs
		}
	}
	t.Fatal(f)
	return nil
}

// TestCounterfactualsMakeNoKeys wants the same of two renders that are to be compared, also where keys are made, and
// refusals where the first rendering refuses.
func TestCounterfactualsMakeNoKeys(t *testing.T) {
	for _, form := range keyForms[:8] {
		c, files := keyChart(form)
		c.Once = true
		a, b := Render(c, files, nil), Render(c, files, nil)
		if a.Err != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s\n%v\n%v", form, a, b)
		}
	}
	for _, wrong := range []string{
		"a: {{ genCA \"x\" \"365\" }}\n", "a: {{ bcrypt }}\n", "a: {{ genSelfSignedCert \"x\" (list \"no address\") nil 1 }}\n",
	} {
		if c, files := keyChart(wrong); Render(c, files, nil).Err == nil {
			t.Errorf("%s renders", wrong)
		}
	}
}

func keyChart(templates ...string) (*release.Chart, map[string][]byte) {
	c := &release.Chart{Dir: "c", Name: "c", Names: map[string]string{}}
	files := map[string][]byte{"c/Chart.yaml": []byte("apiVersion: v2\nname: c\nversion: 0.1.0\n"), "c/values.yaml": []byte("genCA: x\n")}
	for i, text := range templates {
		files[fmt.Sprintf("c/templates/%02d.yaml", i)] = []byte("apiVersion: v1\nkind: Thing\n" + text)
	}
	for p := range files {
		c.Names[p[2:]] = p
	}
	return c, files
}
