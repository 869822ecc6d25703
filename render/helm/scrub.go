package helm

import (
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/redact"
)

// replaceWord masks a value where it is not a part of a longer word.
func replaceWord(text, value string) string {
	var out strings.Builder
	for {
		i := strings.Index(text, value)
		if i < 0 {
			return out.String() + text
		}
		end := i + len(value)
		out.WriteString(text[:i])
		if (i > 0 && isWord(text[i-1])) || (end < len(text) && isWord(text[end])) {
			out.WriteString(value)
		} else {
			out.WriteString(redact.Mask)
		}
		text = text[end:]
	}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// scrub removes from a message of a chart every value of a telling key, as Helm's errors print
// values, in whatever form; and whatever looks like a credential by itself. The names of the chart
// and of its folders everybody may read, also where one is a password too.
func scrub(text string, ch *chart.Chart, dir string, vals map[string]any) string {
	known := &redact.Known{}
	public := append(strings.Split(dir, "/"), ch.Name())
	known.Public(public...)
	for _, v := range []map[string]any{vals, ch.Values} {
		fieldpath.Leaves(v, nil, func(p fieldpath.Path, leaf any) {
			s, ok := leaf.(string)
			if !ok || len(s) < 4 || len(p) == 0 {
				return
			}
			for _, st := range p {
				if redact.Tells(st.Key) && !redact.Own(s) && !slices.Contains(public, s) {
					known.Add(s)
					text = replaceWord(text, s)
					return
				}
			}
		})
	}
	known.Seal()
	return known.Clean(text)
}
