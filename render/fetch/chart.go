package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"
)

const (
	// maxArchiveBytes is the limit of a packaged chart, as for one that is committed.
	maxArchiveBytes = 20 << 20
	// maxIndexBytes is the limit of a repository's index.
	maxIndexBytes = 64 << 20
)

// ChartRef says which chart is wanted.
type ChartRef struct {
	// Repository is the address of a chart repository (https://…), of a registry's folder (oci://…), or "@name" of one
	// that was added to Helm.
	Repository string
	// Name of the chart; empty where an oci:// address names the chart itself.
	Name string
	// Version, exact or a range; empty: the newest release. With oci:// and Tag it is not
	// looked at.
	Version string
	// Tag and Digest ("sha256:…") of an OCI manifest; empty: the version's.
	Tag, Digest string
}

func (r ChartRef) key() string {
	return strings.Join([]string{"chart", r.Repository, r.Name, r.Version, r.Tag, r.Digest}, " ")
}

// pinned reports whether the reference always means the same chart: by its digest, or by an
// exact version, which a repository does not give to two charts.
func (r ChartRef) pinned() bool { return r.Digest != "" || r.Tag == "" && Exact(r.Version) }

// Exact reports whether a version is one and no range.
func Exact(version string) bool {
	_, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v"))
	return err == nil
}

// Chart is a chart as it was fetched.
type Chart struct {
	Name, Version string
	Repository    string // address it is from, without credentials
	Digest        string // "sha256:…" of the archive
	Manifest      string // "sha256:…" of the OCI manifest, or ""
	// Checked says that the source named the digest before the archive was read.
	Checked bool
	// Resolved says that the version was chosen among those there are now: another run
	// may choose another one.
	Resolved bool
	Files    map[string][]byte // by path in the chart
}

// archive is a packaged chart on its way.
type archive struct {
	bytes             []byte
	version, manifest string
	checked           bool
}

// Chart fetches a chart, or takes it from the cache where the reference is pinned.
// Errors: [ErrOffline]; [*Error].
func (f *Fetcher) Chart(ctx context.Context, ref ChartRef) (*Chart, error) {
	return f.charts.do(ctx, ref.key(), func() (*Chart, error) {
		ctx, cancel := context.WithTimeout(ctx, f.time)
		defer cancel()
		c, err := f.chart(ctx, ref)
		if err == nil || errors.Is(err, ErrOffline) {
			return c, err
		}
		return nil, f.late(ctx, err)
	})
}

func (f *Fetcher) chart(ctx context.Context, ref ChartRef) (*Chart, error) {
	ref, err := f.locate(ref)
	if err != nil {
		return nil, err
	}
	if ref.pinned() {
		if e, b, ok := f.cache.find(ref.key()); ok {
			a := archive{bytes: b, version: e.Version, manifest: e.Manifest, checked: e.Checked}
			if c, err := f.unpacked(ref, a); err == nil {
				return c, nil
			}
		}
	}
	if !f.opt.Network {
		return nil, ErrOffline
	}
	var a archive
	if strings.HasPrefix(ref.Repository, "oci://") {
		a, err = f.fromRegistry(ctx, ref)
	} else {
		a, err = f.fromRepository(ctx, ref)
	}
	if err != nil {
		return nil, err
	}
	c, err := f.unpacked(ref, a)
	if err != nil || !ref.pinned() {
		return c, err
	}
	e := entry{Name: ref.key(), Digest: c.Digest, Version: a.version, Manifest: a.manifest, Checked: a.checked}
	_ = f.cache.keep(e, a.bytes) // a cache that cannot be written is one that is empty next time
	return c, nil
}

// locate replaces the name of a repository that was added to Helm by its address, and refuses an address that cannot be
// one.
func (f *Fetcher) locate(ref ChartRef) (ChartRef, error) {
	for _, mark := range []string{"@", "alias:"} {
		if name, ok := strings.CutPrefix(ref.Repository, mark); ok {
			address, known := f.keys.named(name)
			if !known {
				return ref, &Error{Refused: true, Reason: fmt.Sprintf("repository %s is not known to Helm here", ref.Repository),
					Remedy: "run `helm repo add " + name + " ADDRESS` first, or write its address in Chart.yaml"}
			}
			ref.Repository = address
		}
	}
	u, err := url.Parse(ref.Repository)
	if err != nil || u.Host == "" || u.User != nil {
		return ref, &Error{Refused: true, Reason: "the repository is not an address without credentials",
			Remedy: "give an https:// or oci:// address; credentials go into --registry-config"}
	}
	if u.Scheme == "oci" || !f.opt.Network { // a registry is checked as the https address that it is
		return ref, nil
	}
	return ref, f.policy.check(u)
}

