package gitops

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/locate"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// placed is a rendered object that GitOps objects of any release may refer to.
type placed struct {
	doc    document.Document
	recipe *release.Recipe // of its release
}

// Found are the rendered objects of one revision that GitOps objects refer to.
type Found struct {
	src      *source.Source
	trialing locate.Options
	objects  map[string]placed
	defining sync.Mutex              // of plugins: releases that settle ask for them at once
	plugins  *definitions            // nil: not looked for yet
	making   []string                // kinds of which Secrets come, that the repository speaks of; nil: not looked for yet
	Wake     func(kind, name string) // has an object rendered that is looked for; nil: all were rendered
	// Await renders what waits and may hold an object that is not there, and reports whether it rendered anything.
	Await func(kind, name string) bool
}

// NewFound gives a revision that has nothing yet.
func NewFound(src *source.Source, t locate.Options) *Found {
	return &Found{src: src, trialing: t, objects: map[string]placed{}}
}

// Remember notes the objects of a release that others refer to. Those of a later release win: it renders them with its
// settings, which discovery did not have.
func (s *Found) Remember(r release.Release, j *release.Recipe, docs []document.Document) {
	for _, d := range docs {
		gvk := document.GVK(d.Content)
		if slices.Contains(makers[gvk.Group], gvk.Kind) {
			s.objects[gvk.Kind+" "+path.Dir(objectName(d.Content, r.Namespace))+"/"+makes(d.Content)] = placed{d, j}
		}
		if gvk.Group != "source.toolkit.fluxcd.io" && (gvk.Group != "" || gvk.Kind != "ConfigMap" && gvk.Kind != "Secret") {
			continue
		}
		s.objects[gvk.Kind+" "+objectName(d.Content, r.Namespace)] = placed{d, j}
	}
}

// makers are the kinds, by group, of which a controller makes a Secret that the repository does not have.
var makers = map[string][]string{
	"bitnami.com": {"SealedSecret"}, "external-secrets.io": {"ExternalSecret"},
	"secrets.hashicorp.com": {"VaultStaticSecret", "VaultDynamicSecret"}, "onepassword.com": {"OnePasswordItem"},
}

// makes is the name of the Secret that comes of an object.
func makes(content map[string]any) string {
	spec := content["spec"]
	return cmp.Or(document.Text(spec, "target", "name"), document.Text(spec, "template", "metadata", "name"),
		document.Text(spec, "destination", "name"), document.Text(content, "metadata", "name"))
}

// maker is the controller that makes a Secret according to the repository; "" if none does.
func (s *Found) maker(kind, namespace, name string) string {
	if kind != "Secret" {
		return ""
	}
	for _, kind := range s.present() {
		if p, ok := s.lookup(kind, namespace, name); ok {
			return fmt.Sprint(p.doc.Content["spec"])
		}
	}
	return ""
}

// present are the kinds of makers that the repository speaks of.
func (s *Found) present() []string {
	if s.making != nil {
		return s.making
	}
	s.making = []string{}
	all := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(makers))...)))
	for _, f := range s.src.Files {
		if len(all) == len(s.making) {
			break
		}
		if !source.IsManifestName(f) {
			continue
		}
		b, err := s.src.Read(f)
		if err != nil {
			continue
		}
		for _, kind := range all {
			if bytes.Contains(b, []byte("kind: "+kind)) && !slices.Contains(s.making, kind) {
				s.making = append(s.making, kind)
			}
		}
	}
	return s.making
}

// lookup finds an object by kind, namespace and name; one without a namespace serves all.
func (s *Found) lookup(kind, namespace, name string) (placed, bool) {
	if s.Wake != nil {
		s.Wake(kind, name)
	}
	for {
		for _, ns := range []string{namespace, ""} {
			if p, ok := s.objects[kind+" "+ns+"/"+name]; ok {
				return p, true
			}
		}
		if s.Await == nil || !s.Await(kind, name) {
			return placed{}, false
		}
	}
}

// at is where a field of a remembered object was set.
func (s *Found) at(p placed, field string) object.Location {
	return locate.New(s.src, p.recipe, s.trialing)(p.doc)(field)
}

// data reads a key of a ConfigMap or a Secret. An encrypted value is not known.
func (p placed) data(name string) (value string, ok, encrypted bool) {
	c := p.doc.Content
	plain, _ := c["stringData"].(map[string]any)
	data, _ := c["data"].(map[string]any)
	if s, has := plain[name].(string); has {
		value, ok = s, true
	} else if s, has := data[name].(string); has {
		value, ok = s, true
		if document.GVK(c).Kind == "Secret" && !strings.HasPrefix(s, "ENC[") {
			b, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				return "", false, false
			}
			value = string(b)
		}
	}
	return value, ok, c["sops"] != nil || strings.HasPrefix(value, "ENC[")
}

// keys lists the keys of a ConfigMap or a Secret, sorted.
func (p placed) keys() []string {
	var out []string
	for _, field := range []string{"data", "stringData"} {
		m, _ := p.doc.Content[field].(map[string]any)
		for k := range m {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return out
}

// textPlace is where a value stands in a YAML text that an object holds as one field:
// in the file that the text is a copy of, or inside the block at the field.
func textPlace(s *source.Source, field object.Location, text string, p fieldpath.Path) object.Location {
	root := document.Only(document.Nodes([]byte(text)))
	if root == nil {
		return field
	}
	r, _ := document.Descend(root, p)
	in := document.NodeRegion(field.File, r, true)
	return locate.InBlock(s, field, in)
}

// copyOf is the file of a release that a text is a copy of, or "".
func (p placed) copyOf(text string) string {
	for _, f := range p.recipe.Reads() {
		if string(p.recipe.Files[f]) == text {
			return f
		}
	}
	return ""
}

// hiddenTexts are the texts of a Secret that no output may hold, longest first.
func hiddenTexts(v any) []string {
	set := map[string]bool{}
	fieldpath.Leaves(v, nil, func(_ fieldpath.Path, leaf any) {
		text := fmt.Sprint(leaf)
		if _, isText := leaf.(string); (isText && len(text) >= 4 || len(text) >= 6) && text != "false" {
			set[text] = true
			set[base64.StdEncoding.EncodeToString([]byte(text))] = true
		}
	})
	return longestFirst(set)
}

func longestFirst(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for s := range set {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool {
		if len(out[i]) != len(out[j]) {
			return len(out[i]) > len(out[j])
		}
		return out[i] < out[j]
	})
	return out
}

// SourceFiles lists the files of the object that names the version of a release's chart, where that is not here.
func (s *Found) SourceFiles(r release.Release) []string {
	p, ok := s.objects[r.ChartSource]
	if r.ChartSource == "" || !ok {
		return nil
	}
	place := locate.New(s.src, p.recipe, s.trialing)(p.doc)
	return specFiles(p.doc.Content["spec"], place)
}
