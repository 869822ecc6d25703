package render

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A file of another host whose address has an exact version is fetched, the result records its digest, and patches act
// on it. It may be many documents, and is on the disk afterwards; another address is no such file.
func TestRemoteFileAtAVersion(t *testing.T) {
	if err := trustTests(); err != nil {
		t.Fatal(err)
	}
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/install.yaml") {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(webManifest + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: far}\n"))
	}))
	t.Cleanup(site.Close)
	at := site.URL + "/org/repo/releases/download/v1.2.3/install.yaml"
	files := map[string]string{
		"prod/kustomization.yaml": "resources:\n- here.yaml\n- " + at + "\npatches:\n- path: replicas.yaml\n",
		"prod/here.yaml":          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: here}\n",
		"prod/replicas.yaml":      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 4\n",
	}
	cache := t.TempDir()
	for _, opt := range []Options{online(t, cache, site), offlineWith(t, cache)} {
		r := renders(t, renderWith(t, files, opt), "prod")
		if len(r.Objects) != 3 || len(r.Holes) != 0 || len(r.Fetched) != 1 || r.Fetched[0].Version != "v1.2.3" ||
			r.Fetched[0].Name != at || !strings.HasPrefix(r.Fetched[0].Digest, "sha256:") {
			t.Errorf("%d objects, holes %+v, of %+v", len(r.Objects), r.Holes, r.Fetched)
		}
		if set := objectOf(t, r, "web").Locate("spec.replicas"); set.File != "prod/replicas.yaml" {
			t.Errorf("replicas are set at %+v", set)
		}
		if from := objectOf(t, r, "far").Source; from.File != "prod/kustomization.yaml" || from.StartLine != 3 {
			t.Errorf("a fetched object is at %+v", from)
		}
	}
	for ref, want := range map[string]string{
		strings.Replace(at, "v1.2.3", "main", 1):             "without a pinned version",
		strings.Replace(at, "v1.2.3", "release-1.2", 1):      "without a pinned version",
		strings.Replace(at, "install", "gone", 1):            "cannot be fetched",
		strings.Replace(at, "https://", "http://", 1):        "is not over https",
		"https://169.254.169.254/repo/v1.2.3/install.yaml":   "host 169.254.169.254 is not allowed",
		"https://u:p@example.com/repo/v1.2.3/install.yaml":   "without credentials",
		"https://example.com/repo/v1.2.3/../a/install.yaml":  "without a pinned version",
		"https://example.com/repo/v1.2.3//base/install.yaml": "host example.com is not allowed",
	} {
		files["prod/kustomization.yaml"] = "resources:\n- " + ref + "\n"
		fails(t, renderWith(t, files, online(t, "", site)), "prod", want, "")
	}
}
