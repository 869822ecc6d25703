package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// plainLine is "key: value" with a short value on the same line, or a key alone.
var plainLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:- )?["']?([A-Za-z0-9_./-]+)["']?:(?:\s+([^#|>&*!{\[].{0,100}))?\s*$`)
})

// labelKeys is a list of which every word is known, and the head of a kustomization's patch, whose lines follow.
var labelKeys = strings.NewReplacer("matchLabelKeys: [pod-template-hash]", "matchLabelKeys: pod-template-hash",
	"- patch: |-", "- patch: of")

// operand is a value of a JSON patch that is never a secret: a small number, which an environment variable cannot have
// without quotes, a share, an amount, a yes or no, and words of the API server's types.
var operand = regexp.MustCompile(`^\s*value: ([0-9]{1,3}%?|[0-9]{1,4}(m|Mi|Gi)|true|false|Recreate|RollingUpdate|` +
	`ScheduleAnyway|DoNotSchedule|Honor|AlwaysAllow|Never|Forbid)$`)

// openedMap is a key with a map in braces.
var openedMap = regexp.MustCompile(`["']?([A-Za-z0-9_./-]+)["']?:\s*\{`)

// plainMaps are the keys whose maps hold what the API server's own types name, or labels and amounts. Any other map may
// hold a secret under a name of somebody's own, such as the parameters of a StorageClass.
var plainMaps = func() map[string]bool {
	out := map[string]bool{}
	for _, k := range strings.Fields(`spec metadata template selector labelSelector matchLabels labels nodeSelector
		resources requests limits hard strategy updateStrategy rollingUpdate behavior scaleUp scaleDown scaleTargetRef
		target resource object metric affinity nodeAffinity podAffinity podAntiAffinity podAffinityTerm preference
		topologySpreadConstraints disruptionBudget updatePolicy resourcePolicy syncPolicy automated`) {
		out[k] = true
	}
	return out
}()

// Plain reports whether lines of YAML may be shown: each is a key, with a short value that
// does not look like a secret and stands under no key that tells of one, or a map of such
// in braces, with one of some keys or without. What it cannot tell it does not let through, such as the value of
// an environment variable.
func Plain(lines []string) bool {
	for _, l := range lines {
		if l = labelKeys.Replace(l); l == "---" {
			continue
		}
		inner := strings.TrimPrefix(strings.TrimSpace(l), "- ")
		if strings.HasSuffix(inner, "}") && (strings.HasPrefix(inner, "{") || strings.Contains(inner, ": {")) {
			for _, m := range openedMap.FindAllStringSubmatch(inner, -1) {
				if !plainMaps[m[1]] {
					return false
				}
			}
			parts := strings.FieldsFunc(inner, func(r rune) bool { return strings.ContainsRune("{},", r) })
			if parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }); !Plain(parts) {
				return false
			}
			continue
		}
		if operand.MatchString(l) {
			continue
		}
		m := plainLine().FindStringSubmatch(l)
		if m == nil || Tells(m[1]) || m[1] == "value" || m[1] == "data" || m[1] == "stringData" {
			return false
		}
		if text := strings.Trim(m[2], ` "'`); highEntropy(text) || Text(l) != l {
			return false
		}
	}
	return true
}

// highEntropy reports whether a text looks like random key material: long, without spaces,
// and of three classes of characters in a good mixture. Digests and image names do not.
func highEntropy(text string) bool {
	if len(text) < 32 || len(text) > 4096 || strings.ContainsAny(text, " \n\t:/.") {
		return false
	}
	var lower, upper, digit, turns int
	class := 0
	for _, r := range text {
		now := 0
		switch {
		case r >= 'a' && r <= 'z':
			lower++
			now = 1
		case r >= 'A' && r <= 'Z':
			upper++
			now = 2
		case r >= '0' && r <= '9':
			digit++
			now = 3
		}
		if now != class {
			turns++
		}
		class = now
	}
	return lower > 3 && upper > 3 && digit > 2 && turns*3 > len(text)
}
