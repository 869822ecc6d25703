package policies

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies/rules"
)

const (
	policyDoc   = "../docs/policy.md"
	failuresDoc = "../testdata/failures/README.md"
	rulesDoc    = "../docs/rules.md"
	examplesDir = "../testdata/rules"
)

func readPage(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var example = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestDocumentedExamplesLoad: every YAML example of the page is a policy.
func TestDocumentedExamplesLoad(t *testing.T) {
	page := readPage(t, policyDoc)
	schema := compiledSchema(t)
	blocks := example.FindAllStringSubmatchIndex(page, -1)
	if len(blocks) < 5 {
		t.Fatalf("%d examples in %s", len(blocks), policyDoc)
	}
	for _, b := range blocks {
		text := page[b[2]:b[3]]
		where := fmt.Sprintf("%s:%d", policyDoc, 1+strings.Count(page[:b[2]], "\n"))
		if _, err := Load(where, []byte(text)); err != nil {
			t.Error(err)
		}
		if _, err := schema.validate([]byte(text)); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	var lines []string // the default, without its comments
	for _, l := range strings.Split(string(defaultFile), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(l), "#") {
			lines = append(lines, l)
		}
	}
	if first := page[blocks[0][2]:blocks[0][3]]; first != strings.Join(lines, "\n") {
		t.Errorf("the first example is not the default:\n%s\nwant\n%s", first, strings.Join(lines, "\n"))
	}
}

// row is a line of a table that documents a key.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*) \\|$")

// TestEveryKeyIsDocumented: the page's tables and the schema name the same keys.
func TestEveryKeyIsDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(readPage(t, policyDoc), -1) {
		documented[m[1]] = true
	}
	var schema map[string]any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	inSchema := map[string]bool{}
	walk(schema, schema, "", inSchema)
	for _, k := range slices.Sorted(maps.Keys(inSchema)) {
		if !documented[k] {
			t.Errorf("%s does not document %s", policyDoc, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(documented)) {
		if !inSchema[k] && k != "cluster.nodePools[].allocatable" { // its members are keys, too
			t.Errorf("%s documents %s, which the schema does not know", policyDoc, k)
		}
	}
}

// walk collects the paths of a schema's keys that hold a value of their own.
func walk(root, s map[string]any, path string, out map[string]bool) {
	if ref, ok := s["$ref"].(string); ok {
		def := root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		walk(root, def, path, out)
		return
	}
	leaf := true
	forms, _ := s["oneOf"].([]any) // a key that holds a word, or a mapping
	for _, f := range forms {
		if form := f.(map[string]any); form["properties"] != nil {
			walk(root, form, path, out)
		}
	}
	for _, kind := range []string{"properties", "patternProperties"} {
		members, _ := s[kind].(map[string]any)
		for k, v := range members {
			leaf = false
			if kind == "patternProperties" {
				k = "RULE"
			}
			p := strings.TrimPrefix(path+"."+k, ".")
			if k == "below-floor" { // a rule with one key more
				delete(v.(map[string]any)["properties"].(map[string]any), "severity")
				delete(v.(map[string]any)["properties"].(map[string]any), "workloads")
			}
			walk(root, v.(map[string]any), p, out)
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		inner := map[string]bool{}
		walk(root, items, path+"[]", inner)
		if len(inner) > 1 || !inner[path+"[]"] { // a list of mappings; else the list is the value
			leaf = false
			maps.Copy(out, inner)
		}
	}
	if leaf {
		out[path] = true
	}
}

// TestDocsSayWhatIsNotModeled: the keys that the page marks are those that a result
// names.
func TestDocsSayWhatIsNotModeled(t *testing.T) {
	every := strings.NewReplacer("timing: realistic", "timing: arbitrary", "autoscaled: false", "autoscaled: true").Replace(fullExample)
	p, err := Load("full.yaml", []byte(every))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	index := regexp.MustCompile(`\[[0-9]+\]`)
	for _, s := range p.Unsupported() {
		at, _, _ := strings.Cut(s, " (line")
		at, custom, _ := strings.Cut(at, " ")
		if custom != "" {
			at += "[]"
		}
		named = append(named, index.ReplaceAllString(at, "[]"))
	}
	var marked []string
	for _, m := range row.FindAllStringSubmatch(readPage(t, policyDoc), -1) {
		if strings.Contains(m[2], "Not modeled yet") {
			marked = append(marked, m[1])
		}
	}
	under := func(key, at string) bool { return key == at || strings.HasPrefix(key, at+".") }
	for _, at := range named {
		if !slices.ContainsFunc(marked, func(k string) bool { return under(k, at) }) {
			t.Errorf("%s does not say that %s is not modeled", policyDoc, at)
		}
	}
	for _, k := range marked {
		if !slices.ContainsFunc(named, func(at string) bool { return under(k, at) }) {
			t.Errorf("%s says that %s is not modeled; Unsupported does not", policyDoc, k)
		}
	}
}

// TestRulesPage: docs/rules.md is the help of every rule. Rewrite it with
// go test ./policies -run RulesPage -rewrite.
func TestRulesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The rules\n\n`kubesettle explain RULE` prints the same, with sources instead of examples. Severity is that of an inevitable\n" +
		"violation by the change alone or one routine event. The [policy](policy.md#intents) tunes rules and\n" +
		"[waives](policy.md#waivers) findings.\n")
	for _, r := range rules.All() {
		example := recorded(t, string(r.ID))
		if example == "" {
			t.Errorf("%s has no example: add a pair to %s", r.ID, examplesDir)
		}
		fmt.Fprintf(&b, "\n## %s\n\n*%s (%s, %s)*\n\n**Is it real?** %s\n\n**Impact:** %s\n\n**Fix:**%s\n%s",
			r.ID, r.Title, r.Class, r.Severity, r.Help.Real, r.Help.Bad, answer(r.Help.Now), example)
	}
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" { // datadriven's
		if err := os.WriteFile(rulesDoc, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := readPage(t, rulesDoc); got != b.String() {
		t.Errorf("%s is not what the rules say; rewrite it with -rewrite", rulesDoc)
	}
}

var documentedFailure = regexp.MustCompile(`(?m)^\| \[([FG]\d+)\]\(([fg]\d+)/README\.md\) \| \d \| ([^|]+) \| \[([a-z-]+)\]`)

// mostExample bounds the lines of a repair that an example shows.
const mostExample = 8

// recorded is the example of a rule, with the lines that repair it: its own in testdata/rules, or the first documented
// failure that it reports and whose repair is short.
func recorded(t *testing.T, rule string) string {
	t.Helper()
	if ar, err := txtar.ParseFile(filepath.Join(examplesDir, rule+".txtar")); err == nil {
		violating, repaired := fstest.MapFS{}, fstest.MapFS{}
		for _, f := range ar.Files { // base comes first, and what head and the repair change stands over it
			side, name, ok := strings.Cut(f.Name, "/")
			if !ok { // the policy
				continue
			}
			repaired[name] = &fstest.MapFile{Data: f.Data}
			if side != "repaired" {
				violating[name] = repaired[name]
			}
		}
		return shown("", strings.TrimSuffix(strings.TrimSpace(string(ar.Comment)), "."), repair(t, violating, repaired))
	}
	for _, m := range documentedFailure.FindAllStringSubmatch(readPage(t, failuresDoc), -1) {
		if m[4] != rule {
			continue
		}
		dir := filepath.Join(filepath.Dir(failuresDoc), m[2])
		of := fmt.Sprintf(" ([%s](../testdata/failures/%s/README.md))", m[1], m[2])
		lines := repair(t, os.DirFS(filepath.Join(dir, "violating")), os.DirFS(filepath.Join(dir, "repaired")))
		if example := shown(of, m[3], lines); example != "" {
			return example
		}
	}
	return ""
}

// shown words an example; "" if its repair is none, or long.
func shown(of, sentence, lines string) string {
	if n := strings.Count(lines, "\n"); n == 0 || n > mostExample {
		return ""
	}
	return fmt.Sprintf("\n**Example**%s: %s.\n\n```diff\n%s```\n", of, sentence, lines)
}

// repair is what differs between the manifests of two folders, as the lines of a diff without context. Where a change is
// checked, its head counts.
func repair(t *testing.T, violating, repaired fs.FS) string {
	t.Helper()
	if info, err := fs.Stat(violating, "head"); err == nil && info.IsDir() {
		violating, repaired = sub(t, violating, "head"), sub(t, repaired, "head")
	}
	var b strings.Builder
	err := fs.WalkDir(violating, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "policy.yaml" {
			return err
		}
		before, err := fs.ReadFile(violating, path)
		if err != nil {
			return err
		}
		after, err := fs.ReadFile(repaired, path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
			A: difflib.SplitLines(string(before)), B: difflib.SplitLines(string(after)),
		})
		for _, l := range strings.SplitAfter(text, "\n") {
			if len(l) > 1 && (l[0] == '+' || l[0] == '-') && !strings.HasPrefix(l, "+++") && !strings.HasPrefix(l, "--- ") {
				b.WriteString(l[:1] + " " + l[1:])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sub(t *testing.T, f fs.FS, dir string) fs.FS {
	t.Helper()
	out, err := fs.Sub(f, dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// answer is what follows a bold question: a list in a paragraph of its own.
func answer(text string) string {
	if strings.HasPrefix(text, "- ") {
		return "\n\n" + text
	}
	return " " + text
}
