package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// run is the program with arguments, and what it prints.
func run(t *testing.T, args ...string) string {
	t.Helper()
	var b bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&b)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("release %v: %v", args, err)
	}
	return b.String()
}

// repository is the source tree that a release is made of.
const repository = "../.."

// fakeDist is a release's folder whose binaries are a few bytes.
func fakeDist(t *testing.T) string {
	t.Helper()
	dist := t.TempDir()
	for _, p := range platforms() {
		file := p.binary(dist)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("binary for "+p.String()), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.notices(dist), []byte("notices for "+p.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dist
}

// The digest follows from the binaries and the version, not from folder, time or order; what
// an image is made of changes it.
func TestImagesAreReproducible(t *testing.T) {
	one, two := fakeDist(t), fakeDist(t)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(platform{"linux", "amd64"}.binary(two), old, old); err != nil {
		t.Fatal(err)
	}
	first := run(t, "image", "--src", repository, "--dist", one, "--version", "v0.1.0")
	if again := run(t, "image", "--src", repository, "--dist", two, "--version", "v0.1.0"); again != first {
		t.Errorf("two folders:\n%s%s", first, again)
	}
	if got := regexp.MustCompile(`(?m)^(action|cli) sha256:[0-9a-f]{64}$`).FindAllString(first, -1); len(got) != 2 {
		t.Errorf("printed %q", first)
	}
	if other := run(t, "image", "--src", repository, "--dist", two, "--version", "v0.1.1"); other == first {
		t.Error("another version has the same digest")
	}
	if err := os.WriteFile(platform{"linux", "arm64"}.binary(two), []byte("other"), 0o755); err != nil {
		t.Fatal(err)
	}
	if other := run(t, "image", "--src", repository, "--dist", two, "--version", "v0.1.0"); other == first {
		t.Error("another binary has the same digest")
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if other := run(t, "image", "--src", repository, "--dist", one, "--version", "v0.1.0"); other == first {
		t.Error("another time has the same digest")
	}
}

// A registry takes the image as it is, under every tag, and gives the same digest back for
// both architectures.
func TestPush(t *testing.T) {
	dist := fakeDist(t)
	run(t, "image", "--src", repository, "--dist", dist, "--version", "v0.1.0")
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	to := strings.TrimPrefix(server.URL, "http://") + "/kubesettle/kubesettle"
	address := strings.TrimSpace(run(t, "push", "--dist", dist, "--variant", "cli", "--to", to, "v0.1.0", "v0.1", "v0"))
	digest, err := os.ReadFile(layoutDir(dist, "cli") + ".digest")
	if err != nil || address != to+"@"+strings.TrimSpace(string(digest)) {
		t.Fatalf("pushed %s, digest %s, %v", address, digest, err)
	}
	own := map[string]string{}
	for line := range strings.Lines(run(t, "platforms", "--dist", dist, "--variant", "cli", "--to", to)) {
		arch, address, _ := strings.Cut(strings.TrimSpace(line), " ")
		own[arch] = address
	}
	for _, tag := range []string{"v0.1.0", "v0.1", "v0"} {
		ref, err := name.NewTag(to + ":" + tag)
		if err != nil {
			t.Fatal(err)
		}
		idx, err := remote.Index(ref)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := idx.Digest(); err != nil || ref.Context().Digest(got.String()).String() != address {
			t.Errorf("%s: %s, %v", tag, got, err)
		}
		if err := validate.Index(idx); err != nil {
			t.Error(err)
		}
		for _, arch := range []string{"amd64", "arm64"} {
			img, err := remote.Image(ref, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: arch}))
			if err != nil {
				t.Fatal(err)
			}
			all := files(t, img)
			if got := all["usr/local/bin/kubesettle"]; !strings.HasSuffix(got, "binary for linux/"+arch) {
				t.Errorf("%s has %q", arch, got)
			}
			if got := all[termsFolder+"/"+noticesFile]; !strings.HasSuffix(got, "notices for linux/"+arch) ||
				!strings.Contains(all[termsFolder+"/LICENSE"], "Apache License") {
				t.Errorf("%s has the notices %q", arch, got)
			}
			if digest, err := img.Digest(); err != nil || own[arch] != to+"@"+digest.String() {
				t.Errorf("%s: %s, and it is told to be %s", arch, digest, own[arch])
			}
		}
	}
}

// files are an image's, each with its mode, owner and contents.
func files(t *testing.T, img v1.Image) map[string]string {
	t.Helper()
	out := map[string]string{}
	r := mutate.Extract(img)
	defer r.Close()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		if out[strings.TrimSuffix(h.Name, "/")] != "" {
			t.Errorf("%s is there twice", h.Name)
		}
		out[strings.TrimSuffix(h.Name, "/")] = fmt.Sprintf("%o %d:%d %s", h.Mode, h.Uid, h.Gid, data)
	}
}

