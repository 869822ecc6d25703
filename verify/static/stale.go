package static

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// restarters are the annotations by which a controller replaces pods when an object that they read changes.
var restarters = regexp.MustCompile(`(?i)reload|wave\.pusher\.com|restart`)

var stales = Analyzer{Name: "old-content", Rule: rules.StaleConfig, Run: stale, Requires: []*Analyzer{&lacks},
	Doc: "new content that the pods that read it do not get"}

// stale says which ConfigMaps and Secrets the change edits in place, while the pods that read them stay as they are.
// For pods that lack a key of it, this is reported already.
func stale(p *Pass) []Remark {
	ch, lost := p.ch, p.of(&lacks)
	head := p.Objects(state.Head)
	edited := map[[3]string]*object.Change{}
	replaced := map[*object.Object]bool{}
	for i := range ch.Changes {
		c := &ch.Changes[i]
		if c.Release != p.ID || c.Head == nil || c.Base == nil {
			continue
		}
		replaced[c.Head] = c.TemplateChanged || c.Kind == object.Renamed
		if c.Kind == object.Modified && c.Head.ID.Group == "" && !fixed(c.Base) &&
			(c.Head.ID.Kind == "ConfigMap" || c.Head.ID.Kind == "Secret") {
			edited[[3]string{kindOf(c.Head), c.Head.ID.Namespace, c.Head.ID.Name}] = c
		}
	}
	if len(edited) == 0 {
		return nil
	}
	sums := slices.ContainsFunc(head, func(o *object.Object) bool { return summed(o) })
	base := p.before()
	var out []Remark
	for _, o := range head {
		if o.Hook || replaced[o] || base.counterpart(o) == nil || !runsOn(o) || restarted(o) || rolledAnyway(o) {
			continue
		}
		told := map[*object.Change]bool{}
		for _, r := range lost {
			for _, x := range r.causes {
				if c := edited[[3]string{kindOf(x.object), x.object.ID.Namespace, x.object.ID.Name}]; r.Object == o {
					told[c] = true
				}
			}
		}
		for _, n := range reads(o) {
			c := edited[[3]string{n.kind, o.ID.Namespace, n.name}]
			if c == nil || told[c] || !n.once && !sums || !touches(c, n.key) ||
				restarts(annotationsOf(c.Head.Content, "metadata")) {
				continue
			}
			told[c] = true
			out = append(out, Remark{
				Object: o, paths: []string{n.path},
				causes: []cause{{c.Head, []string{"data", "stringData", "binaryData"}}},
				text:   unread(n, c.Head, o),
			})
		}
	}
	return out
}

// unread words that the pods of an object keep the old content of another one.
func unread(n need, of, o *object.Object) string {
	if n.once {
		return fmt.Sprintf("the new content of %s does not reach the pods of %s before they are replaced: "+
			"they read it when they start (%s), and their template does not change with it", of.ID, o.ID, n.at)
	}
	return fmt.Sprintf("the new content of %s reaches files of the pods of %s (%s), but not programs that have read them: "+
		"others of the release have a checksum for that, and this template does not change with it",
		of.ID, o.ID, n.at)
}

// fixed reports whether the API server refuses new content of an object.
//
// Upstream: kubernetes v1.36.3, pkg/apis/core/validation: ValidateConfigMapUpdate, ValidateSecretUpdate.
func fixed(o *object.Object) bool {
	yes, _ := o.Content["immutable"].(bool)
	return yes
}

// runsOn reports whether an object's pods go on running until somebody replaces them: those of a Job end.
func runsOn(o *object.Object) bool {
	return o.ID.Kind != "Job" && o.ID.Kind != "CronJob" && o.ID.Kind != "Pod"
}

// touches reports whether a change edits the data under a key; "" is any. New ciphertext is none that is known.
func touches(c *object.Change, key string) bool {
	return slices.ContainsFunc(c.Fields, func(f object.FieldChange) bool {
		if encryptedAgain(c, f) || trimmed(c, f) {
			return false
		}
		for _, at := range []string{"data", "stringData", "binaryData"} {
			if key == "" && judge.Overlap(f.Path, at) ||
				key != "" && (judge.Overlap(f.Path, at+"["+key+"]") || judge.Overlap(f.Path, at+"."+key)) {
				return true
			}
		}
		return false
	})
}

// encryptedAgain reports whether a field has other ciphertext of SOPS than before: it draws a new nonce wherever a
// value is encrypted again, and the value may have stayed.
func encryptedAgain(c *object.Change, f object.FieldChange) bool {
	at := fieldpath.Parse(f.Path)
	for _, o := range []*object.Object{c.Base, c.Head} {
		v, _ := at.Get(o.Content)
		if text, _ := v.(string); !strings.HasPrefix(text, "ENC[") {
			return false
		}
	}
	return true
}

// trimmed reports whether a text says what it said: its lines end in other blanks, or it is YAML with other comments,
// and nothing else is new.
func trimmed(c *object.Change, f object.FieldChange) bool {
	var texts []string
	var values []any
	for _, o := range []*object.Object{c.Base, c.Head} {
		v, _ := fieldpath.Parse(f.Path).Get(o.Content)
		text, ok := v.(string)
		if !ok {
			return false
		}
		texts = append(texts, strings.TrimSpace(blanks.ReplaceAllString(text, "")))
		var value any
		if yaml.Unmarshal([]byte(text), &value) == nil {
			values = append(values, value)
		}
	}
	if len(values) == 2 {
		_, isMap := values[0].(map[string]any)
		_, isList := values[0].([]any)
		if (isMap || isList) && reflect.DeepEqual(values[0], values[1]) {
			return true
		}
	}
	return texts[0] == texts[1]
}

var blanks = regexp.MustCompile(`(?m)[ \t\r]+$`)

// summed reports whether the pod template of an object changes with the content of something else.
func summed(o *object.Object) bool {
	for k := range annotationsOf(o.Content, "spec", "template", "metadata") {
		if strings.HasPrefix(k, "checksum/") || strings.HasPrefix(k, "checksum.") {
			return true
		}
	}
	return false
}

// rolledAnyway reports whether every render gives an object's pod template another value, so that each apply replaces
// the pods: a checksum of a random value, or a random annotation to that end. It is masked, and no change.
func rolledAnyway(o *object.Object) bool {
	return slices.ContainsFunc(o.Volatile, func(p string) bool { return judge.Overlap(p, "spec.template") })
}

// restarted reports whether an object's pods are replaced, or notified, when an object that they read changes.
func restarted(o *object.Object) bool {
	if restarts(annotationsOf(o.Content, "metadata")) ||
		restarts(annotationsOf(o.Content, "spec", "template", "metadata")) {
		return true
	}
	spec, _ := podSpec(o)
	return spec != nil &&
		slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), func(c corev1.Container) bool {
			return strings.Contains(c.Name, "reload") || strings.Contains(c.Image, "reload")
		})
}

func restarts(annotations map[string]any) bool {
	for k := range annotations {
		if restarters.MatchString(k) && !strings.HasSuffix(k, "restartedAt") {
			return true
		}
	}
	return false
}

func annotationsOf(content map[string]any, at ...string) map[string]any {
	m, _ := slice.ValueAt(content, append(at, "annotations")...).(map[string]any)
	return m
}

// Of are the remarks on some releases.
func Of(list []Remark, has func(release string) bool) []Remark {
	return slices.DeleteFunc(list, func(r Remark) bool { return !has(r.release) })
}
