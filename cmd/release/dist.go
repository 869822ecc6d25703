package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// checksums is the file that names every other one of a release, as `sha256sum -c` reads it.
const checksums = "SHA256SUMS"

func newDist() *cobra.Command {
	var src, dist, version, list string
	cmd := &cobra.Command{
		Use:   "dist",
		Short: "Build the binaries, and pack them with manual pages, completion and bills of materials",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := epoch()
			if err != nil {
				return err
			}
			ps, err := parsePlatforms(list)
			if err != nil {
				return err
			}
			return makeDist(cmd.Context(), release{src, dist, version, at}, ps)
		},
	}
	cmd.Flags().StringVar(&src, "src", ".", "source tree")
	cmd.Flags().StringVar(&dist, "dist", "dist", "folder to make")
	cmd.Flags().StringVar(&version, "version", "", "version, such as v0.1.0")
	cmd.Flags().StringVar(&list, "platforms", "", "OS/ARCH to build for, separated by commas (default: all)")
	required(cmd, "version")
	return cmd
}

// release describes the build: its content, its folder, and the time that files carry.
type release struct {
	src, dist, version string
	at                 time.Time
}

// makeDist builds and packs a release for platforms.
func makeDist(ctx context.Context, r release, ps []platform) error {
	graph, err := moduleGraph(ctx, r.src)
	if err != nil {
		return err
	}
	for _, p := range ps {
		if err := build(ctx, r.src, r.version, p, p.binary(r.dist)); err != nil {
			return err
		}
	}
	beside, err := r.beside(ctx)
	if err != nil {
		return err
	}
	for _, p := range ps {
		name := fmt.Sprintf("kubesettle_%s_%s_%s", strings.TrimPrefix(r.version, "v"), p.os, p.arch)
		notices, err := r.bills(ctx, p, name, graph)
		if err != nil {
			return err
		}
		binary, err := os.ReadFile(p.binary(r.dist))
		if err != nil {
			return err
		}
		files := append([]entry{{filepath.Base(p.binary(r.dist)), 0o755, binary}, {noticesFile, 0o644, notices}}, beside...)
		if err := r.pack(p, name, files); err != nil {
			return err
		}
	}
	return writeChecksums(r.dist)
}

// bills writes a binary's bills of materials, and beside it the notices that they go with, which it returns.
func (r release) bills(ctx context.Context, p platform, name, graph string) ([]byte, error) {
	c, err := contentsOf(p.binary(r.dist), r.version, graph)
	if err != nil {
		return nil, err
	}
	if err := c.license(ctx, r.src, p); err != nil {
		return nil, err
	}
	var spdx, cyclone, notices bytes.Buffer
	if err := writeSPDX(&spdx, c, p, r.at); err != nil {
		return nil, err
	}
	if err := writeCycloneDX(&cyclone, c, r.at); err != nil {
		return nil, err
	}
	writeNotices(&notices, c)
	for file, b := range map[string]*bytes.Buffer{
		filepath.Join(r.dist, name+".spdx.json"): &spdx, filepath.Join(r.dist, name+".cdx.json"): &cyclone, p.notices(r.dist): &notices,
	} {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			return nil, err
		}
	}
	return notices.Bytes(), nil
}

// beside are the files that every archive holds: licence, manual pages and completion. The
// binary of this machine writes the last two.
func (r release) beside(ctx context.Context) ([]entry, error) {
	var out []entry
	for _, name := range []string{"LICENSE", "README.md"} {
		data, err := os.ReadFile(filepath.Join(r.src, name))
		if err != nil {
			return nil, err
		}
		out = append(out, entry{name, 0o644, data})
	}
	here := platform{runtime.GOOS, runtime.GOARCH}
	dir, err := os.MkdirTemp("", "kubesettle-man-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	self := here.binary(r.dist)
	if _, err := os.Stat(self); err != nil { // it is not among those that were built
		self = filepath.Join(dir, "kubesettle")
		if err := build(ctx, r.src, r.version, here, self); err != nil {
			return nil, err
		}
	}
	man := filepath.Join(dir, "man")
	if out, err := r.run(ctx, self, "man", man); err != nil {
		return nil, fmt.Errorf("kubesettle man: %w: %s", err, out)
	}
	pages, err := filepath.Glob(filepath.Join(man, "*.1"))
	if err != nil || len(pages) == 0 {
		return nil, fmt.Errorf("kubesettle man wrote no page: %w", err)
	}
	slices.Sort(pages)
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{"man/" + filepath.Base(page), 0o644, data})
	}
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		script, err := r.run(ctx, self, "completion", shell)
		if err != nil {
			return nil, fmt.Errorf("kubesettle completion %s: %w", shell, err)
		}
		out = append(out, entry{"completion/kubesettle." + shell, 0o644, script})
	}
	return out, nil
}

// run is what a command prints; manual pages carry the release's time.
func (r release) run(ctx context.Context, command string, args ...string) ([]byte, error) {
	command, err := filepath.Abs(command)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.at.Unix()))
	return cmd.Output()
}

// pack writes an archive as a platform's users expect it: a zip for Windows, a tar.gz for others.
func (r release) pack(p platform, name string, files []entry) error {
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	defer func() {
		for i := range files {
			files[i].name = strings.TrimPrefix(files[i].name, name+"/")
		}
	}()
	var b bytes.Buffer
	if p.os == "windows" {
		z := zip.NewWriter(&b)
		for _, f := range files {
			h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.at}
			h.SetMode(fs.FileMode(f.mode))
			w, err := z.CreateHeader(h)
			if err != nil {
				return err
			}
			if _, err := w.Write(f.data); err != nil {
				return err
			}
		}
		if err := z.Close(); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(r.dist, name+".zip"), b.Bytes(), 0o644)
	}
	data, err := archive(files, r.at)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dist, name+".tar.gz"), b.Bytes(), 0o644)
}

// writeChecksums names every file that lies in a release's folder itself.
func writeChecksums(dist string) error {
	sums, err := checksumsOf(dist)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, s := range sums {
		fmt.Fprintf(&b, "%s  %s\n", s.sha256, s.name)
	}
	return os.WriteFile(filepath.Join(dist, checksums), []byte(b.String()), 0o644)
}

// sum is a file with its digest in hexadecimal.
type sum struct{ name, sha256 string }

// checksumsOf are the archives and bills of a release, by name.
func checksumsOf(dist string) ([]sum, error) {
	list, err := os.ReadDir(dist)
	if err != nil {
		return nil, err
	}
	var out []sum
	for _, e := range list {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), "kubesettle_") {
			continue
		}
		f, err := os.Open(filepath.Join(dist, e.Name()))
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		out = append(out, sum{e.Name(), fmt.Sprintf("%x", h.Sum(nil))})
	}
	return out, nil
}
