package ci

// Bitbucket Pipelines' variables:
// https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/.
//
// The destination's commit is the one that the pull request was last merged with in the work
// tree; the commit that the variables name is the source's own.
var bitbucket = System{
	Name:   "Bitbucket Pipelines",
	detect: func(env Getenv) bool { return env("BITBUCKET_BUILD_NUMBER") != "" },
	change: func(env Getenv) Change {
		c := Change{
			Head: env("BITBUCKET_COMMIT"), Number: env("BITBUCKET_PR_ID"),
			Fetch: "set 'clone: {depth: full}', and run 'git fetch origin \"+refs/heads/*:refs/remotes/origin/*\"' before",
		}
		if origin := env("BITBUCKET_GIT_HTTP_ORIGIN"); origin != "" {
			c.Run = origin + "/pipelines/results/" + env("BITBUCKET_BUILD_NUMBER")
		}
		switch {
		case c.Number != "":
			c.Bases = []string{env("BITBUCKET_PR_DESTINATION_COMMIT"), branch(env("BITBUCKET_PR_DESTINATION_BRANCH"))}
		case c.Head != "":
			c.Bases = []string{c.Head + "^1"}
		}
		return c
	},
}
