package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"helm.sh/helm/v3/pkg/chart/loader"
)

const (
	// maxUnpackedBytes is the limit of an unpacked chart with the archive's own headers;
	// Helm's loader bounds the files alone, at 100 MiB.
	maxUnpackedBytes = 128 << 20
	// maxArchiveEntries is how many entries an archive may have.
	maxArchiveEntries = 20_000
)

// unpack opens a packaged chart in memory with Helm's own loader, which refuses paths that leave the chart. Archives
// that the loader takes without a limit, or entries that it reads as an empty file, are refused before: entries without
// number, links, devices.
func unpack(b []byte) (map[string][]byte, error) {
	if err := inspect(b); err != nil {
		return nil, err
	}
	list, err := loader.LoadArchiveFiles(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(list))
	for _, f := range list {
		files[f.Name] = f.Data
	}
	return files, nil
}

// inspect reads the headers of an archive.
func inspect(b []byte) error {
	zipped, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("it is not a gzip archive")
	}
	defer zipped.Close()
	whole := &io.LimitedReader{R: zipped, N: maxUnpackedBytes + 1}
	r := tar.NewReader(whole)
	for n := 0; ; n++ {
		h, err := r.Next()
		switch {
		case whole.N <= 0:
			return fmt.Errorf("it unpacks to more than %d MiB", maxUnpackedBytes>>20)
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("it is not a tar archive: %w", err)
		case n >= maxArchiveEntries:
			return fmt.Errorf("it has more than %d entries", maxArchiveEntries)
		}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeDir, tar.TypeXGlobalHeader, tar.TypeXHeader:
		default:
			return fmt.Errorf("%q in it is a link or a device", h.Name)
		}
	}
}
