package verify

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
)

// PolicyGate is the gate of a policy file, whatever flags say.
type PolicyGate struct {
	FailOn         rules.Severity `json:"failOn"` // error, warning, note or off
	OnlyNew        bool           `json:"onlyNew"`
	OnInconclusive string         `json:"onInconclusive"` // warn or fail
}

// GateOf gives the gate that the parts of a run were checked with; nil where they do not say.
// Errors: [ErrNotShards] where they say several, or none that there is.
func GateOf(shards []*Result) (*PolicyGate, error) {
	var out *PolicyGate
	for i, s := range shards {
		for k := range s.Scopes {
			if err := s.Scopes[k].Gate.known(); err != nil {
				return nil, err
			}
		}
		if i > 0 && (s.Gate == nil) != (out == nil) || s.Gate != nil && out != nil && *s.Gate != *out {
			return nil, fmt.Errorf("%w: they were checked with several gates", ErrNotShards)
		}
		out = s.Gate
	}
	if out == nil {
		return nil, nil
	}
	return out, out.known()
}

// known refuses a gate that there is none of.
// Errors: [ErrNotShards].
func (g *PolicyGate) known() error {
	severities := []rules.Severity{rules.Error, rules.Warning, rules.Note, rules.Off}
	if !slices.Contains(severities, g.FailOn) || g.OnInconclusive != "warn" && g.OnInconclusive != "fail" {
		return fmt.Errorf("%w: gate is failOn %q and onInconclusive %q", ErrNotShards, g.FailOn, g.OnInconclusive)
	}
	return nil
}

// sameScope reports whether two parts were checked with one policy of a folder, for the same releases.
func sameScope(a, b ScopeResult) bool {
	return a.Policy == b.Policy && slices.Equal(a.Releases, b.Releases) && a.Gate == b.Gate
}
