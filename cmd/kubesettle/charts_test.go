package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// charts serves folders as a chart repository by https, for a login of me and hunter2, and
// writes its address in the place of CHARTS_URL into the files behind "--". Its host is
// $CHARTS, a docker configuration with the login is docker.json.
func charts(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: charts FOLDER… -- FILE…")
	}
	pages := map[string][]byte{}
	var index strings.Builder
	index.WriteString("entries:\n")
	for len(args) > 0 && args[0] != "--" {
		name, version, _ := strings.Cut(path.Base(args[0]), "@")
		b, err := packFolder(ts.MkAbs(args[0]), name)
		ts.Check(err)
		sum := sha256.Sum256(b)
		fmt.Fprintf(&index, "  %s:\n  - {version: %s, urls: [%s.tgz], digest: %s}\n", name, version, name, hex.EncodeToString(sum[:]))
		pages["/"+name+".tgz"] = b
		args = args[1:]
	}
	pages["/index.yaml"] = []byte(index.String())
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		b, ok := pages[r.URL.Path]
		switch {
		case user != "me" || password != "hunter2":
			w.WriteHeader(http.StatusUnauthorized)
		case !ok:
			http.NotFound(w, r)
		default:
			_, _ = w.Write(b)
		}
	}))
	ts.Defer(s.Close)
	ca := ts.MkAbs("ca.pem")
	ts.Check(os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o644))
	host := strings.TrimPrefix(s.URL, "https://")
	ts.Setenv("SSL_CERT_FILE", ca)
	ts.Setenv("CHARTS", host)
	ts.Check(os.WriteFile(ts.MkAbs("docker.json"), []byte(`{"auths": {"`+host+`": {"auth": "bWU6aHVudGVyMg=="}}}`), 0o600))
	for _, file := range args[min(1, len(args)):] {
		b, err := os.ReadFile(ts.MkAbs(file))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(file), bytes.ReplaceAll(b, []byte("CHARTS_URL"), []byte(s.URL)), 0o644))
	}
}

func packFolder(dir, name string) ([]byte, error) {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(dir), p)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: name + "/" + p, Mode: 0o644, Size: int64(len(text))}); err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	err = errors.Join(err, w.Close(), zip.Close())
	return b.Bytes(), err
}
