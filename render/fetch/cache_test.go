package fetch

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func blobs(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "v1", "blobs", "sha256", "*"))
	if err != nil || len(list) == 0 {
		t.Fatalf("blobs %v, %v", list, err)
	}
	return list
}

func TestCacheSparesTheNetwork(t *testing.T) {
	s := newSite(t)
	s.publish(t, "1.2.0", "1.3.0")
	dir := t.TempDir()
	ref := ChartRef{Repository: s.URL + "/charts", Name: "db", Version: "1.2.0"}
	cold := fetcher(t, Options{CacheDir: dir})
	if _, err := cold.Chart(t.Context(), ref); !errors.Is(err, ErrOffline) {
		t.Fatalf("offline and cold: %v", err)
	}
	first, err := more(t, Options{Network: true, CacheDir: dir}, s).Chart(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	asked := len(s.requests())
	again, err := more(t, Options{Network: true, CacheDir: dir}, s).Chart(t.Context(), ref)
	if err != nil || again.Digest != first.Digest || !again.Checked {
		t.Fatalf("again: %+v, %v", again, err)
	}
	if len(s.requests()) != asked {
		t.Error("a warm cache asked the repository")
	}
	// Offline, with the repository gone.
	s.Close()
	warm := more(t, Options{CacheDir: dir}, s)
	offline, err := warm.Chart(t.Context(), ref)
	if err != nil || offline.Digest != first.Digest {
		t.Fatalf("offline and warm: %v", err)
	}
	// A range means what there is now: it is not looked up in a cache.
	ref.Version = "^1"
	if _, err := warm.Chart(t.Context(), ref); !errors.Is(err, ErrOffline) {
		t.Errorf("a range offline: %v", err)
	}
}

func TestBrokenCacheIsFetchedAgain(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, dir string){
		"other bytes": func(t *testing.T, dir string) { overwrite(t, blobs(t, dir)[0], packed(t, "db", "6.6.6")) },
		"half":        func(t *testing.T, dir string) { overwrite(t, blobs(t, dir)[0], nil) },
		"no blob": func(t *testing.T, dir string) {
			if err := os.Remove(blobs(t, dir)[0]); err != nil {
				t.Fatal(err)
			}
		},
		"a link": func(t *testing.T, dir string) {
			b := blobs(t, dir)[0]
			if err := errors.Join(os.Rename(b, b+"x"), os.Symlink(b+"x", b)); err != nil {
				t.Fatal(err)
			}
		},
		"other name": func(t *testing.T, dir string) {
			refs, _ := filepath.Glob(filepath.Join(dir, "v1", "refs", "*"))
			overwrite(t, refs[0], []byte(`{"Name": "chart x", "Digest": "sha256:0"}`))
		},
		"way out": func(t *testing.T, dir string) {
			refs, _ := filepath.Glob(filepath.Join(dir, "v1", "refs", "*"))
			overwrite(t, refs[0], []byte(`{"Digest": "../../../../etc/passwd"}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.publish(t, "1.2.0")
			dir := t.TempDir()
			ref := ChartRef{Repository: s.URL + "/charts", Name: "db", Version: "1.2.0"}
			if _, err := fetcher(t, Options{Network: true, CacheDir: dir}, s).Chart(t.Context(), ref); err != nil {
				t.Fatal(err)
			}
			damage(t, dir)
			if _, err := more(t, Options{CacheDir: dir}, s).Chart(t.Context(), ref); !errors.Is(err, ErrOffline) {
				t.Errorf("offline: %v", err)
			}
			c, err := more(t, Options{Network: true, CacheDir: dir}, s).Chart(t.Context(), ref)
			if err != nil || c.Version != "1.2.0" {
				t.Fatalf("%+v, %v", c, err)
			}
			if _, err := more(t, Options{CacheDir: dir}, s).Chart(t.Context(), ref); err != nil {
				t.Errorf("after it was mended: %v", err)
			}
		})
	}
}

func overwrite(t *testing.T, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Runs that share a cache, and releases that want the same chart.
func TestCacheIsShared(t *testing.T) {
	s := newSite(t)
	s.publish(t, "1.2.0")
	dir := t.TempDir()
	ref := ChartRef{Repository: s.URL + "/charts", Name: "db", Version: "1.2.0"}
	fetcher(t, Options{})
	var wg sync.WaitGroup
	for range 8 {
		f := more(t, Options{Network: true, CacheDir: dir}, s)
		for range 4 {
			wg.Go(func() {
				if c, err := f.Chart(t.Context(), ref); err != nil || c.Version != "1.2.0" {
					t.Errorf("%+v, %v", c, err)
				}
			})
		}
	}
	wg.Wait()
	if n := len(s.requests()); n > 16 {
		t.Errorf("%d requests for eight runs of two", n)
	}
	if list := blobs(t, dir); len(list) != 1 {
		t.Errorf("blobs %v", list)
	}
}

// A cache that cannot be written does not cost the run.
func TestCacheThatCannotBeWritten(t *testing.T) {
	s := newSite(t)
	s.publish(t, "1.2.0")
	file := filepath.Join(t.TempDir(), "file")
	overwrite(t, file, nil)
	ref := ChartRef{Repository: s.URL + "/charts", Name: "db", Version: "1.2.0"}
	if _, err := fetcher(t, Options{Network: true, CacheDir: filepath.Join(file, "below")}, s).Chart(t.Context(), ref); err != nil {
		t.Error(err)
	}
}
