package helmfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// A helmfile asks its environment, commands and stores of secrets for texts. They are unknown here: a placeholder
// stands for each. If one decides more than a text, the helmfile is read in every world that its templates can tell
// apart: without the variable, with another text, and with each that it is compared with. The world that is analysed
// sets only variables that must be set. Anything that the others have beside it is a hole of the release, which matters
// if it differs between the sides.

// stood begins the text that stands for what a command, the environment or a store of secrets would give: a variable,
// which whoever reads the rendered objects takes for unknown.
const stood = "${HELMFILE_"

var (
	standing      = regexp.MustCompile(regexp.QuoteMeta(stood) + `\w*\}`)
	notInVariable = regexp.MustCompile(`[^A-Za-z0-9_]+`)
)

// notKnown ends the failure of a template with a placeholder.
const notKnown = "what is not known"

// Limits of the worlds that one helmfile is read in: beyond them, everything that depends on its templates is unknown.
const (
	maxVariables = 8
	maxWorlds    = 16
	maxRead      = 4000 // releases of all worlds
)

// reading is the result of reading a helmfile in one world.
type reading struct {
	releases []release.Release
	failures []failed
	broken   bool // its result is not known in this world
	values   map[string]any
}

type failed struct {
	of  release.Release
	why *object.Failure
}

// readIn reads the helmfile in a world.
func (h *helmfile) readIn(w world, giver *helmfile) *reading {
	out := &reading{}
	host := *h.Host
	host.Add = func(r release.Release) { out.releases = append(out.releases, r) }
	host.Fail = func(r release.Release, f *object.Failure) { out.failures = append(out.failures, failed{r, f}) }
	one := &helmfile{Host: &host, file: h.file, dir: h.dir, text: h.text, env: h.env, several: h.several, world: w,
		asked: h.asked}
	f := one.takeFrom(giver)
	if f == nil {
		f = one.load()
	}
	if f == nil && len(one.entries) > h.room {
		f = &object.Failure{
			Reason: fmt.Sprintf("%s: more than %d releases of all environments", h.file, maxReleases),
			Where:  object.FileStart(h.file), Remedy: "split it",
		}
	}
	if f != nil {
		one.failRead(one.release(""), f, one.whole()...)
	} else {
		one.add()
	}
	out.values = one.values
	for _, x := range out.failures {
		out.broken = out.broken || strings.Contains(x.why.Reason, errDecided.Error()) ||
			strings.HasSuffix(x.why.Reason, notKnown)
	}
	return out
}

// says is each release of a reading as data, without its unknown parts.
func (r *reading) says(plain bool) map[string]map[string]any {
	out := map[string]map[string]any{}
	enter := func(id string, v ...any) {
		b, _ := json.Marshal(v)
		text := string(b)
		if plain {
			text = standing.ReplaceAllString(text, "")
		}
		decoded, err := document.DecodeYAML([]byte(text))
		leaves := map[string]any{}
		fieldpath.Leaves(decoded, nil, func(p fieldpath.Path, v any) {
			if !plain || v != nil && v != "" {
				leaves[p.String()] = v
			}
		})
		if err != nil {
			leaves[""] = text
		}
		out[id] = leaves
	}
	for _, one := range r.releases {
		enter(one.ID, json.RawMessage(one.Settings()), one.Fetch)
	}
	for _, x := range r.failures {
		enter(x.of.ID, x.why.Reason)
	}
	return out
}

// worlds reads the helmfile in the worlds that matter, adds the releases of the first of them, and says how many there
// are.
func (h *helmfile) worlds(giver *helmfile) int {
	h.asked = newQuestions()
	first := h.readIn(nil, giver)
	if len(h.asked.required) == 0 {
		return h.enter(first)
	}
	deciding := h.deciding(giver, first)
	if len(deciding) == 0 {
		return h.enter(first)
	}
	main := world{}
	for _, name := range deciding {
		if file := h.asked.files[placeholder(name)]; file != "" {
			main[name] = file
		} else if !h.asked.required[name] {
			main[name] = ""
		}
	}
	analysed := h.readIn(main, giver)
	others, all := h.product(deciding, maxRead/(len(first.releases)+1))
	var rest []*reading
	for _, w := range others {
		if !maps.Equal(w, main) && !h.Over() {
			rest = append(rest, h.readIn(w, giver))
		}
	}
	h.leave(analysed, rest, all, deciding)
	return h.enter(analysed)
}

