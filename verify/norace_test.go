//go:build !race

package verify

import "testing"

func notUnderRace(*testing.T) {}
