package ci

import "strings"

// Buildkite's variables: https://buildkite.com/docs/pipelines/configure/environment-variables.
var buildkite = System{
	Name:   "Buildkite",
	detect: func(env Getenv) bool { return env("BUILDKITE") == "true" },
	change: func(env Getenv) Change {
		c := Change{
			Head: env("BUILDKITE_COMMIT"), Run: env("BUILDKITE_BUILD_URL"),
			Fetch: "run 'git fetch origin' before, with the branch that the pull request is for",
		}
		switch number := env("BUILDKITE_PULL_REQUEST"); {
		case number != "" && number != "false":
			c.Number, c.Bases = number, []string{branch(env("BUILDKITE_PULL_REQUEST_BASE_BRANCH"))}
			from := project(env("BUILDKITE_PULL_REQUEST_REPO"))
			c.Fork = from == "" || from != project(env("BUILDKITE_REPO"))
		case c.Head != "":
			c.Bases = []string{c.Head + "^1"}
		}
		return c
	},
}

// project is what a repository's addresses have in common, over ssh, https and git: "org/name".
func project(address string) string {
	parts := strings.FieldsFunc(strings.TrimSuffix(address, ".git"), func(r rune) bool { return r == '/' || r == ':' })
	if len(parts) < 2 {
		return ""
	}
	return strings.ToLower(strings.Join(parts[len(parts)-2:], "/"))
}
