package kubesettle_test

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// systems are those that a release is built for.
var systems = []string{"linux", "darwin", "windows"}

// TestEverySystemHasWhatItNames finds what would build here and not elsewhere, without building: a name of package
// syscall that a system has not, and a name of our own that only another system's files declare.
func TestEverySystemHasWhatItNames(t *testing.T) {
	root := goRoot(t)
	files := sources(t)
	differs := map[string]bool{} // packages with files that are not for every system
	for _, system := range systems {
		ctx := build.Default
		ctx.GOOS, ctx.CgoEnabled = system, false
		in := func(dir, name string) bool {
			is, err := ctx.MatchFile(dir, name)
			if err != nil {
				t.Fatal(err)
			}
			return is
		}
		has := declared(t, filepath.Join(root, "src", "syscall"), in)
		for _, f := range files {
			if f.test {
				continue
			}
			if !in(f.dir, path.Base(f.path)) {
				differs[f.dir] = true
				continue
			}
			for _, spec := range f.ast.Imports {
				if spec.Path.Value == `"golang.org/x/sys/unix"` && system == "windows" {
					t.Errorf("%s is built on windows, and imports %s", f.path, spec.Path.Value)
				}
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				for _, name := range ofSyscall(n) {
					if !has[name] {
						t.Errorf("%s is built on %s, whose package syscall has no %s", f.path, system, name)
					}
				}
				return true
			})
		}
	}
	if !differs["render/worker"] {
		t.Fatal("render/worker has the same files on every system: does the test see the constraints?")
	}
	for dir := range differs {
		for _, system := range systems {
			missing(t, dir, system)
		}
	}
}

// ofSyscall are the names of package syscall that a node has: X of syscall.X, and T.F of a field in syscall.T{F: …}.
func ofSyscall(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && x.Name == "syscall" {
			return []string{n.Sel.Name}
		}
	case *ast.CompositeLit:
		sel, ok := n.Type.(*ast.SelectorExpr)
		if !ok || len(ofSyscall(sel)) == 0 {
			return nil
		}
		var out []string
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok {
					out = append(out, sel.Sel.Name+"."+key.Name)
				}
			}
		}
		return out
	}
	return nil
}

// declared are the names that the files of a folder declare, and T.F for each field of a struct.
func declared(t *testing.T, dir string, in func(dir, name string) bool) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(names), err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || !in(dir, filepath.Base(name)) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range f.Scope.Objects {
			out[name] = true
			spec, ok := o.Decl.(*ast.TypeSpec)
			if !ok {
				continue
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					for _, id := range field.Names {
						out[name+"."+id.Name] = true
					}
				}
			}
		}
	}
	return out
}

// missing reports what a package of ours uses of itself on a system and does not declare there, or declares twice.
func missing(t *testing.T, dir, system string) {
	t.Helper()
	ctx := build.Default
	ctx.GOOS, ctx.CgoEnabled = system, false
	p, err := ctx.ImportDir(dir, 0)
	if err != nil {
		var none *build.NoGoError
		if errors.As(err, &none) { // tests alone
			return
		}
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	qualifies := map[token.Pos]bool{} // a package's name, as it may be: what is not imported has a guessed one
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				qualifies[sel.X.Pos()] = true
			}
			return true
		})
	}
	conf := types.Config{
		Importer: nothing{}, // what is imported is not looked at
		Error: func(err error) {
			e := err.(types.Error)
			if strings.HasPrefix(e.Msg, "undefined: ") && !qualifies[e.Pos] ||
				strings.Contains(e.Msg, "redeclared") {
				t.Errorf("on %s: %v", system, e)
			}
		},
	}
	_, _ = conf.Check(dir, fset, files, nil) // all else is the compiler's to say
}

// nothing imports no package.
type nothing struct{}

func (nothing) Import(string) (*types.Package, error) { return nil, errors.New("not looked at") }

func goRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
