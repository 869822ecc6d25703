package fetch

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	helmregistry "helm.sh/helm/v3/pkg/registry"
)

// newRegistry is an OCI registry in this process; around wraps what it answers.
func newRegistry(t testing.TB, around func(http.Handler) http.Handler) *site {
	t.Helper()
	h := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if around != nil {
		h = around(h)
	}
	s := &site{pages: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Clone(r.Context()))
		s.mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// push puts a chart into a registry and gives the digest of its manifest.
func push(t testing.TB, h http.Handler, name, tag string, archive []byte) string {
	t.Helper()
	put := func(path, media string, b []byte) {
		r := httptest.NewRequest(http.MethodPut, path, strings.NewReader(string(b)))
		if strings.Contains(path, "/blobs/") {
			r = httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(b)))
		}
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusCreated {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	config := []byte("{}")
	for _, b := range [][]byte{config, archive} {
		put("/v2/"+name+"/blobs/uploads/?digest="+digest.FromBytes(b).String(), "application/octet-stream", b)
	}
	m, err := json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest,
		Config: ocispec.Descriptor{MediaType: helmregistry.ConfigMediaType, Digest: digest.FromBytes(config), Size: int64(len(config))},
		Layers: []ocispec.Descriptor{{MediaType: helmregistry.ChartLayerMediaType, Digest: digest.FromBytes(archive), Size: int64(len(archive))}},
	})
	if err != nil {
		t.Fatal(err)
	}
	put("/v2/"+name+"/manifests/"+tag, ocispec.MediaTypeImageManifest, m)
	return digestOf(m)
}

func TestChartOfARegistry(t *testing.T) {
	var h http.Handler
	s := newRegistry(t, func(inner http.Handler) http.Handler { h = inner; return inner })
	digests := map[string]string{}
	for _, v := range []string{"1.2.0", "1.10.0", "1.11.0+build.1", "2.0.0-rc.1"} {
		digests[v] = push(t, h, "charts/db", strings.ReplaceAll(v, "+", "_"), packed(t, "db", v))
	}
	push(t, h, "charts/db", "latest", packed(t, "db", "1.10.0"))
	address := "oci://" + s.host() + "/charts"
	for _, c := range []struct {
		ref      ChartRef
		want     string
		resolved bool
	}{
		{ChartRef{Repository: address, Name: "db", Version: "1.2.0"}, "1.2.0", false},
		{ChartRef{Repository: address + "/db", Version: "1.2.0"}, "1.2.0", false},
		{ChartRef{Repository: address, Name: "db", Version: "1.11.0+build.1"}, "1.11.0+build.1", false},
		{ChartRef{Repository: address, Name: "db", Version: "~1.2"}, "1.2.0", true},
		{ChartRef{Repository: address, Name: "db", Version: ""}, "1.11.0+build.1", true},
		{ChartRef{Repository: address, Name: "db", Tag: "latest"}, "1.10.0", true},
		{ChartRef{Repository: address, Name: "db", Digest: digests["1.10.0"]}, "1.10.0", false},
	} {
		chart, err := fetcher(t, Options{Network: true}, s).Chart(t.Context(), c.ref)
		if err != nil {
			t.Errorf("%+v: %v", c.ref, err)
			continue
		}
		if chart.Version != c.want || chart.Resolved != c.resolved || !chart.Checked || chart.Manifest != digests[c.want] && c.ref.Tag == "" {
			t.Errorf("%+v gives %s, resolved %v, manifest %s", c.ref, chart.Version, chart.Resolved, chart.Manifest)
		}
	}
	for _, c := range []struct {
		ref            ChartRef
		reason, remedy string
	}{
		{ChartRef{Repository: address, Name: "db", Version: "4.0.0"}, "charts/db has no 4.0.0", "check the address and the version"},
		{ChartRef{Repository: address, Name: "db", Version: "^4"}, "has no version ^4", "correct the version"},
		{ChartRef{Repository: address, Name: "db", Digest: "sha256:" + strings.Repeat("0", 64)}, "has no sha256:0", ""},
		{ChartRef{Repository: address, Name: "db", Digest: "md5:0"}, "is not a sha256 digest", ""},
		{ChartRef{Repository: address + "/db:1.2.0", Name: ""}, "is not a chart's address", "without a tag"},
	} {
		_, err := fetcher(t, Options{Network: true}, s).Chart(t.Context(), c.ref)
		wantError(t, err, c.reason, c.remedy)
	}
	// An index may point into a registry.
	index := newSite(t)
	index.page("/index.yaml", body([]byte("entries: {db: [{version: 1.2.0, urls: [\""+address+"/db:1.2.0\"], digest: "+digests["1.2.0"]+"}]}")))
	if _, err := fetcher(t, Options{Network: true}, index, s).Chart(t.Context(), ChartRef{Repository: index.URL, Name: "db", Version: "1.2.0"}); err != nil {
		t.Error(err)
	}
}

