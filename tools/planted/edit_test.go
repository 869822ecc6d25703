package planted

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestSetEditsOneField(t *testing.T) {
	const file = "# values\na: 1\n---\nkind: D\nspec:\n  # how many\n  replicas: 2 # two\n  strategy: {type: Recreate}\n  empty: {}\n"
	for _, test := range []struct {
		path  string
		value any
		lines []int
		want  string
	}{
		{"spec.replicas", 3, []int{7}, "  replicas: 3\n"},
		{"spec.strategy.type", "RollingUpdate", []int{8, 9}, "  strategy:\n    type: RollingUpdate\n"},
		{"spec.empty.x", true, []int{9, 10}, "  empty:\n    x: true\n"},
		{"spec.paused.deep", true, []int{7, 8}, "  # how many\n  paused:\n    deep: true\n  replicas: 2 # two\n"},
	} {
		d, err := documentAt(file, 4)
		if err != nil {
			t.Fatal(err)
		}
		got, lines, err := d.set(test.value, strings.Split(test.path, ".")...)
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		if !strings.Contains(got, test.want) || !strings.HasPrefix(got, "# values\na: 1\n---\nkind: D\n") {
			t.Errorf("%s:\n%s", test.path, got)
		}
		if !slices.Equal(lines, test.lines) {
			t.Errorf("%s: lines %v, want %v\n%s", test.path, lines, test.lines, got)
		}
		if err := yaml.Unmarshal([]byte(got[strings.Index(got, "kind"):]), &map[string]any{}); err != nil {
			t.Errorf("%s: %v\n%s", test.path, err, got)
		}
	}
}

// Every rule that a mistake is found by is one of the manual's: a misspelt one would never be found.
func TestRulesAreThoseOfTheManual(t *testing.T) {
	source, err := os.ReadFile("kinds.go")
	if err != nil {
		t.Fatal(err)
	}
	manual, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	ids := regexp.MustCompile(`"([a-z]+-[a-z-]+|unschedulable)"`)
	checked := 0
	for _, list := range regexp.MustCompile(`rules:? ?:?= *\[\]string{[^}]*}|rules: +\[\]string{[^}]*}`).FindAllString(string(source), -1) {
		for _, m := range ids.FindAllStringSubmatch(list, -1) {
			if checked++; !strings.Contains(string(manual), "\n## "+m[1]+"\n") {
				t.Errorf("no rule is called %s", m[1])
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d rules were looked at", checked)
	}
}
