package main

import (
	"github.com/kubesettle/kubesettle/render"
)

// hider takes out of a text what Secrets of either revision hold, and what looks like a
// credential: the last that is done to any text before it is written.
func hider(rev *render.Revision) func(string) string {
	return rev.Known().Clean
}

// hidden is an error whose words were gone over; it still is what it was.
type hidden struct {
	error
	text string
}

func (h *hidden) Error() string { return h.text }
func (h *hidden) Unwrap() error { return h.error }

// withoutSecrets takes out of an error what may not be printed.
func withoutSecrets(err error, rev *render.Revision) error {
	return &hidden{err, hider(rev)(err.Error())}
}
