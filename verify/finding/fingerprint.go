package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// identify gives a finding its fingerprints: the same across commits, and in a run of one revision alone. They come
// from its shape or, where it has none, from the actors of its run, with and without the apply. Baselines and waivers
// depend on them: the same finding keeps its fingerprint.
func (f *Finding) identify(shape []string) {
	if shape != nil {
		f.Fingerprint = fingerprint(f, shape)
		f.Standing = f.Fingerprint
		return
	}
	f.Fingerprint, f.Standing = fingerprint(f, f.actors("")), fingerprint(f, f.actors("apply"))
}

// actors are those that act in a run, except for one: not how often or where.
func (f *Finding) actors(but string) []string {
	out := []string{}
	for _, s := range f.Interleaving {
		if s.Actor != but {
			out = append(out, s.Actor)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fingerprint identifies a finding by its rule, whose it is, and its shape.
func fingerprint(f *Finding, shape []string) string {
	parts := []string{"v1", f.Rule, f.Release, f.Workload, strings.Join(shape, ",")}
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h[:16])
}
