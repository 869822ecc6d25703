package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// FetchedRoot is the folder under which a source shows fetched files. Each chart and each base has a separate folder:
// no reference inside leads out of it, and only the files that refer to the chart or base lead in.
const FetchedRoot = ".kubesettle-fetched"

// MountOf is the folder of fetched files that a path lies in, or "".
func MountOf(p string) string {
	rest, ok := strings.CutPrefix(p, FetchedRoot+"/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return FetchedRoot + "/" + name
}

// remotes is what a source fetches with, and what it fetched.
type remotes struct {
	ctx     context.Context // of the run: fetching ends with it
	fetcher *fetch.Fetcher
	mu      sync.Mutex
	mounts  map[string]*mounted
}

// mounted is one thing that was fetched.
type mounted struct {
	src  *Source
	what object.Fetched
}

// mounted gives the source that a path lies in, and the path there.
func (s *Source) mounted(p string) (*Source, string, bool) {
	m := MountOf(p)
	if m == "" || s.net == nil {
		return nil, "", false
	}
	s.net.mu.Lock()
	there := s.net.mounts[m]
	s.net.mu.Unlock()
	if there == nil {
		return nil, "", false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(p, m), "/")
	if rest == "" {
		rest = "."
	}
	return there.src, rest, true
}

// FetchWith lets a source fetch, and what it fetches be seen.
func (s *Source) FetchWith(ctx context.Context, fetcher *fetch.Fetcher) {
	s.net = &remotes{ctx: ctx, fetcher: fetcher, mounts: map[string]*mounted{}}
}

// FetchFile mounts a file of another host in a separate folder, and gives its path there.
func (s *Source) FetchFile(address, name, version string, where object.Location) (string, *object.Failure) {
	f, err := s.net.fetcher.File(s.net.ctx, address)
	if err != nil {
		return "", FetchFailure(name, err, where)
	}
	dir := MountFolder(strings.TrimPrefix(name, "https://"), "file", address)
	base := path.Base(name)
	err = s.Mount(dir, object.Fetched{Name: name, Version: version, From: name, Digest: f.Digest},
		func() (tree.Tree, error) { return tree.Map(name, map[string]string{base: string(f.Bytes)}) })
	if err != nil {
		return "", FetchFailure(name, err, where)
	}
	return path.Join(dir, base), nil
}

// Mount shows a tree under a folder of [FetchedRoot].
func (s *Source) Mount(at string, what object.Fetched, open func() (tree.Tree, error)) error {
	if s.dirs[FetchedRoot] || s.Lists(FetchedRoot) {
		return fmt.Errorf("%s is a name that this tool reserves: rename the folder", FetchedRoot)
	}
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	if s.net.mounts[at] != nil {
		return nil
	}
	t, err := open()
	if err != nil {
		return err
	}
	inner, err := New(t)
	if err != nil {
		return err
	}
	s.net.mounts[at] = &mounted{inner, what}
	return nil
}

// FetchedAt lists the fetched charts and bases in some folders, in their order.
func (s *Source) FetchedAt(folders []string) []object.Fetched {
	if s.net == nil {
		return nil
	}
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	var out []object.Fetched
	for _, name := range folders {
		if m := s.net.mounts[name]; m != nil {
			out = append(out, m.what)
		}
	}
	return out
}

var notInMount = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// MountFolder is the folder of something fetched, distinguished by the whole reference.
func MountFolder(what string, ref ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(ref, "\x00")))
	return FetchedRoot + "/" + strings.Trim(notInMount.ReplaceAllString(what, "_"), "_.") + "@" +
		hex.EncodeToString(sum[:6])
}

// ChartFolder is where a chart lies once it is fetched: it is known before.
func ChartFolder(ref fetch.ChartRef) string {
	host := strings.TrimPrefix(strings.TrimPrefix(ref.Repository, "https://"), "oci://")
	return MountFolder(host+"_"+ref.Name+"-"+versionText(ref), ref.Repository, ref.Name, ref.Version, ref.Tag, ref.Digest)
}

// FetchChart mounts a chart and gives its folder; where says who refers to it, notes what
// is to be said about it.
func (s *Source) FetchChart(ref fetch.ChartRef, where object.Location,
) (dir string, notes []object.Note, f *object.Failure) {
	c, err := s.net.fetcher.Chart(s.net.ctx, ref)
	if err != nil {
		return "", nil, FetchFailure("chart "+ChartName(ref), err, where)
	}
	if c.Resolved {
		notes = append(notes, object.Say(object.VersionFloats, c.Name, c.Version, versionText(ref)).At(where))
	}
	if !c.Checked {
		notes = append(notes, object.Say(object.DigestMissing, c.Name, c.Version))
	}
	dir = ChartFolder(ref)
	err = s.Mount(dir, object.Fetched{Name: c.Name, Version: c.Version, From: c.Repository, Digest: c.Digest},
		func() (tree.Tree, error) {
			files := make(map[string]string, len(c.Files))
			for name, b := range c.Files {
				files[name] = string(b)
			}
			return tree.Map(c.Name, files)
		})
	if err != nil {
		return "", nil, FetchFailure("chart "+ChartName(ref), err, where)
	}
	return dir, notes, nil
}

func ChartName(ref fetch.ChartRef) string {
	name := ref.Name
	if name == "" {
		name = path.Base(ref.Repository)
	}
	if v := versionText(ref); v != "" {
		name += "@" + v
	}
	return name
}

func versionText(ref fetch.ChartRef) string {
	for _, v := range []string{ref.Digest, ref.Tag, ref.Version} {
		if v != "" {
			return v
		}
	}
	return "the newest version"
}

// FetchFailure words a failure to fetch, at the line that refers to the chart or base.
func FetchFailure(what string, err error, where object.Location) *object.Failure {
	f := &object.Failure{Where: where, Remedy: "vendor it into the repository"}
	reason := err.Error()
	var own *fetch.Error
	if errors.As(err, &own) {
		if own.Unreachable && !strings.Contains(own.Remedy, "vendor") {
			own = &fetch.Error{Unreachable: true, Reason: own.Reason, Remedy: own.Remedy + ", or vendor it into the repository"}
		}
		f.Skipped, f.Remedy = own.Refused || own.Unreachable, own.Remedy
	}
	if errors.Is(err, fetch.ErrOffline) {
		f.Skipped, reason = true, "is neither in the repository nor in the cache, and there is no network"
		f.Reason = fmt.Sprintf("%s:%d: %s %s", where.File, where.StartLine, what, reason)
		f.Remedy = "vendor it, or run without --offline"
		return f
	}
	f.Reason = fmt.Sprintf("%s:%d: %s cannot be fetched: %s", where.File, where.StartLine, what, reason)
	return f
}

// CanFetch reports whether anything may be fetched, from a host or from the cache.
func (s *Source) CanFetch() bool { return s.net != nil && s.net.fetcher != nil }
