package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	helmregistry "helm.sh/helm/v3/pkg/registry"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

const (
	// maxManifestBytes is the limit of a manifest and of a list of tags.
	maxManifestBytes = 4 << 20
	// maxTags is how many tags of a chart are looked at.
	maxTags = 50_000
)

// taggedRef is a reference from an oci:// address that names the chart and its tag.
func taggedRef(address, name string) ChartRef {
	ref := ChartRef{Repository: address, Name: name}
	if i := strings.LastIndexByte(address, '@'); i > 0 {
		ref.Repository, ref.Digest = address[:i], address[i+1:]
	}
	if i := strings.LastIndexByte(ref.Repository, ':'); i > strings.LastIndexByte(ref.Repository, '/') {
		ref.Repository, ref.Tag = ref.Repository[:i], ref.Repository[i+1:]
	}
	ref.Repository = strings.TrimSuffix(ref.Repository, "/"+name)
	return ref
}

// fromRegistry takes a chart from an OCI registry. Helm's client reads as much as the
// manifest says that there is; here the manifest is looked at before anything is read.
func (f *Fetcher) fromRegistry(ctx context.Context, ref ChartRef) (archive, error) {
	r, err := f.repository(ref)
	if err != nil {
		return archive{}, err
	}
	a := archive{checked: true}
	want := ref.Digest
	switch {
	case want != "" && !sha256Digest.MatchString(want):
		return a, &Error{Refused: true, Reason: fmt.Sprintf("digest %q is not a sha256 digest", want),
			Remedy: "give sha256: and 64 digits"}
	case want != "":
	case ref.Tag != "":
		want = ref.Tag
	default:
		if a.version, err = f.chartTag(ctx, r, ref); err != nil {
			return a, err
		}
		want = strings.ReplaceAll(a.version, "+", "_") // a tag has no plus; Helm writes it so
	}
	manifest, err := f.manifest(ctx, r, want)
	if err != nil {
		return a, f.registryError(r, want, err)
	}
	a.manifest = digest.FromBytes(manifest).String()
	layer, err := chartLayer(manifest)
	if err != nil {
		return a, err
	}
	if layer.Size > maxArchiveBytes || layer.Size < 0 {
		return a, &Error{Reason: fmt.Sprintf("the chart of %s is larger than %d MiB", r.Reference.Repository,
			maxArchiveBytes>>20), Remedy: "vendor the part that you need"}
	}
	body, err := r.Blobs().Fetch(ctx, layer)
	if err != nil {
		return a, f.registryError(r, want, err)
	}
	defer body.Close()
	if a.bytes, err = content.ReadAll(body, layer); err != nil {
		return a, f.registryError(r, want, err)
	}
	return a, nil
}

// repository opens the repository of a chart.
func (f *Fetcher) repository(ref ChartRef) (*remote.Repository, error) {
	name := strings.TrimSuffix(strings.TrimPrefix(ref.Repository, "oci://"), "/")
	if ref.Name != "" {
		name += "/" + ref.Name
	}
	r, err := remote.NewRepository(name)
	if err != nil || r.Reference.Reference != "" {
		return nil, &Error{Refused: true, Reason: fmt.Sprintf("oci://%s is not a chart's address", name),
			Remedy: "give oci://HOST/FOLDER, without a tag"}
	}
	home := &url.URL{Scheme: "https", Host: r.Reference.Host()}
	if plain := (&url.URL{Scheme: "http", Host: home.Host}); f.policy.of(home) != listed && f.policy.of(plain) == listed {
		home, r.PlainHTTP = plain, true
	}
	if err := f.policy.check(home); err != nil {
		return nil, err
	}
	client := f.guard.client()
	client.Transport = &tokenGuard{next: f.guard, home: home}
	r.Client = &auth.Client{Client: client, Cache: auth.NewCache(), Credential: f.credential(home),
		Header: http.Header{"User-Agent": {"kubesettle"}}}
	r.MaxMetadataBytes = maxManifestBytes
	return r, nil
}

// credential gives the credentials of a registry that the user named.
func (f *Fetcher) credential(home *url.URL) auth.CredentialFunc {
	return func(ctx context.Context, hostPort string) (auth.Credential, error) {
		if hostPort != home.Host || f.policy.of(home) != listed {
			return auth.EmptyCredential, nil
		}
		return f.keys.registry(ctx, hostPort)
	}
}

// tokenGuard keeps credentials from a token service that the user did not name: which
// one it is, is the registry's word alone.
type tokenGuard struct {
	next *guard
	home *url.URL
}

// RoundTrip implements [http.RoundTripper].
func (t *tokenGuard) RoundTrip(r *http.Request) (*http.Response, error) {
	secret := r.Header.Get("Authorization") != "" || r.Method == http.MethodPost
	if secret && !sameOrigin(r.URL, t.home) && t.next.policy.of(r.URL) != listed {
		return nil, &Error{
			Refused: true, Reason: fmt.Sprintf("%s asks to send its credentials to %s", t.home.Host, r.URL.Host),
			Remedy: "if that is its token service, allow it with --allow-host " + r.URL.Host,
		}
	}
	return t.next.RoundTrip(r)
}

