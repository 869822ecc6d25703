// Package helmfile reads a helmfile into releases, once for each environment. It fills its templates in with the files
// of the repository alone: what a command, the environment or a store of secrets gives is a placeholder. Where one
// decides more than a text, the helmfile is read in each world that its templates can tell apart: one is analysed, and
// what the others have beside it is a hole of the release ([object.Hole]).
package helmfile
