package deploys

import (
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// call is a call as it is written, and the folders that its paths may start from, likelier ones first.
type call struct {
	Deploy
	dirs []string
	into string // the file that its output goes to
}

// wrappers are commands that run the one that follows among their arguments.
var wrappers = map[string]bool{"sudo": true, "env": true, "time": true, "exec": true, "command": true, "nohup": true,
	"nice": true, "timeout": true, "xargs": true, "retry": true, "aws-vault": true, "chamber": true, "doppler": true,
	"op": true, "vals": true, "microk8s": true, "minikube": true, "k3s": true, "docker": true, "podman": true,
	"nix": true, "nix-shell": true, "mise": true, "asdf": true, "tsh": true, "if": true, "!": true}

const maxWrapped = 25 // words before the command that a wrapper runs

var toolVariable = regexp.MustCompile(`(?i)^\$\{\w*?(helmfile|helm|kubectl|kustomize|oc)(_?(bin|cmd|exe|path|command))?3?\}$`)

// toolOf is the name of a tool that a word calls, or "".
func toolOf(word string) string {
	if m := toolVariable.FindStringSubmatch(word); m != nil {
		return strings.ToLower(m[1])
	}
	name, _, _ := strings.Cut(path.Base(word), ":") // of an image
	switch name = strings.TrimSuffix(name, ".exe"); name {
	case "helm3":
		return "helm"
	case "helm", "kubectl", "oc", "kustomize", "helmfile":
		return name
	}
	return ""
}

// arguments are those of the tool that a command calls, also through another one.
func arguments(words []string) (tool string, args []string) {
	for i, w := range words[:min(len(words), maxWrapped)] {
		if tool = toolOf(w); tool != "" {
			args = words[i+1:]
			if len(args) > 0 && args[0] == "--" { // minikube kubectl -- apply
				args = args[1:]
			}
			return tool, args
		}
		if i == 0 && !wrappers[path.Base(w)] {
			break
		}
	}
	return "", nil
}

// parse gives what a command deploys.
func parse(words []string) []Deploy {
	tool, args := arguments(words)
	switch tool {
	case "helm":
		return parseHelm(args)
	case "kubectl", "oc":
		return parseKubectl(args)
	case "kustomize":
		f := flags("enable-helm,enable-exec,enable-alpha-plugins,enable-star,as-current-user,network",
			"output,o,load-restrictor,helm-command,env,e,mount,reorder,network-name")
		if f.Parse(args) == nil && f.NArg() > 0 && f.Arg(0) == "build" {
			return folder(append(f.Args(), ".")[1], "")
		}
	case "helmfile":
		f := flags("quiet,q,debug,no-color,interactive,i,skip-deps,allow-no-matching-release,suppress-diff,wait,atomic",
			"selector,l,kube-context,log-level,state-values-set,state-values-file,args,helm-binary,concurrency,values,set")
		file := f.StringP("file", "f", "", "")
		namespace := f.StringP("namespace", "n", "", "")
		environment := f.StringP("environment", "e", "", "")
		subcommands := []string{"apply", "sync", "template", "diff", "build"}
		if f.Parse(args) == nil && f.NArg() > 0 && slices.Contains(subcommands, f.Arg(0)) {
			return []Deploy{{Tool: Helmfile, Path: *file, Name: *environment, Namespace: *namespace}}
		}
	}
	return nil
}

// flags is a set of flags that matter nothing, switches and others; one letter is the shorthand of the name before it.
func flags(switches, others string) *pflag.FlagSet {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.ParseErrorsAllowlist.UnknownFlags = true
	each := func(list string, add func(name, short string)) {
		names := strings.Split(list, ",")
		for i, name := range names {
			if len(name) == 1 {
				continue
			}
			short := ""
			if i+1 < len(names) && len(names[i+1]) == 1 {
				short = names[i+1]
			}
			add(name, short)
		}
	}
	each(switches, func(name, short string) { f.BoolP(name, short, false, "") })
	each(others, func(name, short string) { f.StringArrayP(name, short, nil, "") })
	return f
}

// ordered collects settings of several flags in the order in which they are given.
type ordered struct {
	flag string
	into *[]Setting
}

func (o ordered) String() string { return "" }
func (o ordered) Type() string   { return "string" }
func (o ordered) Set(text string) error {
	for _, one := range splitSettings(text) {
		name, value, _ := strings.Cut(one, "=")
		*o.into = append(*o.into, Setting{Flag: o.flag, Name: strings.TrimSpace(name), Value: value})
	}
	return nil
}

// splitSettings splits settings at their commas, except for those that are escaped or in a list.
//
// Upstream: helm v3.21, pkg/strvals: (*parser).key and val.
func splitSettings(text string) []string {
	var out []string
	from, depth := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '{':
			depth++
		case c == '}':
			depth = max(depth-1, 0)
		case c == ',' && depth == 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return slices.DeleteFunc(append(out, text[from:]), func(s string) bool { return !strings.Contains(s, "=") })
}

const (
	helmSwitches = "install,i,atomic,wait,wait-for-jobs,debug,create-namespace,force,reset-values,reuse-values," +
		"reset-then-reuse-values,cleanup-on-fail,devel,no-hooks,skip-crds,include-crds,dependency-update,verify,hide-notes," +
		"skip-tests,validate,is-upgrade,insecure-skip-tls-verify,plain-http,render-subchart-notes,disable-openapi-validation," +
		"generate-name,g,replace,pass-credentials,rollback-on-failure,server-side,allow-unreleased,detailed-exitcode"
	helmOthers = "timeout,kube-context,kubeconfig,kube-version,api-versions,a,history-max,description,output,o," +
		"post-renderer,name-template,password,username,ca-file,cert-file,key-file,keyring,labels,l,show-only,s,output-dir," +
		"kube-token,kube-apiserver,registry-config,repository-cache,repository-config,context,C,set-json,set-literal,dry-run-mode"
)

// parseHelm reads install, upgrade and template, also those of the plugins diff and secrets.
func parseHelm(args []string) []Deploy {
	d := Deploy{Tool: Helm}
	f := flags(helmSwitches, helmOthers)
	f.String("dry-run", "", "")
	f.Lookup("dry-run").NoOptDefVal = "client"
	namespace := f.StringP("namespace", "n", "", "")
	f.StringVar(&d.Version, "version", "", "")
	f.BoolVar(&d.AnyValues, "skip-schema-validation", false, "")
	f.BoolVar(&d.Adopts, "take-ownership", false, "")
	f.StringVar(&d.Repository, "repo", "", "")
	f.StringSliceVarP(&d.Values, "values", "f", nil, "")
	for _, name := range []string{"set", "set-string", "set-file"} {
		f.Var(ordered{name, &d.Settings}, name, "")
	}
	if f.Parse(args) != nil {
		return nil
	}
	rest := f.Args()
	for len(rest) > 0 && (rest[0] == "secrets" || rest[0] == "diff" || rest[0] == "tiller") {
		rest = rest[1:]
	}
	if len(rest) < 2 || !slices.Contains([]string{"install", "upgrade", "template"}, rest[0]) {
		return nil
	}
	rest = rest[1:]
	for len(rest) > 2 { // an unknown word may be a flag
		i := slices.IndexFunc(rest, func(s string) bool { return unknownPart.ReplaceAllString(s, "") == "" })
		if i < 0 {
			return nil
		}
		rest = slices.Delete(slices.Clone(rest), i, i+1)
	}
	d.Namespace, d.Path = *namespace, rest[len(rest)-1]
	if len(rest) == 2 {
		d.Name = rest[0]
	}
	for i, v := range d.Values {
		d.Values[i] = strings.TrimPrefix(v, "secrets://")
	}
	return []Deploy{d}
}

const (
	kubectlSwitches = "force,validate,wait,prune,server-side,force-conflicts,overwrite,save-config,all,record,local,all-namespaces,A,ignore-unknown-parameters,enable-helm"
	kubectlOthers   = "context,kubeconfig,cluster,user,token,server,s,selector,l,output,o,field-manager,timeout,as,template,prune-whitelist,grace-period,param-file,labels,load-restrictor,dry-run-mode,image,v"
)

// parseKubectl reads apply, create, replace and kustomize of kubectl, and process of oc.
func parseKubectl(args []string) []Deploy {
	if !hasAny(args, "kustomize", "process", "new-app", "apply", "create", "replace", "diff") {
		return nil
	}
	f := flags(kubectlSwitches, kubectlOthers)
	namespace := f.StringP("namespace", "n", "", "")
	files := f.StringSliceP("filename", "f", nil, "")
	dir := f.StringP("kustomize", "k", "", "")
	recursive := f.BoolP("recursive", "R", false, "")
	dry := f.String("dry-run", "none", "") // an optional value stands after "="
	f.Lookup("dry-run").NoOptDefVal = "client"
	var parameters []Setting
	f.VarP(parameter{&parameters}, "param", "p", "")
	if f.Parse(args) != nil || f.NArg() == 0 || *dry != "none" && f.Arg(0) != "process" {
		return nil
	}
	var out []Deploy
	switch f.Arg(0) {
	case "kustomize":
		return folder(append(f.Args(), ".")[1], *namespace)
	case "process", "new-app":
		list := *files
		if len(list) == 0 && f.NArg() > 1 && f.Arg(0) == "process" {
			list = f.Args()[1:2]
		}
		for _, name := range list {
			out = append(out, Deploy{Tool: Template, Path: name, Namespace: *namespace, Settings: parameters})
		}
	case "apply", "create", "replace", "diff":
		if *dir != "" {
			return folder(*dir, *namespace)
		}
		for _, name := range *files {
			out = append(out, Deploy{Tool: Manifests, Path: name, Namespace: *namespace, Recursive: *recursive})
		}
	}
	return slices.DeleteFunc(out, func(d Deploy) bool { return d.Path == "-" || strings.Contains(d.Path, "://") })
}

// hasAny reports whether one of the arguments of a command, flags or not, is one of some words.
func hasAny(args []string, words ...string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(words, a) })
}

func folder(dir, namespace string) []Deploy {
	if strings.Contains(dir, "://") {
		return nil
	}
	return []Deploy{{Tool: Kustomize, Path: dir, Namespace: namespace}}
}

// parameter collects parameters of a template.
type parameter struct{ into *[]Setting }

func (parameter) String() string { return "" }
func (parameter) Type() string   { return "string" }
func (p parameter) Set(text string) error {
	if name, value, ok := strings.Cut(text, "="); ok {
		*p.into = append(*p.into, Setting{Flag: "param", Name: name, Value: value})
	}
	return nil
}

// repoAdded reads `helm repo add`.
func repoAdded(words []string) (name, address string, ok bool) {
	tool, args := arguments(words)
	args = slices.DeleteFunc(slices.Clone(args), func(s string) bool { return strings.HasPrefix(s, "-") })
	if tool != "helm" || len(args) < 4 || args[0] != "repo" || args[1] != "add" || !Known(args[2]+args[3]) {
		return "", "", false
	}
	return args[2], strings.TrimSuffix(args[3], "/"), true
}
