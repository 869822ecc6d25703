// Package object has the nouns that rendering hands to its readers: objects with their file and line, releases,
// revisions, changes, failures. They are plain data: who makes them is above, and this package renders nothing.
package object
