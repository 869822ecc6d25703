package ci

import "path"

// CircleCI's variables: https://circleci.com/docs/variables/. None names the target branch: it is the default branch
// of the clone. CIRCLE_PR_REPONAME is there for a fork's pull request alone.
var circleCI = System{
	Name:   "CircleCI",
	detect: func(env Getenv) bool { return env("CIRCLECI") == "true" },
	change: func(env Getenv) Change {
		c := Change{
			Head: env("CIRCLE_SHA1"), Fork: env("CIRCLE_PR_REPONAME") != "", Run: env("CIRCLE_BUILD_URL"),
			Fetch: "run 'git fetch origin main' before, with the branch that the pull request is for",
		}
		switch url := env("CIRCLE_PULL_REQUEST"); {
		case url != "":
			c.Number, c.Bases = path.Base(url), []string{"origin/HEAD", "origin/main", "origin/master"}
		case c.Head != "":
			c.Bases = []string{c.Head + "^1"}
		}
		return c
	},
}
