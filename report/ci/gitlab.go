package ci

// GitLab's variables: https://docs.gitlab.com/ci/variables/predefined_variables/.
//
// In a pipeline for merged results head is a merge commit and TARGET_BRANCH_SHA its first parent;
// in another one DIFF_BASE_SHA is where head left the target branch.
var gitLab = System{
	Name:   "GitLab CI",
	detect: func(env Getenv) bool { return env("GITLAB_CI") == "true" },
	change: func(env Getenv) Change {
		c := Change{
			Head: env("CI_COMMIT_SHA"), Number: env("CI_MERGE_REQUEST_IID"), Run: env("CI_JOB_URL"),
			Fetch: "set the variable GIT_DEPTH: 0 for the job",
		}
		if url := env("CI_PROJECT_URL"); url != "" {
			c.Repository = url + "/-"
		}
		if c.Number != "" {
			c.Bases = []string{env("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"), env("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
				branch(env("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"))}
			c.Fork = env("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != env("CI_MERGE_REQUEST_PROJECT_ID")
			return c
		}
		c.Bases = []string{env("CI_COMMIT_BEFORE_SHA")}
		if env("CI_COMMIT_BRANCH") != "" && env("CI_COMMIT_BRANCH") != env("CI_DEFAULT_BRANCH") {
			c.Bases = []string{branch(env("CI_DEFAULT_BRANCH"))}
		}
		return c
	},
}
