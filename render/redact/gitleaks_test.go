package redact

import (
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
)

// The rules are those of the release of gitleaks that go.mod names: its config/gitleaks.toml, copied.
func TestTheRulesAreThoseOfGitleaks(t *testing.T) {
	if gitleaks != config.DefaultConfig {
		t.Error("gitleaks.toml is not that of the module's release: copy config/gitleaks.toml of github.com/zricethezav/gitleaks/v8 here")
	}
}
