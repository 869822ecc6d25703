package gitops

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/worker"
)

// maxGenerated bounds what one ApplicationSet generates.
const maxGenerated = 1000

// applicationSet adds the applications of an ApplicationSet: of list and git generators, of a cluster that stands for
// those of a cluster generator, of matrices and merges. Others ask a cluster or a host.
//
// Upstream: argo-cd, applicationset/controllers/template: GenerateApplications.
func (o *declaring) applicationSet() {
	set := &applicationSet{
		declaring: o, name: "ApplicationSet " + objectName(o.content, "argocd"), names: map[string]bool{},
		template: release.Template{
			GoTemplate: document.Value(o.content, "spec", "goTemplate") == true,
			Options:    document.Texts(document.Value(o.content, "spec", "goTemplateOptions")),
			Patch:      document.Text(o.content, "spec", "templatePatch"),
		},
	}
	if _, ok := document.Value(o.content, "spec", "template").(map[string]any); !ok {
		return
	}
	for i, g := range document.Items(o.content, "spec", "generators") {
		field := fmt.Sprintf("spec.generators[%d]", i)
		set.standsIn, set.generator = "", i
		params, err := set.generate(g, field, nil)
		if set.standsIn != "" && (err != nil || set.vague(g, field, params)) {
			err = unknownGenerator("clusters")
		}
		set.placeholders = ""
		if unknown, ok := err.(unknownGenerator); ok {
			if list, ok := set.guessed(g); ok {
				if set.regenerates() {
					set.unknown(field, string(unknown)) // it may make others now
				}
				params, err, set.standsIn, set.placeholders = list, nil, "", string(unknown)
			}
		}
		if err == nil && len(params) > maxGenerated {
			err = fmt.Errorf("more than %d applications", maxGenerated)
		}
		if unknown, ok := err.(unknownGenerator); ok {
			set.unknown(field, string(unknown))
			continue
		}
		if err != nil {
			set.fail(field, err)
			continue
		}
		set.applications(g, params)
	}
}

// applicationSet is one ApplicationSet on its way.
type applicationSet struct {
	*declaring
	name     string
	template release.Template
	// standsIn is the cluster that stands for those that a generator asks for, "" for none; elsewhere has another one
	// stand in, to tell what hangs on it.
	standsIn  string
	elsewhere bool
	// placeholders is the generator whose parameters placeholders stand for; "": the repository has them.
	placeholders string
	generator    int             // its place in the list
	names        map[string]bool // of the applications so far
}

// unknownGenerator is the name of a generator that the repository does not answer.
type unknownGenerator string

func (u unknownGenerator) Error() string { return string(u) }

// asManifests is the set itself as a release, which fails.
func (s *applicationSet) asManifests() release.Release {
	return release.Release{
		Release: object.Release{ID: s.id(), Kind: object.Manifests, Path: s.by.File, Selected: s.name},
	}
}

// fail adds a release that fails, so that the applications that are not there are not
// taken for removed ones.
func (s *applicationSet) fail(field string, err error) {
	at := s.at(field)
	s.add(s.asManifests(), &object.Failure{
		Reason: fmt.Sprintf("%s:%d: %s: %v", at.File, at.StartLine, s.name, err), Where: at,
		Remedy: "correct the ApplicationSet",
	})
}

// unknown enters a generator that asks a cluster or a host. If the change edits the set, the effect on its applications
// is unknown, and they are a release without a result.
func (s *applicationSet) unknown(field, generator string) {
	s.declaring.elsewhere("%s: generator %s is not known from the repository", s.name, generator)
	if s.Src.Twin == nil || s.sameOnBase() && !s.readsChanged() {
		return
	}
	at := s.at(field)
	s.add(s.asManifests(), &object.Failure{
		Skipped: true, Where: at,
		Reason: fmt.Sprintf("%s:%d: generator %s of %s is not known from the repository", at.File, at.StartLine,
			generator, s.name),
		Remedy: "render what it deploys before and after, and compare the two: --base-dir and --head-dir",
	})
}

// sameOnBase reports whether the file that has the set is the same on base, or has it as it is here.
func (s *applicationSet) sameOnBase() bool {
	base, file := s.Src.Twin, s.by.File
	if base.HasFile(file) && base.Digest(file) == s.Src.Digest(file) {
		return true
	}
	was := s.onBase()
	return was != nil && reflect.DeepEqual(was["spec"], s.content["spec"])
}

// onBase is the set as the file that has it has it on base; nil without one.
func (s *applicationSet) onBase() map[string]any {
	base, file := s.Src.Twin, s.by.File
	if base == nil || !base.HasFile(file) {
		return nil
	}
	b, err := base.Read(file)
	if err != nil {
		return nil
	}
	docs, _ := document.Decode(file, b)
	i := slices.IndexFunc(docs, func(d document.Document) bool {
		return document.Text(d.Content, "kind") == "ApplicationSet" &&
			objectName(d.Content, "argocd") == objectName(s.content, "argocd")
	})
	if i < 0 {
		return nil
	}
	return docs[i].Content
}

// id is that of the release which stands for a set that fails.
func (s *applicationSet) id() string {
	return "applicationset:" + s.folder + ":" + objectName(s.content, "argocd")
}

