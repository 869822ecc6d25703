package deploys

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/source"
)

// tries are the commands and actions by which a script makes a cluster for a test, or takes one.
var tries = [][]byte{[]byte("kind create cluster"), []byte("kind-action"), []byte("setup-kind"), []byte("minikube start"),
	[]byte("setup-minikube"), []byte("k3d cluster create"), []byte("k3d-action"), []byte("setup-k3s"), []byte("ct install"),
	[]byte("chart-testing")}

var triesAsWord = regexp.MustCompile(`\b(kind create cluster|ct install)|` +
	`kind-action|setup-kind|minikube start|setup-minikube|k3d cluster create|k3d-action|setup-k3s|chart-testing`)

// throwaway reports whether a script makes a cluster for a test, or takes one: nothing stays there.
func throwaway(b []byte) bool {
	return slices.ContainsFunc(tries, func(m []byte) bool { return bytes.Contains(b, m) }) && triesAsWord.Match(b)
}

// forTests matches the name of a script that tries something out.
var forTests = regexp.MustCompile(`^(test|tests|e2e)\.[a-z]+$`)

// script is a changed script in which a step changes, or a call whose release is not known.
func (o *opened) script(f string) (Open, bool) {
	is, was := o.steps(0, f), o.steps(1, f)
	for _, c := range is {
		if !slices.ContainsFunc(was, same(c)) {
			return Open{f, c.Line, why(c)}, true
		}
	}
	for _, c := range was { // a release that is no longer deployed stays as it is
		if c.Tool == Step && !slices.ContainsFunc(is, same(c)) {
			return Open{f, 1, why(c)}, true
		}
	}
	return Open{}, false
}

func same(c call) func(call) bool { return func(x call) bool { return x.key() == c.key() } }

func why(c call) string {
	if c.Tool == Step {
		return "a command in it acts on a cluster by itself, and is not run"
	}
	return "a command in it deploys what is not known from the repository"
}

// steps are those of a script of one side, and its calls of which no release comes.
func (o *opened) steps(side int, f string) []call {
	src := o.sides[side].src
	if forTests.MatchString(path.Base(f)) || !src.HasFile(f) {
		return nil
	}
	read, b := legible(src, f, mayStep)
	if read == nil {
		return nil
	}
	calls := source.Learn(src.Memo, "deploys "+f, b, func() ([]call, bool) { return read(f, b), true })
	if !slices.ContainsFunc(calls, func(c call) bool { return c.Tool != Step || c.Name != writes }) || throwaway(b) {
		return nil // its output is for something else
	}
	return slices.DeleteFunc(slices.Clone(calls), func(c call) bool {
		return c.Tool != Step && (prints(src, c) || len(o.repositories[side].resolve(c)) > 0)
	})
}

// prints reports whether the output of a call is a file of the repository, which says by itself what is deployed.
func prints(src *source.Source, c call) bool {
	return c.into != "" && slices.ContainsFunc(append(slices.Clone(c.dirs), path.Dir(c.File)), func(dir string) bool {
		return src.HasFile(join(dir, c.into))
	})
}

// named is a changed file that a step is given, or whose variables a script takes.
func (o *opened) named(f string) (Open, bool) {
	env := strings.HasPrefix(path.Base(f), ".env") || path.Ext(f) == ".env"
	switch path.Ext(f) {
	case ".yaml", ".yml", ".json", ".tpl", ".tmpl", ".txt", ".template", ".j2", ".in":
	default:
		if !env {
			return Open{}, false
		}
	}
	for side := range o.sides {
		if env {
			if at := o.sourced(side, f); at != "" {
				return Open{f, 1, at + " takes variables from it, and is not run"}, true
			}
			continue
		}
		if o.given[side] == nil {
			o.given[side] = o.stepFiles(side)
		}
		if at := o.given[side][f]; at != "" {
			return Open{f, 1, at + " gives it to a command, which is not run"}, true
		}
	}
	return Open{}, false
}

// scripts calls f with each script of a side that acts on a cluster, until it returns true.
func (o *opened) scripts(side int, f func(file string, text []byte, calls []call) bool) {
	src := o.sides[side].src
	for _, p := range src.Files {
		read, b := legible(src, p, func(b []byte) bool { return mayCallIn(src.Memo, b) })
		if read == nil {
			continue
		}
		calls := source.Learn(src.Memo, "deploys "+p, b, func() ([]call, bool) { return read(p, b), true })
		if len(calls) > 0 && !throwaway(b) && f(p, b, calls) {
			return
		}
	}
}

// stepFiles are the places of the steps that name files, by file.
func (o *opened) stepFiles(side int) map[string]string {
	src, out := o.sides[side].src, map[string]string{}
	o.scripts(side, func(_ string, _ []byte, calls []call) bool {
		for _, c := range calls {
			if c.Tool != Step {
				continue
			}
			for _, w := range c.Values {
				if at := strings.LastIndex(w, "}/"); at >= 0 { // of the folder that the job runs in, most likely
					w = w[at+2:]
				}
				for _, dir := range c.dirs {
					p := join(dir, w)
					if !src.HasFile(p) {
						p = strings.TrimLeft(w, "./") // from a folder that the tool goes to
					}
					if src.HasFile(p) && out[p] == "" {
						out[p] = c.At()
						break
					}
				}
			}
		}
		return false
	})
	return out
}

// sourced is where a script that acts on a cluster takes variables from a file; "" for nowhere.
func (o *opened) sourced(side int, f string) string {
	takes := regexp.MustCompile(`(?m)(?:^|[\s;&|({])(?:source|\.|-?include|--env-file[ =]|set dotenv-\w+|dotenv:?|env_file:?|envFile:?)` +
		`[\s:=\['"-]*[^\s;&|'"]*` + regexp.QuoteMeta(path.Base(f)))
	found := ""
	o.scripts(side, func(p string, text []byte, _ []call) bool {
		if at := takes.FindIndex(text); at != nil {
			found = fmt.Sprintf("%s:%d", p, 1+bytes.Count(text[:at[1]], []byte("\n")))
		}
		return found != ""
	})
	return found
}
