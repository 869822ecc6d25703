package control_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

const (
	fidelityPage = "../../docs/fidelity.md"
	modelsPage   = "README.md" // of this folder
)

const modelsHead = `# The models, actor by actor

What each actor was read from, and which way its simplifications err ([what these words mean](../../docs/fidelity.md)). A
result lists only what an actor leaves out of the problem at hand. A test writes this page from each actor's ` + "`Model()`" + `:
` + "`go test ./verify/control -run FidelityPage -rewrite`" + `.

`

// rewriteFlag is datadriven's -rewrite.
func rewriteFlag() bool { return flag.Lookup("rewrite").Value.String() == "true" }

// loops is one section of the fidelity page: actors with one model.
type loops struct {
	names []string // without the objects they act on
	model *actor.Model
}

// parts are the titles of what a model says, in the page's order.
var parts = [...]string{"Exact", "May invent", "May hide", "Refused"}

// parts are the lines under each title.
func (l *loops) parts() [len(parts)][]string {
	return [...][]string{l.model.Exact, l.model.MayInvent, l.model.MayHide, l.model.Refused}
}

// extends is one of the sections before that says the first lines of each part of this
// one, or none.
func (l *loops) extends(before []*loops) *loops {
	for _, b := range before {
		same := b.model.Upstream == l.model.Upstream
		for part, lines := range b.parts() {
			own := l.parts()[part]
			same = same && len(own) >= len(lines) && slices.Equal(own[:min(len(own), len(lines))], lines)
		}
		if same {
			return b
		}
	}
	return nil
}

// TestFidelityPage: the page of the models says of every actor what its model says.
func TestFidelityPage(t *testing.T) {
	var sections []*loops
	types := map[string]bool{}
	add := func(actors []actor.Actor) {
		for _, a := range actors {
			types[reflect.TypeOf(a).String()] = true
			name, _, _ := strings.Cut(a.Name(), "/")
			m := a.Model()
			i := slices.IndexFunc(sections, func(s *loops) bool { return s.model.Upstream == m.Upstream && reflect.DeepEqual(s.model, m) })
			if i < 0 {
				sections, i = append(sections, &loops{model: m}), len(sections)
			}
			if !slices.Contains(sections[i].names, name) {
				sections[i].names = append(sections[i].names, name)
			}
		}
	}
	eachProblem(t, func(_ *testing.T, s *script, _ *rand.Rand) { add(s.actors) })
	add(everyPluginScript(t, fmt.Sprintf(everyPlugin, "", "PodLifeTime", "RemoveDuplicates"), state.Events{}).actors)
	requireAll(t, types)

	var text strings.Builder
	for i, s := range sections {
		fmt.Fprintf(&text, "## %s\n\n", strings.Join(s.names, ", "))
		like := s.extends(sections[:i])
		switch {
		case like != nil:
			fmt.Fprintf(&text, "As %s, and:\n\n", strings.Join(like.names, ", "))
		case strings.HasPrefix(s.model.Upstream, "none: "):
			text.WriteString("The environment: no upstream code.\n\n")
		default:
			fmt.Fprintf(&text, "Read from: %s.\n\n", origin(s.model.Upstream))
		}
		for part, lines := range s.parts() {
			if like != nil {
				lines = lines[len(like.parts()[part]):]
			}
			if len(lines) > 0 {
				fmt.Fprintf(&text, "*%s*\n- %s\n\n", parts[part], strings.Join(lines, "\n- "))
			}
		}
	}
	keepModels(t, modelsHead+strings.TrimSuffix(text.String(), "\n"))
}

// origin is what upstream names before its functions, which the code has.
func origin(upstream string) string {
	var out []string
	for _, part := range strings.Split(upstream, "; ") {
		where, _, _ := strings.Cut(part, ": ")
		out = append(out, where)
	}
	return strings.Join(out, "; ")
}

var modelMethod = regexp.MustCompile(`(?m)^func \((?:\w+ )?\*?(\w+)\) Model\(\) \*actor\.Model`)

// requireAll fails when some actor of the families is not among the types.
func requireAll(t *testing.T, types map[string]bool) {
	t.Helper()
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		code, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range modelMethod.FindAllSubmatch(code, -1) {
			found++
			if name := filepath.Base(filepath.Dir(f)) + "." + string(m[1]); !types[name] && !types["*"+name] {
				t.Errorf("%s: no problem of this test has the actor %s", f, m[1])
			}
		}
	}
	if found < 15 {
		t.Errorf("%d actors found: has their form changed?", found)
	}
}

// keepModels compares the page, or writes it under -rewrite.
func keepModels(t *testing.T, want string) {
	t.Helper()
	if rewriteFlag() {
		if err := os.WriteFile(modelsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page, err := os.ReadFile(modelsPage); err != nil || string(page) != want {
		t.Fatalf("%s: not what the models say (%v); run: go test ./verify/control -run FidelityPage -rewrite", modelsPage, err)
	}
}
