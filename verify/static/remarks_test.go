package static_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/static"
)

var rewrite = flag.Bool("rewrite", false, "write what was found into the scripts")

// TestRemarks plays the scripts of testdata: the files of base, then changes of it, each a folder of files that replace
// those of base ("gone" removes one). The file "want" has what each change is told, and what its way back is.
func TestRemarks(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts:", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			base, want := map[string]string{}, -1
			var changes []string
			edits := map[string]map[string]string{}
			for i, f := range ar.Files {
				side, name, _ := strings.Cut(f.Name, "/")
				switch {
				case f.Name == "want":
					want = i
				case side == "base":
					base[name] = string(f.Data)
				default:
					if edits[side] == nil {
						changes, edits[side] = append(changes, side), map[string]string{}
					}
					edits[side][name] = string(f.Data)
				}
			}
			var got strings.Builder
			before := revision(t, base)
			for _, name := range changes {
				after := revision(t, edited(base, edits[name]))
				fmt.Fprintf(&got, "%s\n%s", name, told(t, before, after))
				if back := told(t, after, before); back != "" {
					fmt.Fprintf(&got, "%s, taken back\n%s", name, back)
				}
			}
			if want < 0 {
				t.Fatal("no file want")
			}
			if *rewrite {
				ar.Files[want].Data = []byte(got.String())
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(ar.Files[want].Data), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func edited(base, edits map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range base {
		out[name] = text
	}
	for name, text := range edits {
		if out[name] = text; strings.TrimSpace(text) == "gone" {
			delete(out, name)
		}
	}
	return out
}

func revision(t *testing.T, files map[string]string) *object.Revision {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := tree.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := render.Render(context.Background(), tree, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rev.Releases {
		if r.Err != nil {
			t.Fatalf("%s: %s", r.ID, r.Err.Reason)
		}
	}
	return rev
}

// told is a line for each remark on a change, with what is blamed for it.
func told(t *testing.T, base, head *object.Revision) string {
	t.Helper()
	ch, err := render.Diff(base, head)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, x := range remarksOf(ch) {
		f := x.Finding(judge.NewPlaces(ch))
		if f.Rule == rules.DanglingTarget {
			remedyHolds(t, base, head, x, f.Message)
		}
		severity := rules.Severity("")
		for _, r := range rules.All() {
			if r.ID == f.Rule {
				severity = r.Severity
			}
		}
		fmt.Fprintf(&out, "  %s %s %s %s: %s\n", f.Status, x.Severity(severity), f.Certainty, f.Rule, f.Message)
		fmt.Fprintf(&out, "    is %s\n", f.Fingerprint)
		for _, b := range f.Blame {
			fmt.Fprintf(&out, "    blames %s:%d (%s) %s %s\n", b.Location.File, b.Location.StartLine, b.Location.Side, b.Object, b.Path)
		}
	}
	return out.String()
}

// remedyHolds has a remedy of what is aimed at nothing, where one sets fields, make it go, and none come.
func remedyHolds(t *testing.T, base, head *object.Revision, x static.Remark, message string) {
	t.Helper()
	var was, left []string
	for _, r := range freshRemarks(t, base, head) {
		was = append(was, r.Finding(judge.Places{}).Message)
	}
	tried := false
	for _, m := range x.Remedies() {
		if m.Object == nil {
			continue
		}
		mended, err := typed.With(m.Object, m.Set)
		if err != nil {
			t.Fatal(err)
		}
		rev := &object.Revision{Tree: head.Tree}
		for _, rel := range head.Releases {
			one := *rel
			one.Objects = slices.Clone(rel.Objects)
			if i := slices.Index(one.Objects, m.Object); i >= 0 {
				one.Objects[i] = mended
			}
			rev.Releases = append(rev.Releases, &one)
		}
		tried, left = true, nil
		for _, r := range freshRemarks(t, base, rev) {
			if s := r.Finding(judge.Places{}).Message; s == message || !slices.Contains(was, s) {
				left = append(left, s)
			}
		}
		if len(left) == 0 {
			return
		}
	}
	if tried {
		t.Errorf("nothing mends %q: %q", message, left)
	}
}

func remarksOf(ch *object.Changes) []static.Remark {
	list, _ := static.Remarks(ch, nil, false)
	return list
}
