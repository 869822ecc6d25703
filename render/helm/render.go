package helm

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

var (
	randomCall = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(rand(Alpha|Numeric|AlphaNum|Ascii|Bytes|Int)\w*|gen(PrivateKey|CA|CAWithKey|SelfSignedCert|SelfSignedCertWithKey|SignedCert|SignedCertWithKey)|uuidv4|htpasswd|bcrypt|now|ago|date\w*|htmlDate\w*|encryptAES|shuffle)\b`)
	})
	lookupCall = regexp.MustCompile(`\{\{[^}]*\blookup\b[^}]*\}\}`)
)

// Render renders the chart; twice where it calls random functions, to find the values that differ every time. The
// documents that it returns are shared with known.
func Render(c *release.Chart, files map[string][]byte, known *document.Known) release.Output {
	ch, vals, holes, f := loadWithValues(c, files)
	if f != nil {
		return release.Output{Err: f}
	}
	out := withoutUnknownHooks(c, ch, render(c, files, ch, vals, known))
	switch {
	case out.Err != nil && c.Withheld != nil && (len(c.Lost) == 0 || Asks(out.Err)):
		return release.Output{Err: c.Withheld, Notes: out.Notes}
	case len(c.Lost) == 0:
		return out
	case out.Err != nil && Asks(out.Err): // with that value, something of it may be known
		return out
	case out.Err != nil || len(out.Docs) == 0: // nothing is known beside what is missing
		return release.Output{Err: c.Lacks, Notes: out.Notes}
	}
	out.Holes = append(out.Holes, holes...)
	return out
}

func render(c *release.Chart, files map[string][]byte, ch *chart.Chart, vals map[string]any,
	known *document.Known) release.Output {
	var out release.Output
	var f *object.Failure
	random, lookup := calls(c, ch)
	if refersAway(ch) {
		out.Notes = append(out.Notes, object.Say(object.SchemaElsewhere))
	}
	if lookup {
		out.Notes = append(out.Notes, object.Say(object.LookupFindsNothing))
	}
	if c.Once && readyKeys(ch) {
		if out.Docs, f = execute(c, ch, vals, known); f == nil {
			return out
		}
		if ch, vals, _, f = loadWithValues(c, files); f != nil {
			return release.Output{Err: f}
		}
	}
	given := &steps{most: MaxSteps}
	if out.Docs, f = executeAs(c, ch, vals, asInstall, given, known); f != nil {
		f.Reason = redact.Hide(scrub(f.Reason, ch, c.Dir, vals), c.Hidden)
		out.Err = f
		return out
	}
	var asUpgrade []document.Document
	if !c.Once && !c.Template && (lookup || asksForUpgrade(ch)) {
		asUpgrade = upgraded(c, files, out.Docs, known)
	}
	names, any := drawn(ch)
	random, any = random || given.draws, any || given.decides || given.draws && comparesTexts(ch)
	var renders [][]document.Document
	if random && !c.Once {
		draws := 1
		if drawsDecide(ch) || given.draws {
			draws += moreDraws
		}
		for range draws {
			if second := again(c, files, known); second != nil {
				out.Docs = document.MarkVolatile(out.Docs, second)
				renders = append(renders, second)
			}
		}
	}
	if asUpgrade != nil {
		out.Holes = decided(c, out.Docs, asUpgrade)
	}
	if out = withoutDrawn(c, out, names, any, renders, Digest(c.Name, c.Namespace, vals, texts(ch))); len(out.Docs) == 0 {
		for _, h := range out.Holes {
			if h.Part() {
				return release.Output{Err: h.Failure(), Notes: out.Notes}
			}
		}
	}
	if Kept(c, out.Docs) < len(out.Docs) {
		out.Notes = append(out.Notes, object.Say(object.HooksListed))
	}
	return out
}

// texts are the templates of a chart and of its parts.
func texts(ch *chart.Chart) []string {
	var out []string
	for _, t := range ch.Templates {
		out = append(out, t.Name+"\n"+string(t.Data))
	}
	for _, d := range ch.Dependencies() {
		out = append(out, texts(d)...)
	}
	return out
}

// loadWithValues gives the chart without what depends on missing charts, the values that are merged over its own, and
// what it left out.
func loadWithValues(c *release.Chart, files map[string][]byte) (ch *chart.Chart, vals map[string]any,
	holes []object.Hole, f *object.Failure) {
	if ch, f = load(c, files); f != nil {
		return nil, nil, nil, f
	}
	asHelm3(ch)
	if vals, f = Values(c, files); f == nil && len(c.Lost) > 0 {
		holes = prune(c, ch, vals)
	}
	return ch, vals, holes, f
}

// brokenValues is the failure of values that are no YAML, which says more than that a dependency of the chart is not
// here; nil: they can be read.
func brokenValues(c *release.Chart, files map[string][]byte) *object.Failure {
	few := *c
	few.Names = map[string]string{}
	for name, p := range c.Names {
		if base := path.Base(name); base == "Chart.yaml" || base == "values.yaml" {
			few.Names[name] = p
		}
	}
	_, _, _, f := loadWithValues(&few, files)
	return f
}

// again renders a second time, at another time of day and with keys that are ready where the templates bear it.
func again(c *release.Chart, files map[string][]byte, known *document.Known) []document.Document {
	for _, change := range []func(*chart.Chart){
		func(ch *chart.Chart) { anotherTime(ch); readyKeys(ch) }, anotherTime, func(*chart.Chart) {},
	} {
		ch, vals, _, f := loadWithValues(c, files)
		if f != nil {
			return nil
		}
		change(ch)
		if docs, f := execute(c, ch, vals, known); f == nil {
			return docs
		}
	}
	return nil
}

// Kept counts the documents that are no hooks.
func Kept(c *release.Chart, docs []document.Document) int {
	n := 0
	for _, d := range docs {
		if !d.Hook {
			n++
		}
	}
	return n
}

// load builds Helm's chart from the files.
func load(c *release.Chart, files map[string][]byte) (*chart.Chart, *object.Failure) {
	names := make([]string, 0, len(c.Names))
	for name := range c.Names {
		names = append(names, name)
	}
	sort.Strings(names)
	var list []*loader.BufferedFile
	for _, name := range names {
		b := bytes.TrimPrefix(files[c.Names[name]], []byte("\xef\xbb\xbf"))
		if name == "values.yaml" && len(c.OwnValues) > 0 {
			continue
		}
		list = append(list, &loader.BufferedFile{Name: name, Data: b})
	}
	if len(c.OwnValues) > 0 {
		b, f := ownValues(c, files)
		if f != nil {
			return nil, f
		}
		list = append(list, &loader.BufferedFile{Name: "values.yaml", Data: b})
	}
	ch, err := loader.LoadFiles(list)
	if err == nil {
		sort.Slice(ch.Dependencies(), func(a, b int) bool { // LoadFiles ranges over a map
			return ch.Dependencies()[a].Name() < ch.Dependencies()[b].Name()
		})
		return ch, nil
	}
	if first := firstLoaded(list); first != nil {
		err = first
	}
	file := path.Join(c.Dir, "Chart.yaml")
	for _, name := range []string{"values.yaml", "Chart.lock", "requirements.yaml"} {
		if strings.Contains(err.Error(), name) {
			file = path.Join(c.Dir, name)
		}
	}
	line := document.ErrorLine(err)
	return nil, &object.Failure{
		Reason: fmt.Sprintf("%s:%d: %s", file, line, chartErrorText(err)),
		Where:  object.LineOf(file, line, "file"), Remedy: "correct the chart",
	}
}

func chartErrorText(err error) string {
	return strings.Join(strings.Fields(document.Backquoted.ReplaceAllString(err.Error(), "a value")), " ")
}

// Values merges the values files and settings in Helm's order.
func Values(c *release.Chart, files map[string][]byte) (map[string]any, *object.Failure) {
	vals, f := mergeFiles(files, c.Values)
	if f != nil {
		return nil, f
	}
	if c.Inline != nil {
		vals = MergeValues(vals, helmNumbers(c.Inline).(map[string]any))
	}
	broken := func(k string) *object.Failure {
		return &object.Failure{
			Reason: fmt.Sprintf("set %s: not a value that Helm can parse", k),
			Where:  object.FileStart(path.Join(c.Dir, "Chart.yaml")), Remedy: "correct `set` of the release",
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.Set)) {
		if err := strvals.ParseInto(k+"="+c.Set[k], vals); err != nil {
			return nil, broken(k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.SetString)) {
		if err := strvals.ParseIntoString(k+"="+c.SetString[k], vals); err != nil {
			return nil, broken(k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.SetFile)) {
		content := string(files[c.SetFile[k]])
		if err := strvals.ParseIntoFile(k+"=x", vals, func([]rune) (any, error) { return content, nil }); err != nil {
			return nil, broken(k)
		}
	}
	return vals, nil
}

// mergeFiles merges values files, the last one over the others.
func mergeFiles(files map[string][]byte, list []string) (map[string]any, *object.Failure) {
	vals := map[string]any{}
	for _, p := range list {
		v, err := document.DecodeYAML(files[p])
		if err != nil {
			line := document.ErrorLine(err)
			return nil, &object.Failure{
				Reason: fmt.Sprintf("%s:%d: %s", p, line, document.ErrorText(err)),
				Where:  object.LineOf(p, line, "file"), Remedy: "correct the values file",
			}
		}
		if v == nil {
			continue
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, &object.Failure{
				Reason: p + ": the values are not a map", Where: object.FileStart(p), Remedy: "correct the values file",
			}
		}
		vals = MergeValues(vals, helmNumbers(m).(map[string]any))
	}
	return vals, nil
}

// ownValues merges the files that stand in for the chart's own values.
func ownValues(c *release.Chart, files map[string][]byte) ([]byte, *object.Failure) {
	vals, f := mergeFiles(files, c.OwnValues)
	if f != nil {
		return nil, f
	}
	b, err := yaml.Marshal(vals)
	if err != nil {
		return nil, source.AsFailure(c.OwnValues[0], err)
	}
	return b, nil
}

// calls says which functions the templates mention.
func calls(c *release.Chart, ch *chart.Chart) (random, lookup bool) {
	for _, t := range ch.Templates {
		random = random || mayBeRandom(t.Data) && Calls(t.Data, isRandom)
		lookup = lookup || bytes.Contains(t.Data, []byte("lookup")) && lookupCall.Match(t.Data)
	}
	for _, d := range ch.Dependencies() {
		r, l := calls(c, d)
		random, lookup = random || r, lookup || l
	}
	return random, lookup
}

func isRandom(action []byte) bool { return mayBeRandom(action) && randomCall().Match(action) }

// Calls reports whether a template calls a function between its braces, where says decides about a single action. Most
// words that look like the function's name are in comments and in the text around them.
func Calls(template []byte, says func(action []byte) bool) bool {
	for i, part := range bytes.Split(template, []byte("{{")) {
		if i == 0 {
			continue
		}
		if c := bytes.TrimLeft(part, "- \t\r\n"); bytes.HasPrefix(c, []byte("/*")) {
			_, part, _ = bytes.Cut(c, []byte("*/"))
		}
		// Up to the last braces: others may stand in a text.
		if end := bytes.LastIndex(part, []byte("}}")); end >= 0 && says(part[:end]) {
			return true
		}
	}
	return false
}

// mayBeRandom is false of a text in which [randomCall] finds nothing, and quicker.
func mayBeRandom(b []byte) bool {
	for _, word := range []string{"rand", "gen", "uuidv4", "htpasswd", "bcrypt", "now", "ago", "date", "htmlDate", "encryptAES", "shuffle"} {
		if bytes.Contains(b, []byte(word)) {
			return true
		}
	}
	return false
}

var (
	actions = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	// nowCall matches what may hold the word as well: texts, comments, fields, variables.
	nowCall = regexp.MustCompile("(?s)\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`|/\\*.*?\\*/|[.$][\\w.]*|\\bnow\\b")
)

// anotherTime makes templates that ask for the time get another one, so that a second
// render within the same second still tells.
func anotherTime(ch *chart.Chart) {
	for _, t := range ch.Templates {
		t.Data = actions.ReplaceAllFunc(t.Data, func(action []byte) []byte {
			return nowCall.ReplaceAllFunc(action, func(token []byte) []byte {
				if string(token) != "now" {
					return token
				}
				return []byte(`(toDate "2006-01-02 15:04:05" "2001-02-03 04:05:06")`)
			})
		})
	}
	for _, d := range ch.Dependencies() {
		anotherTime(d)
	}
}
