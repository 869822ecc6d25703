package ci

// Woodpecker's variables: https://woodpecker-ci.org/docs/usage/environment. They do not say whether a pull request is
// a fork's: nothing is fetched for what may be one.
var woodpecker = System{
	Name:   "Woodpecker",
	detect: func(env Getenv) bool { return env("CI") == "woodpecker" || env("CI_SYSTEM_NAME") == "woodpecker" },
	change: func(env Getenv) Change {
		c := Change{
			Head: env("CI_COMMIT_SHA"), Number: env("CI_COMMIT_PULL_REQUEST"), Run: env("CI_PIPELINE_URL"),
			Fetch: "set 'partial: false' and 'depth: 0' for the clone step",
		}
		switch {
		case c.Number != "":
			c.Fork, c.Bases = true, []string{branch(env("CI_COMMIT_TARGET_BRANCH"))}
		case c.Head != "":
			c.Bases = []string{env("CI_PREV_COMMIT_SHA"), c.Head + "^1"}
		}
		return c
	},
}
