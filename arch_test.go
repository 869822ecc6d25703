// Package kubesettle_test holds what is true of the house as a whole: which way imports
// point, how files are named, what no package may contain.
package kubesettle_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies/rules"
)

const module = "github.com/kubesettle/kubesettle"

// arrows says which packages of ours a package may import; ARCHITECTURE.md's table says what each is. A package that is
// not listed may not exist: a new room is a decision. Folders below a room belong to it, but for verify, whose rooms have rows of their own; who may
// import a room may import what stands below it.
var arrows = map[string][]string{
	"render": {"render/object", "render/mask", "render/diff", "render/rewrite", "render/tree", "render/fieldpath", "render/document", "render/typed", "render/source", "render/fetch",
		"render/redact", "render/release", "render/helm", "render/jsonnet", "render/worker", "render/locate", "render/deploys", "render/discover", "render/side", "render/pair", "render/reach", "render/variants"},
	"render/helmfile": {"render/fieldpath", "render/object", "render/document", "render/source", "render/fetch", "render/release", "render/helm", "render/kustomize"},
	"render/deploys":  {"render/document", "render/source", "render/tree"},
	"render/discover": {"render/object", "render/fieldpath", "render/fetch", "render/deploys", "render/document", "render/typed", "render/source", "render/release", "render/helm", "render/kustomize", "render/jsonnet", "render/helmfile"},
	"render/side": {"render/fieldpath", "render/object", "render/document", "render/typed", "render/source", "render/tree", "render/fetch", "render/redact", "render/release", "render/helm",
		"render/kustomize", "render/jsonnet", "render/worker", "render/locate", "render/gitops", "render/discover"},
	"render/pair":  {"render/object", "render/document", "render/release", "render/diff", "render/discover", "render/side"},
	"render/reach": {"render/object", "render/document", "render/source", "render/release", "render/helm", "render/kustomize", "render/gitops", "render/side", "render/pair"},
	"render/variants": {"render/fieldpath", "render/object", "render/document", "render/source", "render/tree", "render/release", "render/helm", "render/kustomize", "render/worker", "render/diff",
		"render/discover", "render/side"},
	"render/tree":      {},
	"render/fieldpath": {},
	"render/object":    {"render/fieldpath", "render/redact"},
	"render/mask":      {"render/fieldpath", "render/redact", "render/object"},
	"render/document":  {"render/fieldpath", "render/object"},
	"render/typed":     {"render/fieldpath", "render/object", "render/document", "render/defaults", "render/rollouts"},
	"render/diff":      {"render/fieldpath", "render/object", "render/document", "render/mask", "render/typed"},
	"render/source":    {"render/object", "render/tree", "render/document", "render/fetch"},
	"render/release":   {"render/fieldpath", "render/object", "render/document", "render/source", "render/fetch"},
	"render/helm":      {"render/fieldpath", "render/object", "render/document", "render/source", "render/fetch", "render/redact", "render/tree", "render/typed", "render/release"},
	"render/kustomize": {"render/fieldpath", "render/object", "render/document", "render/source", "render/fetch", "render/redact", "render/tree", "render/release", "render/helm"},
	"render/jsonnet":   {"render/object", "render/document", "render/source", "render/release"},
	"render/worker":    {"render/jsonnet", "render/kept", "render/fieldpath", "render/object", "render/document", "render/redact", "render/release", "render/helm", "render/kustomize"},
	"render/locate":    {"render/fieldpath", "render/object", "render/document", "render/source", "render/release", "render/helm", "render/kustomize", "render/jsonnet", "render/worker"},
	"render/rewrite":   {"render/fieldpath", "render/object", "render/document", "render/source", "render/release", "render/helm", "render/locate"},
	"render/gitops": {"render/fieldpath", "render/object", "render/document", "render/source", "render/typed", "render/fetch", "render/redact", "render/release",
		"render/helm", "render/kustomize", "render/jsonnet", "render/worker", "render/locate", "render/deploys"},
	"render/fetch":       {},
	"render/kept":        {},
	"render/redact":      {},
	"render/defaults":    {"render/rollouts"},
	"render/rollouts":    {},
	"verify/search":      {},
	"verify/memo":        {"render/kept"},
	"verify/certificate": {},
	"verify/kube":        {},
	"verify/traffic":     {"render/object", "verify/state"},
	"verify/state":       {"verify/kube", "render/rollouts"},
	"verify/validation":  {"render/defaults", "verify/definition"},
	"verify/celpolicy":   {"render/defaults"},
	"verify/definition":  {},
	"verify/kyverno":     {"render/defaults", "render/fieldpath"},
	"verify/control": {"verify/search", "verify/state", "verify/control/actor", "verify/control/admission", "verify/control/autoscaling",
		"verify/control/descheduler", "verify/control/faults", "verify/control/gitops", "verify/control/nodes", "verify/control/objects",
		"verify/control/others", "verify/control/scheduler", "verify/control/workloads"},
	"verify/control/actor":       {"verify/search", "verify/state"},
	"verify/control/objects":     {"verify/kube", "verify/search", "verify/state", "verify/control/actor"},
	"verify/control/admission":   {"verify/search", "verify/state", "verify/control/actor", "verify/control/objects"},
	"verify/control/scheduler":   {"verify/kube", "verify/search", "verify/state", "verify/control/actor", "verify/control/objects"},
	"verify/control/descheduler": {"verify/kube", "verify/search", "verify/state", "verify/control/actor", "verify/control/objects", "verify/control/scheduler"},
	"verify/control/autoscaling": {"verify/search", "verify/state", "verify/control/actor", "verify/control/objects"},
	"verify/control/nodes":       {"verify/kube", "verify/search", "verify/state", "verify/control/actor", "verify/control/objects", "verify/control/scheduler"},
	"verify/control/others":      {"verify/search", "verify/state", "verify/control/actor", "verify/control/objects"},
	"verify/control/faults":      {"verify/search", "verify/state", "verify/control/actor", "verify/control/objects", "verify/control/autoscaling"},
	"verify/control/gitops":      {"verify/search", "verify/state", "verify/control/actor", "verify/control/objects", "verify/control/autoscaling"},
	"verify/control/workloads": {"verify/search", "verify/state", "verify/control/actor", "verify/control/objects", "verify/control/admission",
		"verify/control/scheduler", "verify/control/nodes"},
	"verify/finding":  {},
	"verify/scale":    {"verify/kube", "verify/state"},
	"policies/rules":  {"verify/kube", "verify/state"},
	"verify/snapshot": {},
	"policies":        {"verify/finding", "verify/state", "verify/snapshot", "policies/rules"},
	"verify/slice":    {"verify/kube", "verify/celpolicy", "verify/kyverno", "verify/validation", "render/object", "policies", "verify/finding", "verify/state", "verify/snapshot", "verify/control"},
	"verify/scenario": {"verify/kube", "verify/finding", "render/object", "policies", "verify/memo", "verify/search", "verify/state", "verify/scale", "verify/snapshot", "verify/control", "verify/slice"},
	"verify/judge":    {"verify/kube", "render/object", "render/fieldpath", "render/redact", "render/typed", "policies", "verify/finding", "verify/search", "verify/state", "verify/validation", "verify/scale", "verify/control", "verify/slice", "verify/scenario"},
	"verify/static":   {"verify/kube", "verify/definition", "verify/celpolicy", "verify/kyverno", "render/object", "render/fieldpath", "render/typed", "render/diff", "policies", "verify/finding", "verify/state", "verify/validation", "verify/control", "verify/slice", "verify/scenario", "verify/judge", "verify/traffic"},
	"verify/run": {"render", "policies", "verify/finding", "verify/memo", "verify/search", "verify/state", "verify/scale", "verify/snapshot", "verify/control",
		"verify/slice", "verify/scenario", "verify/judge", "verify/static"},
	"verify/accept":  {"render/object", "policies", "verify/finding", "verify/scenario", "verify/judge", "verify/slice", "verify/run"},
	"verify":         {"render/object", "verify/finding", "verify/scenario", "verify/run", "verify/accept"},
	"report":         {"verify/finding", "policies/rules", "render/object"},
	"report/github":  {"report"},
	"report/gitlab":  {"report"},
	"report/ci":      {},
	"cmd/kubesettle": {"render", "verify/memo", "verify/certificate", "verify/search", "verify/state", "verify/control", "verify/scale", "verify/slice", "verify/scenario", "verify/finding", "verify/judge", "verify/snapshot", "policies", "verify/run", "verify/accept", "verify", "report", "report/github", "report/gitlab", "report/ci"},
}

