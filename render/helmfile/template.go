package helmfile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/source"
)

// Limits of the templates of one helmfile. They run in this process, so each function that may make much of little is
// bounded, and so is what any of them gives.
const (
	maxSteps = 200_000
	maxText  = 1 << 20
	maxDepth = 100
)

var (
	errSteps    = errors.New("its templates take too many steps")
	errTooLarge = errors.New("its templates make too much of a text")
	errDecided  = errors.New("what a command or the environment gives decides what it says")
)

// stood begins the text that stands for what a command, the environment or a store of secrets would give: a variable,
// which whoever reads the rendered objects takes for unknown.
const stood = "${HELMFILE_"

// templates executes the templates of one text, as helmfile does: without commands, network or environment.
//
// Upstream: helmfile, pkg/tmpl: Context.CreateFuncMap and newTemplate; pkg/state: EnvironmentTemplateData.
type templates struct {
	*helmfile
	file    string
	empty   bool // placeholders are empty
	used    []string
	chosen  []bool // of each call of default, whether it was given a placeholder
	calls   int    // of default
	decided bool
	steps   int
}

// execute fills a template in. A placeholder may become a part of a text, and nothing more: with empty ones, the text
// has to be the same, without them.
func (h *helmfile) execute(file, text string, release map[string]string, zero bool) (string, error) {
	first := &templates{helmfile: h, file: file}
	out, err := first.run(text, release, zero)
	switch {
	case first.decided && !errors.Is(err, errTooLarge) && !errors.Is(err, errSteps):
		return "", errDecided
	case err != nil:
		return "", err
	case len(first.used) == 0 && blank(h.values) == nil:
		return out, nil
	}
	second := &templates{helmfile: h, file: file, empty: true, chosen: first.chosen}
	again, err := second.run(text, release, zero)
	if err != nil {
		return "", errDecided
	}
	if plainly(out) != plainly(again) {
		return "", errDecided
	}
	return out, nil
}

var standing = regexp.MustCompile(regexp.QuoteMeta(stood) + `\w*\}|["']`)

// plainly is a text without placeholders, and without quotes, which an empty text gets and a placeholder does not.
func plainly(text string) string { return standing.ReplaceAllString(text, "") }

