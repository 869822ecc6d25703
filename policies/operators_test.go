package policies

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOperatorsArePolicies: what is shipped can be copied into a policy, as the schema has it.
func TestOperatorsArePolicies(t *testing.T) {
	files, err := filepath.Glob("operators/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no operators: %v", err)
	}
	schema, makers := compiledSchema(t), 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := schema.validate(text); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		p, err := Load(f, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range p.Controllers.Own {
			makers++
			if own := (&Policy{Controllers: Controllers{Discover: true, Own: []OwnController{o}}}).Makers(); len(own) !=
				len(Operators()) {
				t.Errorf("%s of a policy comes beside that of %s: %d makers", o.Makes.Kind, f, len(own))
			}
		}
	}
	if makers != len(Operators()) {
		t.Errorf("%d of %d are shipped", len(Operators()), makers)
	}
	if got := (&Policy{}).Makers(); len(got) != 0 {
		t.Errorf("without discover: %v", got)
	}
}
