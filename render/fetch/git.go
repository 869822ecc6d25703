package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/storage/memory"
)

const (
	// maxPackBytes is the limit of a commit's objects as they are sent.
	maxPackBytes = 64 << 20
	// maxTreeBytes is the limit of a commit's objects as they are.
	maxTreeBytes = 256 << 20
	// maxObjects is how many objects a commit may have.
	maxObjects = 500_000
)

// Tree is one commit of a git repository, without history, in memory.
type Tree struct {
	Repository *git.Repository
	Commit     string
	// Moves is what the commit was read from if that may name another one tomorrow: "branch main", or the newest tag of a
	// range. "" of a tag or a commit.
	Moves string
	// Range says that it is a range's, which Kustomize does not read.
	Range bool
}

var fullCommit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// Pinned reports whether a git revision is a full commit hash, which cannot change.
func Pinned(rev string) bool { return fullCommit.MatchString(rev) }

// Tree fetches one commit of a repository at an https address, given by its hash, by a tag, by a branch ("" and HEAD
// are the default branch) or by a range of versions, or takes it from the cache, which knows hashes alone. What a name
// means is asked once in a run, so that both sides of a comparison read the same commit. Objects are named by their
// content down from the commit's hash, so that neither a server nor a cache can give others. No hook, filter, submodule
// or helper runs: the protocol is spoken in process.
// Errors: [ErrOffline]; [*Error].
func (f *Fetcher) Tree(ctx context.Context, address, rev string) (*Tree, error) {
	return f.trees.do(ctx, "git "+address+" "+rev, func() (*Tree, error) {
		ctx, cancel := context.WithTimeout(ctx, f.time)
		defer cancel()
		at, err := named{commit: rev}, error(nil)
		if !Pinned(rev) {
			at, err = f.named(ctx, address, rev)
		}
		var t *Tree
		if err == nil {
			t, err = f.tree(ctx, address, at.commit, "git "+address+" "+at.commit)
		}
		if err == nil && at.moves != "" {
			one := *t
			one.Moves, one.Range = at.moves, at.ranged
			t = &one
		}
		if err == nil || errors.Is(err, ErrOffline) {
			return t, err
		}
		return nil, f.late(ctx, err)
	})
}

// Kept reports whether the cache has a commit, which is then read without a network.
func (f *Fetcher) Kept(address, commit string) bool {
	if !Pinned(commit) {
		return false
	}
	_, _, ok := f.cache.find("git " + address + " " + commit)
	return ok
}

// Network reports whether hosts are asked.
func (f *Fetcher) Network() bool { return f.opt.Network }

// gitAddress is an address that may be asked.
func (f *Fetcher) gitAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, &Error{Refused: true, Reason: "it is not an address without credentials", Remedy: "give an https address"}
	}
	if f.opt.Network {
		return u, f.policy.check(u)
	}
	return u, nil
}

func (f *Fetcher) session(u *url.URL) (transport.UploadPackSession, error) {
	ep, err := transport.NewEndpoint(u.String())
	if err != nil {
		return nil, err
	}
	return githttp.NewClient(f.guard.client()).NewUploadPackSession(ep, nil)
}

func (f *Fetcher) tree(ctx context.Context, address, commit, name string) (*Tree, error) {
	u, err := f.gitAddress(address)
	if err != nil {
		return nil, err
	}
	if _, b, ok := f.cache.find(name); ok {
		if t, err := openPack(ctx, b, commit); err == nil {
			return t, nil
		}
	}
	if !f.opt.Network {
		return nil, ErrOffline
	}
	pack, err := f.pack(ctx, u, commit)
	if err != nil {
		return nil, gitError(u, commit, err)
	}
	t, err := openPack(ctx, pack, commit)
	if err != nil {
		return nil, gitError(u, commit, err)
	}
	_ = f.cache.keep(entry{Name: name, Digest: digestOf(pack), Checked: true}, pack) // as for charts
	return t, nil
}

// pack asks for the objects of one commit.
func (f *Fetcher) pack(ctx context.Context, u *url.URL, commit string) ([]byte, error) {
	s, err := f.session(u)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	refs, err := s.AdvertisedReferencesContext(ctx)
	if err != nil {
		return nil, err
	}
	req := packp.NewUploadPackRequestFromCapabilities(refs.Capabilities)
	req.Wants = []plumbing.Hash{plumbing.NewHash(commit)}
	req.Depth = packp.DepthCommits(1)
	for _, c := range []capability.Capability{capability.Shallow, capability.NoProgress} {
		if refs.Capabilities.Supports(c) {
			if err := req.Capabilities.Set(c); err != nil {
				return nil, err
			}
		}
	}
	resp, err := s.UploadPack(ctx, req)
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	var r io.Reader = resp
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
		r = sideband.NewDemuxer(sideband.Sideband64k, resp)
	case req.Capabilities.Supports(capability.Sideband):
		r = sideband.NewDemuxer(sideband.Sideband, resp)
	}
	b, err := io.ReadAll(io.LimitReader(r, maxPackBytes+1))
	if err == nil && len(b) > maxPackBytes {
		return nil, tooLarge(maxPackBytes)
	}
	return b, err
}

