package ci

// Azure Pipelines' variables: https://learn.microsoft.com/azure/devops/pipelines/build/variables.
//
// For a pull request SOURCEVERSION is the merge commit that is checked out, and its first parent the deployed revision.
var azure = System{
	Name:   "Azure Pipelines",
	detect: func(env Getenv) bool { return env("TF_BUILD") != "" },
	change: func(env Getenv) Change {
		c := Change{
			Head: env("BUILD_SOURCEVERSION"), Number: env("SYSTEM_PULLREQUEST_PULLREQUESTID"),
			Fork: env("SYSTEM_PULLREQUEST_ISFORK") == "True", Fetch: "set 'fetchDepth: 0' for the checkout step",
		}
		if url, project := env("SYSTEM_COLLECTIONURI"), env("SYSTEM_TEAMPROJECTID"); url != "" && project != "" {
			c.Run = url + project + "/_build/results?buildId=" + env("BUILD_BUILDID")
		}
		if env("BUILD_REASON") == "PullRequest" {
			c.Bases = []string{branch(env("SYSTEM_PULLREQUEST_TARGETBRANCH")),
				branch(env("SYSTEM_PULLREQUEST_TARGETBRANCHNAME"))}
			if c.Head != "" && env("SYSTEM_PULLREQUEST_SOURCECOMMITID") != c.Head {
				c.Bases = append([]string{c.Head + "^1"}, c.Bases...)
			}
			return c
		}
		if c.Head != "" {
			c.Bases = []string{c.Head + "^1"}
		}
		return c
	},
}
