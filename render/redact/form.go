package redact

import (
	"regexp"
	"strings"
	"sync"
)

// safeForms are the forms of values that may be shown in any field, as they are never secrets: a switch, a small
// number, a quantity, a duration, a version or a level.
var safeForms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:true|false|yes|no|on|off|null|none|auto|enabled|disabled|` +
		`debug|info|warn|warning|error|fatal|trace|panic|notice|json|text|console|logfmt|` +
		`tcp|udp|sctp|http|https|grpc|h2c|localhost|0\.0\.0\.0|127\.0\.0\.1|utc|` +
		`[-+]?\d{1,5}(\.\d{1,3})?|\d{1,7}(\.\d{1,3})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|%)|` +
		`(\d{1,6}(ns|us|ms|s|m|h|d)){1,3}|v?\d{1,4}(\.\d{1,4}){1,3}(-(alpha|beta|rc)\.?\d{0,3})?|v\d{1,2}((alpha|beta)\d{1,2})?)$`)
})

// SafeForm reports whether a text is on the short list of forms that no secret has.
func SafeForm(text string) bool {
	return text == "" || len(text) <= 24 && safeForms().MatchString(text)
}

// placeholders stand in a Secret until its value comes from elsewhere.
var placeholders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:<[a-z][a-z _.-]*>|\$\{?[a-z_][a-z0-9_.]*\}?|\{\{-? *[.$a-z][^{}"']*\}\}|%[a-z_]+%|__[a-z_]+__|@[a-z_]+@|x{3,}|\*{3,}|\.{3,}|` +
		`change[-_ ]?(me|it|this)(now|please|later)?|(please[-_ ]?)?(override|overwrite|replace|update|set|fill|edit)[-_ ]?(me|this|it|in)|(to[-_ ]?be[-_ ]?)?(replaced|overridden|filled|provided|defined|changed)|` +
		`place[-_ ]?holder([-_ ]?value)?|todo|tbd|fixme|dummy|fake|example|sample|test|testing|secret|password|passwd|token|value|username|user|admin|root|undefined|unset|empty|unused|redacted|hidden|` +
		`(your|my|some|the|a)[-_ ]?(super[-_ ]?)?(secret|password|token|key|value|api[-_ ]?key)([-_ ]?here)?|(not|very|super|top)[-_ ]?(a[-_ ]?|so[-_ ]?)?secret|snake[-_ ]?oil|foo|bar|baz|foobar)$`)
})

// Placeholder reports whether a text only stands for a secret: everybody knows it, and it is
// a word that may turn up anywhere.
func Placeholder(text string) bool { return len(text) <= 64 && placeholders().MatchString(text) }

var plainWords = regexp.MustCompile(`^[A-Za-z]+(?:[-_./ ][A-Za-z]+)*\d{0,2}$`)

// PlainWords reports whether a text is words and nothing else: letters, at most with two
// digits after them.
func PlainWords(text string) bool { return len(text) <= 64 && plainWords.MatchString(text) }

var plainName = regexp.MustCompile(`^[A-Za-z]+(?:\d{1,2}[a-z]?)?(?:[-_./ ][A-Za-z]+(?:\d{1,2}[a-z]?)?)*$`)

// plainAsName reports whether a text is words as names have them, each at most with two digits and a letter after it:
// oauth2-proxy, k8s-gateway.
func plainAsName(text string) bool { return len(text) <= 64 && plainName.MatchString(text) }

var flagName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(--?[A-Za-z][A-Za-z0-9_.-]*)=(.*)$`)
})

// Argument masks one argument of a command unless its form is safe: the name of a long flag is safe, and so is its
// value if that is a number or the like.
func Argument(text string) string {
	if m := flagName().FindStringSubmatch(text); m != nil {
		if SafeForm(m[2]) && !Tells(strings.TrimLeft(m[1], "-")) {
			return text
		}
		return m[1] + "=" + Mask
	}
	if SafeForm(text) || longFlag().MatchString(text) {
		return text
	}
	return Mask
}

// longFlag is the name of a flag: a single dash with more than one letter may be one with
// its value.
var longFlag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(--[a-z][a-z0-9_.-]{0,50}|-[A-Za-z])$`)
})
