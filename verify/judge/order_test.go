package judge

import (
	"github.com/kubesettle/kubesettle/verify/finding"
	"testing"
)

// An edit says which releases of a finding it mends where it is not all of them, and once only; what is no edit is to be
// done in each of them.
func TestAnEditSaysWhatItMends(t *testing.T) {
	edit := func(also ...string) *finding.Fix {
		return &finding.Fix{Text: "surge by nothing", Mechanical: true, AlsoChanges: also}
	}
	for _, tt := range []struct {
		fix  *finding.Fix
		in   []string
		want string
	}{
		{edit(), nil, "surge by nothing"},
		{edit("other"), nil, "surge by nothing"},
		{edit("prod", "test"), []string{"prod", "test"}, "surge by nothing"},
		{edit(), []string{"prod", "test"}, "surge by nothing (fixes dev only, 1 of 3 releases)"},
		{edit("test"), []string{"prod", "test"}, "surge by nothing (fixes dev, test only, 2 of 3 releases)"},
		{&finding.Fix{Text: "surge by nothing", MayChange: []string{"prod"}, Mechanical: true}, []string{"prod"}, "surge by nothing"},
		{&finding.Fix{Text: "delete the pod"}, []string{"prod"}, "delete the pod"},
	} {
		was := tt.fix.Text
		fs := []finding.Finding{{Release: "dev", AlsoIn: tt.in, Fix: tt.fix, OtherFix: tt.fix}}
		Within(fs)
		if fs[0].Fix.Text != tt.want || fs[0].OtherFix.Text != tt.want || tt.fix.Text != was {
			t.Errorf("%+v in %v: %q and %q, want %q", *tt.fix, tt.in, fs[0].Fix.Text, fs[0].OtherFix.Text, tt.want)
		}
	}
}
