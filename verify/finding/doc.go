// Package finding has the nouns of a verdict as plain data: how certain something is, and what is to be said about a
// run. It makes none of them and words none of them: rooms of verify make them, and report makes the words.
package finding
