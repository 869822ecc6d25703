package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// draw gives a text of letters and digits: what people call things, or what a program drew for a password.
func draw(r *rand.Rand, from string, least, most int) string {
	var b strings.Builder
	for range least + r.IntN(most-least+1) {
		b.WriteByte(from[r.IntN(len(from))])
	}
	return b.String()
}

const (
	lower     = "abcdefghijklmnopqrstuvwxyz"
	anyLetter = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits    = "0123456789"
)

// name draws one that an object can have: words with digits anywhere, joined.
func name(r *rand.Rand) string {
	out := draw(r, lower, 1, 1)
	for i := range 1 + r.IntN(4) {
		if i > 0 {
			out += []string{"-", ".", ""}[r.IntN(3)]
		}
		out += draw(r, lower+lower+digits, 1, 9)
	}
	return out
}

// A name that stands in the repository as that of an object or a folder, a function or a field of a template, and
// the name by which a Secret's value is found elsewhere, is never masked, whatever the Secrets hold. What they hold and
// is none is always masked.
func TestNamesAreNotMasked(t *testing.T) {
	r, paths := rand.New(rand.NewPCG(14, 7)), rand.New(rand.NewPCG(35, 7))
	functions := []string{"requiredEnv", "b64enc", "randAlphaNum", "include", "default", "quote", "lookup", "toYaml"}
	shown, hidden := 0, 0
	for range 400 {
		object, space, folder, field, remote := name(r), name(r), name(r), name(r), name(r)
		value, quoted := draw(r, anyLetter+digits, 12, 40), draw(r, anyLetter+digits, 12, 40)
		function := functions[r.IntN(len(functions))]
		secret := "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n" +
			"  a: " + value + "\n" +
			"  b: {{ " + function + " .Values." + field + ".enabled | default \"" + quoted + "\" }}\n" +
			"  {{- if .Values." + field + ".name }}\n  c: x\n  {{- end }}\n" +
			"  d: {{ requiredEnv \"" + remote + "\" }}\n"
		for _, same := range []string{object, space, folder} {
			switch r.IntN(3) { // the value of a Secret, too, or a part of it
			case 0:
				secret += "  e: " + same + "\n"
			case 1:
				secret += "  e: " + same[:1+r.IntN(len(same))] + "\n"
			}
		}
		for _, path := range []string{"/" + folder, "apps/" + folder, "/apps/" + folder + "/", "./apps/" + folder + "/app.yaml"} {
			if paths.IntN(3) == 0 {
				secret += "  f: " + path + "\n"
			}
		}
		meta := "metadata:\n  labels: {a: b}\n  name: " + object + "\n  namespace: '" + space + "' # there\n"
		if r.IntN(2) == 0 {
			meta = "metadata: {name: " + object + ", namespace: " + space + "}\n"
		}
		file := "apiVersion: v1\nkind: Service\n" + meta + "spec: {}\n---\nkind: ExternalSecret\nspec:\n  data:\n  - secretKey: A\n" +
			"    remoteRef: {key: " + remote + "}\n"
		k := &Known{}
		k.Path("apps/" + folder + "/app.yaml")
		for _, text := range []string{file, secret} {
			k.Names(text)
			k.Harvest([]byte(text))
		}
		k.Seal()
		for _, text := range []string{
			"release flux:apps/" + folder + ":" + space + "/" + object, "Flux Kustomization " + space + "/" + object + ": it is there",
			"helmfile {{ " + function + " \"X\" }}/web", folder + ":nginx.enabled=true", "spec.volumes[6].configMap.name",
			"release /" + folder, "apps/" + folder + "/app.yaml:5", "/apps/" + folder + "/ -> ./apps/" + folder + "/app.yaml",
			".Values." + field + ".enabled", "with " + object + "." + space + ".svc", "env " + remote,
		} {
			if got := k.Clean(text); got != text {
				t.Fatalf("%s becomes %s, with\n%s", text, got, file+secret)
			}
			shown++
		}
		for _, v := range []string{value, quoted} {
			if got := k.Clean("at " + object + " " + v + "."); strings.Contains(got, v) || !strings.Contains(got, object) {
				t.Fatalf("%s is shown, or %s is not: %s", v, object, got)
			}
			hidden++
		}
	}
	if shown < 3000 || hidden < 800 {
		t.Errorf("%d names and %d values were tried", shown, hidden)
	}
}

// A name that a template makes may be a value; one that stands elsewhere than in the metadata of an object may be, too.
func TestOnlyWrittenNamesAreOpen(t *testing.T) {
	for _, file := range []string{
		"kind: Pod\nmetadata:\n  name: {{ .Values.x }}\n", "kind: Pod\nmetadata:\n  labels:\n    name: x7gh2kpq9lm\n",
		"users:\n- name: x7gh2kpq9lm\n", "kind: Pod\nmetadata: {labels: {name: x7gh2kpq9lm}}\n", "kind: Pod\nspec:\n  name: x7gh2kpq9lm\n",
	} {
		k := &Known{}
		k.Names(file)
		k.Add("x7gh2kpq9lm")
		k.Seal()
		if got := k.Clean("a x7gh2kpq9lm b"); got != "a "+Mask+" b" {
			t.Errorf("%s: %s", file, got)
		}
	}
}

// What results call an object by is read, also where a Secret holds it; a user with a password made of names is not.
func TestObjectsAreCalledByTheirNames(t *testing.T) {
	k := &Known{}
	k.Named("redis", "auth")
	k.Public("apps", "StatefulSet")
	open := []string{"apps/StatefulSet auth/redis", "auth/redis"}
	hidden := []string{"auth:redis", "apps/StatefulSet auth/other-x9", "auth redis redis"}
	for _, s := range append(open, hidden...) {
		k.Add(s)
	}
	k.Seal()
	for _, s := range open {
		if got := k.Scrub("removed: " + s); got != "removed: "+s {
			t.Errorf("%s is masked: %s", s, got)
		}
	}
	for _, s := range hidden {
		if got := k.Scrub("removed: " + s); got == "removed: "+s {
			t.Errorf("%s is shown", s)
		}
	}
}
