package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ErrUnknownRule says that no rule has the ID.
var ErrUnknownRule = errors.New("unknown rule")

// ExplainOptions of [Explain].
type ExplainOptions struct {
	Color bool   // ANSI colours
	Rules []Rule // nil: [Rules]
}

// Explain writes a rule's help for the terminal; with no ID, the list of rules.
// Errors: [ErrUnknownRule], with the nearest IDs; the writer's.
func Explain(w io.Writer, id string, opt ExplainOptions) error {
	rules := rulesOr(opt.Rules)
	t := &textWriter{opt: Options{Color: opt.Color}}
	if id == "" {
		t.ruleList(rules)
		_, err := w.Write(t.buf.Bytes())
		return err
	}
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return fmt.Errorf("%w: %s; did you mean %s? All: kubesettle explain", ErrUnknownRule, line(id),
			strings.Join(nearest(rules, id), " or "))
	}
	t.rule(&rules[i])
	_, err := w.Write(t.buf.Bytes())
	return err
}

func (t *textWriter) ruleList(rules []Rule) {
	width := 0
	for _, r := range rules {
		width = max(width, len(r.ID))
	}
	for _, r := range rules {
		t.printf("%s  %-11s  %-7s  %s\n", t.color(bold, fmt.Sprintf("%-*s", width, r.ID)), r.Class, r.Severity, r.Title)
	}
}

func (t *textWriter) rule(r *Rule) {
	t.printf("%s  %s, %s by default\n%s\n", t.color(bold, r.ID), r.Class, r.Severity, sentence(capitalOr(r.Title, r.ID)))
	for _, p := range r.answers() {
		t.printf("\n%s\n", t.color(bold, p.title))
		t.printf("%s", indent(wrapMarkdown(p.text, 76)))
	}
	if len(r.Sources) > 0 {
		t.printf("\n%s\n", t.color(bold, "Sources"))
		for _, s := range r.Sources {
			t.printf("  %s\n", s)
		}
	}
}

// wrapMarkdown fills the paragraphs of a rule's own Markdown to a width; fences, lists
// and indented lines keep their lines, the fences' marks go.
func wrapMarkdown(md string, width int) string {
	var out bytes.Buffer
	var words []string
	flush := func() {
		col := 0
		for _, w := range words {
			if col > 0 && col+1+len(w) > width {
				out.WriteByte('\n')
				col = 0
			}
			if col > 0 {
				out.WriteByte(' ')
				col++
			}
			out.WriteString(w)
			col += len(w)
		}
		if len(words) > 0 {
			out.WriteByte('\n')
		}
		words = words[:0]
	}
	fenced := false
	for _, l := range strings.Split(strings.TrimSpace(md), "\n") {
		t := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(t, "```"):
			flush()
			fenced = !fenced
		case fenced, strings.HasPrefix(l, "    "):
			flush()
			out.WriteString(l + "\n")
		case t == "":
			flush()
			out.WriteByte('\n')
		case strings.HasPrefix(t, "- "), strings.HasPrefix(t, "* "), strings.HasPrefix(t, "|"):
			flush()
			words = append(words, strings.Fields(plain(l))...)
		default:
			words = append(words, strings.Fields(plain(l))...)
		}
	}
	flush()
	return out.String()
}

func indent(s string) string {
	var b strings.Builder
	for _, l := range strings.SplitAfter(s, "\n") {
		if strings.TrimSpace(l) != "" {
			b.WriteString("  ")
		}
		b.WriteString(l)
	}
	return b.String()
}

// nearest gives the two rule IDs that look most like id.
func nearest(rules []Rule, id string) []string {
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.ID)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(distance(a, id), distance(b, id)) })
	return ids[:min(2, len(ids))]
}

// distance is Levenshtein's, over bytes; the longest input counts as 64 bytes.
func distance(a, b string) int {
	a, b = a[:min(64, len(a))], b[:min(64, len(b))]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diag, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diag+cost)
		}
	}
	return row[len(b)]
}
