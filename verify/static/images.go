package static

import (
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/util/parsers"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

var images = Analyzer{Name: "images", Rule: rules.RolloutStuck, Run: unnamedImages,
	Doc: "an image whose name no kubelet can read"}

// unnamedImages says which workloads come to have an image whose name is none: two tags, capitals in a repository, an
// empty tag. The pods are created, and wait for it forever. Texts that are filled in later are left alone, and a new
// workload may still get its tag when it is deployed.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/images: (*imageManager).EnsureImageExists (applyDefaultImageTag,
// ErrInvalidImageName); pkg/util/parsers: ParseImageName.
func unnamedImages(p *Pass) []Remark {
	base := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		list := namedImages(o)
		if len(list) == 0 || o.Hook {
			continue
		}
		was := map[string]image{}
		b := base.counterpart(o)
		for _, x := range namedImages(b) {
			was[x.container] = x
		}
		for _, x := range list {
			old, had := was[x.container]
			switch {
			case x.wrong() == "" && had && old.wrong() != "":
				out = append(out, Remark{Object: b, status: finding.Fixed, paths: []string{old.path}, text: old.text(b)})
			case x.wrong() == "" || had && old.wrong() != "":
			default:
				r := Remark{Object: o, paths: []string{x.path}, text: x.text(o), Conditional: !had, unready: true,
					remedies: byHand("write it as REGISTRY/REPOSITORY:TAG, in small letters but for the tag")}
				if fixed := strings.TrimSuffix(x.name, ":"); had && fixed != x.name {
					r.remedies = byHand("give the image its tag; base has " + old.name)
				}
				out = append(out, r)
			}
		}
	}
	return out
}

// image is one that a container names.
type image struct{ container, name, path string }

// filledIn finds texts that something writes over before they are used.
var filledIn = regexp.MustCompile(`[${}<>()%@ ]{2}|__|[$<>{}%]|^[A-Z0-9_./-]+$|(^|[/:_-])(PLACEHOLDER|REPLACE|CHANGE_?ME|TODO)`)

// wrong is why a name of an image is none; "": it is one, or is to be filled in.
func (x image) wrong() string {
	if x.name == "" || filledIn.MatchString(strings.ReplaceAll(x.name, "@sha256:", "")) {
		return ""
	}
	_, _, _, err := parsers.ParseImageName(x.name)
	switch {
	case err == nil:
		return ""
	case strings.HasSuffix(x.name, ":"):
		return "its tag is empty"
	case strings.Contains(err.Error(), "lowercase"):
		return "its repository has capitals"
	}
	return "it is not REGISTRY/REPOSITORY:TAG"
}

func (x image) text(o *object.Object) string {
	return fmt.Sprintf("new pods of %s never start: no kubelet can read the image %q of container %s, as %s", o.ID, x.name,
		x.container, x.wrong())
}

// namedImages are those of an object's pods that run on, in the order of its fields; none for nil.
func namedImages(o *object.Object) []image {
	if o == nil {
		return nil
	}
	spec, prefix := podSpec(o)
	if spec == nil {
		return nil
	}
	var out []image
	for _, list := range []struct {
		field string
		of    []corev1.Container
	}{{"initContainers", spec.InitContainers}, {"containers", spec.Containers}} {
		for i, c := range list.of {
			out = append(out, image{c.Name, c.Image, fmt.Sprintf("%s%s[%d].image", prefix, list.field, i)})
		}
	}
	return out
}
