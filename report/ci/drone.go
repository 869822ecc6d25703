package ci

// Drone's variables: https://docs.drone.io/pipeline/environment/reference/. They do not say whether a pull request is a
// fork's: nothing is fetched for what may be one.
var drone = System{
	Name:   "Drone",
	detect: func(env Getenv) bool { return env("DRONE") == "true" },
	change: func(env Getenv) Change {
		c := Change{
			Head: env("DRONE_COMMIT_SHA"), Number: env("DRONE_PULL_REQUEST"), Run: env("DRONE_BUILD_LINK"),
			Fetch: "set no 'depth' for the clone step",
		}
		switch {
		case c.Number != "":
			c.Fork, c.Bases = true, []string{branch(env("DRONE_TARGET_BRANCH"))}
		case c.Head != "":
			c.Bases = []string{env("DRONE_COMMIT_BEFORE"), c.Head + "^1"}
		}
		return c
	},
}
