// Package others models control loops that are nobody's of Kubernetes: operators, restarters and scalers, as the policy
// file describes them. It knows what such a loop writes; when it does is an expression that somebody else compiled.
package others