// source is one Go file of the root module.
type source struct {
	path string // slash-separated, relative to the root
	dir  string
	test bool
	ast  *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			switch {
			case file == ".":
				return nil
			case strings.HasPrefix(name, "."), name == "bin", name == "out", name == "dist", name == "testdata", file == "tools",
				file == filepath.Join("verify", "conformance"), file == filepath.Join("cmd", "release"):
				return filepath.SkipDir // the last three are separate modules
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		slashed := filepath.ToSlash(file)
		out = append(out, source{path: slashed, dir: path.Dir(slashed), test: strings.HasSuffix(name, "_test.go"), ast: parsed})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 10 {
		t.Fatalf("found %d Go files: the walk does not see the module", len(out))
	}
	return out
}

// ours lists the imports of a file that are packages of this module.
func ours(f source) []string {
	var out []string
	for _, spec := range f.ast.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if rest, ok := strings.CutPrefix(imported, module+"/"); ok {
			out = append(out, rest)
		}
	}
	return out
}

// room is the row that a folder belongs to, or "".
func room(dir string) string {
	best := ""
	for row := range arrows {
		below := row != "verify" && strings.HasPrefix(dir, row+"/")
		if (dir == row || below) && len(row) > len(best) {
			best = row
		}
	}
	return best
}

