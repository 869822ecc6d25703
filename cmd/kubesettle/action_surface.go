package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/report/github"
)

// parameter is an input or output of the action, as action.yml and docs/ci.md have it.
type parameter struct{ name, value string } // value is the default of an input

// actionInputs lists the inputs; a test compares action.yml and docs/ci.md with it.
var actionInputs = []parameter{
	{"config", policyFile},
	{"paths", ""},
	{"releases", ""},
	{"base", ""},
	{"kube-version", ""},
	{"api-versions", ""},
	{"offline", "false"},
	{"allow-hosts", ""},
	{"registry-config", ""},
	{"cache-dir", ""},
	{"rules", ""},
	{"report-level", "note"},
	{"fail-on", ""},
	{"on-inconclusive", ""},
	{"time-budget", "120s"},
	{"comment", "auto"},
	{"comment-id", "default"},
	{"annotations", "true"},
	{"inline-suggestions", "false"},
	{"summary", "true"},
	{"sarif-file", "kubesettle.sarif"},
	{"sarif-category", "kubesettle"},
	{"report-file", "kubesettle.json"},
	{"html-file", ""},
	{"github-token", "${{ github.token }}"},
	{"allow-untrusted-privileged", "false"},
	{"comment-on-result", ""},
}

// actionOutputs lists the outputs: scalars and paths.
var actionOutputs = []string{
	"verdict", "new-violations", "worsened-violations", "existing-violations", "fixed-violations", "waived",
	"workloads-checked", "releases-failed",
	"sarif-file", "report-file", "html-file", "comment-url",
}

// actionRun holds the inputs, read.
type actionRun struct {
	flags                             runFlags
	base, comment, commentID, token   string
	annotations, summary, allowUnsafe bool
	suggestions                       bool
	stranger                          bool // the change is a fork's
	sarif, category, reportFile, html string
	foreign                           string // result of another run to comment with; "" to check
}

// readInputs takes the inputs from INPUT_* variables; one that is not set at all has
// its default, as the runner gives it.
func readInputs(w *github.Workflow) (*actionRun, error) {
	in := func(name string) string {
		if v := w.Input(name); v != "" {
			return v
		}
		for _, p := range actionInputs {
			if p.name == name && !strings.HasPrefix(p.value, "${{") {
				return p.value
			}
		}
		return ""
	}
	var first error
	flag := func(name string) bool {
		v, err := strconv.ParseBool(in(name))
		if err != nil && first == nil {
			first = usage("input %s is %q: give true or false", name, in(name))
		}
		return v
	}
	a := &actionRun{
		base: in("base"), comment: in("comment"), commentID: in("comment-id"), token: in("github-token"),
		annotations: flag("annotations"), summary: flag("summary"), allowUnsafe: flag("allow-untrusted-privileged"),
		suggestions: flag("inline-suggestions"), foreign: in("comment-on-result"),
		sarif: fileInput(in("sarif-file")), category: in("sarif-category"),
		reportFile: fileInput(in("report-file")), html: fileInput(in("html-file")),
	}
	a.flags.gating = gating{
		inTree: in("config"), failOn: in("fail-on"), onInconclusive: in("on-inconclusive"),
		releases: in("releases"), reportLevel: in("report-level"),
	}
	a.flags.rendering = rendering{
		offline: flag("offline"), kubeVersion: in("kube-version"), paths: strings.Fields(in("paths")),
		apiVersions: strings.Fields(in("api-versions")),
		allowHosts:  strings.Fields(in("allow-hosts")), registryConfig: in("registry-config"), cacheDir: in("cache-dir"),
	}
	a.flags.searching.rules = strings.FieldsFunc(in("rules"),
		func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' })
	var err error
	if a.flags.searching.budget, err = time.ParseDuration(in("time-budget")); err != nil && first == nil {
		first = usage("input time-budget is %q: give a time such as 120s or 10m", in("time-budget"))
	}
	switch a.comment {
	case "auto", "always", "never":
	default:
		if first == nil {
			first = usage("input comment is %q: give auto, always or never", a.comment)
		}
	}
	return a, first
}

// fileInput is a path in the workspace; "none" switches a file off that has a default.
func fileInput(s string) string {
	if s == "none" {
		return ""
	}
	return s
}
