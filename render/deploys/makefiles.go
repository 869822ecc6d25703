package deploys

import (
	"path"
	"regexp"
	"strings"
)

// script is text for a shell, with its line in the file.
type script struct {
	text string
	line int
}

// joined are the lines of a text from one on, with those that are continued, and how many they are.
func joined(lines []string, from int) (string, int) {
	to := from + 1
	for to < len(lines) && strings.HasSuffix(lines[to-1], `\`) {
		to++
	}
	return strings.Join(lines[from:to], "\n"), to - from
}

var (
	makeAssign    = regexp.MustCompile(`^(?:[^\t#=:]+:\s+)?(?:export\s+|override\s+)*([A-Za-z_][A-Za-z0-9_.-]*)\s*(\?|:|::|\+)?=\s*(.*?)\s*$`)
	makeReference = regexp.MustCompile(`\$\$|\$[({]([A-Za-z_][A-Za-z0-9_.-]*)[)}]|\$[({][^(){}]*(?:\([^()]*\)[^(){}]*)*[)}]|\$([@<*^?])`)
	justAssign    = regexp.MustCompile(`^(?:export\s+)?([A-Za-z_][A-Za-z0-9_-]*)\s*:=\s*["']([^"']*)["']\s*$`)
	templated     = regexp.MustCompile(`\{\{-?\s*(.*?)\s*-?\}\}`)
	notInName     = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// named is a name that stands for an expression of a template.
func named(expression string) string {
	name := strings.Trim(notInName.ReplaceAllString(expression, "_"), "_")
	if name == "" || len(name) > 60 || name[0] >= '0' && name[0] <= '9' {
		return strings.Trim(hashed("expression", expression), "${}")
	}
	return name
}

// readMakefile reads the recipes of a Makefile. Each line runs in a separate shell.
func readMakefile(file string, b []byte) []call {
	lines := strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
	vars := map[string]string{}
	var scripts []script
	shellText := func(s string) string {
		return makeReference.ReplaceAllStringFunc(s, func(m string) string {
			sub := makeReference.FindStringSubmatch(m)
			switch {
			case m == "$$":
				return "$"
			case sub[1] != "":
				return "${" + named(sub[1]) + "}"
			case strings.Contains(m, "CURDIR") || strings.Contains(m, "MAKEFILE_LIST"):
				return "."
			}
			return "${" + named(m) + "}"
		})
	}
	for i := 0; i < len(lines); {
		text, n := joined(lines, i)
		switch m := makeAssign.FindStringSubmatch(text); {
		case strings.HasPrefix(text, "\t"):
			scripts = append(scripts, script{shellText(strings.TrimLeft(text, "\t @-+")), i + 1})
		case m == nil || m[2] == "+":
		case vars[named(m[1])] == "" || m[2] != "?":
			value, _, _ := strings.Cut(m[3], " #")
			vars[named(m[1])] = strings.Trim(shellText(value), `"' `)
		}
		i += n
	}
	return follow(file, scripts, vars, []string{path.Dir(file), "."})
}

// readJustfile reads the recipes of a justfile.
func readJustfile(file string, b []byte) []call {
	lines := strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
	vars := map[string]string{}
	var scripts []script
	for i := 0; i < len(lines); {
		text, n := joined(lines, i)
		if m := justAssign.FindStringSubmatch(text); m != nil {
			vars[named(m[1])] = m[2]
		}
		if text != "" && (text[0] == ' ' || text[0] == '\t') {
			text = templated.ReplaceAllStringFunc(text, func(m string) string {
				return "${" + named(templated.FindStringSubmatch(m)[1]) + "}"
			})
			scripts = append(scripts, script{strings.TrimLeft(text, " \t@-"), i + 1})
		}
		i += n
	}
	return follow(file, scripts, vars, []string{path.Dir(file), "."})
}

var (
	jenkinsAssign = regexp.MustCompile(`(?m)(?:^|[{;])\s*(?:def\s+|String\s+|final\s+)*([A-Za-z_]\w*)\s*=\s*(?:"([^"\n]*)"|'([^'\n]*)')\s*(?:$|[;}])`)
	jenkinsShell  = regexp.MustCompile(`(?s)\b(?:sh|bat)\b\s*\(?\s*(?:[^"'\n]*\bscript:\s*)?(?:"""(.*?)"""|'''(.*?)'''|"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)')`)
	jenkinsScope  = regexp.MustCompile(`\$\{(?:env|params|config|this)\.(\w+)\}`)
)

// readJenkinsfile reads the shell steps of a Jenkinsfile.
func readJenkinsfile(file string, b []byte) []call {
	text := string(b)
	vars := map[string]string{}
	for _, m := range jenkinsAssign.FindAllStringSubmatch(text, -1) {
		vars[m[1]] = jenkinsScope.ReplaceAllString(m[2]+m[3], "${$1}")
	}
	var scripts []script
	for _, at := range jenkinsShell.FindAllStringSubmatchIndex(text, -1) {
		for g := 2; g < len(at); g += 2 {
			if at[g] < 0 {
				continue
			}
			body := text[at[g]:at[g+1]]
			if g == 6 || g == 8 {
				body = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\$`, `$`, `\\`, `\`).Replace(body)
			}
			scripts = append(scripts, script{jenkinsScope.ReplaceAllString(body, "${$1}"),
				1 + strings.Count(text[:at[g]], "\n")})
		}
	}
	return follow(file, scripts, vars, []string{"."})
}

// follow follows scripts that share variables, each in a separate shell.
func follow(file string, scripts []script, vars map[string]string, dirs []string) []call {
	sh := newShell(file)
	flat := flattened(vars)
	for _, one := range scripts {
		if stepWords.MatchString(one.text) {
			sh.run(one.text, func(n int) int { return one.line + n - 1 }, flat, dirs)
		}
	}
	return sh.calls
}

// flattened replaces the variables in values by their values, a few times.
func flattened(vars map[string]string) map[string]string {
	out := vars
	for range 3 {
		next := make(map[string]string, len(out))
		for k, v := range out {
			if v = fit(out).in(v); len(v) > maxValue {
				v = "${" + k + "}"
			}
			next[k] = v
		}
		out = next
	}
	for k, v := range out {
		if v == "${"+k+"}" {
			delete(out, k)
		}
	}
	return out
}
