package policies

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// WaiveAnnotation accepts findings beside the object that has them. Each line of its value is
// "RULE: REASON; until YYYY-MM-DD"; empty lines say nothing.
const WaiveAnnotation = "kubesettle.dev/waive"

// maxBeside is how many lines of one annotation are read.
const maxBeside = 50

// Beside reads the waivers of an annotation; [Waiver.Line] counts the lines of its value from 1. problems has one for
// each line that is no waiver, with the remedy and without the line's text, which may be anything; such a line waives
// nothing.
func (p *Policy) Beside(text string) (list []Waiver, problems []string) {
	known := waivable(p)
	for i, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if i >= maxBeside {
			return list, append(problems, fmt.Sprintf("more than %d lines: the rest is not read", maxBeside))
		}
		w, why := beside(l, known)
		if why != "" {
			problems = append(problems, fmt.Sprintf("line %d: %s", i+1, why))
			continue
		}
		w.Line = i + 1
		list = append(list, w)
	}
	return list, problems
}

// beside reads one line.
func beside(l string, known []string) (Waiver, string) {
	if strings.ContainsFunc(l, unicode.IsControl) {
		return Waiver{}, "has a control character; remove it"
	}
	rule, rest, ok := strings.Cut(l, ":")
	if !ok {
		return Waiver{}, `write "RULE: REASON; until 2027-06-30"`
	}
	if rule = strings.TrimSpace(rule); !slices.Contains(known, rule) {
		return Waiver{}, "begins with no rule; " + hint(rule, known)
	}
	at := strings.LastIndex(rest, ";")
	if at < 0 {
		return Waiver{}, `the last day is missing; end it with "; until 2027-06-30"`
	}
	reason, until := strings.TrimSpace(rest[:at]), strings.Fields(rest[at+1:])
	if len(until) != 2 || until[0] != "until" {
		return Waiver{}, `the last day is missing; end it with "; until 2027-06-30"`
	}
	if _, err := time.Parse(time.DateOnly, until[1]); err != nil {
		return Waiver{}, "the last day is not a date; write it as 2027-06-30"
	}
	if reason == "" {
		return Waiver{}, "the reason is missing; write why it is accepted"
	}
	return Waiver{Rule: rule, Reason: reason, Expires: until[1]}, ""
}

// ExpiredOn reports whether the waiver no longer holds on a day; the zero time is before any.
func (w Waiver) ExpiredOn(today time.Time) bool { return w.expired(today) }
