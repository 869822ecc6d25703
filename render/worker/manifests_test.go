package worker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Plain manifests are decoded without a process, and come out as from one: scalars drawn of all kinds that YAML and
// JSON tell apart, aliases, broken files.
func TestPlainManifestsNeedNoProcess(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	procs := &pool{ctx: context.Background(), box: Sandbox{Command: []string{exe, "render-worker"}, Time: time.Minute}}
	w, err := procs.start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	here := New(context.Background(), Options{Workers: 1, Sandbox: Sandbox{Command: []string{"/none"}}})
	defer here.Close()
	r := rand.New(rand.NewPCG(2, 6))
	scalars := []string{"1", "1e3", "1.0", "-0", "0o17", "017", "1_000", "18446744073709551615", "9007199254740993",
		"1e30", ".inf", "yes", "null", "~", "2020-01-02", "!!binary gIGC", "!!str 1", "\"\\u2028<&>\"", "*a",
		"&a {x: [1, 2.50]}", "[*a, *a]", "'", "{{ .x }}"}
	failed := 0
	for i := range 60 {
		j := &release.Recipe{Release: release.Release{Release: object.Release{ID: "p", Kind: object.Manifests, Path: "p"}},
			Files: map[string][]byte{}, Notes: []object.Note{{Kind: "a note"}}}
		for k := range 1 + r.IntN(3) {
			var text strings.Builder
			text.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
			for n := range 1 + r.IntN(3) {
				fmt.Fprintf(&text, "f%d: %s\n", n, scalars[r.IntN(len(scalars))])
			}
			p := fmt.Sprintf("p/%d.yaml", k)
			j.Release.Files, j.Files[p] = append(j.Release.Files, p), []byte(text.String())
		}
		want, _, err := w.ask(j)
		if err != nil {
			t.Fatal(err)
		}
		got := here.Run(j)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("recipe %d: %q\n%+v\nwant\n%+v", i, j.Files, got, want)
		}
		if got.Err != nil || len(got.Lost) > 0 {
			failed++
		}
	}
	if failed < 5 || failed > 50 {
		t.Errorf("%d of 60 fail: the draw shows nothing", failed)
	}
}

// What is decoded here heeds the time, too.
func TestPlainManifestsHeedTheTime(t *testing.T) {
	clock := &release.Clock{}
	clock.Set(time.Now().Add(-time.Second))
	p := New(context.Background(), Options{Workers: 1, Clock: clock, Sandbox: Sandbox{Command: []string{"/none"}}})
	defer p.Close()
	j := &release.Recipe{
		Release: release.Release{Release: object.Release{ID: "p", Kind: object.Manifests, Path: "p"}, Files: []string{"p/a.yaml"}},
		Files:   map[string][]byte{"p/a.yaml": []byte("apiVersion: v1\nkind: ConfigMap\n")},
	}
	if out := p.Run(j); out.Err == nil || !out.Err.Cut {
		t.Errorf("after the end: %+v", out)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	p = New(stopped, Options{Workers: 1, Sandbox: Sandbox{Command: []string{"/none"}}})
	defer p.Close()
	if out := p.Run(j); out.Err == nil || !strings.Contains(out.Err.Reason, "stopped") {
		t.Errorf("in a run that was stopped: %+v", out)
	}
}
