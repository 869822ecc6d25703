package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A name that stands in the repository as such, that of an object, a namespace, a file or a folder, is read by
// everybody who reads the repository, and in the cluster by whoever may list objects. It is no secret for being in a
// Secret too, whatever its form.

// aName matches texts that the API server accepts as the name of an object.
var aName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]([-._a-zA-Z0-9]*[a-zA-Z0-9])?$`)
})

// Named opens names as they are written, not as a template makes them: that may be with a value.
func (k *Known) Named(names ...string) {
	for _, n := range names {
		if len(n) >= shortest && len(n) <= 253 && aName().MatchString(n) && !IsCredential(n) {
			k.open(n)
			if k.names == nil {
				k.names = map[string]bool{}
			}
			k.names[n] = true
		}
	}
}

// Path opens the folders of a path and its file, with and without the part behind a dot, and paths made of such.
func (k *Known) Path(path string) {
	if k.parts == nil {
		k.parts = map[string]bool{}
	}
	for part := range strings.SplitSeq(path, "/") {
		bare, _, _ := strings.Cut(part, ".")
		k.Named(part, bare)
		for _, p := range []string{part, bare} {
			k.parts[p] = k.parts[p] || aName().MatchString(p) && !IsCredential(p)
		}
	}
}

// isPath reports whether a text is folders and files of the repository with slashes between them, or before the first.
func (k *Known) isPath(text string) bool {
	parts := strings.Split(strings.TrimPrefix(text, "."), "/")
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return p != "" && !k.parts[p] })
}

var nameLine = regexp.MustCompile(`^\s*(?:- )?name(?:space)?:\s+(?:&\S+\s+)?["']?([^\s"'{}#]+)["']?\s*(?:#.*)?$`)

// Names opens the names of the objects in a file, if they are given without a template. It goes by lines, as
// [Known.Harvest] does: the metadata of an object begin at the margin, and its name is one of their own fields.
func (k *Known) Names(file string) {
	inside, indent := false, 0
	for line := range strings.Lines(file) {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' {
			continue
		}
		at := len(line) - len(strings.TrimLeft(line, " "))
		if at == 0 {
			rest, is := strings.CutPrefix(text, "metadata:")
			inside, indent = is, 0
			if is {
				k.flowNames(rest)
			}
			continue
		}
		if !inside {
			continue
		}
		if indent == 0 {
			indent = at
		}
		if m := nameLine.FindStringSubmatch(text); m != nil && at == indent {
			k.Named(m[1])
		}
	}
}

var flowName = regexp.MustCompile(`[{,]\s*name(?:space)?:\s*["']?([^\s"'{},]+)["']?\s*[,}]`)

// flowNames are those of metadata on one line; a text in a nested map, such as labels, is none.
func (k *Known) flowNames(text string) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") || strings.Count(text, "{") != 1 {
		return
	}
	for text = strings.ReplaceAll(text, ",", ",,"); ; {
		m := flowName.FindStringSubmatchIndex(text)
		if m == nil {
			return
		}
		k.Named(text[m[2]:m[3]])
		text = text[m[3]:]
	}
}

// anObject is how results call an object: apps/StatefulSet auth/redis, or auth/redis.
var anObject = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:[a-z0-9.-]+/)?[A-Z][A-Za-z0-9]* )?[^ /:=,]+/[^ /:=,]+$`)
})

// calls reports whether a text is what results call an object by, made of names alone.
func (k *Known) calls(text string) bool {
	if !anObject().MatchString(text) {
		return false
	}
	kind, name, two := strings.Cut(text, " ")
	return k.named(kind) && (!two || k.named(name))
}

// named reports whether a text is made of names and signs that join them.
func (k *Known) named(text string) bool {
	if k == nil {
		return false
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("/:=,", r) })
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(p string) bool { return !k.names[p] && !k.public[p] })
}

// inNamed reports whether a part of a text is a part of a longer name that is known, or of one that dots and dashes
// join to others: web of web.shop.svc.
func (k *Known) inNamed(text string, from, to int) bool {
	if len(k.names) == 0 {
		return false
	}
	for start := from; start >= 0 && from-start <= 253; start-- {
		if start == 0 || !isWord(text[start-1]) {
			for end := to; end <= len(text) && end-start <= 253; end++ {
				if (end == len(text) || !isWord(text[end])) && end-start > to-from && k.names[text[start:end]] {
					return true
				}
				if end < len(text) && !inAName(text[end]) {
					break
				}
			}
		}
		if start > 0 && !inAName(text[start-1]) {
			break
		}
	}
	return false
}

func inAName(c byte) bool { return isWord(c) || joins(c) }
