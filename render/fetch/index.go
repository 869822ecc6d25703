package fetch

import (
	"encoding/json"
	"fmt"
	"net/url"
	"sort"
	"strings"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"
)

// index is what counts of a chart repository's index.yaml. Helm's own type is in a package
// that brings the whole of kubectl with it.
//
// Upstream: helm v3.21.4, pkg/repo: loadIndex, (IndexFile).Get, (ChartVersions).Less and
// ResolveReferenceURL. Entries without a version or an address are left out here too.
type index struct {
	Entries map[string][]*indexEntry `json:"entries"`
}

type indexEntry struct {
	Version string   `json:"version"`
	URLs    []string `json:"urls"`
	Digest  string   `json:"digest"`
}

// parseIndex reads an index, the newest version of each chart first.
func parseIndex(b []byte) (*index, error) {
	i := &index{}
	var err error
	if json.Valid(b) {
		err = json.Unmarshal(b, i)
	} else {
		err = yaml.Unmarshal(b, i)
	}
	if err != nil || i.Entries == nil {
		return nil, fmt.Errorf("no entries")
	}
	for name, list := range i.Entries {
		kept := list[:0]
		for _, e := range list {
			if e != nil && e.Version != "" && len(e.URLs) > 0 {
				kept = append(kept, e)
			}
		}
		sort.SliceStable(kept, func(a, b int) bool { return olderVersion(kept[b].Version, kept[a].Version) })
		i.Entries[name] = kept
	}
	return i, nil
}

// olderVersion is ChartVersions.Less: a text that is no version is older than any.
func olderVersion(a, b string) bool {
	va, err := semver.NewVersion(a)
	if err != nil {
		_, err := semver.NewVersion(b)
		return err == nil
	}
	vb, err := semver.NewVersion(b)
	return err == nil && va.LessThan(vb)
}

// get is the version asked for, or the newest in the range. A range takes a pre-release
// only where it names one.
func (i *index) get(name, version string) (*indexEntry, bool) {
	wanted := version
	if wanted == "" {
		wanted = "*"
	}
	constraint, err := semver.NewConstraint(wanted)
	if err != nil {
		return nil, false
	}
	for _, e := range i.Entries[name] {
		if e.Version == version {
			return e, true
		}
	}
	for _, e := range i.Entries[name] {
		if v, err := semver.NewVersion(e.Version); err == nil && constraint.Check(v) {
			return e, true
		}
	}
	return nil, false
}

// resolve is the address of an archive, which an index may give relative to its own.
func resolve(base *url.URL, ref string) (*url.URL, error) {
	u, err := url.Parse(ref)
	if err != nil {
		return nil, &Error{Reason: "the index of " + show(base) + " gives an invalid address",
			Remedy: "report it to the repository's maintainers"}
	}
	if u.IsAbs() {
		return u, nil
	}
	folder := *base
	folder.Path = strings.TrimSuffix(folder.Path, "/") + "/"
	folder.RawPath = ""
	u = folder.ResolveReference(u)
	u.RawQuery = base.RawQuery
	return u, nil
}
