package report

import (
	"errors"
	"strings"
	"testing"
)

func TestUndecidedIsEscaped(t *testing.T) {
	if got := Undecided(errors.New("<img src=x> @everyone")); strings.Contains(got, "<img") || strings.Contains(got, "@everyone") {
		t.Errorf("not escaped: %q", got)
	}
}
