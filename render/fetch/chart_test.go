package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// packed is a chart archive with files of its own; entries may be anything.
func packed(t testing.TB, name, version string, extra ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	write := func(h *tar.Header, text []byte) {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{
		"Chart.yaml":          fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", name, version),
		"values.yaml":         "replicas: 1\n",
		"templates/a.yaml":    "kind: ConfigMap\n",
		"charts/x/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n",
	} {
		write(&tar.Header{Name: name + "/" + file, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}, []byte(text))
	}
	for _, h := range extra {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, h.Size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// site is a chart repository in this process.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]http.HandlerFunc
	asked []*http.Request
	root  string // folder of its git repositories
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{pages: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Clone(r.Context()))
		page := s.pages[r.URL.Path]
		s.mu.Unlock()
		if page == nil {
			http.NotFound(w, r)
			return
		}
		page(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) host() string { return strings.TrimPrefix(s.URL, "https://") }

func (s *site) page(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = h
}

func (s *site) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.asked...)
}

func body(b []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(b) }
}

// publish puts an archive and an index entry for each version on the site.
func (s *site) publish(t testing.TB, versions ...string) {
	t.Helper()
	var list strings.Builder
	list.WriteString("apiVersion: v1\nentries:\n  db:\n")
	for _, v := range versions {
		b := packed(t, "db", v)
		s.page("/charts/db-"+v+".tgz", body(b))
		fmt.Fprintf(&list, "  - {name: db, version: %q, urls: [\"db-%s.tgz\"], digest: %s}\n", v, v, strings.TrimPrefix(digestOf(b), "sha256:"))
	}
	s.page("/charts/index.yaml", body([]byte(list.String())))
}

// fetcher trusts the certificates of the sites and names them.
func fetcher(t testing.TB, opt Options, sites ...*site) *Fetcher {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	for _, v := range []string{"DOCKER_CONFIG", "XDG_CONFIG_HOME", "HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"} {
		t.Setenv(v, "")
	}
	return more(t, opt, sites...)
}

// more is a further fetcher of a test: another run on the same machine.
func more(t testing.TB, opt Options, sites ...*site) *Fetcher {
	t.Helper()
	roots := x509.NewCertPool()
	for _, s := range sites {
		roots.AddCert(s.Certificate())
		opt.Hosts = append(opt.Hosts, s.host())
	}
	f, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	f.guard.direct.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	f.guard.proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	f.guard.wait = time.Millisecond
	return f
}

func wantError(t *testing.T, err error, reason, remedy string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want %q", err, reason)
	}
	if !strings.Contains(e.Reason, reason) || !strings.Contains(e.Remedy, remedy) {
		t.Fatalf("reason %q, remedy %q; want %q and %q", e.Reason, e.Remedy, reason, remedy)
	}
}

func TestChartOfARepository(t *testing.T) {
	s := newSite(t)
	s.publish(t, "1.2.0", "1.10.0", "1.9.0", "2.0.0-rc.1", "not-a-version")
	for version, want := range map[string]string{"1.9.0": "1.9.0", "^1.2": "1.10.0", "~1.2": "1.2.0", "": "1.10.0", "1.x": "1.10.0", ">=2.0.0-0": "2.0.0-rc.1", "2.0.0-rc.1": "2.0.0-rc.1"} {
		f := fetcher(t, Options{Network: true}, s)
		c, err := f.Chart(t.Context(), ChartRef{Repository: s.URL + "/charts/", Name: "db", Version: version})
		if err != nil {
			t.Fatalf("%q: %v", version, err)
		}
		if c.Version != want || !c.Checked || c.Resolved == Exact(version) {
			t.Errorf("%q gives %s, checked %v, resolved %v; want %s", version, c.Version, c.Checked, c.Resolved, want)
		}
		if string(c.Files["values.yaml"]) != "replicas: 1\n" || c.Files["charts/x/Chart.yaml"] == nil {
			t.Errorf("files %v", c.Files)
		}
	}
	f := fetcher(t, Options{Network: true}, s)
	_, err := f.Chart(t.Context(), ChartRef{Repository: s.URL + "/charts", Name: "db", Version: "3.0.0"})
	wantError(t, err, "has no chart db@3.0.0", "correct the name or the version")
	_, err = f.Chart(t.Context(), ChartRef{Repository: s.URL + "/charts", Name: "nosuch", Version: "1.2.0"})
	wantError(t, err, "has no chart nosuch@1.2.0", "correct the name or the version")
	_, err = f.Chart(t.Context(), ChartRef{Repository: s.URL + "/elsewhere", Name: "db", Version: "1.2.0"})
	wantError(t, err, "/elsewhere/index.yaml answers 404", "check the address")
}

