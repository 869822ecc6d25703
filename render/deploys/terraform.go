package deploys

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/source"
)

// hclBlock is a top-level block or attribute of a file of Terraform.
type hclBlock struct {
	file   string
	line   int
	header []string // "resource", its type and its name; the name of an attribute alone
	text   string   // without comments, and with one space between words
}

// hclTokens calls f with every token of a text: a string, a heredoc, a word, a sign, or space. Comments are space.
//
// Upstream: hashicorp/hcl/v2, spec.md. A text that is not HCL gives tokens of some kind.
func hclTokens(text string, f func(token string, space bool)) {
	for i := 0; i < len(text); {
		end, space := i+1, false
		switch rest := text[i:]; {
		case rest[0] == '#' || strings.HasPrefix(rest, "//"):
			end, space = i+upTo(rest, "\n", 0), true
		case strings.HasPrefix(rest, "/*"):
			end, space = i+upTo(rest, "*/", 2), true
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			space = true
		case rest[0] == '"':
			end = i + hclString(rest)
		case heredoc.MatchString(rest):
			word := heredoc.FindStringSubmatch(rest)[1]
			end = i + len(rest)
			if m := regexp.MustCompile(`(?m)\n[ \t]*` + word + `[ \t\r]*$`).FindStringIndex(rest); m != nil {
				end = i + m[1]
			}
		case isWord(rest[0]):
			for end < len(text) && isWord(text[end]) {
				end++
			}
		}
		f(text[i:end], space)
		i = end
	}
}

var heredoc = regexp.MustCompile(`^<<-?([A-Za-z_]\w*)\r?\n`)

func isWord(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// upTo is where a text is over that ends with another one, plus more; the whole text without it.
func upTo(text, end string, more int) int {
	if at := strings.Index(text, end); at >= 0 {
		return at + more
	}
	return len(text)
}

// hclString is the length of a string, with those in its interpolations.
func hclString(text string) int {
	depth := 0
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case (c == '$' || c == '%') && strings.HasPrefix(text[i+1:], "{"):
			depth++
			i++
		case depth > 0 && c == '{':
			depth++
		case depth > 0 && c == '}':
			depth--
		case depth > 0 && c == '"':
			i += hclString(text[i:]) - 1
		case c == '"' || c == '\n':
			return i + 1
		}
	}
	return len(text)
}

func hclBlocks(file string, text []byte) []hclBlock {
	var out []hclBlock
	var now strings.Builder
	var header []string
	depth, line, began, assigned, gap := 0, 1, 1, false, false
	finish := func() {
		if t := strings.TrimSpace(now.String()); t != "" {
			out = append(out, hclBlock{file, began, header, t})
		}
		now.Reset()
		header, assigned, gap = nil, false, false
	}
	hclTokens(string(text), func(token string, space bool) {
		newline := strings.Count(token, "\n")
		switch {
		case space:
			gap = true
		case depth == 0 && !assigned && token != "{" && token != "=":
			if len(header) == 0 {
				began = line
			}
			header = append(header, strings.Trim(token, `"`))
		}
		if !space {
			if gap && now.Len() > 0 {
				now.WriteByte(' ')
			}
			now.WriteString(token)
			gap = false
			switch token {
			case "{", "[", "(":
				depth++
			case "}", "]", ")":
				depth--
			case "=":
				assigned = assigned || depth == 0
			}
		}
		line += newline
		if depth <= 0 && (!assigned && token == "}" || assigned && space && newline > 0) {
			depth = 0
			finish()
		}
	})
	finish()
	return out
}

// installing are the resources of Terraform that are a release, or an object which others act on or which acts on
// workloads; quiet are those of other objects.
var (
	installing = regexp.MustCompile(`^(helm_release|kubectl_manifest|kubectl_server_version|kustomization_resource|kubernetes_\w+)$`)
	quiet      = regexp.MustCompile(`^kubernetes_(namespace|secret|config_map|service_account|default_service_account|role|role_binding|` +
		`cluster_role|cluster_role_binding|storage_class|persistent_volume|token_request|certificate_signing_request|` +
		`config_map_v1_data|secret_v1_data|annotations|env)(_v\d\w*)?$`)
	hclReference = regexp.MustCompile(`\b(?:var|local|module|data\.\w+|[a-z]\w*_\w+)\.[A-Za-z_][\w-]*`)
	hclFile      = regexp.MustCompile(`\b(?:(?:file|templatefile|filebase64|fileset)\s*\(|pattern\s*=)\s*"((?:[^"\\$]|\$\{[^{}"]*\})*)"(?:\s*,\s*"([^"]*)")?`)
)

