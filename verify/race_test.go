//go:build race

package verify

import "testing"

// notUnderRace leaves a test out under the race detector, where it takes minutes: what it draws differs in what is
// searched, not in what runs at the same time.
func notUnderRace(t *testing.T) {
	t.Skip("it takes minutes under the race detector, and runs nothing at once that others do not")
}