// deciding lists the variables that decide more than a text: another text, or none, makes another helmfile.
func (h *helmfile) deciding(giver *helmfile, first *reading) []string {
	off := world{}
	for name, required := range h.asked.required {
		if !required {
			off[name] = ""
		}
	}
	least := h.readIn(off, giver)
	names := slices.Sorted(maps.Keys(h.asked.required))
	texts := 0
	for _, name := range names {
		texts += len(h.candidates(name))
	}
	if len(names) > maxVariables || 2*texts*(len(first.releases)+1) > maxRead {
		if reflect.DeepEqual(first.says(true), least.says(true)) && !first.broken && len(h.asked.with) == 0 {
			return nil
		}
		return names
	}
	on, none := first.says(true), least.says(true)
	return slices.DeleteFunc(names, func(name string) bool {
		for _, text := range h.candidates(name) {
			with, without := world{name: text}, maps.Clone(off)
			without[name] = text
			if text == placeholder(name) {
				delete(with, name)
				delete(without, name)
			}
			if !reflect.DeepEqual(h.readIn(with, giver).says(true), on) ||
				!reflect.DeepEqual(h.readIn(without, giver).says(true), none) {
				return false
			}
		}
		return true
	})
}

// product lists the worlds of some variables, and whether these are all: none where there are too many.
func (h *helmfile) product(names []string, most int) ([]world, bool) {
	out := []world{{}}
	for _, name := range names {
		var next []world
		for _, w := range out {
			for _, text := range h.candidates(name) {
				more := maps.Clone(w)
				if text != placeholder(name) {
					more[name] = text
				}
				next = append(next, more)
			}
		}
		if out = next; len(out) > min(maxWorlds, most) {
			return nil, false
		}
	}
	return out, true
}

// leave gives the releases of a reading a hole: the content that only others have. A release that only others have is
// part of it. Unless all others are known, the hole is everything that depends on the templates.
func (h *helmfile) leave(analysed *reading, rest []*reading, all bool, deciding []string) {
	here := analysed.says(false)
	beside := map[string][]any{}
	for _, r := range rest {
		all = all && !r.broken
		for i := range r.releases {
			one := &r.releases[i]
			if here[one.ID] == nil {
				analysed.releases = append(analysed.releases, *one)
				here[one.ID] = r.says(false)[one.ID]
				beside[one.ID] = append(beside[one.ID], "it is not there in each")
			}
		}
	}
	for _, r := range rest {
		for i := range r.releases {
			analysed.readAlso(&r.releases[i])
		}
		there := r.says(false)
		for id, fields := range here {
			if len(there[id]) == 0 {
				beside[id] = append(beside[id], "it is not there")
			} else if d := difference(fields, there[id]); len(d) > 0 {
				beside[id] = append(beside[id], d)
			}
		}
	}
	what := "what " + strings.Join(deciding[:min(3, len(deciding))], ", ") + " hold"
	if len(deciding) == 1 {
		what += "s"
	} else if n := len(deciding) - 3; n > 0 {
		what = strings.Replace(what, " hold", fmt.Sprintf(" and %d more hold", n), 1)
	}
	for i := range analysed.releases {
		r := &analysed.releases[i]
		if len(beside[r.ID]) == 0 && all {
			continue
		}
		own := helm.Digest(beside[r.ID])
		if !all {
			own = helm.Digest(beside[r.ID], slices.Sorted(maps.Keys(h.asked.vary)), analysed.values)
		}
		r.Unknown = append(r.Unknown, object.Hole{Kind: object.Values, What: what, Where: r.By, Own: own,
			Reason: what + " is not in the repository", Remedy: "render it before and after, with `helmfile template`, " +
				"and compare the two: --base-dir and --head-dir"})
		r.Remarks = append(r.Remarks, object.Say(object.EnvironmentUnknown, what))
	}
}

// readAlso makes the files that a release is read from in another world some of those that it is read from.
func (r *reading) readAlso(there *release.Release) {
	for i := range r.releases {
		if r.releases[i].ID != there.ID {
			continue
		}
		for p := range there.Says {
			if _, ok := r.releases[i].Says[p]; !ok {
				r.releases[i].Says[p] = []byte{}
			}
		}
	}
}

// difference has the entries of one map that another one lacks, or has with another value.
func difference(here, there map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range there {
		if was, ok := here[k]; !ok || !reflect.DeepEqual(was, v) {
			out[k] = v
		}
	}
	for k := range here {
		if _, ok := there[k]; !ok {
			out[k] = "none"
		}
	}
	return out
}

// enter adds what a reading came to.
func (h *helmfile) enter(r *reading) int {
	for _, one := range r.releases {
		h.Add(one)
	}
	for _, x := range r.failures {
		h.Fail(x.of, x.why)
	}
	return len(r.releases)
}
