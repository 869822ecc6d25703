package kubesettle_test

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// saysWhether is how a doc comment tells what a function's only result, a bool, means: it reports whether something
// is so, or when it is true or false; or it names what of ours or upstream's says so already.
var saysWhether = regexp.MustCompile(
	`\breports?\b|\btrue\b|\bfalse\b|\bimplements \[|\bupstream's\b| is (the function of that name|\S*[a-z][A-Z])`)

// TestPredicatesSayWhether: who reads that a function "checks" or "compares" has to read it to know what true is. A result
// with a name says that itself.
func TestPredicatesSayWhether(t *testing.T) {
	said := 0
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fun, ok := d.(*ast.FuncDecl)
			if !ok || fun.Doc == nil || !isPredicate(fun) {
				continue
			}
			said++
			if doc := strings.Join(strings.Fields(fun.Doc.Text()), " "); !saysWhether.MatchString(doc) {
				t.Errorf("%s: %s does not say what true is: %q", f.path, fun.Name.Name, doc)
			}
		}
	}
	if said < 500 {
		t.Errorf("only %d predicates were read", said)
	}
}

// isPredicate reports whether a function has one result, a bool without a name.
func isPredicate(f *ast.FuncDecl) bool {
	r := f.Type.Results
	if r == nil || len(r.List) != 1 || len(r.List[0].Names) > 0 {
		return false
	}
	id, ok := r.List[0].Type.(*ast.Ident)
	return ok && id.Name == "bool"
}