func tooLarge(limit int) error {
	return &Error{Reason: fmt.Sprintf("the commit holds more than %d MiB", limit>>20),
		Remedy: "copy what is used of it into the repository"}
}

// openPack unpacks a commit's objects into memory. Unpacking cannot be interrupted, so
// that it is left behind where it takes longer than there is time.
func openPack(ctx context.Context, b []byte, commit string) (*Tree, error) {
	if err := weigh(b); err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	store := memory.NewStorage()
	go func() {
		p, err := packfile.NewParserWithStorage(packfile.NewScanner(bytes.NewReader(b)), store)
		if err == nil {
			_, err = p.Parse()
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	hash := plumbing.NewHash(commit)
	err := errors.Join(store.SetShallow([]plumbing.Hash{hash}),
		store.SetReference(plumbing.NewHashReference(plumbing.HEAD, hash)))
	if err != nil {
		return nil, err
	}
	r, err := git.Open(store, nil)
	if err != nil {
		return nil, err
	}
	if _, err := r.CommitObject(hash); err != nil {
		return nil, &Error{Reason: "the download lacks commit " + commit, Remedy: "check the commit"}
	}
	return &Tree{Repository: r, Commit: commit}, nil
}

// weigh reads the sizes of a pack's objects before any is kept: a delta of a few bytes
// may stand for gigabytes.
func weigh(b []byte) error {
	s := packfile.NewScanner(bytes.NewReader(b))
	_, count, err := s.Header()
	if err != nil {
		return err
	}
	if count > maxObjects {
		return &Error{Reason: fmt.Sprintf("the commit holds more than %d objects", maxObjects),
			Remedy: "copy what is used of it into the repository"}
	}
	sum := int64(0)
	for range count {
		h, err := s.NextObjectHeader()
		if err != nil {
			return err
		}
		sum += h.Length
		if sum > maxTreeBytes {
			return tooLarge(maxTreeBytes)
		}
		head := &firstBytes{}
		if _, _, err := s.NextObject(head); err != nil {
			return err
		}
		if h.Type == plumbing.OFSDeltaObject || h.Type == plumbing.REFDeltaObject {
			sum += head.target()
		}
		if sum > maxTreeBytes {
			return tooLarge(maxTreeBytes)
		}
	}
	return nil
}

// firstBytes keeps the beginning of the text that is written to it.
type firstBytes struct {
	b [20]byte
	n int
}

func (f *firstBytes) Write(p []byte) (int, error) {
	f.n += copy(f.b[f.n:], p)
	return len(p), nil
}

// target is the size of the object that a delta makes: the second number at its beginning, each seven bits a byte, the
// lowest first.
func (f *firstBytes) target() int64 {
	var v uint64
	numbers, shift := 0, 0
	for _, c := range f.b[:f.n] {
		if numbers == 1 && shift < 63 {
			v |= uint64(c&0x7f) << shift
		}
		shift += 7
		if c&0x80 == 0 {
			if numbers++; numbers == 2 {
				return int64(min(v, maxTreeBytes+1))
			}
			shift = 0
		}
	}
	return maxTreeBytes + 1
}

// gitError words what a git server answers.
func gitError(u *url.URL, commit string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	reason, remedy := asError(err).Reason, asError(err).Remedy
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed),
		errors.Is(err, transport.ErrRepositoryNotFound):
		reason, remedy = "there is no such repository, or it is not public", "copy what is used of it into the repository: no credentials are given to git hosts"
	case errors.Is(err, transport.ErrEmptyUploadPackRequest), errors.Is(err, io.EOF), errors.Is(err,
		io.ErrUnexpectedEOF), errors.Is(err, packfile.ErrEmptyPackfile),
		strings.Contains(err.Error(), "not our ref"):
		reason, remedy = "it does not give commit "+commit, "check that the commit is still in the repository"
	}
	return &Error{Unreachable: asError(err).Unreachable, Reason: show(u) + ": " + reason, Remedy: remedy}
}
