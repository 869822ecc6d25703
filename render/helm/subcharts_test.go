package helm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kubesettle/kubesettle/render/release"
)

// TestBrokenChartsAreNamedInOrder: of several charts in charts/ that cannot be loaded, at any depth, the same one is
// told every time, and it is one that Helm may name.
func TestBrokenChartsAreNamedInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	several := 0
	for range 40 {
		files := map[string][]byte{}
		brokenTree(r, files, "", 0)
		c, list := &release.Chart{Dir: "app", Names: map[string]string{}}, []*loader.BufferedFile(nil)
		for name, b := range files {
			c.Names[name] = name
			list = append(list, &loader.BufferedFile{Name: name, Data: b})
		}
		upstream := map[string]bool{}
		for range 20 {
			_, err := loader.LoadFiles(list)
			upstream[fmt.Sprint(err)] = true
		}
		if len(upstream) > 1 {
			several++
		}
		told := map[string]bool{}
		for range 10 {
			if _, f := load(c, files); f != nil {
				told[f.Reason] = true
			} else {
				told["<nil>"] = true
			}
		}
		if len(told) != 1 {
			t.Fatalf("told %v", told)
		}
		for text := range told {
			says := func() bool {
				_, err := loader.LoadFiles(list)
				return strings.HasSuffix(text, strings.Join(strings.Fields(fmt.Sprint(err)), " "))
			}
			tries := 0
			for !says() {
				if tries++; tries == 5000 {
					t.Fatalf("told %s; Helm says such as %v", text, upstream)
				}
			}
		}
	}
	if several < 10 {
		t.Errorf("%d charts of which Helm says several things", several)
	}
}

// brokenTree draws a chart below a folder: charts in folders and archives, some of which are broken.
func brokenTree(r *rand.Rand, files map[string][]byte, dir string, depth int) {
	name := fmt.Sprintf("c%d", r.IntN(1000))
	files[dir+"Chart.yaml"] = []byte("apiVersion: v2\nname: " + name + "\nversion: 0.1.0\n")
	if depth > 0 && r.IntN(4) == 0 {
		files[dir+"Chart.yaml"] = []byte("apiVersion: v2\nname: " + name + "\n") // without a version
		return
	}
	for i := range r.IntN(4 - depth) {
		sub := fmt.Sprintf("%scharts/s%d", dir, i)
		inner := map[string][]byte{}
		switch r.IntN(3) {
		case 0:
			files[sub+".tgz"] = fmt.Appendf(nil, "no archive %d", i)
		case 1:
			brokenTree(r, inner, "", depth+1)
			files[sub+".tgz"] = packed(inner)
		default:
			brokenTree(r, files, sub+"/", depth+1)
		}
	}
}

// packed is a chart's archive.
func packed(files map[string][]byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for name, b := range files {
		_ = w.WriteHeader(&tar.Header{Name: "chart/" + name, Mode: 0o644, Size: int64(len(b))})
		_, _ = w.Write(b)
	}
	_, _ = w.Close(), z.Close()
	return out.Bytes()
}
