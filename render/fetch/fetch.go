package fetch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
)

// Options of fetching.
type Options struct {
	// Network allows connections; without it the cache alone is read.
	Network bool
	// Hosts that may be asked: HOST, HOST:PORT, *.DOMAIN, or http://HOST for one without
	// TLS. Empty: every host with a public address, by https, without credentials.
	Hosts []string
	// RegistryConfig is a docker configuration file with credentials; empty: docker's own
	// place ($DOCKER_CONFIG, or .docker in the home folder), then Helm's.
	RegistryConfig string
	// HelmRepositories and HelmRegistry are Helm's files where the environment names them
	// ($HELM_REPOSITORY_CONFIG, $HELM_REGISTRY_CONFIG); empty: Helm's own place.
	HelmRepositories, HelmRegistry string
	// CacheDir keeps fetched files; empty: nothing is kept beyond the run.
	CacheDir string
}

// ErrOffline says that there is no network and the cache does not have it.
var ErrOffline = errors.New("there is no network")

// Error says why something could not be had, and what to do.
type Error struct {
	// Refused says that our own rules ended it, and no server: a host that is not
	// allowed, an address without TLS.
	Refused bool
	// Unreachable says that no server answered, or not this machine: the network, the name service, a server in
	// trouble, missing credentials. The request itself may be right.
	Unreachable    bool
	Reason, Remedy string
}

func (e *Error) Error() string { return e.Reason }

// Fetcher fetches each thing once. It is safe for concurrent use.
type Fetcher struct {
	opt     Options
	policy  policy
	guard   *guard
	keys    *keys
	cache   cache
	time    time.Duration // that one chart or tree may take
	indexes memo[*index]
	charts  memo[*Chart]
	trees   memo[*Tree]
	refs    memo[*packp.AdvRefs]
	files   memo[*File]
}

// New checks the options. Errors: a host that is none.
func New(opt Options) (*Fetcher, error) {
	rules, err := parseHosts(opt.Hosts)
	if err != nil {
		return nil, err
	}
	p := policy{rules}
	return &Fetcher{
		opt: opt, policy: p, guard: newGuard(p),
		keys:  &keys{file: opt.RegistryConfig, helmRepositories: opt.HelmRepositories, helmRegistry: opt.HelmRegistry},
		cache: cache{opt.CacheDir}, time: defaultTime,
	}, nil
}

// late is an error as it is reported: a request that the clock cut off fails in many ways.
func (f *Fetcher) late(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Unreachable: true, Reason: fmt.Sprintf("it took longer than %s", f.time),
			Remedy: "try again, or vendor it"}
	}
	return asError(err)
}

// memo gives each name one answer in a run: both sides of a comparison get the same.
type memo[T any] struct {
	mu sync.Mutex
	m  map[string]*answer[T]
}

type answer[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// do gives the answer to a name, from f the first time. A caller whose run ends does not
// wait for another's.
func (m *memo[T]) do(ctx context.Context, name string, f func() (T, error)) (T, error) {
	m.mu.Lock()
	if m.m == nil {
		m.m = map[string]*answer[T]{}
	}
	a, ok := m.m[name]
	if !ok {
		a = &answer[T]{done: make(chan struct{})}
		m.m[name] = a
	}
	m.mu.Unlock()
	if !ok {
		defer close(a.done)
		a.value, a.err = f()
		return a.value, a.err
	}
	select {
	case <-a.done:
		return a.value, a.err
	case <-ctx.Done():
		var zero T
		return zero, asError(ctx.Err())
	}
}