// blank is a value with empty texts for its placeholders; nil: it has none.
func blank(v any) any {
	switch x := v.(type) {
	case string:
		if strings.Contains(x, stood) {
			return plainly(x)
		}
	case map[string]any:
		var out map[string]any
		for k, e := range x {
			if b := blank(e); b != nil {
				if out == nil {
					out = maps.Clone(x)
				}
				out[k] = b
			}
		}
		if out != nil {
			return out
		}
	case []any:
		var out []any
		for i, e := range x {
			if b := blank(e); b != nil {
				if out == nil {
					out = slices.Clone(x)
				}
				out[i] = b
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}

func (t *templates) run(text string, release map[string]string, zero bool) (string, error) {
	option := "missingkey=error"
	if zero {
		option = "missingkey=zero"
	}
	parsed, err := template.New(path.Base(t.file)).Option(option).Funcs(t.functions()).
		Parse(string(helm.WithSteps([]byte(text), "countSteps %d")))
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&bounded{&out}, t.data(release)); err != nil {
		return "", err
	}
	return out.String(), nil
}

// data is what the templates see. What is known of a release is there for its own templates alone.
func (t *templates) data(release map[string]string) map[string]any {
	values := t.values
	if b, ok := blank(values).(map[string]any); ok && t.empty {
		values = b
	}
	if values == nil {
		values = map[string]any{}
	}
	out := map[string]any{"Values": values, "StateValues": values, "Namespace": "", "KubeContext": "",
		"Environment": map[string]any{"Name": t.env, "Values": values, "KubeContext": ""}}
	if release != nil {
		of := map[string]any{"Labels": map[string]any{}, "KubeContext": "", "Installed": true}
		for k, v := range release {
			of[k] = v
		}
		out["Release"] = of
	}
	return out
}

// taken are the functions of sprig that helmfiles use, without those that read the machine, the clock or a random
// source. Those of pass may have placeholders among their arguments: they put a text into another one, or choose one.
var (
	taken = strings.Fields(`empty ternary trimSuffix trimPrefix trimAll upper lower title untitle replace contains hasPrefix
hasSuffix split splitList splitn int int64 float64 atoi add add1 sub mul div mod max min hasKey pluck keys values omit
pick first last rest initial has uniq sortAlpha without reverse slice b64enc b64dec sha256sum regexMatch regexFind
regexReplaceAll regexReplaceAllLiteral semver semverCompare kindIs kindOf typeOf deepCopy fromJson snakecase kebabcase
camelcase trunc substr nospace abbrev dig base dir ext clean until untilStep`)
	pass = strings.Fields(`default coalesce quote squote trim toString toStrings join list tuple dict set unset merge
mergeOverwrite append prepend concat compact indent nindent toJson toPrettyJson cat fail any all`)
	wide = regexp.MustCompile(`%[^A-Za-z%]*(\d{4,}|\*)`)
)

func (t *templates) functions() template.FuncMap {
	of := sprig.HermeticTxtFuncMap()
	out := template.FuncMap{}
	for _, name := range taken {
		out[name] = t.checked(name, of[name], false)
	}
	for _, name := range pass {
		out[name] = t.checked(name, of[name], true)
	}
	own := map[string]any{
		"eq":         func(a any, b ...any) bool { return anyOf(a, b) },
		"ne":         func(a, b any) bool { return !anyOf(a, []any{b}) },
		"isFile":     func(name string) bool { p, in := source.Inside(t.dir, name); return in && t.Src.HasFile(p) },
		"isDir":      func(name string) bool { p, in := source.Inside(t.dir, name); return in && t.Src.HasDir(p) },
		"readFile":   t.readFile,
		"fromYaml":   func(text string) (any, error) { return document.DecodeYAML([]byte(text)) },
		"get":        getPath,
		"getOrNil":   func(at string, v any) any { out, _ := getPath(at, nil, v); return out },
		"hasPath":    func(at string, v any) bool { out, _ := getPath(at, nil, v); return out != nil },
		"countSteps": t.count,
	}
	for name, f := range own {
		out[name] = t.checked(name, f, false)
	}
	for name, f := range map[string]any{
		"toYaml":   toYAML,
		"print":    fmt.Sprint,
		"println":  fmt.Sprintln,
		"required": required,
		"printf": func(format string, args ...any) (string, error) {
			if wide.MatchString(format) {
				return "", errTooLarge
			}
			return fmt.Sprintf(format, args...), nil
		},
		"tpl": func(text string, data any) (string, error) {
			if t.steps += 1000; t.steps > maxSteps {
				return "", errSteps
			}
			parsed, err := template.New("tpl").Option("missingkey=error").Funcs(t.functions()).
				Parse(string(helm.WithSteps([]byte(text), "countSteps %d")))
			if err != nil {
				return "", err
			}
			var b bytes.Buffer
			err = parsed.Execute(&bounded{&b}, data)
			return b.String(), err
		},
	} {
		out[name] = t.checked(name, f, true)
	}
	out["env"], out["requiredEnv"] = t.stand, t.stand
	out["exec"] = func(name string, _ ...any) string { return t.stand("exec_" + name) }
	out["envExec"] = func(_ any, name string, _ ...any) string { return t.stand("exec_" + name) }
	out["fetchSecretValue"] = func(ref string) string { return t.stand("secret_" + ref) }
	out["expandSecretRefs"] = func(any) (any, error) { return nil, errDecided }
	return out
}

var notInVariable = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// stand is the text that a value stands as which nobody here can know.
func (t *templates) stand(name string) string {
	text := stood + notInVariable.ReplaceAllString(name, "_") + "}"
	t.used = append(t.used, text)
	if t.empty {
		return ""
	}
	return text
}

func (t *templates) count(n int) (string, error) {
	if t.steps += n; t.steps > maxSteps || t.Over() {
		return "", errSteps
	}
	return "", nil
}

// readFile reads a file of the repository: a release is made of it.
func (t *templates) readFile(name string) (string, error) {
	p, in := source.Inside(t.dir, name)
	if !in {
		return "", fmt.Errorf("%s is not in the repository", name)
	}
	b, err := t.Src.Read(p)
	if err == nil {
		t.read = append(t.read, p)
	}
	return string(b), err
}

// checked is a function that refuses what would be too large, and notes where a placeholder decides what it gives.
func (t *templates) checked(name string, f any, passes bool) any {
	v := reflect.ValueOf(f)
	of := v.Type()
	in := make([]reflect.Type, of.NumIn())
	for i := range in {
		in[i] = of.In(i)
	}
	failed := reflect.TypeFor[error]()
	return reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{of.Out(0), failed}, of.IsVariadic()),
		func(args []reflect.Value) []reflect.Value {
			fail := func(err error) []reflect.Value {
				return []reflect.Value{reflect.Zero(of.Out(0)), reflect.ValueOf(&err).Elem()}
			}
			size := 0
			for _, a := range args {
				size += sizeOf(a, 0)
				t.decided = t.decided || !passes && stands(a, 0)
			}
			if m := multiplies[name]; size > maxText || m != nil && m(args) > 16*maxText {
				return fail(errTooLarge)
			}
			if name == "default" && t.choose(args[1]) {
				return []reflect.Value{args[1].Index(0), reflect.Zero(failed)}
			}
			var out []reflect.Value
			if of.IsVariadic() {
				out = v.CallSlice(args)
			} else {
				out = v.Call(args)
			}
			if len(out) > 1 && !out[1].IsNil() {
				return []reflect.Value{out[0], out[1]}
			}
			if sizeOf(out[0], 0) > maxText {
				return fail(errTooLarge)
			}
			return []reflect.Value{out[0], reflect.Zero(failed)}
		}).Interface()
}

