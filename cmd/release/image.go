package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/spf13/cobra"
)

// variants are the images of a release: the user each runs as. The Dockerfile says why.
var variants = map[string]string{"action": "", "cli": "65532:65532"}

// entryPoint is where the binary stands in an image.
const entryPoint = "/usr/local/bin/kubesettle"

// labels of an image of a version; the Dockerfile has the same.
func labels(version string) map[string]string {
	const home = "https://github.com/kubesettle/kubesettle"
	return map[string]string{
		"org.opencontainers.image.title":         "kubesettle",
		"org.opencontainers.image.description":   "Says whether a cluster will settle after a change",
		"org.opencontainers.image.source":        home,
		"org.opencontainers.image.documentation": home + "/blob/main/docs/ci.md",
		"org.opencontainers.image.licenses":      "Apache-2.0",
		"org.opencontainers.image.version":       version,
	}
}

// entry is a file or a folder of an image.
type entry struct {
	name string // without a slash at the beginning
	mode int64  // permission bits, with 01000 for sticky
	data []byte // nil: a folder
}

// termsFolder is where an image has its licences.
const termsFolder = "usr/share/doc/kubesettle"

// held are the files that an image is made of.
type held struct{ binary, roots, licence, notices []byte }

// entries are all that an image holds.
func entries(h held) []entry {
	return []entry{
		{"etc", 0o755, nil}, {"etc/ssl", 0o755, nil}, {"etc/ssl/certs", 0o755, nil}, {rootsFile, 0o644, h.roots},
		{"tmp", 0o1777, nil},
		{"usr", 0o755, nil}, {"usr/local", 0o755, nil}, {"usr/local/bin", 0o755, nil}, {entryPoint[1:], 0o755, h.binary},
		{"usr/share", 0o755, nil}, {"usr/share/doc", 0o755, nil}, {termsFolder, 0o755, nil},
		{termsFolder + "/LICENSE", 0o644, h.licence}, {termsFolder + "/" + noticesFile, 0o644, h.notices},
	}
}

// archive is a tar of entries, all root's and of one time.
func archive(list []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range list {
		h := &tar.Header{Name: e.name, Mode: e.mode, ModTime: at, Typeflag: tar.TypeReg, Size: int64(len(e.data)), Format: tar.FormatUSTAR}
		if e.data == nil {
			h.Typeflag, h.Name = tar.TypeDir, e.name+"/"
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// image is one platform's image of a variant.
func image(variant, version string, p platform, list []entry, at time.Time) (v1.Image, error) {
	user, known := variants[variant]
	if !known {
		return nil, fmt.Errorf("variant %q: give action or cli", variant)
	}
	data, err := archive(list, at)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression))
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.Append(img, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: v1.Time{Time: at}, CreatedBy: "make image", Comment: "one static binary and a bundle of certificate authorities"},
	})
	if err != nil {
		return nil, err
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = p.os, p.arch, v1.Time{Time: at}
	file.Config = v1.Config{
		Entrypoint: []string{entryPoint}, User: user, WorkingDir: "/", Labels: labels(version),
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
	}
	return mutate.ConfigFile(img, file)
}

// index is a variant's image for Linux on every architecture, of the binaries and notices of a release.
func index(variant, version string, at time.Time, src, dist string) (v1.ImageIndex, error) {
	var h held
	var err error
	if h.roots, err = roots(); err != nil {
		return nil, err
	}
	if h.licence, err = os.ReadFile(filepath.Join(src, "LICENSE")); err != nil {
		return nil, err
	}
	idx := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms() {
		if p.os != "linux" {
			continue
		}
		if h.binary, err = os.ReadFile(p.binary(dist)); err != nil {
			return nil, err
		}
		if h.notices, err = os.ReadFile(p.notices(dist)); err != nil {
			return nil, err
		}
		img, err := image(variant, version, p, entries(h), at)
		if err != nil {
			return nil, err
		}
		idx = mutate.AppendManifests(idx, mutate.IndexAddendum{
			Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}},
		})
	}
	return mutate.Annotations(idx, labels(version)).(v1.ImageIndex), nil
}

func newImage() *cobra.Command {
	var src, dist, version string
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Make the images of a release's binaries, as OCI layouts, and print their digests",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := epoch()
			if err != nil {
				return err
			}
			for _, variant := range []string{"action", "cli"} {
				idx, err := index(variant, version, at, src, dist)
				if err != nil {
					return err
				}
				dir := layoutDir(dist, variant)
				if err := os.RemoveAll(dir); err != nil {
					return err
				}
				if _, err := layout.Write(dir, idx); err != nil {
					return err
				}
				digest, err := idx.Digest()
				if err != nil {
					return err
				}
				if err := os.WriteFile(dir+".digest", []byte(digest.String()+"\n"), 0o644); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", variant, digest)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&src, "src", ".", "source tree, for its licence")
	cmd.Flags().StringVar(&dist, "dist", "dist", "folder of the release, with its binaries for Linux")
	cmd.Flags().StringVar(&version, "version", "", "version that the label names")
	required(cmd, "version")
	return cmd
}

// layoutDir is where a variant's image stands in the folder of a release.
func layoutDir(dist, variant string) string { return filepath.Join(dist, "image", variant) }
