package helmfile

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
)

// Limits of the templates of one helmfile. They run in this process, so each function that may make much of little is
// bounded, and so is the result of each.
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

// templates executes the templates of one text, as helmfile does: without commands, network or environment. What those
// would give stands as in the world that the helmfile is read in.
//
// Upstream: helmfile, pkg/tmpl: Context.CreateFuncMap and newTemplate; pkg/state: EnvironmentTemplateData.
type templates struct {
	*helmfile
	file  string
	from  string // the folder that names of files start from
	steps int
}

// execute fills a template in. The names of files in a values file start from its own folder, and those in a helmfile
// and its bases from the helmfile's.
//
// Upstream: helmfile, pkg/state: RenderReleaseValuesFileToBytes and (*EnvironmentValuesLoader).LoadEnvironmentValues.
func (h *helmfile) execute(file, from, text string, release map[string]string, zero bool) (string, error) {
	t := &templates{helmfile: h, file: file, from: from}
	out, err := t.run(text, release, zero)
	h.asked.filled(helm.Digest(file, text, release, zero), out, err)
	return out, err
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

// data is what the templates see: each a copy of the values, in which it may write. Only a release's own templates see
// its values.
func (t *templates) data(release map[string]string) map[string]any {
	values, ok := fieldpath.DeepCopy(t.values).(map[string]any)
	if !ok {
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
// Those of derive give a text that is unknown where one of theirs is, and those of compare say whether it is another
// one. The result of any other function is unknown.
var (
	taken = strings.Fields(`split splitList splitn int int64 float64 atoi add add1 sub mul div mod max min pluck keys values
omit pick first last rest initial uniq sortAlpha without reverse slice regexMatch semver semverCompare kindIs kindOf
typeOf typeIs typeIsLike deepEqual deepCopy fromJson dig until untilStep`)
	derive = strings.Fields(`trimSuffix trimPrefix trimAll upper lower title untitle replace b64enc b64dec sha256sum
regexFind regexReplaceAll regexReplaceAllLiteral snakecase kebabcase camelcase trunc substr nospace abbrev base dir ext
clean`)
	compare = strings.Fields(`contains hasPrefix hasSuffix has hasKey`)
	pass    = strings.Fields(`default coalesce empty ternary quote squote trim toString toStrings join list tuple dict set
unset merge mergeOverwrite append prepend concat compact indent nindent toJson toPrettyJson cat fail any all`)
	wide = regexp.MustCompile(`%[^A-Za-z%]*(\d{4,}|\*)`)
)

func (t *templates) functions() template.FuncMap {
	of := sprig.HermeticTxtFuncMap()
	out := template.FuncMap{}
	for how, names := range map[treatment][]string{refuses: taken, derives: derive, compares: compare, passes: pass} {
		for _, name := range names {
			out[name] = t.checked(name, of[name], how)
		}
	}
	for name, f := range map[string]any{
		"eq": func(a any, b ...any) bool { return anyOf(a, b) },
		"ne": func(a, b any) bool { return !anyOf(a, []any{b}) },
		"isFile": func(name string) bool {
			t.namesFiles(t.from, name)
			p, in := inside(t.from, name)
			return in && t.Src.HasFile(p)
		},
		"isDir": func(name string) bool { p, in := inside(t.from, name); return in && t.Src.HasDir(p) },
		"index": indexed,
	} {
		out[name] = t.checked(name, f, compares)
	}
	out["readFile"] = t.checked("readFile", t.readFile, passes)
	own := map[string]any{
		"fromYaml":   func(text string) (any, error) { return document.DecodeYAML([]byte(text)) },
		"get":        getPath,
		"len":        lengthOf,
		"getOrNil":   func(at string, v any) any { out, _ := getPath(at, nil, v); return out },
		"hasPath":    func(at string, v any) bool { out, _ := getPath(at, nil, v); return out != nil },
		"countSteps": t.count,
	}
	for name, f := range own {
		out[name] = t.checked(name, f, refuses)
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
		out[name] = t.checked(name, f, passes)
	}
	out["env"] = func(name string) string { return t.ask(name, false) }
	out["requiredEnv"] = func(name string) string { return t.ask(name, true) }
	out["exec"] = func(name string, _ ...any) string { return t.ask("exec_"+name, true) }
	out["envExec"] = func(_ any, name string, _ ...any) string { return t.ask("exec_"+name, true) }
	out["fetchSecretValue"] = func(ref string) string { return t.ask("secret_"+ref, true) }
	out["expandSecretRefs"] = func(any) (any, error) { return nil, errDecided }
	return out
}

func (t *templates) count(n int) (string, error) {
	if t.steps += n; t.steps > maxSteps || t.Over() {
		return "", errSteps
	}
	return "", nil
}

// lengthOf is how many elements a value has, or bytes.
func lengthOf(v any) (int, error) {
	switch of := reflect.ValueOf(v); of.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.String:
		return of.Len(), nil
	}
	return 0, errors.New("len of what has no elements")
}

// indexed is the value under keys or indices; the zero value if there is none.
func indexed(v any, at ...any) (any, error) {
	for _, k := range at {
		switch of := reflect.ValueOf(v); of.Kind() {
		case reflect.Map:
			key := reflect.ValueOf(k)
			if !key.IsValid() || !key.Type().AssignableTo(of.Type().Key()) {
				return nil, fmt.Errorf("%v is no key of the map", k)
			}
			if v = nil; of.MapIndex(key).IsValid() {
				v = of.MapIndex(key).Interface()
			}
		case reflect.Slice, reflect.Array, reflect.String:
			i, err := strconv.Atoi(fmt.Sprint(k))
			if err != nil || i < 0 || i >= of.Len() {
				return nil, fmt.Errorf("index %v is out of range", k)
			}
			v = of.Index(i).Interface()
		default:
			return nil, errors.New("index of what has no elements")
		}
	}
	return v, nil
}

// readFile reads a file of the repository: a release is made of it.
func (t *templates) readFile(name string) (string, error) {
	if t.namesFiles(t.from, name); strings.Contains(name, stood) {
		return "", errDecided
	}
	p, in := inside(t.from, name)
	if !in {
		return "", fmt.Errorf("%s is not in the repository", name)
	}
	b, err := t.Src.Read(p)
	if err == nil {
		t.read = append(t.read, p)
	}
	return string(b), err
}

// treatment is the behaviour of a function with a placeholder among its arguments. The zero value is the careful one.
type treatment int

const (
	refuses  treatment = iota // its result is unknown
	passes                    // it is passed on into the result
	derives                   // the result is unknown, too
	compares                  // with the texts beside it
)

// checked is a function that refuses what would be too large, and sees to placeholders.
func (t *templates) checked(name string, f any, how treatment) any {
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
			size, unknown := 0, false
			for _, a := range args {
				size += sizeOf(a, 0)
				unknown = unknown || stands(a, 0)
			}
			if m := multiplies[name]; size > maxText || m != nil && m(args) > 16*maxText {
				return fail(errTooLarge)
			}
			switch {
			case unknown && how == refuses:
				return fail(errDecided)
			case unknown && how == derives:
				return []reflect.Value{reflect.ValueOf(derived(name, args)), reflect.Zero(failed)}
			case unknown && how == compares:
				t.compared(args)
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

// stands reports whether a text, or one of a list, has a placeholder in it. A function of a map looks at its keys.
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

// getPath is the value at a path of keys: get PATH [DEFAULT] VALUE. Upstream: pkg/tmpl: get.
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