// module is one folder of Terraform.
type module struct {
	blocks []hclBlock // that install something, and those that they refer to
}

// terraform reads the modules of a tree.
type terraform struct {
	src     *source.Source
	modules map[string]*module
}

func isTerraform(f string) bool { return path.Ext(f) == ".tf" || path.Ext(f) == ".tofu" }

// module is that of a folder; one without blocks installs nothing.
func (t *terraform) module(dir string) *module {
	if m := t.modules[dir]; m != nil {
		return m
	}
	m := &module{}
	t.modules[dir] = m // a module that calls itself
	var all []hclBlock
	any := false
	for _, f := range t.src.Below(dir) {
		if path.Dir(f) != dir || !isTerraform(f) {
			continue
		}
		b, err := t.src.Read(f)
		if err != nil {
			continue
		}
		any = any || bytes.Contains(b, []byte("helm_release")) || bytes.Contains(b, []byte("kubectl_")) ||
			bytes.Contains(b, []byte("kubernetes_")) || bytes.Contains(b, []byte("kustomization_")) ||
			bytes.Contains(b, []byte("module"))
		all = append(all, hclBlocks(f, b)...)
	}
	if !any {
		return m
	}
	taken := make([]bool, len(all))
	var wanted []string
	take := func(i int) {
		if !taken[i] {
			taken[i] = true
			m.blocks = append(m.blocks, all[i])
			wanted = append(wanted, hclReference.FindAllString(all[i].text, -1)...)
		}
	}
	for i, b := range all {
		if t.installs(dir, b) {
			take(i)
		}
	}
	for ; len(wanted) > 0; wanted = wanted[1:] {
		for i, b := range all {
			if !taken[i] && b.declares(wanted[0]) {
				take(i)
			}
		}
	}
	return m
}

var localSource = regexp.MustCompile(`\bsource ?= ?"(\.[^"]*)"`)

// installs reports whether a block is a release or an object, or calls a module of the repository that has some.
func (t *terraform) installs(dir string, b hclBlock) bool {
	switch {
	case len(b.header) == 3 && b.header[0] == "resource":
		return installing.MatchString(b.header[1]) && !quiet.MatchString(b.header[1])
	case len(b.header) == 2 && b.header[0] == "module":
		m := localSource.FindStringSubmatch(b.text)
		if m == nil {
			return false
		}
		p, in := source.Inside(dir, m[1])
		return in && p != dir && t.src.HasDir(p) && len(t.module(p).blocks) > 0
	}
	return false
}

// declares reports whether a block is what a reference names.
func (b *hclBlock) declares(reference string) bool {
	kind, name, _ := strings.Cut(reference, ".")
	switch h := b.header; {
	case len(h) == 0:
	case kind == "var":
		return len(h) == 2 && h[0] == "variable" && h[1] == name
	case kind == "local":
		return len(h) == 1 && h[0] == "locals" &&
			regexp.MustCompile(`[{\s]`+regexp.QuoteMeta(name)+` ?= ?`).MatchString(b.text)
	case kind == "module":
		return len(h) == 2 && h[0] == "module" && h[1] == name
	case kind == "data":
		return len(h) == 3 && h[0] == "data" && h[1]+"."+h[2] == name
	default:
		return len(h) == 3 && h[0] == "resource" && h[1] == kind && h[2] == name
	}
	return false
}

// texts are the blocks of a file, as they stand.
func (m *module) texts(file string) []hclBlock {
	return slices.DeleteFunc(slices.Clone(m.blocks), func(b hclBlock) bool { return b.file != file })
}

// names is the block that names a file, if one does.
func (m *module) names(dir, file string) (hclBlock, bool) {
	for _, b := range m.blocks {
		for _, found := range hclFile.FindAllStringSubmatch(b.text, -1) {
			name := regexp.MustCompile(`^\$\{path\.(module|root|cwd)\}/?`).ReplaceAllString(found[1], "")
			name = regexp.MustCompile(`\$\{[^}]*\}`).ReplaceAllString(name, "*")
			if found[2] != "" {
				name = path.Join(name, found[2])
			}
			if p, in := source.Inside(dir, name); in && (p == file || strings.Contains(p, "*") && source.Match(p, file)) {
				return b, true
			}
		}
	}
	return hclBlock{}, false
}
