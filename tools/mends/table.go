package mends

import (
	"fmt"
	"os"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

func (r row) short() string { return fmt.Sprintf("%.10s", r.commit) }

// print prints a row of the table.
func (o outcome) print() {
	took := o.nothing.Wall
	values, policy, fix := "", "", ""
	if o.releases != "" {
		values, took = o.values.Cell(o.rules), took+o.values.Wall
	}
	if o.row.policy != "" {
		policy, took = o.policy.Cell(o.rules), took+o.policy.Wall
	}
	if f, found := o.policy.Gravest(o.rules); found {
		fix = map[bool]string{true: "yes", false: "no"}[f.HasFix()]
	}
	corpus.Row(os.Stdout, o.row.line, o.repository, o.short(), o.kind, o.nothing.Cell(o.rules), values, policy, fix, fmt.Sprintf("%.1f", took.Seconds()))
}

// sums prints how many rows of each kind are found in each mode.
func sums(outcomes []outcome) {
	sum, repos := corpus.NewSums("mistakes", "reported, nothing declared", "and with values", "and with a policy", "with a fix"), map[string]bool{}
	for _, o := range outcomes {
		repos[o.repository] = true
		_, nothing := o.nothing.Gravest(o.rules)
		_, values := o.values.Gravest(o.rules)
		f, policy := o.policy.Gravest(o.rules)
		sum.Add(o.kind, nothing, values, policy, policy && f.HasFix())
	}
	fmt.Printf("\n%d repositories\n\n", len(repos))
	sum.Print(os.Stdout)
}

// details lists what else was found, and why rows are not.
func (m *measure) details(outcomes []outcome) {
	for _, o := range outcomes {
		if _, found := o.policy.Gravest(o.rules); m.all || !found {
			fmt.Printf("\nrow %d, %s %s, %s: %s\n", o.row.line, o.repository, o.short(), o.kind, o.mechanism)
			o.nothing.Describe(os.Stdout, "nothing declared")
			if o.row.policy != "" || o.releases != "" {
				o.policy.Describe(os.Stdout, "policy")
			}
		}
		if o.mended != nil {
			o.mended.Describe(os.Stdout, fmt.Sprintf("row %d fixed", o.row.line))
		}
	}
}
