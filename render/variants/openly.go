package variants

import (
	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// declaredOpenly reports whether a plugin renders a release with values that come of a chart with its own values alone:
// whoever installs that chart gives others.
func declaredOpenly(s *side.Side, r release.Release) bool {
	if !r.Filled || r.Kind != object.Helm || r.Within == "" {
		return false
	}
	for range s.Releases { // each declares the one before
		k, ok := s.ByID[r.Within]
		if !ok {
			break
		}
		r = s.Releases[k]
	}
	return r.Within == "" && discover.IsBare(r)
}
