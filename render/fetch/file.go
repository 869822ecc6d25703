package fetch

import (
	"context"
	"errors"
	"net/url"
)

// File is one file of another host, as it was fetched.
type File struct {
	Bytes  []byte
	Digest string // "sha256:…"
}

// File fetches a file at an https address that always means the same, which the caller knows by its form, or takes it
// from the cache.
// Errors: [ErrOffline]; [*Error].
func (f *Fetcher) File(ctx context.Context, address string) (*File, error) {
	return f.files.do(ctx, "file "+address, func() (*File, error) {
		ctx, cancel := context.WithTimeout(ctx, f.time)
		defer cancel()
		file, err := f.file(ctx, address)
		if err == nil || errors.Is(err, ErrOffline) {
			return file, err
		}
		return nil, f.late(ctx, err)
	})
}

func (f *Fetcher) file(ctx context.Context, address string) (*File, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, &Error{Refused: true, Reason: "it is not an address without credentials",
			Remedy: "give an https:// address; credentials go into --registry-config"}
	}
	name := "file " + address
	if e, b, ok := f.cache.find(name); ok {
		return &File{b, e.Digest}, nil
	}
	if !f.opt.Network {
		return nil, ErrOffline
	}
	if err := f.policy.check(u); err != nil {
		return nil, err
	}
	sign, err := f.signer(ctx, u)
	if err != nil {
		return nil, err
	}
	b, err := f.guard.get(ctx, u, maxArchiveBytes, sign)
	if err != nil {
		return nil, err
	}
	file := &File{b, digestOf(b)}
	_ = f.cache.keep(entry{Name: name, Digest: file.Digest}, b) // as for charts
	return file, nil
}