// choose reports whether the one value that a call of default is given is a placeholder: it may be set or not, and
// stays a placeholder.
func (t *templates) choose(given reflect.Value) bool {
	if !t.empty {
		t.chosen = append(t.chosen, given.Len() == 1 && stands(given.Index(0), 0))
	}
	t.calls++
	return t.calls <= len(t.chosen) && t.chosen[t.calls-1] && given.Len() == 1
}

// stands reports whether a text, or one of a list, has a placeholder in it. What takes a map looks at its keys.
func stands(v reflect.Value, depth int) bool {
	if depth > maxDepth || !v.IsValid() {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return strings.Contains(v.String(), stood)
	case reflect.Interface, reflect.Pointer:
		return stands(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if e := v.Index(i); stands(e, depth+1) {
				return true
			}
		}
	}
	return false
}

// anyOf reports whether a value is one of others. Numbers are the same whatever their type.
func anyOf(a any, others []any) bool {
	for _, b := range others {
		if reflect.DeepEqual(a, b) || a != nil && b != nil && fmt.Sprint(a) == fmt.Sprint(b) && isNumber(a) && isNumber(b) {
			return true
		}
	}
	return false
}

func isNumber(v any) bool {
	k := reflect.ValueOf(v)
	return k.CanInt() || k.CanUint() || k.CanFloat()
}

// getPath is what stands at a path of keys: get PATH [DEFAULT] VALUE. Upstream: pkg/tmpl: get.
func getPath(at string, args ...any) (any, error) {
	if len(args) == 0 || len(args) > 2 {
		return nil, errors.New("get takes a path, a default and a value")
	}
	v := args[len(args)-1]
	for _, k := range strings.Split(at, ".") {
		m, _ := v.(map[string]any)
		next, ok := m[k]
		if !ok && len(args) == 2 {
			return args[0], nil
		}
		if !ok {
			return nil, fmt.Errorf("there is no %s", at)
		}
		v = next
	}
	return v, nil
}

func toYAML(v any) (string, error) {
	b, err := yaml.Marshal(v)
	return strings.TrimSuffix(string(b), "\n"), err
}

func required(message string, v any) (any, error) {
	if v == nil || v == "" {
		return nil, errors.New(message)
	}
	return v, nil
}
