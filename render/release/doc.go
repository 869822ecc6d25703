// Package release is what a revision renders: a release, with how it is delivered, the recipe that everything its
// rendering depends on is gathered into, and the output that is a function of this recipe alone. It reads no repository
// and runs nothing: the rooms above gather recipes, render them, and say where what came out was set.
package release
