// Package helmfile reads a helmfile into releases, once for each environment. It fills in the names and values of
// environments and releases; a helmfile or release that is templated beyond that fails with its line, and is not
// guessed.
package helmfile
