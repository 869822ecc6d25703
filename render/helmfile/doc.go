// Package helmfile reads a helmfile into releases, once for each environment. It fills its templates in with the files
// of the repository alone: what a command, the environment or a store of secrets gives is a placeholder, and what
// hangs on one otherwise than as a text fails with its line, and is not guessed.
package helmfile
