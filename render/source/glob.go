package source

import (
	"regexp"
	"strings"
)

var globPart = regexp.MustCompile(`\*\*/?|\*|\?|\[[^\]]*\]|[{},]|[^*?\[{},]+`)

// Match reports whether a pattern matches a path: * within a folder, ** across them, and {a,b} either.
func Match(pattern, p string) bool {
	var re strings.Builder
	depth := 0
	for _, part := range globPart.FindAllString(strings.TrimPrefix(pattern, "./"), -1) {
		switch {
		case strings.HasPrefix(part, "**"):
			re.WriteString("(?:.*/)?")
			if part == "**" {
				re.WriteString(".*")
			}
		case part == "*":
			re.WriteString("[^/]*")
		case part == "?":
			re.WriteString("[^/]")
		case part[0] == '[':
			re.WriteString(strings.Replace(part, "[!", "[^", 1))
		case part == "{":
			re.WriteString("(?:")
			depth++
		case part == "}" && depth > 0:
			re.WriteString(")")
			depth--
		case part == "," && depth > 0:
			re.WriteString("|")
		default:
			re.WriteString(regexp.QuoteMeta(part))
		}
	}
	ok, err := regexp.MatchString("^"+re.String()+"$", p)
	return err == nil && ok
}