// under reports whether a row is a room or stands below it.
func under(top, row string) bool { return row == top || strings.HasPrefix(row, top+"/") }

// admits reports whether a list of rows lets a row be imported: itself, or, but for verify, with
// what stands below it.
func admits(rows []string, to string) bool {
	return slices.ContainsFunc(rows, func(row string) bool {
		return to == row || row != "verify" && strings.HasPrefix(to, row+"/")
	})
}

// A test file may import what its package may not, but for search and render, whose
// ignorance is the point.
func TestImportsPointOneWay(t *testing.T) {
	for _, f := range sources(t) {
		if f.dir == "." {
			continue
		}
		from := room(f.dir)
		if from == "" {
			t.Errorf("%s: package %s has no row in `arrows`", f.path, f.dir)
			continue
		}
		if f.test && !under("render", from) && from != "verify/search" {
			continue
		}
		for _, imported := range ours(f) {
			if to := room(imported); to != from && !admits(arrows[from], to) {
				t.Errorf("%s imports %s: %s may import only %v", f.path, imported, from, arrows[from])
			}
		}
	}
}

// TestTheSecondOpinionStandsAlone: what counterexamples are held against shares no code with the models. Only the film
// that shows it one knows both, and the test that calls it.
func TestTheSecondOpinionStandsAlone(t *testing.T) {
	alone := 0
	for _, f := range sources(t) {
		name := path.Base(f.path)
		if f.dir != "verify" || !strings.HasPrefix(name, "recheck_") || name == "recheck_test.go" || name == "recheck_film_test.go" {
			continue
		}
		if alone++; len(ours(f)) > 0 {
			t.Errorf("%s imports %v", f.path, ours(f))
		}
	}
	if alone < 6 {
		t.Errorf("%d files of it", alone)
	}
}

