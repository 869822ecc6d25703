// Package diff pairs the objects of two revisions and compares them field by field, noise apart. It reads no file.
package diff