// applications adds the applications of a generator's parameters.
func (s *applicationSet) applications(generator any, params []map[string]any) {
	if len(params) == 0 {
		return
	}
	apps, err := s.expand(s.templateOf(generator), params)
	if err != nil {
		s.fail("spec.template", err)
		return
	}
	if name := s.again(apps); name != "" {
		s.fail("spec.template", fmt.Errorf("it makes the application %s twice, and Argo CD refuses the second", name))
		return
	}
	for _, v := range apps {
		app, ok := v.(map[string]any)
		if !ok {
			continue
		}
		meta, ok := app["metadata"].(map[string]any)
		if !ok {
			continue
		}
		if document.Text(app, "metadata", "namespace") == "" {
			meta["namespace"] = document.Text(s.content, "metadata", "namespace")
		}
		one := *s.declaring
		one.content, one.prefix, one.set, one.cascades = app, "spec.template.", s.id(), s.cascades()
		if s.standsIn != "" {
			one.remarks = []object.Note{object.Say(object.ClustersUnknown, s.name, s.standsIn)}
		}
		if s.placeholders != "" {
			one.remarks = []object.Note{object.Say(object.ParametersUnknown, s.name, s.placeholders)}
		}
		one.application()
	}
}

// again is a name that an application has and one of the set before it; "" for none.
//
// Upstream: argo-cd, applicationset/controllers: (*ApplicationSetReconciler).validateGeneratedApplications.
func (s *applicationSet) again(apps []any) string {
	for _, app := range apps {
		name := document.Text(app, "metadata", "name")
		if s.names[name] {
			return name
		}
		s.names[name] = true
	}
	return ""
}

// templateOf is the set's template with what a generator lays over it.
func (s *applicationSet) templateOf(generator any) release.Template {
	app := s.template
	app.Value = document.Value(s.content, "spec", "template")
	for _, kind := range []string{"list", "git", "clusters", "matrix", "merge"} {
		if own := document.Value(generator, kind, "template"); own != nil {
			app.Value = document.MergePatch(fieldpath.DeepCopy(app.Value), own)
		}
	}
	return app
}

// cascades reports whether an application that is no longer generated is deleted with what it applied.
func (s *applicationSet) cascades() bool {
	policy := document.Value(s.content, "spec", "syncPolicy")
	sync := document.Text(policy, "applicationsSync")
	return document.Value(policy, "preserveResourcesOnDeletion") != true && sync != "create-only" &&
		sync != "create-update"
}

// expand fills parameters into a template, where a template can be stopped.
func (s *applicationSet) expand(t release.Template, params []map[string]any) ([]any, error) {
	t.Params = params
	j := &release.Recipe{Release: release.Release{Release: object.Release{ID: s.id(), Kind: release.Templates,
		Path: s.by.File}},
		Template: &t}
	out := s.Runner.Run(j)
	if out.Err != nil {
		return nil, out.Err
	}
	list := make([]any, len(out.Docs))
	for i, d := range out.Docs {
		list[i] = d.Content["value"]
	}
	return list, nil
}

// generate gives the parameters of a generator; outer are those of the matrix around it.
func (s *applicationSet) generate(g any, field string, outer map[string]any) ([]map[string]any, error) {
	if outer != nil {
		var err error
		if g, err = s.fillGenerator(g, outer); err != nil {
			return nil, err
		}
	}
	m, _ := g.(map[string]any)
	var params []map[string]any
	var err error
	switch {
	case m["list"] != nil:
		params, err = s.listGenerator(m["list"])
	case m["git"] != nil:
		params, err = s.gitGenerator(m["git"], field)
	case m["clusters"] != nil:
		params, err = s.clusterGenerator(m["clusters"])
	case m["merge"] != nil:
		params, err = s.merge(m["merge"], field)
	case m["matrix"] != nil:
		params, err = s.matrix(m["matrix"], field)
	default:
		names := map[string]bool{}
		for k := range m {
			names[k] = true
		}
		return nil, unknownGenerator(strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	if err != nil {
		return nil, err
	}
	return selectParams(params, m["selector"])
}

// matrix combines the parameters of two generators; the second one's fields may hold the
// first one's parameters.
func (s *applicationSet) matrix(m any, field string) ([]map[string]any, error) {
	inner := document.Items(m, "generators")
	if len(inner) != 2 {
		return nil, fmt.Errorf("a matrix of %d generators; it takes two", len(inner))
	}
	first, err := s.generate(inner[0], field+".matrix.generators[0]", nil)
	if err != nil {
		return nil, err
	}
	var out []map[string]any
	for _, a := range first {
		second, err := s.generate(inner[1], field+".matrix.generators[1]", a)
		if err != nil {
			return nil, err
		}
		for _, b := range second {
			if len(out) > maxGenerated {
				return out, nil
			}
			if s.template.GoTemplate {
				out = append(out, helm.MergeValues(b, a))
				continue
			}
			one := map[string]any{}
			for _, side := range []map[string]any{a, b} {
				for k, v := range side {
					if was, ok := one[k]; ok && was != v {
						return nil, fmt.Errorf("both generators of the matrix give %s", k)
					}
					one[k] = v
				}
			}
			out = append(out, one)
		}
	}
	return out, nil
}

// pathParams are the parameters of a folder, in the form of the template language.
func (s *applicationSet) pathParams(dir, file, prefix string) map[string]any {
	base := path.Base(dir)
	p := map[string]any{"path": dir, "basename": base, "basenameNormalized": worker.NormalName(base)}
	if file != "" {
		p["filename"], p["filenameNormalized"] = path.Base(file), worker.NormalName(path.Base(file))
	}
	segments := splitPath(dir)
	if s.template.GoTemplate {
		p["segments"] = segments
		if prefix != "" {
			return map[string]any{prefix: map[string]any{"path": p}}
		}
		return map[string]any{"path": p}
	}
	if prefix != "" {
		prefix += "."
	}
	flat := map[string]any{prefix + "path": dir}
	for k, v := range p {
		if k != "path" {
			flat[prefix+"path."+k] = v
		}
	}
	for i, v := range segments {
		flat[fmt.Sprintf("%spath[%d]", prefix, i)] = v
	}
	return flat
}
