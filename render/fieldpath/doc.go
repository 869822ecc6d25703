// Package fieldpath is a path into an object as JSON has it, written as the API server writes
// it in its messages (field.Path of k8s.io/apimachinery): spec.containers[0].image. It gets,
// sets and walks; what a field means is not its concern.
package fieldpath