// A registry that does not give what its manifest promises, or promises too much.
func TestRegistriesThatLie(t *testing.T) {
	good := packed(t, "db", "1.2.0")
	sized := func(size int64) func(*ocispec.Manifest) {
		return func(m *ocispec.Manifest) { m.Layers[0].Size = size }
	}
	for name, c := range map[string]struct {
		manifest func(*ocispec.Manifest)
		blob     []byte
		digest   string // header of the manifest
		pinned   string
		reason   string
	}{
		"another blob":     {blob: append(append([]byte(nil), good[:len(good)-1]...), 'x'), reason: "does not match its manifest"},
		"half a blob":      {blob: good[:10], reason: "db"},
		"endless chart":    {manifest: sized(1 << 60), reason: "larger than 20 MiB"},
		"negative size":    {manifest: sized(-1), reason: "larger than 20 MiB"},
		"an image":         {manifest: func(m *ocispec.Manifest) { m.Layers[0].MediaType = ocispec.MediaTypeImageLayerGzip }, reason: "names no chart"},
		"no layers":        {manifest: func(m *ocispec.Manifest) { m.Layers = nil }, reason: "names no chart"},
		"another manifest": {digest: "sha256:" + strings.Repeat("1", 64), reason: "digest"},
		"moved pin":        {pinned: "sha256:" + strings.Repeat("2", 64), reason: "digest"},
	} {
		t.Run(name, func(t *testing.T) {
			m := ocispec.Manifest{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, Layers: []ocispec.Descriptor{
				{MediaType: helmregistry.ChartLayerMediaType, Digest: digest.FromBytes(good), Size: int64(len(good))},
			}}
			if c.manifest != nil {
				c.manifest(&m)
			}
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if c.digest == "" {
				c.digest = digestOf(text)
			}
			s := newRegistry(t, func(http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.Contains(r.URL.Path, "/blobs/") {
						blob := good
						if c.blob != nil {
							blob = c.blob
						}
						_, _ = w.Write(blob)
						return
					}
					w.Header().Set("Content-Type", ocispec.MediaTypeImageManifest)
					w.Header().Set("Docker-Content-Digest", c.digest)
					_, _ = w.Write(text)
				})
			})
			_, err = fetcher(t, Options{Network: true}, s).Chart(t.Context(), ChartRef{Repository: "oci://" + s.host(), Name: "db", Version: "1.2.0", Digest: c.pinned})
			wantError(t, err, c.reason, "")
		})
	}
}

// bearer wants a token of a service, which wants a login.
func bearer(realm func() string) func(http.Handler) http.Handler {
	return func(inner http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/token":
				guarded("me", "hunter2", body([]byte(`{"token": "t0ken"}`)))(w, r)
			case r.Method == http.MethodGet && r.Header.Get("Authorization") != "Bearer t0ken":
				w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer realm=%q,service=\"registry\"", realm()+"/token"))
				w.WriteHeader(http.StatusUnauthorized)
			default:
				inner.ServeHTTP(w, r)
			}
		})
	}
}

func TestCredentialsOfARegistry(t *testing.T) {
	var h http.Handler
	var s *site
	realm := func() string { return s.URL }
	s = newRegistry(t, func(inner http.Handler) http.Handler {
		h = inner
		return bearer(func() string { return realm() })(inner)
	})
	push(t, h, "charts/db", "1.2.0", packed(t, "db", "1.2.0"))
	ref := ChartRef{Repository: "oci://" + s.host() + "/charts", Name: "db", Version: "1.2.0"}

	if _, err := fetcher(t, Options{Network: true, RegistryConfig: dockerConfig(t, s.host(), "me", "hunter2")}, s).Chart(t.Context(), ref); err != nil {
		t.Error(err)
	}
	for _, config := range []string{dockerConfig(t, s.host(), "me", "wrong"), dockerConfig(t, "other.example", "me", "hunter2")} {
		_, err := fetcher(t, Options{Network: true, RegistryConfig: config}, s).Chart(t.Context(), ref)
		wantError(t, err, "oci://"+s.host()+"/charts/db", "--registry-config")
		if strings.Contains(err.Error(), "wrong") || strings.Contains(err.Error(), "hunter2") {
			t.Error("the password is in the message")
		}
	}

	// The registry names the token service; one that the user did not name gets nothing.
	thief := newRegistry(t, func(http.Handler) http.Handler { return body([]byte(`{"token": "t0ken"}`)) })
	realm = func() string { return thief.URL }
	config := dockerConfig(t, s.host(), "me", "hunter2")
	_, err := fetcher(t, Options{Network: true, RegistryConfig: config}, s).Chart(t.Context(), ref)
	wantError(t, err, "asks to send its credentials to "+thief.host(), "--allow-host "+thief.host())
	if n := len(thief.requests()); n != 0 {
		t.Errorf("it was asked %d times", n)
	}
}

// A blob's redirect to a store carries no token.
func TestTokensStayWithTheirRegistry(t *testing.T) {
	archive := packed(t, "db", "1.2.0")
	store := newSite(t)
	store.page("/blob", body(archive))
	var h http.Handler
	var s *site
	s = newRegistry(t, func(inner http.Handler) http.Handler {
		h = inner
		return bearer(func() string { return s.URL })(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
				http.Redirect(w, r, store.URL+"/blob", http.StatusTemporaryRedirect)
				return
			}
			inner.ServeHTTP(w, r)
		}))
	})
	push(t, h, "charts/db", "1.2.0", archive)
	f := fetcher(t, Options{Network: true, RegistryConfig: dockerConfig(t, s.host(), "me", "hunter2")}, s, store)
	if _, err := f.Chart(t.Context(), ChartRef{Repository: "oci://" + s.host() + "/charts", Name: "db", Version: "1.2.0"}); err != nil {
		t.Fatal(err)
	}
	if len(store.requests()) != 1 || store.requests()[0].Header.Get("Authorization") != "" {
		t.Errorf("the store got %v", store.requests()[0].Header)
	}
}