// Each way in which a server may not give what its index promises.
func TestChartsThatAreRefused(t *testing.T) {
	type link = tar.Header
	good := packed(t, "db", "1.2.0")
	huge := func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for range maxArchiveBytes>>20 + 1 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		page    http.HandlerFunc
		digest  string
		reason  string
		remedy  string
		timeout time.Duration
	}{
		"another archive":    {page: body(packed(t, "db", "1.2.0", &link{Name: "db/extra"})), digest: digestOf(good), reason: "the index of https://", remedy: "do not use it"},
		"another chart":      {page: body(packed(t, "cache", "1.2.0")), reason: "asked for chart db@1.2.0, the archive holds cache@1.2.0"},
		"another version":    {page: body(packed(t, "db", "9.9.9")), reason: "the archive holds db@9.9.9"},
		"no archive":         {page: body([]byte("<html>")), reason: "not a gzip archive"},
		"half an archive":    {page: body(good[:len(good)/2]), reason: "the archive of db"},
		"way out":            {page: body(packed(t, "db", "1.2.0", &link{Name: "db/../../etc/passwd"})), reason: "illegally references parent directory"},
		"absolute path":      {page: body(packed(t, "db", "1.2.0", &link{Name: "db//etc/passwd"})), reason: "illegally contains absolute paths"},
		"symbolic link":      {page: body(packed(t, "db", "1.2.0", &link{Name: "db/values.yaml", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"})), reason: "is a link or a device"},
		"hard link":          {page: body(packed(t, "db", "1.2.0", &link{Name: "db/values.yaml", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"})), reason: "is a link or a device"},
		"large file":         {page: body(packed(t, "db", "1.2.0", &link{Name: "db/big", Size: 6 << 20})), reason: "larger than the maximum file size"},
		"bomb":               {page: body(packed(t, "db", "1.2.0", bomb()...)), reason: "unpacks to more than 128 MiB"},
		"entries no end":     {page: body(packed(t, "db", "1.2.0", entries(maxArchiveEntries)...)), reason: "more than 20000 entries"},
		"too large":          {page: huge, reason: "larger than 20 MiB", remedy: "vendor"},
		"gone":               {page: http.NotFound, reason: "answers 404 Not Found"},
		"trouble that stays": {page: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, reason: "answers 503", remedy: "it was asked 3 times"},
		"slow":               {page: func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, reason: "took longer than 300ms", timeout: 300 * time.Millisecond},
		"slow body": {page: func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(good[:10])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, reason: "took longer than 300ms", timeout: 300 * time.Millisecond},
		"password wanted": {page: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, reason: "answers 401", remedy: "--registry-config"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.page("/index.yaml", body([]byte(fmt.Sprintf("entries: {db: [{version: 1.2.0, urls: [db.tgz], digest: %q}]}", c.digest))))
			s.page("/db.tgz", c.page)
			f := fetcher(t, Options{Network: true, CacheDir: t.TempDir()}, s)
			if c.timeout > 0 {
				f.time = c.timeout
			}
			_, err := f.Chart(t.Context(), ChartRef{Repository: s.URL, Name: "db", Version: "1.2.0"})
			wantError(t, err, c.reason, c.remedy)
			if list, _ := filepath.Glob(filepath.Join(f.opt.CacheDir, "v1", "*", "*")); len(list) > 0 {
				t.Errorf("kept %v", list)
			}
		})
	}
}

// bomb are files of zeros, small as they are sent.
func bomb() []*tar.Header {
	var list []*tar.Header
	for i := range 30 {
		list = append(list, &tar.Header{Name: fmt.Sprintf("db/zeros-%d", i), Size: 5<<20 - 1})
	}
	return list
}

func entries(n int) []*tar.Header {
	list := make([]*tar.Header, n)
	for i := range list {
		list[i] = &tar.Header{Name: fmt.Sprintf("db/%d", i)}
	}
	return list
}

func TestHostsThatAreNotAllowed(t *testing.T) {
	s := newSite(t)
	s.publish(t, "1.2.0")
	named := fetcher(t, Options{Network: true, Hosts: []string{"charts.example.com"}})
	_, err := named.Chart(t.Context(), ChartRef{Repository: s.URL + "/charts", Name: "db", Version: "1.2.0"})
	wantError(t, err, "host "+s.host()+" is not allowed", "--allow-host "+s.host())
	_, err = named.Chart(t.Context(), ChartRef{Repository: "http://charts.example.com", Name: "db", Version: "1.2.0"})
	wantError(t, err, "has no TLS", "--allow-host http://charts.example.com")
	_, err = named.Chart(t.Context(), ChartRef{Repository: "https://me:secret@charts.example.com", Name: "db", Version: "1.2.0"})
	wantError(t, err, "not an address without credentials", "--registry-config")
	if strings.Contains(fmt.Sprint(err), "secret") {
		t.Error("the password is in the message")
	}
	_, err = named.Chart(t.Context(), ChartRef{Repository: "file:///etc", Name: "passwd"})
	wantError(t, err, "not an address", "")

	// No list: any public host, but not an address of this machine's networks.
	open := fetcher(t, Options{Network: true})
	for _, address := range []string{"https://127.0.0.1", "https://169.254.169.254/latest", "https://[::1]", "https://10.0.0.1", "https://localhost", "oci://127.0.0.1/x", "oci://169.254.169.254"} {
		_, err := open.Chart(t.Context(), ChartRef{Repository: address, Name: "db", Version: "1.2.0"})
		var e *Error
		if !errors.As(err, &e) || !e.Refused || !strings.Contains(e.Reason, "address") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if n := len(s.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestPassingTroubleIsTriedAgain(t *testing.T) {
	s := newSite(t)
	s.publish(t, "1.2.0")
	var n atomic.Int32
	index := s.pages["/charts/index.yaml"]
	s.page("/charts/index.yaml", func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) < tries {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		index(w, r)
	})
	if _, err := fetcher(t, Options{Network: true}, s).Chart(t.Context(), ChartRef{Repository: s.URL + "/charts", Name: "db", Version: "1.2.0"}); err != nil {
		t.Fatal(err)
	}
}
