package report

import (
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// renderedWords are the words for remarks of rendering on a release, as [noteWords] has them.
var renderedWords = map[object.NoteKind]string{
	object.AsksMore:            "the chart asks for %s, and did not on base: whoever installs it has to give it",
	object.HiddenPart:          "{0} changes what no value tried shows",
	object.LookupFindsNothing:  "the chart calls lookup, which finds nothing without a cluster",
	object.SchemaElsewhere:     "values.schema.json refers to another schema, which is not read: it checks nothing",
	object.HooksListed:         "hooks and tests are listed, not verified",
	object.HookUnknown:         "{at}: Helm leaves {1} {2} out, as it knows no hook of the type {0}",
	object.UnreadValue:         "{at}: nothing in the chart reads {0}: {1} may be meant",
	object.EntryInVain:         "{at}: {1}, so that this {0} has no effect",
	object.DependencyOff:       "dependency {0} is switched off, and left out",
	object.DependencyBeside:    "dependency {0}@{1} is not at hand: {2} of this repository stands for it",
	object.VersionFloats:       "{at}: chart {0} is {1} today: {2} may mean another one tomorrow",
	object.DigestMissing:       "the repository gives no digest for chart {0}@{1}: it is not checked",
	object.BranchRead:          "{at}: {0} of {1} was read at {2}; a later one is another change",
	object.ValuesNeeded:        "with its own values alone the chart renders on {0} and not here: {1}",
	object.TestValuesShared:    "{0} is rendered with {1} of {2} too",
	object.StaysEncrypted:      "{at}: what KSOPS would decrypt stays encrypted",
	object.ValuesEncrypted:     "encrypted values stay encrypted",
	object.VariablesEncrypted:  "{0} {1} is encrypted: its variables stay as they are written",
	object.VariablesUnknown:    "{at}: {0} {1} is not in the repository: its variables stay as they are written",
	object.SecretUnknown:       "{at}: the values of Secret {0} are not known: rendered without",
	object.SecretTargetUnknown: "{at}: {0} from Secret {1} is not known: rendered without",
	object.SecretsUnknown:      "{at}: the values of its `secrets` are not known: rendered without",
	object.ValuesElsewhere:     "{at}: values file {0} is not in the repository: rendered without",
	object.SettingElsewhere:    "{at}: the value of {0} is not known: its default stands for it",
	object.PlaceholderStands:   "{at}: {0} is not in the repository: a placeholder stands for it",
	object.TemplateRead:        "{at}: {0} is written from {1}: read from there, with what is filled in unknown",
	object.PartUnknown:         "{0}: rendered without it",
	object.ValueUndeclared:     "{at}: {0} of {object} is unknown: nothing gives the chart {1}",
	object.SourceChanged:       "{0} changes the Application's source",
	object.PluginAssumed:       "nothing here defines plugin {0}: rendered with the commands of its manual",
	object.EnvironmentUnknown:  "{0} decides what the helmfile says and is not known: read without the variables that need not be set",
	object.ParametersUnknown:   "the parameters that generator {1} gives {0} are not known from the repository: placeholders stand for them",
	object.ClustersUnknown:     "the clusters of {0} are not known from the repository: {1} stands for them",
	object.DeclaredThere:       "{0} does not render on {1}, which declares this: with the settings of {2}",
	object.NoBaseline:          "{0} fails on base: its objects have no baseline",
	object.ReadAs:              "{object}: {0} is not served by Kubernetes {1}; read as {2}",
	object.MadeTwice:           "{object} is declared twice: in {0} and {1}; the last one counts",
	object.MadeUnread:          "{object}: what {0} makes of it cannot be read: {1}",
}

// renderedUnchecked are the parts that such a note leaves unchecked, for the line that lists them.
var renderedUnchecked = map[object.NoteKind]string{
	object.PluginAssumed: "whether plugin {0} is set up as in its manual (nothing here defines it)",
}

// unchecked is the part that a note leaves unchecked, or "". A note of rendering counts if the change reaches its
// release.
func unchecked(r *finding.Result, n finding.Note) string {
	if n.Kind != finding.ReleaseNote {
		return noteFill(wordsOf[n.Kind].unchecked, n)
	}
	if !slices.ContainsFunc(r.Releases, func(x finding.ReleaseResult) bool { return x.ID == n.Release && x.Changed }) {
		return ""
	}
	rendered := finding.Note{About: n.About}
	if len(n.Args) > 1 {
		rendered.Args = n.Args[1:]
	}
	return noteFill(renderedUnchecked[object.NoteKind(n.Arg(0))], rendered)
}

// RenderedNote is what a note of rendering says.
func RenderedNote(n object.Note) string {
	said, ok := renderedWords[n.Kind]
	if !ok { // of another version
		return n.String()
	}
	return noteFill(said, finding.Note{About: finding.About{Object: n.Object, File: n.File, Line: n.Line}, Args: n.Args})
}

func releaseNote(n finding.Note) string {
	rendered := object.Note{Kind: object.NoteKind(n.Arg(0)), Object: n.Object, File: n.File, Line: n.Line}
	if len(n.Args) > 1 {
		rendered.Args = n.Args[1:]
	}
	return RenderedNote(rendered)
}
