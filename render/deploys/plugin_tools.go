package deploys

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// generates reads the first command of a pipeline.
func (r *generating) generates(c piped) {
	w := c.words
	switch name := path.Base(w[0]); {
	case name == "helm" && len(w) > 1 && w[1] == "template":
		r.helm(w[2:], c.inline)
		return
	case c.inline != nil:
	case name == "kustomize" && len(w) > 1 && w[1] == "build", name == "kubectl" && len(w) > 1 && w[1] == "kustomize":
		r.kustomize(w[2:])
		return
	case name == "cat" && len(w) > 1 && !slices.ContainsFunc(w[1:], func(s string) bool { return !plainPattern(s) }):
		r.Tool, r.Values, r.Path = Manifests, w[1:], "."
		return
	case (name == "argocd-vault-plugin" || name == "avp") && len(w) == 3 && w[1] == "generate" && path.Clean(w[2]) == ".":
		r.Tool, r.Path, r.Recursive, r.Fills = Manifests, ".", true, true
		return
	}
	r.fail(w[0])
}

// plainPattern reports whether a word names files of the folder itself.
func plainPattern(s string) bool {
	s = strings.TrimPrefix(s, "./")
	return Known(s) && !strings.ContainsAny(s, "/?[") && !strings.HasPrefix(s, "-")
}

// helm reads helm template. A flag that may change what comes out, and is not here, is not understood.
func (r *generating) helm(args []string, inline *string) {
	r.Tool = Helm
	f := flags("release-name,dependency-update,debug,insecure-skip-tls-verify,pass-credentials", "")
	f.ParseErrorsAllowlist.UnknownFlags = false
	f.BoolVar(&r.CRDs, "include-crds", false, "")
	f.BoolVar(&r.SkipTests, "skip-tests", false, "")
	f.BoolVar(&r.SkipHooks, "no-hooks", false, "")
	f.BoolVar(&r.AnyValues, "skip-schema-validation", false, "")
	f.StringVarP(&r.Namespace, "namespace", "n", "", "")
	f.StringVar(&r.KubeVersion, "kube-version", "", "")
	f.StringSliceVarP(&r.APIVersions, "api-versions", "a", nil, "")
	f.StringSliceVarP(&r.Values, "values", "f", nil, "")
	for _, name := range []string{"set", "set-string", "set-file"} {
		f.Var(ordered{name, &r.Settings}, name, "")
	}
	if err := f.Parse(args); err != nil {
		words := strings.Fields(err.Error())
		r.fail("helm " + words[len(words)-1])
		return
	}
	if !Known(r.KubeVersion) { // the cluster's, which the run knows or assumes
		r.KubeVersion = ""
	}
	r.APIVersions = slices.DeleteFunc(r.APIVersions, func(s string) bool { return s == "${KUBE_API_VERSIONS}" })
	rest := f.Args()
	if len(rest) == 0 || len(rest) > 2 {
		r.fail("helm template " + strings.Join(rest, " "))
		return
	}
	r.Path, r.Name = rest[len(rest)-1], "release-name"
	if len(rest) == 2 {
		r.Name = rest[0]
	}
	for i, v := range r.Values {
		if v != fileMark {
			continue
		}
		if i != len(r.Values)-1 || inline == nil {
			r.fail("helm --values " + v)
		}
		r.Inline, r.Values = *inline, r.Values[:i]
		inline = nil
	}
	if inline != nil {
		r.fail("echo")
	}
	all := slices.Concat([]string{r.Path, r.Name, r.Namespace, r.KubeVersion}, r.Values, r.APIVersions)
	for _, s := range r.Settings {
		all = append(all, s.Name, s.Value)
	}
	for _, v := range all {
		if !Known(v) || strings.ContainsAny(v, "*?") {
			r.fail(v)
		}
	}
}

// kustomize reads kustomize build.
func (r *generating) kustomize(args []string) {
	f := flags("enable-helm,enable-alpha-plugins,enable-exec", "")
	f.ParseErrorsAllowlist.UnknownFlags = false
	restrictor := f.String("load-restrictor", "", "")
	if err := f.Parse(args); err != nil {
		words := strings.Fields(err.Error())
		r.fail("kustomize " + words[len(words)-1])
		return
	}
	r.Tool, r.Path, r.AnyFile = Kustomize, append(f.Args(), ".")[0], *restrictor == "LoadRestrictionsNone"
	if f.NArg() > 1 || !Known(r.Path) || strings.Contains(r.Path, "://") {
		r.fail(strings.Join(f.Args(), " "))
	}
}

// Finds reads the command by which a plugin looks for the applications that are its own: conditions on variables, and
// names of files of which one has to be there. Unread is the first word that it does not understand.
func Finds(command []string, vars map[string]string) (names []string, unread string) {
	script := strings.Join(command, " ")
	if len(command) == 3 && slices.Contains(shells, path.Base(command[0])) && shellFlags.MatchString(command[1]) {
		script = command[2]
	}
	for _, part := range strings.Split(script, "&&") {
		part = strings.TrimSpace(part)
		if m := notEmpty.FindStringSubmatch(part); m != nil {
			if vars[m[1]] == "" {
				return nil, ""
			}
			continue
		}
		m := findName.FindStringSubmatch(part)
		if m == nil {
			return nil, part
		}
		names = append(names, m[1])
	}
	return names, ""
}

var (
	notEmpty = regexp.MustCompile(`^\[\[? +(?:! +-z|-n) +"?\$\{?(ARGOCD_ENV_\w+)\}?"? +\]\]?$`)
	findName = regexp.MustCompile(`^find +\.?/? +-name +['"]?([\w.*-]+)['"]?$`)
)
