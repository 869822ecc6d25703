package locate

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
)

// inJsonnet is the one line of a release's programs that gives a field its value, as far as a search in their text can
// tell: one with its key and its value, or with its value alone, as a variable has it, or with its key; otherwise that
// of the nearest enclosing key which stands once, or the file.
func (l *locator) inJsonnet(d document.Document, p fieldpath.Path) object.Location {
	for ; len(p) > 0; p = p[:len(p)-1] {
		key := p[len(p)-1].Key
		v, set := p.Get(d.Content)
		if !set || key == "" {
			continue
		}
		named := `(?:^|[\s{,])\[?['"]?` + regexp.QuoteMeta(key) + `['"]?\]?\s*\+?:{1,3}\s*`
		wanted := []string{named}
		if value := textOf(v); value != "" {
			value += `\s*(?:[,;})\]]|//|#|$)`
			wanted = []string{named + value, `(?:^|[\s{,])[\w'"]+\s*(?::{1,3}|=)\s*` + value, named}
			if name := l.variableOf(named); name != "" {
				wanted = slices.Insert(wanted, 1, `(?:^|[\s{,(])`+name+`\s*(?:\+?:{1,3}|=)\s*`+value)
			}
		}
		for _, w := range wanted {
			if at, one := l.onlyLine(regexp.MustCompile(w)); one {
				return at
			}
		}
	}
	return object.FileStart(d.File)
}

// aVariable matches a variable alone behind a key, or a field of one.
var aVariable = regexp.MustCompile(`^[$\w.]*?([A-Za-z_]\w*)\s*(?:[,;})\]]|//|#|$)`)

// variableOf is the variable that the one line with a key takes its value from; "" for none.
func (l *locator) variableOf(named string) string {
	want := regexp.MustCompile(named)
	at, one := l.onlyLine(want)
	if !one {
		return ""
	}
	line := bytes.Split(l.recipe.Files[at.File], []byte("\n"))[at.StartLine-1]
	if m := aVariable.FindSubmatch(line[want.FindIndex(line)[1]:]); m != nil {
		return string(m[1])
	}
	return ""
}

// onlyLine is the line of the release's own programs that an expression matches, if it is one.
func (l *locator) onlyLine(want *regexp.Regexp) (object.Location, bool) {
	var found []object.Location
	for _, f := range l.recipe.Reads() {
		if ext := path.Ext(f); ext != ".jsonnet" && ext != ".libsonnet" || strings.Contains("/"+f, "/vendor/") {
			continue
		}
		for i, line := range bytes.Split(l.recipe.Files[f], []byte("\n")) {
			if want.Match(line) {
				if found = append(found, object.LineOf(f, i+1, "node")); len(found) > 1 {
					return object.Location{}, false
				}
			}
		}
	}
	if len(found) == 0 {
		return object.Location{}, false
	}
	return found[0], true
}

// textOf is an expression for a scalar as a program writes it; "" for anything else.
func textOf(v any) string {
	switch x := v.(type) {
	case string:
		if x != "" && !strings.Contains(x, "\n") {
			return `['"]` + regexp.QuoteMeta(x) + `['"]`
		}
	case int64, float64, bool:
		return `\b` + regexp.QuoteMeta(fmt.Sprint(x)) + `\b`
	}
	return ""
}
