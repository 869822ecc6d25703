package deploys

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
)

var rewrite = flag.Bool("rewrite", false, "write what is read into testdata")

// read is [deploysOf] in words.
func read(t testing.TB, files map[string]string) []string {
	t.Helper()
	var out []string
	for _, d := range deploysOf(t, files) {
		out = append(out, said(&d))
	}
	return out
}

// deploysOf is what a repository of these files deploys.
func deploysOf(t testing.TB, files map[string]string) []Deploy {
	t.Helper()
	tr, err := tree.Map("head", files)
	if err != nil {
		t.Fatal(err)
	}
	s, err := source.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	return Read(s, func() bool { return false })
}

func said(d *Deploy) string {
	s := fmt.Sprintf("%s %s %s", d.At(), d.Tool, d.Path)
	if d.Remote {
		s += "@" + d.Version + " of " + d.Repository
	}
	if d.Name != "" || d.Namespace != "" {
		s += " as " + d.Namespace + "/" + d.Name
	}
	for _, v := range d.Values {
		s += " -f " + v
	}
	for _, v := range d.Missing {
		s += " -f? " + v
	}
	for _, x := range d.Settings {
		s += " --" + x.Flag + " " + x.Name + "=" + x.Value
	}
	return s
}

// Each script of testdata holds a repository, and the file want: what it deploys, a line each.
func TestWhatIsDeployed(t *testing.T) {
	list, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(list) < 5 {
		t.Fatal(len(list), err)
	}
	for _, file := range list {
		t.Run(strings.TrimSuffix(path.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			files, want := map[string]string{}, ""
			for _, f := range a.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				files[f.Name] = string(f.Data)
			}
			got := strings.Join(read(t, files), "\n") + "\n"
			if *rewrite {
				a.Files[len(a.Files)-1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Nothing that is read makes the reader fail, leaves the repository, or is more than is taken; and what a file gives
// does not hang on what other files say.
func FuzzRead(f *testing.F) {
	names := []string{"a.sh", "Makefile", "justfile", "Jenkinsfile", "Tiltfile", ".github/workflows/a.yml", "skaffold.yaml"}
	list, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range list {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, one := range a.Files {
			for i, name := range names {
				if readerOf(name) != nil && len(one.Data) > 40 && path.Ext(name) == path.Ext(one.Name) {
					f.Add(i, string(one.Data))
				}
			}
		}
	}
	for i, hostile := range []string{
		"helm upgrade a charts/{1..99999999}", "X=a; for i in 1 2 3 4 5 6 7 8 9; do X=$X$X$X$X$X$X$X$X; done; helm upgrade $X charts/web",
		"f() { f; f; helm upgrade a charts/web; }; f", "helm upgrade a ../../../etc -f ../../x.yaml -f /etc/passwd --set-file a=../../b",
		"eval \"eval \\\"helm upgrade a charts/web\\\"\"", "helm upgrade a ~root/charts/web", strings.Repeat("(", 50000) + "helm",
		"helm upgrade a charts/web -f ${A}/${B}/${C}/${D}.yaml", "cd ../..; helm upgrade a charts/web", strings.Repeat("if helm; then ", 2000),
		"while true; do helm upgrade $((2**62)) ${X//a/${X}} charts/web; done", "helm upgrade a charts/web -f '${A' --set '{=,}'",
	} {
		f.Add(i%2, hostile)
	}
	f.Fuzz(func(t *testing.T, kind int, text string) {
		if kind < 0 || kind >= len(names) || len(text) > maxFile {
			return
		}
		files := map[string]string{names[kind]: text, "charts/web/Chart.yaml": "name: web\nversion: 1.0.0\n",
			"charts/api/Chart.yaml": "name: api\nversion: 1.0.0\n", "env/dev.yaml": "a: 1\n", "env/prod.yaml": "a: 2\n",
			"overlays/prod/kustomization.yaml": "resources: []\n"}
		got := deploysOf(t, files)
		if len(got) > maxDeploys {
			t.Fatal(len(got))
		}
		for _, d := range got {
			for _, p := range append(append([]string{}, d.Values...), d.Path) {
				if !d.Remote && (p != path.Clean(p) || !fs.ValidPath(p) || !Known(p)) {
					t.Errorf("%q of %+v", p, d)
				}
			}
			for _, v := range d.Values {
				if _, there := files[v]; !there {
					t.Errorf("%q is not there", v)
				}
			}
			if d.Line < 1 || d.Line > 1+strings.Count(text, "\n") || d.File != names[kind] {
				t.Errorf("it stands at %s", d.At())
			}
		}
		files["z.sh"] = "helm upgrade another charts/api\n"
		if more := deploysOf(t, files); len(more) < len(got) {
			t.Errorf("%d with another script, %d without", len(more), len(got))
		}
	})
}

// Variables that are renamed change nothing, and neither does a part of the script that calls no tool.
func TestNamesOfVariablesDoNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 34))
	for range 300 {
		var b strings.Builder
		vars := []string{"ENV", "APP", "NS", "TAG"}
		for range 1 + random.IntN(6) {
			v := vars[random.IntN(len(vars))]
			switch random.IntN(5) {
			case 0:
				fmt.Fprintf(&b, "%s=%s\n", v, []string{"dev", "prod", "web"}[random.IntN(3)])
			case 1:
				fmt.Fprintf(&b, "if [ \"$%s\" = prod ]; then %s=dev; fi\n", v, vars[random.IntN(4)])
			case 2:
				fmt.Fprintf(&b, "for %s in dev prod; do echo $%s; done\n", v, v)
			case 3:
				fmt.Fprintf(&b, "helm upgrade $APP charts/$APP -f env/$%s.yaml -n $NS --set tag=$TAG\n", v)
			case 4:
				fmt.Fprintf(&b, "case $%s in dev) NS=a;; *) NS=b;; esac\n", v)
			}
		}
		b.WriteString("helm upgrade $APP charts/$APP -f env/$ENV.yaml -n $NS\n")
		files := map[string]string{"a.sh": b.String(), "charts/web/Chart.yaml": "name: web\n", "charts/api/Chart.yaml": "name: api\n",
			"env/dev.yaml": "", "env/prod.yaml": ""}
		want := read(t, files)
		files["a.sh"] = strings.NewReplacer("ENV", "FOO", "APP", "BAR", "TAG", "BAZ", "NS", "QUX").Replace(b.String())
		got := read(t, files)
		for i := range got {
			got[i] = strings.NewReplacer("FOO", "ENV", "BAR", "APP", "BAZ", "TAG", "QUX", "NS").Replace(got[i])
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s\ngot  %q\nwant %q", b.String(), got, want)
		}
		files["a.sh"] = "echo one; true && ls -l\n" + files["a.sh"]
		if len(read(t, files)) != len(want) {
			t.Fatalf("%s: other calls after a command", b.String())
		}
	}
}
