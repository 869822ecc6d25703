package main

import (
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
)

// hider takes out of a text what Secrets of either revision hold, and what looks like a
// credential: the last that is done to any text before it is written.
func hider(rev *object.Revision) func(string) string {
	var known *redact.Known // of no revision: nothing
	if rev != nil {
		known = rev.Known
	}
	return known.Clean
}

// hidden is an error whose message was masked; it still wraps the original.
type hidden struct {
	error
	text string
}

func (h *hidden) Error() string { return h.text }
func (h *hidden) Unwrap() error { return h.error }

// withoutSecrets takes out of an error what may not be printed.
func withoutSecrets(err error, rev *object.Revision) error {
	return &hidden{err, hider(rev)(err.Error())}
}
