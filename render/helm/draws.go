package helm

import (
	"regexp"

	"helm.sh/helm/v3/pkg/chart"
)

// moreDraws is how often a chart is rendered again whose random values decide between few others: two renders may well
// draw the same.
const moreDraws = 6

var (
	// deciding matches functions whose result is one of few, whatever is drawn.
	deciding = regexp.MustCompile(`\b(if|with|range|ternary|index|first|last|slice|eq|ne|lt|le|gt|ge|not|has|contains|` +
		`hasPrefix|hasSuffix|regexMatch|mod|min|max)\b`)
	assigned = regexp.MustCompile(`\$(\w+)\s*:?=`)
)

// drawsDecide reports whether something drawn at random, or a variable that holds it, decides in a template of a chart.
func drawsDecide(ch *chart.Chart) bool {
	for _, t := range ch.Templates {
		if !mayBeRandom(t.Data) {
			continue
		}
		all := actions.FindAll(t.Data, -1)
		held := map[string]bool{}
		for _, a := range all {
			if !isRandom(a) {
				continue
			}
			if deciding.Match(a) {
				return true
			}
			if m := assigned.FindSubmatch(a); m != nil {
				held[string(m[1])] = true
			}
		}
		for _, a := range all {
			for name := range held {
				if deciding.Match(a) && regexp.MustCompile(`\$`+name+`\b`).Match(a) {
					return true
				}
			}
		}
	}
	for _, d := range ch.Dependencies() {
		if drawsDecide(d) {
			return true
		}
	}
	return false
}
