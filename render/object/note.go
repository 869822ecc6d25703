package object

import (
	"cmp"
	"fmt"
	"slices"
)

// Note is a remark of rendering on a release beside its objects, as data: report has the words.
type Note struct {
	Kind   NoteKind
	Object string   `json:",omitempty"` // ID
	File   string   `json:",omitempty"` // where it stands
	Line   int      `json:",omitempty"`
	Args   []string `json:",omitempty"` // as the kind has them, by position
}

// NoteKind is the kind of a note. The zero value is invalid.
type NoteKind string

// The kinds of notes. A comment says which arguments one has.
const (
	LookupFindsNothing NoteKind = "lookup-finds-nothing"
	SchemaElsewhere    NoteKind = "schema-elsewhere"
	HooksListed        NoteKind = "hooks-listed"
	DependencyOff      NoteKind = "dependency-off"     // a name
	DependencyBeside   NoteKind = "dependency-beside"  // a name, a version and a folder
	VersionFloats      NoteKind = "version-floats"     // a chart, its version today, and what was asked for
	DigestMissing      NoteKind = "digest-missing"     // a chart and its version
	BranchRead         NoteKind = "branch-read"        // a branch, its repository, and the commit read
	HiddenPart         NoteKind = "hidden-part"        // a file and line
	AsksMore           NoteKind = "asks-more"          // a path of the values
	ValuesNeeded       NoteKind = "values-needed"      // a side, and why the chart does not render on this one
	TestValuesShared   NoteKind = "test-values-shared" // a side, a file, and the side that has it

	UnreadValue NoteKind = "unread-value"  // of a chart: a path of the values, and the one that may be meant
	EntryInVain NoteKind = "entry-in-vain" // of a kustomization: what it is, why, and what may be meant
	HookUnknown NoteKind = "hook-unknown"  // of what Helm leaves out: a type of hook, a kind and a name

	StaysEncrypted      NoteKind = "stays-encrypted" // of what KSOPS would decrypt
	ValuesEncrypted     NoteKind = "values-encrypted"
	VariablesEncrypted  NoteKind = "variables-encrypted"   // a kind and a name
	VariablesUnknown    NoteKind = "variables-unknown"     // a kind and a name
	SecretUnknown       NoteKind = "secret-unknown"        // the name of a Secret
	SecretTargetUnknown NoteKind = "secret-target-unknown" // a path of the values, and the name of a Secret
	SecretsUnknown      NoteKind = "secrets-unknown"       // of a helmfile
	ValuesElsewhere     NoteKind = "values-elsewhere"      // a values file that a script names
	SettingElsewhere    NoteKind = "setting-elsewhere"     // a value or parameter that a script sets
	PlaceholderStands   NoteKind = "placeholder-stands"    // a file
	TemplateRead        NoteKind = "template-read"         // a file that is not there, and its template
	PartUnknown         NoteKind = "part-unknown"          // why
	ValueUndeclared     NoteKind = "value-undeclared"      // of an object: a field, and the chart's value that it has

	SourceChanged      NoteKind = "source-changed"      // a file
	PluginAssumed      NoteKind = "plugin-assumed"      // the name of a plugin
	ParametersUnknown  NoteKind = "parameters-unknown"  // an ApplicationSet, and its generator
	EnvironmentUnknown NoteKind = "environment-unknown" // what variables of a helmfile hold
	ClustersUnknown    NoteKind = "clusters-unknown"    // an ApplicationSet, and what stands for them
	DeclaredThere      NoteKind = "declared-there"      // what declares it, the side that does not render, and the other
	NoBaseline         NoteKind = "no-baseline"         // a file

	ReadAs     NoteKind = "read-as"     // of an object: its version and kind, a minor version, the version it is read as
	MadeTwice  NoteKind = "made-twice"  // of an object: where, twice
	MadeUnread NoteKind = "made-unread" // of an object: the file that makes something of it, and why that cannot be read
)

// Say is a note of a kind.
func Say(k NoteKind, args ...any) Note {
	n := Note{Kind: k}
	for _, a := range args {
		n.Args = append(n.Args, fmt.Sprint(a))
	}
	return n
}

// On has it be of an object.
func (n Note) On(id ID) Note { n.Object = id.String(); return n }

// At says where it stands.
func (n Note) At(l Location) Note { n.File, n.Line = l.File, l.StartLine; return n }

// Reworded has its texts changed.
func (n Note) Reworded(change func(string) string) Note {
	n.Object, n.File, n.Args = change(n.Object), change(n.File), slices.Clone(n.Args)
	for i := range n.Args {
		n.Args[i] = change(n.Args[i])
	}
	return n
}

// Compare orders notes.
func (n Note) Compare(o Note) int {
	return cmp.Or(cmp.Compare(n.Object, o.Object), cmp.Compare(n.File, o.File), n.Line-o.Line, cmp.Compare(n.Kind, o.Kind),
		slices.Compare(n.Args, o.Args))
}

// String is for tests and logs; report has the words.
func (n Note) String() string {
	s := string(n.Kind)
	if n.Object != "" {
		s += " " + n.Object
	}
	if n.File != "" {
		s += fmt.Sprintf(" %s:%d", n.File, n.Line)
	}
	for _, a := range n.Args {
		s += fmt.Sprintf(" %q", a)
	}
	return s
}
