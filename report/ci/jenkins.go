package ci

// Jenkins' variables in multibranch pipelines, of the plugins git and branch-api:
// https://www.jenkins.io/doc/book/pipeline/multibranch/. CHANGE_FORK is there for another project's head alone.
var jenkins = System{
	Name:   "Jenkins",
	detect: func(env Getenv) bool { return env("JENKINS_URL") != "" },
	change: func(env Getenv) Change {
		c := Change{
			Head: env("GIT_COMMIT"), Number: env("CHANGE_ID"), Fork: env("CHANGE_FORK") != "", Run: env("BUILD_URL"),
			Fetch: "let the checkout step fetch the target branch, without a depth",
		}
		switch {
		case c.Number != "":
			c.Bases = []string{branch(env("CHANGE_TARGET"))}
		case c.Head != "":
			c.Bases = []string{env("GIT_PREVIOUS_SUCCESSFUL_COMMIT"), c.Head + "^1"}
		}
		return c
	},
}
