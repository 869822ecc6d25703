package fetch

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
	// CacheDir keeps what was fetched; empty: nothing is kept beyond the run.
	CacheDir string
}

// Error says why something could not be had, and what to do.
type Error struct {
	// Refused says that nobody was asked: it is not allowed, or there is no network.
	Refused        bool
	Reason, Remedy string
}

func (e *Error) Error() string { return e.Reason }

// Fetcher fetches each thing once. It is safe for concurrent use.
type Fetcher struct {
	opt    Options
	policy policy
}

// New checks the options. Errors: a host that is none.
func New(opt Options) (*Fetcher, error) {
	rules, err := parseHosts(opt.Hosts)
	if err != nil {
		return nil, err
	}
	return &Fetcher{opt: opt, policy: policy{rules}}, nil
}
