package render

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// A link to a file that is not there makes no release of a folder without manifests. It breaks one with them, one that
// it is named in, and one that base reads.
func TestALinkToNothingIsNoManifest(t *testing.T) {
	thing := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	folder := func(files map[string]string) tree.Tree {
		dir := t.TempDir()
		for name, text := range files {
			to := filepath.Join(dir, name)
			err := os.MkdirAll(filepath.Dir(to), 0o755)
			if target, link := strings.CutPrefix(text, "-> "); link {
				err = errors.Join(err, os.Symlink(target, to))
			} else {
				err = errors.Join(err, os.WriteFile(to, []byte(text), 0o644))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		of, err := tree.Dir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	const failed, ignored = "x failed", "x/a.yaml ignored: a link to a file that is not there"
	for name, c := range map[string]struct {
		head, base map[string]string
		paths      []string
		want       string
	}{
		"alone":        {head: map[string]string{"x/a.yaml": "-> gone/a.yaml"}, want: ignored},
		"with others":  {head: map[string]string{"x/a.yaml": "-> gone/a.yaml", "x/b.yaml": thing}, want: "x ok; x:a.yaml failed"},
		"named":        {head: map[string]string{"x/a.yaml": "-> gone/a.yaml"}, paths: []string{"x"}, want: failed},
		"base reads":   {head: map[string]string{"x/a.yaml": "-> gone"}, base: map[string]string{"x/a.yaml": thing}, want: failed},
		"base neither": {head: map[string]string{"x/a.yaml": "-> b"}, base: map[string]string{"x/a.yaml": "-> a"}, want: ignored},
		"it is there":  {head: map[string]string{"x/a.yaml": "-> ../y/a.yaml", "y/a.yaml": thing}, want: "y ok"},
	} {
		var head *object.Revision
		var err error
		opt := Options{Paths: c.paths}
		if c.base == nil {
			head, err = Render(context.Background(), folder(c.head), opt)
		} else {
			_, head, err = RenderBoth(context.Background(), folder(c.base), folder(c.head), opt)
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range head.Releases {
			word := "ok"
			if r.Err != nil {
				word = "failed"
			}
			got = append(got, fmt.Sprint(r.ID, " ", word))
		}
		for _, i := range head.Ignored {
			got = append(got, i.Path+" ignored: "+i.Reason)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
