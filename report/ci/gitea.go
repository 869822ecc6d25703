package ci

// Gitea's and Forgejo's Actions set GitHub's variables: https://docs.gitea.com/usage/actions and
// https://forgejo.org/docs/latest/user/actions/. SHA is the head of the pull request, no merge.
var gitea = System{
	Name: "Gitea or Forgejo Actions",
	detect: func(env Getenv) bool {
		return env("GITHUB_ACTIONS") == "true" && (env("GITEA_ACTIONS") == "true" || env("FORGEJO_ACTIONS") == "true")
	},
	change: func(env Getenv) Change {
		c := Change{Head: env("GITHUB_SHA"), Fetch: "set 'fetch-depth: 0' for actions/checkout"}
		if server, repository := env("GITHUB_SERVER_URL"), env("GITHUB_REPOSITORY"); server != "" && repository != "" {
			c.Run = server + "/" + repository + "/actions/runs/" + env("GITHUB_RUN_NUMBER")
		}
		switch {
		case env("GITHUB_BASE_REF") != "":
			c.Bases = []string{branch(env("GITHUB_BASE_REF"))}
			c.Fork = !ownPullRequest(env) // the variables do not say: nothing is fetched for what may be one
		case c.Head != "":
			c.Bases = []string{c.Head + "^1"}
		}
		return c
	},
}