// unpacked opens an archive and checks that it is the chart that was asked for.
func (f *Fetcher) unpacked(ref ChartRef, a archive) (*Chart, error) {
	files, err := unpack(a.bytes)
	if err != nil {
		return nil, &Error{Reason: fmt.Sprintf("the archive of %s: %s", ref.Name, asError(err).Reason),
			Remedy: "report it to the repository's maintainers"}
	}
	var meta struct{ Name, Version string }
	if err := yaml.Unmarshal(files["Chart.yaml"], &meta); err != nil || meta.Name == "" {
		return nil, &Error{Reason: "the archive of " + ref.Name + " holds no chart",
			Remedy: "report it to the repository's maintainers"}
	}
	sameVersion := a.version == "" || strings.TrimPrefix(a.version, "v") == strings.TrimPrefix(meta.Version, "v")
	if ref.Name != "" && meta.Name != ref.Name || !sameVersion {
		return nil, &Error{
			Reason: fmt.Sprintf("asked for chart %s@%s, the archive holds %s@%s", ref.Name, a.version, meta.Name, meta.Version),
			Remedy: "report it to the repository's maintainers",
		}
	}
	return &Chart{
		Name: meta.Name, Version: meta.Version, Repository: ref.Repository, Digest: digestOf(a.bytes), Manifest: a.manifest,
		Checked: a.checked, Resolved: !ref.pinned(), Files: files,
	}, nil
}

// fromRepository takes a chart from a repository with an index.
func (f *Fetcher) fromRepository(ctx context.Context, ref ChartRef) (archive, error) {
	base, err := url.Parse(ref.Repository)
	if err != nil {
		return archive{}, err
	}
	sign, err := f.signer(ctx, base)
	if err != nil {
		return archive{}, err
	}
	list, err := f.indexes.do(ctx, ref.Repository, func() (*index, error) { return f.index(ctx, base, sign) })
	if err != nil {
		return archive{}, err
	}
	cv, ok := list.get(ref.Name, ref.Version)
	if !ok {
		return archive{}, &Error{
			Reason: fmt.Sprintf("%s has no chart %s@%s", show(base), ref.Name, ref.Version),
			Remedy: "correct the name or the version; `helm search repo` lists both",
		}
	}
	at, err := resolve(base, cv.URLs[0])
	if err != nil {
		return archive{}, err
	}
	a := archive{version: cv.Version}
	if at.Scheme == "oci" { // an index may point into a registry
		oci, err := f.fromRegistry(ctx, taggedRef(cv.URLs[0], ref.Name))
		if err != nil {
			return a, err
		}
		a.bytes, a.manifest = oci.bytes, oci.manifest
	} else if a.bytes, err = f.guard.get(ctx, at, maxArchiveBytes, sign); err != nil {
		return a, err
	}
	a.checked = cv.Digest != ""
	want := "sha256:" + strings.TrimPrefix(strings.ToLower(cv.Digest), "sha256:")
	if got := digestOf(a.bytes); a.checked && want != got && want != a.manifest {
		return a, &Error{
			Reason: fmt.Sprintf("chart %s@%s: its digest is %s, the index of %s says %s", ref.Name, cv.Version,
				got, show(base), want),
			Remedy: "do not use it before you know why; a repository that was built again has to publish its index again",
		}
	}
	return a, nil
}

// signer gives credentials to hosts that the user named, and to no others.
func (f *Fetcher) signer(ctx context.Context, u *url.URL) (func(*http.Request), error) {
	if f.policy.of(u) != listed {
		return nil, nil
	}
	return f.keys.sign(ctx, u)
}

// index fetches the index of a repository.
func (f *Fetcher) index(ctx context.Context, base *url.URL, sign func(*http.Request)) (*index, error) {
	at := *base
	at.Path = strings.TrimSuffix(at.Path, "/") + "/index.yaml"
	at.RawPath = ""
	b, err := f.guard.get(ctx, &at, maxIndexBytes, sign)
	if err != nil {
		return nil, err
	}
	i, err := parseIndex(b)
	if err != nil {
		return nil, &Error{Reason: show(&at) + " is not an index of a chart repository",
			Remedy: "check the address of the repository"}
	}
	return i, nil
}