// TestFacadesAreSmall: what reads like the pipeline is short, and rooms that are full get rooms of their own.
func TestFacadesAreSmall(t *testing.T) {
	files := map[string]int{}
	for _, f := range sources(t) {
		if !f.test {
			files[f.dir]++
		}
	}
	for dir, most := range map[string]int{"render": 12, "verify": 6, "verify/scenario": 30} {
		if files[dir] > most {
			t.Errorf("%s has %d files, at most %d", dir, files[dir], most)
		}
	}
}

// The table itself must have no cycle, or it would permit one.
func TestArrowsHaveNoCycle(t *testing.T) {
	const open, done = 1, 2
	mark := map[string]int{}
	var visit func(string, []string)
	visit = func(p string, stem []string) {
		switch mark[p] {
		case open:
			t.Fatalf("cycle: %v", append(stem, p))
		case done:
			return
		}
		mark[p] = open
		for _, next := range arrows[p] {
			visit(next, append(stem, p))
		}
		mark[p] = done
	}
	for p := range arrows {
		visit(p, nil)
	}
}

// Only commands read arguments and the environment, or end the process; but for
// render/worker/worker.go, which is a process of its own: its parent hands it a limit, past
// which nothing but its end helps.
func TestOnlyCommandsTouchTheProcess(t *testing.T) {
	for _, f := range sources(t) {
		if f.test || f.ast.Name.Name == "main" || f.path == "render/worker/worker.go" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "os" && slices.Contains([]string{"Args", "Exit", "Getenv", "LookupEnv", "Environ", "Setenv"}, sel.Sel.Name) {
				t.Errorf("%s uses os.%s: only a command may", f.path, sel.Sel.Name)
			}
			return true
		})
	}
}

var snakeCase = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*\.go$`)

func TestNames(t *testing.T) {
	for _, f := range sources(t) {
		if !snakeCase.MatchString(path.Base(f.path)) {
			t.Errorf("%s: file names are snake_case", f.path)
		}
		for _, part := range strings.Split(f.dir, "/") {
			if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "misc", "base"}, part) {
				t.Errorf("%s: a package is named after what it provides, not %q", f.path, part)
			}
		}
	}
}

func TestNoInit(t *testing.T) {
	for _, f := range sources(t) {
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s declares init(): state a list instead", f.path)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	said := map[string]bool{}
	for _, f := range sources(t) {
		if !f.test && f.ast.Doc != nil {
			said[f.dir] = true
		}
	}
	for _, f := range sources(t) {
		if !f.test && !said[f.dir] {
			t.Errorf("package %s has no package comment", f.dir)
			said[f.dir] = true
		}
	}
}

// TestRenderersStayOut: what only speaks of objects and findings is built without what renders.
func TestRenderersStayOut(t *testing.T) {
	args := []string{"list", "-deps"}
	for row := range arrows {
		if row == "report" || strings.HasPrefix(row, "policies") || strings.HasPrefix(row, "verify/") && row != "verify/run" && row != "verify/accept" {
			args = append(args, "./"+row)
		}
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range strings.Fields(string(out)) {
		if regexp.MustCompile(`helm\.sh|kustomize|go-git|oras`).MatchString(p) {
			t.Errorf("one of %v depends on %s", args[2:], p)
		}
	}
}

// TestRulesAreNotQuoted: a rule says itself what others have to know of it (rules.Facets), and who reports a violation
// has its ID as a constant: a quoted one nobody finds when a rule is renamed or joined by another of its kind.
func TestRulesAreNotQuoted(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range rules.All() {
		ids[r.ID] = true
	}
	actions := map[string]string{"verify/static/shortage_enter.go": rules.Unschedulable} // an action of the scheduler
	for _, f := range sources(t) {
		if f.test || f.dir == "policies/rules" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if id, _ := strconv.Unquote(lit.Value); ids[id] && actions[f.path] != id {
				t.Errorf("%s quotes the rule %s: ask for its facets, or name it by its constant", f.path, id)
			}
			return true
		})
	}
}
