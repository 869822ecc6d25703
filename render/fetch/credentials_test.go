package fetch

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dockerConfig is a docker configuration with one login.
func dockerConfig(t *testing.T, host, user, password string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json")
	login := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	if err := os.WriteFile(file, []byte(fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, login)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// guarded lets a page be seen with a login only.
func guarded(user, password string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if u, p, _ := r.BasicAuth(); u != user || p != password {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h(w, r)
	}
}

func TestCredentialsOfARepository(t *testing.T) {
	s := newSite(t)
	s.publish(t, "1.2.0")
	for path, page := range s.pages {
		s.pages[path] = guarded("me", "hunter2", page)
	}
	ref := ChartRef{Repository: s.URL + "/charts", Name: "db", Version: "1.2.0"}
	_, err := fetcher(t, Options{Network: true, RegistryConfig: dockerConfig(t, s.host(), "me", "wrong")}, s).Chart(t.Context(), ref)
	wantError(t, err, "answers 401", "give credentials for "+s.host())
	if strings.Contains(err.Error(), "wrong") {
		t.Error("the password is in the message")
	}
	if _, err := fetcher(t, Options{Network: true, RegistryConfig: dockerConfig(t, s.host(), "me", "hunter2")}, s).Chart(t.Context(), ref); err != nil {
		t.Error(err)
	}
	f := fetcher(t, Options{Network: true, RegistryConfig: filepath.Join(t.TempDir(), "nosuch.json")}, s)
	_, err = f.Chart(t.Context(), ref)
	wantError(t, err, "nosuch.json cannot be read", "docker login")

	// What `helm repo add` wrote down counts for exactly that repository, and its name does.
	file := filepath.Join(t.TempDir(), "repositories.yaml")
	text := fmt.Sprintf("repositories:\n- {name: mine, url: %q, username: me, password: hunter2}\n", s.URL+"/charts")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f = fetcher(t, Options{Network: true, HelmRepositories: file}, s)
	for _, name := range []string{"@mine", "alias:mine", s.URL + "/charts"} {
		if _, err := f.Chart(t.Context(), ChartRef{Repository: name, Name: "db", Version: "1.2.0"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = f.Chart(t.Context(), ChartRef{Repository: "@other", Name: "db", Version: "1.2.0"})
	wantError(t, err, "@other is not known to Helm", "helm repo add other")
}

// A redirect, and an index that points elsewhere, lead to a host without what this
// machine knows of the first one.
func TestCredentialsStayWithTheirHost(t *testing.T) {
	first, second := newSite(t), newSite(t)
	first.publish(t, "1.2.0")
	archive := first.pages["/charts/db-1.2.0.tgz"]
	second.page("/db.tgz", archive)
	config := dockerConfig(t, first.host(), "me", "hunter2")
	ref := ChartRef{Repository: first.URL + "/charts", Name: "db", Version: "1.2.0"}
	direct := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, second.URL+"/db.tgz?signature=s3cret", http.StatusFound)
	}
	first.page("/charts/db-1.2.0.tgz", guarded("me", "hunter2", direct))

	if _, err := fetcher(t, Options{Network: true, RegistryConfig: config}, first, second).Chart(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	sent := 0
	for _, r := range first.requests() {
		if r.Header.Get("Authorization") != "" {
			sent++
		}
	}
	if sent == 0 {
		t.Error("the first host got no credentials")
	}
	for _, r := range second.requests() {
		if h := r.Header.Get("Authorization") + r.Header.Get("Referer"); h != "" {
			t.Errorf("the second host got %q", h)
		}
	}

	// The same where the second host was not named: it is not asked at all.
	before := len(second.requests())
	_, err := fetcher(t, Options{Network: true, RegistryConfig: config}, first).Chart(t.Context(), ref)
	wantError(t, err, "redirects: host "+second.host()+" is not allowed", "--allow-host "+second.host())
	if strings.Contains(err.Error(), "s3cret") {
		t.Error("the signature is in the message")
	}
	if len(second.requests()) != before {
		t.Error("the second host was asked")
	}

	// And where the index names it.
	first.page("/charts/index.yaml", body([]byte("entries: {db: [{version: 1.2.0, urls: ["+second.URL+"/db.tgz]}]}")))
	c, err := fetcher(t, Options{Network: true, RegistryConfig: config}, first, second).Chart(t.Context(), ref)
	if err != nil || c.Checked {
		t.Fatalf("checked %v, %v", c != nil && c.Checked, err)
	}
	for _, r := range second.requests() {
		if h := r.Header.Get("Authorization"); h != "" {
			t.Errorf("the second host got %q", h)
		}
	}

	// A redirect in a circle, and one that gives up TLS.
	first.page("/charts/index.yaml", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	_, err = fetcher(t, Options{Network: true}, first).Chart(t.Context(), ref)
	wantError(t, err, "redirects more than 5 times", "")
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	first.page("/charts/index.yaml", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, plain.URL, http.StatusFound) })
	_, err = fetcher(t, Options{Network: true, Hosts: []string{plain.URL}}, first).Chart(t.Context(), ref)
	wantError(t, err, "without TLS", "")
}

func TestNotCalledBehindAProxyUnlessNamed(t *testing.T) {
	s := newSite(t)
	f := fetcher(t, Options{Network: true})
	f.guard.proxy = func(*http.Request) (*url.URL, error) { return &url.URL{Scheme: "http", Host: s.host()}, nil }
	_, err := f.Chart(t.Context(), ChartRef{Repository: "https://charts.example.com", Name: "db", Version: "1.2.0"})
	wantError(t, err, "behind a proxy and was not named", "--allow-host charts.example.com")
}