// chartTag is the version that a reference means: itself, or the newest in its range.
func (f *Fetcher) chartTag(ctx context.Context, r *remote.Repository, ref ChartRef) (string, error) {
	if Exact(ref.Version) {
		return ref.Version, nil
	}
	var versions []*semver.Version
	seen := 0
	err := r.Tags(ctx, "", func(tags []string) error {
		if seen += len(tags); seen > maxTags {
			return &Error{Reason: fmt.Sprintf("%s has more than %d tags", r.Reference.Repository, maxTags),
				Remedy: "give an exact version"}
		}
		for _, t := range tags {
			if v, err := semver.StrictNewVersion(strings.ReplaceAll(t, "_", "+")); err == nil {
				versions = append(versions, v)
			}
		}
		return nil
	})
	if err != nil {
		return "", f.registryError(r, "the list of tags", err)
	}
	sort.Sort(sort.Reverse(semver.Collection(versions))) // Helm's order: the first that fits is taken
	tags := make([]string, len(versions))
	for i, v := range versions {
		tags[i] = v.String()
	}
	tag, err := helmregistry.GetTagMatchingVersionOrConstraint(tags, ref.Version)
	if err != nil {
		return "", &Error{Reason: fmt.Sprintf("oci://%s/%s has no version %s", r.Reference.Registry, r.Reference.Repository,
			ref.Version), Remedy: "correct the version"}
	}
	return tag, nil
}

// manifest reads a manifest by tag or digest; the digest is checked.
func (f *Fetcher) manifest(ctx context.Context, r *remote.Repository, reference string) ([]byte, error) {
	desc, body, err := r.Manifests().FetchReference(ctx, reference)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if desc.Size > maxManifestBytes || desc.Size < 0 {
		return nil, &Error{Reason: fmt.Sprintf("the manifest is larger than %d MiB", maxManifestBytes>>20),
			Remedy: "check the address"}
	}
	b, err := io.ReadAll(io.LimitReader(body, maxManifestBytes+1))
	if err != nil {
		return nil, err
	}
	if desc.Digest.Validate() != nil || desc.Digest != desc.Digest.Algorithm().FromBytes(b) {
		return nil, digestError(r, desc.Digest.String(), digestOf(b))
	}
	if sha256Digest.MatchString(reference) && reference != digestOf(b) {
		return nil, digestError(r, reference, digestOf(b))
	}
	return b, nil
}

func digestError(r *remote.Repository, want, got string) error {
	return &Error{
		Reason: fmt.Sprintf("%s/%s: the digest of the download is %s, expected %s", r.Reference.Registry,
			r.Reference.Repository, got, want),
		Remedy: "do not use it before you know why",
	}
}

// chartLayer finds the chart in a manifest.
func chartLayer(manifest []byte) (ocispec.Descriptor, error) {
	var m ocispec.Manifest
	if err := json.NewDecoder(bytes.NewReader(manifest)).Decode(&m); err == nil {
		for _, l := range m.Layers {
			if l.MediaType == helmregistry.ChartLayerMediaType || l.MediaType == helmregistry.LegacyChartLayerMediaType {
				return l, l.Digest.Validate()
			}
		}
	}
	return ocispec.Descriptor{}, &Error{Reason: "the manifest names no chart",
		Remedy: "check that the address is a chart's, and not an image's"}
}

// registryError words what a registry answers.
func (f *Fetcher) registryError(r *remote.Repository, what string, err error) error {
	if isRefused(err) {
		return err
	}
	at := fmt.Sprintf("oci://%s/%s", r.Reference.Registry, r.Reference.Repository)
	home := &url.URL{Scheme: "https", Host: r.Reference.Host()}
	if r.PlainHTTP {
		home.Scheme = "http"
	}
	var status *errcode.ErrorResponse
	switch {
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData),
		errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Reason: at + ": the download does not match its manifest (digest or size)",
			Remedy: "do not use it before you know why"}
	case errors.Is(err, errdef.ErrNotFound):
		return &Error{Reason: fmt.Sprintf("%s has no %s", at, what), Remedy: "check the address and the version"}
	case errors.As(err, &status):
		e := asError(statusError(home, status.StatusCode, f.policy.of(home)))
		e.Reason = fmt.Sprintf("%s (%s): %d %s", at, what, status.StatusCode, http.StatusText(status.StatusCode))
		return e
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return &Error{Unreachable: true, Reason: at + " asks for credentials",
			Remedy: credentialsRemedy(r.Reference.Host(), f.policy.of(home))}
	}
	e := *asError(err)
	e.Reason = at + ": " + e.Reason
	return &e
}