// The Dockerfile and `release image` put the same files into the same image: what each copies,
// its labels, entry point and user, and the flags that the binary is built with.
func TestDockerfileMakesTheSame(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	docker := strings.ReplaceAll(string(text), "\\\n", " ")
	_, final, _ := strings.Cut(docker, "FROM scratch AS files")
	for variant, user := range variants {
		img, err := image(variant, "v0.1.0", platform{"linux", "amd64"}, entries(held{[]byte("binary"), []byte("roots"), []byte("licence"), []byte("notices")}), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		_, stage, found := strings.Cut(docker, " AS "+variant+"\n")
		stage, _, _ = strings.Cut(stage, "\nFROM ")
		want := ""
		if m := regexp.MustCompile(`(?m)^USER (\S+)`).FindStringSubmatch(stage); m != nil {
			want = m[1]
		}
		if !found || want != config.Config.User || user != want {
			t.Errorf("%s: the Dockerfile's user is %q, the image's %q", variant, want, config.Config.User)
		}
		if entry := fmt.Sprintf("ENTRYPOINT [%q]", config.Config.Entrypoint[0]); !strings.Contains(final, entry) || len(config.Config.Entrypoint) != 1 {
			t.Errorf("%s: no %s in the Dockerfile", variant, entry)
		}
		said := map[string]string{}
		for _, m := range regexp.MustCompile(`(org\.opencontainers\.[a-z.]+)="([^"]*)"`).FindAllStringSubmatch(final, -1) {
			said[m[1]] = strings.ReplaceAll(m[2], "${VERSION}", "v0.1.0")
		}
		if !maps.Equal(said, config.Config.Labels) {
			t.Errorf("%s: labels %v, the Dockerfile's %v", variant, config.Config.Labels, said)
		}
		var copied []string
		for _, m := range regexp.MustCompile(`(?m)^COPY --from=build (\S+) /(\S+)`).FindAllStringSubmatch(final, -1) {
			copied = append(copied, m[2])
		}
		slices.Sort(copied)
		var holds []string
		all := files(t, img)
		for name := range all { // a folder that only leads to another entry is made by COPY
			if !slices.ContainsFunc(slices.Collect(maps.Keys(all)), func(o string) bool { return strings.HasPrefix(o, name+"/") }) {
				holds = append(holds, name)
			}
		}
		slices.Sort(holds)
		if !slices.Equal(copied, holds) {
			t.Errorf("%s: the image holds %v, the Dockerfile copies %v", variant, holds, copied)
		}
		if !strings.HasPrefix(all["tmp"], "1777 0:0") || !strings.Contains(docker, "mkdir -m 1777 /out/tmp") {
			t.Errorf("/tmp is %s", all["tmp"])
		}
	}
	words := []string{"go", "build"}
	for _, flag := range buildFlags("${VERSION}") {
		if name, value, _ := strings.Cut(flag, "="); strings.Contains(value, " ") {
			flag = name + `="` + value + `"`
		}
		words = append(words, flag)
	}
	if line := strings.Join(words, " "); !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(docker, "\\\n", " ")), " "), line) {
		t.Errorf("the Dockerfile does not say %s", line)
	}
}

// The bundle is what crypto/x509 takes, and holds the authorities that are there for all.
func TestRoots(t *testing.T) {
	bundle, err := roots()
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(bundle) {
		t.Fatal("no certificate")
	}
	if n := bytes.Count(bundle, []byte("BEGIN CERTIFICATE")); n < 100 {
		t.Errorf("%d certificates", n)
	}
	for _, one := range []string{"ISRG Root X1", "DigiCert Global Root G2"} {
		if !bytes.Contains(bundle, []byte("CN="+one)) {
			t.Errorf("no %s", one)
		}
	}
}
