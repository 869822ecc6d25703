package worker

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// A worker that remembers what it had and gave renders a row of recipes as one that begins anew for each: charts and folders
// drawn at random, of which the next differs in some values and files, with more texts than are remembered.
func TestWhatWorkersRememberChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	known, earlier := &document.Known{Most: 2000}, map[int]map[string]any{}
	var sent, had map[string][]byte
	numbered, spared := 0, 0
	files := map[string][]byte{}
	for i := range 150 {
		j := anyRecipe(r, files)
		plain, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		b, err := encodeRecipe(j, sent)
		if err != nil {
			t.Fatal(err)
		}
		if sent = j.Files; len(b) < len(plain)*3/4 {
			spared++
		}
		there, err := decodeRecipe(b, had)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(there); string(again) != string(plain) {
			t.Fatalf("recipe %d:\n%s\nbecame\n%s", i, plain, again)
		}
		had = there.Files
		if b, err = encodeOutput(there, runHere(there, known), known); err != nil {
			t.Fatal(err)
		}
		got, whole, err := decodeOutput(b, earlier)
		if err != nil {
			t.Fatal(err)
		}
		if !whole {
			numbered++
		}
		if b, err = json.Marshal(runHere(j, nil)); err != nil {
			t.Fatal(err)
		}
		want, _, err := decodeOutput(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("recipe %d:\n%v\nwant\n%v", i, got, want)
		}
	}
	if numbered < 20 || spared < 20 {
		t.Errorf("%d outputs refer to earlier ones, %d recipes to earlier files: the row shows nothing", numbered, spared)
	}
}

// anyRecipe is a chart, or now and then a folder, with some files changed.
func anyRecipe(r *rand.Rand, files map[string][]byte) *release.Recipe {
	made := func(i int) string {
		return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\ndata: {a: \"%d\", b: 1.50, n: 7}\n", i, r.IntN(3))
	}
	for i := range 6 {
		p := fmt.Sprintf("c/templates/%d.yaml", i)
		if files[p] == nil || r.IntN(12) == 0 {
			text := made(i)
			if r.IntN(2) == 0 {
				text += "---\n" + made(9) + "x: {{ .Values.x | quote }}\n"
			}
			if r.IntN(20) == 0 {
				text = "{{ fail \"no\" }}"
			}
			files[p] = []byte(text)
		}
	}
	own := map[string][]byte{}
	for p, b := range files {
		own[p] = b
	}
	if r.IntN(8) == 0 {
		j := &release.Recipe{Release: release.Release{Release: object.Release{ID: "c", Kind: object.Manifests, Path: "c"}}, Files: own}
		for i := range 6 {
			j.Release.Files = append(j.Release.Files, fmt.Sprintf("c/templates/%d.yaml", i))
		}
		return j
	}
	own["c/Chart.yaml"], own["c/values.yaml"] = []byte("apiVersion: v2\nname: c\nversion: 0.1.0\n"), nil
	c := &release.Chart{Dir: "c", Name: "c", Names: map[string]string{}, Once: r.IntN(4) > 0,
		Inline: map[string]any{"x": r.IntN(4)}}
	for p := range own {
		c.Names[p[2:]] = p
	}
	return &release.Recipe{Release: release.Release{Release: object.Release{ID: "c", Kind: object.Helm, Path: "c"}}, Files: own, Chart: c}
}
