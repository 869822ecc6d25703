package static

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/definition"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// An Analyzer finds one kind of mistake in objects as they stand. It declares what it requires, as one of go/analysis
// does; a new one is a file with its declaration, and a line in [Analyzers].
type Analyzer struct {
	Name     string // kebab-case, and its own
	Doc      string // what it finds, as a clause
	Rule     string // of remarks that name none
	Requires []*Analyzer
	Compares bool // it runs only where there is a base
	Whole    bool // it looks at all releases at once, and not at each in turn
	Run      func(*Pass) []Remark
}

// Analyzers are all of them, in the order of their remarks: each comes after what it requires.
func Analyzers() []*Analyzer {
	return []*Analyzer{
		&aims, &parts, &routed, &reached, &holds, &taints, &poolless, &pins, &ranks, &guards, &doubles, &lacks, &stales,
		&gapped, &orders, &defined, &patience, &undoes, &forced, &renews, &queued, &gates,
		&waits, &owners, &moves, &takeovers, &projects, &leaves, &vain,
		&denies, &overfills, &doublePorts, &doubleHosts, &uncounted, &unservedPorts, &recreates, &hasty, &cuts, &entered,
		&images,
		&servedVersions, &definedFields, &switched, &nearby, &nodeWords,
		&strangers, &elsewhere, &goneVersions, &unitSlips, &unhosted, &unreadied, &ownedInVain,
		&hookChanges, &imports, &allocates, &neverRun, &classless,
	}
}

// A Pass is one run of an analyzer: on both sides of a release, or, for one of the whole, of none.
type Pass struct {
	slice.Pair
	*facts
	own  [2]*aimIndex // of the release alone, by version
	done map[*Analyzer][]Remark
}

// before and after find among the objects of the release on base and on head.
func (p *Pass) before() *aimIndex { return p.indexed(state.Base) }
func (p *Pass) after() *aimIndex  { return p.indexed(state.Head) }

func (p *Pass) indexed(v state.Version) *aimIndex {
	if p.own[v] == nil {
		p.own[v] = newAimIndex(p.Objects(v))
	}
	return p.own[v]
}

// of are the remarks of an analyzer that is required.
func (p *Pass) of(a *Analyzer) []Remark { return p.done[a] }

// run gives the remarks of an analyzer on a release, in full.
func (p *Pass) run(a *Analyzer) []Remark {
	if a.Compares && p.ch.Base == nil {
		return nil
	}
	list := a.Run(p)
	for i := range list {
		if list[i].Rule == "" {
			list[i].Rule = a.Rule
		}
		if list[i].release == "" {
			list[i].release = p.ID
		}
		if list[i].status == "" {
			list[i].status = finding.New
		}
	}
	return list
}

// facts are what several analyzers know of a change, each found once it is asked for.
type facts struct {
	ch        *object.Changes
	ties      *slice.Neighbours
	places    *whereabouts
	index     [2]*aimIndex // of all releases, by version
	nodes     *[2][]*policies.KarpenterPool
	traffic   *[]*view
	admission [2]*knownPolicies
	words     map[*object.Object][]nodeWord            // of all releases of head, by who names them
	defined   [2]map[schema.GroupKind][]*object.Object // CustomResourceDefinitions, by version
	readAs    map[definedVersion]*definition.Definition
	every     bool                           // what changes matters for traffic, whatever it is
	bounds    [2]map[string][]*object.Object // see limits
	trusted   map[string]bool                // needed objects that nothing here makes, see [unmet.trusts]
}

func (f *facts) where() *whereabouts {
	if f.places == nil {
		f.places = newWhereabouts(f.ch, f.ties)
	}
	return f.places
}

// everywhere finds among the objects of all releases of head; once among those of base.
func (f *facts) everywhere() *aimIndex { return f.indexOf(state.Head) }
func (f *facts) once() *aimIndex       { return f.indexOf(state.Base) }

func (f *facts) indexOf(v state.Version) *aimIndex {
	if f.index[v] == nil {
		f.index[v] = newAimIndex(f.where().objects[v])
		f.index[v].ties = f.ties
	}
	return f.index[v]
}

// pools are the NodePools of Karpenter, by version.
func (f *facts) pools() [2][]*policies.KarpenterPool {
	if f.nodes == nil {
		objects := f.where().objects
		f.nodes = &[2][]*policies.KarpenterPool{nodePools(objects[state.Base]), nodePools(objects[state.Head])}
	}
	return *f.nodes
}

// Remarks gathers the errors of the objects of the releases, and those of base. With all, everything counts as new.
// ties say which releases are in one cluster. The notes are what the remarks assume.
func Remarks(ch *object.Changes, ties *slice.Neighbours, all bool) ([]Remark, []finding.Note) {
	var out []Remark
	list, known := Analyzers(), &facts{ch: ch, ties: ties}
	for _, pair := range slice.Pairs(ch) {
		if !pair.Comparable() || !all && pair.Base != nil && pair.Base.Err != nil {
			continue // what is new is not known
		}
		one := &Pass{Pair: pair, facts: known, done: map[*Analyzer][]Remark{}}
		for _, a := range list {
			if !a.Whole {
				one.done[a] = one.run(a)
				out = append(out, one.done[a]...)
			}
		}
	}
	whole := &Pass{facts: known}
	for _, a := range slices.DeleteFunc(list, func(a *Analyzer) bool { return !a.Whole }) {
		out = append(out, whole.run(a)...)
	}
	return out, known.assumed()
}
