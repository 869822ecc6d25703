package conformance

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"github.com/kubesettle/kubesettle/verify/state"
)

// newestKubernetes is the release whose defaults hold for [state.NewestMinor].
const newestKubernetes = "v1.37.2"

// TestNewestGateDefaults: the defaults of the newest minor version, which the models were not read from, are those of
// its source. A gate that it has no more was locked in the release that the models are of.
func TestNewestGateDefaults(t *testing.T) {
	out, err := exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes@"+newestKubernetes).Output()
	if err != nil {
		t.Skipf("the module of kubernetes %s cannot be had here: %v", newestKubernetes, err)
	}
	var module struct{ Dir string }
	check(t, json.Unmarshal(out, &module))
	file := filepath.Join(module.Dir, "pkg", "features", "kube_features.go")
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	check(t, err)
	defaults := defaultsOf(t, tree, version.MustParse(fmt.Sprintf("1.%d", state.NewestMinor)))
	if len(defaults) < 100 {
		t.Fatalf("%d gates in %s", len(defaults), file)
	}
	known := utilfeature.DefaultMutableFeatureGate.GetAllVersioned()
	for _, g := range state.Gates() {
		want, ok := defaults[g.Name]
		if specs := known[featuregate.Feature(g.Name)]; !ok {
			last := specs[len(specs)-1]
			if want = last.Default; !last.LockToDefault {
				t.Errorf("%s is gone in %s, and was not locked before", g.Name, newestKubernetes)
			}
		}
		if got := (state.Gated{Minor: state.NewestMinor}).On(g.Name); got != want {
			t.Errorf("%s in 1.%d: %t, upstream %t", g.Name, state.NewestMinor, got, want)
		}
	}
}

// defaultsOf reads the defaults at a version from the map of versioned specs.
func defaultsOf(t *testing.T, tree *ast.File, at *version.Version) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != "defaultVersionedKubernetesFeatureGates" {
			return true
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			gate := e.(*ast.KeyValueExpr)
			name, ok := gate.Key.(*ast.Ident)
			if !ok {
				continue // of another package
			}
			for _, s := range gate.Value.(*ast.CompositeLit).Elts { // ascending
				since, on := specOf(t, s.(*ast.CompositeLit))
				if !since.GreaterThan(at) {
					out[name.Name] = on
				}
			}
		}
		return false
	})
	return out
}

// specOf is since when a default holds, and which.
func specOf(t *testing.T, spec *ast.CompositeLit) (since *version.Version, on bool) {
	t.Helper()
	for _, f := range spec.Elts {
		kv := f.(*ast.KeyValueExpr)
		switch kv.Key.(*ast.Ident).Name {
		case "Version":
			text, err := strconv.Unquote(kv.Value.(*ast.CallExpr).Args[0].(*ast.BasicLit).Value)
			check(t, err)
			since = version.MustParse(text)
		case "Default":
			on = kv.Value.(*ast.Ident).Name == "true"
		}
	}
	return since, on
}
