// Package ci reads what CI systems say of the change that a job is about: from their variables,
// one file for each system. It asks nobody and decides nothing.
package ci

import (
	"fmt"
	"slices"
	"strings"
)

// Change is the change to compare in a job.
type Change struct {
	System string
	// Bases are the revisions to compare with, the first that the clone has; none: Head is
	// verified alone.
	Bases []string
	Head  string // revision
	// Fork says that head is another project's: nothing is fetched for it.
	Fork bool
	// Fetch says how a clone gets Bases, where it lacks them.
	Fetch string
	// Number of the pull or merge request; "" where the job is for none.
	Number string
	// Repository is the address that /blob/COMMIT/PATH can be added to, or "".
	Repository string
	Run        string // address of the job, or ""
}

// System is one CI system.
type System struct {
	Name   string
	detect func(Getenv) bool
	change func(Getenv) Change
}

// Getenv gives a variable of the environment, "" for none.
type Getenv func(string) string

// Systems lists them; the first that knows its own variables is the job's. Gitea and Forgejo set GitHub's as well, and
// add a variable. A new one is a file and an entry.
func Systems() []System {
	return []System{gitLab, azure, bitbucket, gitea, jenkins, circleCI, woodpecker, drone, buildkite}
}

// Detect reads the change of the system that runs this job.
// Errors: none of [Systems] does, or it does not say what is head.
func Detect(getenv Getenv) (Change, error) {
	all := Systems()
	i := slices.IndexFunc(all, func(s System) bool { return s.detect(getenv) })
	if i < 0 {
		var names []string
		for _, s := range all {
			names = append(names, s.Name)
		}
		return Change{}, fmt.Errorf("this is not a job of %s: on GitHub use the action, elsewhere 'kubesettle check --base REV'", strings.Join(names, ", "))
	}
	c := all[i].change(getenv)
	c.System = all[i].Name
	c.Bases = slices.DeleteFunc(c.Bases, func(rev string) bool { return !revision(rev) })
	if !revision(c.Head) {
		return c, fmt.Errorf("%s does not say which commit this job is for", c.System)
	}
	return c, nil
}

// revision reports whether a variable names one: neither nothing, nor the zeros that stand for a branch
// that is new, nor what git would take for an option.
func revision(s string) bool {
	return strings.Trim(s, "0") != "" && !strings.HasPrefix(s, "-") && !strings.HasSuffix(s, "/")
}

// branch is a branch as a clone has it: of refs/heads/main or main it is origin/main.
func branch(name string) string {
	name = strings.TrimPrefix(name, "refs/heads/")
	if name == "" {
		return ""
	}
	return "origin/" + name
}
