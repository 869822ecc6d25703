package deploys

import (
	"fmt"
	"hash/fnv"
	"path"
	"strconv"

	"mvdan.cc/sh/v3/expand"
)

// set gives a variable a value; one that is too long is unknown.
func (st state) set(name, value string) {
	if delete(st.vars, name); len(value) <= maxValue {
		st.vars[name] = expand.Variable{Set: true, Kind: expand.String, Str: value}
	}
}

// atRoot are the variables in which systems give the folder of the repository.
var atRoot = map[string]bool{"GITHUB_WORKSPACE": true, "github_workspace": true, "CI_PROJECT_DIR": true, "WORKSPACE": true,
	"BUILD_SOURCESDIRECTORY": true, "BITBUCKET_CLONE_DIR": true, "CIRCLE_WORKING_DIRECTORY": true, "PROJECT_DIR": true,
	"REPO_ROOT": true, "ROOT_DIR": true, "System_DefaultWorkingDirectory": true, "Build_SourcesDirectory": true}

// get is the value of a variable; false: it is unknown.
func (st state) get(name string) (expand.Variable, bool) {
	text := func(s string) (expand.Variable, bool) {
		return expand.Variable{Set: true, Kind: expand.String, Str: s}, true
	}
	if v, ok := st.vars[name]; ok {
		return v, true
	}
	switch n, err := strconv.Atoi(name); {
	case name == "PWD" && len(st.dirs) > 0:
		return text("/" + st.dirs[0])
	case atRoot[name]:
		return text("/.")
	case (name == "@" || name == "*") && st.args != nil:
		return expand.Variable{Set: true, Kind: expand.Indexed, List: st.args}, true
	case err == nil && n > 0 && n <= len(st.args):
		return text(st.args[n-1])
	case err == nil && n > 0 && st.args != nil:
		return text("")
	}
	return expand.Variable{}, false
}

// hashed is a name made from a text.
func hashed(kind, text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("${%s_%08x}", kind, h.Sum32())
}

// join is a path from a folder of the repository; an absolute one starts at the root.
func join(dir, p string) string {
	if path.IsAbs(p) {
		return path.Clean("." + path.Clean(p))
	}
	return path.Join(dir, p)
}
