package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Limits of a run and of one request in it.
const (
	// maxRequests is how many requests one run may send, redirects and retries included.
	maxRequests = 2000
	// maxRunBytes is how much one run may receive.
	maxRunBytes = 2 << 30
	// maxRedirects is how many redirects one request may follow.
	maxRedirects = 5
	// tries is how often a request is sent that a server cannot answer just now.
	tries = 3
	// defaultTime is how long one chart or tree may take, retries included.
	defaultTime = 60 * time.Second
	// defaultWait is how long the first retry waits; each further one waits four times as long.
	defaultWait = 500 * time.Millisecond
)

// guard is the one way out: every request of this package, of the registry client and of
// git goes through it, redirects too.
type guard struct {
	policy   policy
	direct   http.RoundTripper // to addresses that were checked
	proxied  http.RoundTripper // through the proxy of the environment
	proxy    func(*http.Request) (*url.URL, error)
	wait     time.Duration
	requests atomic.Int64
	bytes    atomic.Int64
	silent   sync.Map // hosts that could not be connected to, which are not asked again: an [*Error] each
}

// newGuard makes the transport. Only the allow-list opens an address.
func newGuard(p policy) *guard {
	own := &http.Transport{
		ForceAttemptHTTP2: true, DisableCompression: true, TLSHandshakeTimeout: 10 * time.Second,
		ResponseHeaderTimeout: 20 * time.Second, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 1 << 20,
	}
	proxied := own.Clone()
	proxied.Proxy = http.ProxyFromEnvironment
	own.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return p.dialer(address).DialContext(ctx, network, address)
	}
	return &guard{policy: p, direct: own, proxied: proxied, proxy: http.ProxyFromEnvironment, wait: defaultWait}
}

// dialer refuses addresses that a host may not have.
func (p policy) dialer(hostPort string) *net.Dialer {
	t := max(p.of(&url.URL{Scheme: "https", Host: hostPort}), p.of(&url.URL{Scheme: "http", Host: hostPort}))
	host := strings.ToLower((&url.URL{Host: hostPort}).Hostname())
	return &net.Dialer{Timeout: 10 * time.Second,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			a, err := dialed(address)
			if err != nil {
				return err
			}
			return reach(host, t, a)
		}}
}

// RoundTrip implements [http.RoundTripper].
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.User != nil {
		return nil, &Error{Refused: true, Reason: "the address of " + r.URL.Host + " holds credentials",
			Remedy: "take them out and give them with --registry-config"}
	}
	if err := g.policy.check(r.URL); err != nil {
		return nil, err
	}
	via := g.direct
	if p, err := g.proxy(r); err != nil {
		return nil, errors.New("the proxy of the environment cannot be used")
	} else if p != nil {
		if g.policy.of(r.URL) != listed { // the proxy looks the name up, so its address cannot be checked here
			return nil, &Error{Refused: true, Reason: "host " + r.URL.Host + " is behind a proxy and was not named",
				Remedy: "allow it with --allow-host " + r.URL.Host}
		}
		via = g.proxied
	}
	return g.send(r, via)
}

// send sends a request, again where the server has a passing trouble.
func (g *guard) send(r *http.Request, via http.RoundTripper) (*http.Response, error) {
	if e, known := g.silent.Load(r.URL.Host); known {
		return nil, e.(*Error)
	}
	again := r.Body == nil || r.GetBody != nil
	for wait, n := g.wait, 1; ; wait, n = 4*wait, n+1 {
		if g.requests.Add(1) > maxRequests {
			return nil, &Error{Reason: fmt.Sprintf("more than %d requests in one run", maxRequests),
				Remedy: "vendor the charts and bases"}
		}
		resp, err := via.RoundTrip(r)
		if e := unconnected(err); e != nil && (n == tries || again && isTimeout(err) || unknownHost(err)) {
			g.silent.Store(r.URL.Host, e)
			return nil, e
		}
		if err == nil && !passing(resp.StatusCode) || !again || n == tries || isRefused(err) || r.Context().Err() != nil {
			if err == nil {
				resp.Body = &metered{ReadCloser: resp.Body, run: &g.bytes}
			}
			return resp, err
		}
		if err == nil {
			wait = max(wait, retryAfter(resp))
			resp.Body.Close()
		}
		if err := pause(r.Context(), wait); err != nil {
			return nil, err
		}
		if r.GetBody != nil {
			body, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			r = r.Clone(r.Context())
			r.Body = body
		}
	}
}

// unconnected words an error of making a connection; nil for any other.
func unconnected(err error) *Error {
	var op *net.OpError
	if isRefused(err) || !errors.As(err, &op) || op.Op != "dial" {
		return nil
	}
	return asError(err)
}

// unknownHost reports whether the name service has answered that there is no such host.
func unknownHost(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

// passing reports whether a status may be another one soon.
func passing(status int) bool {
	return status == http.StatusTooManyRequests || status >= 500 && status != http.StatusNotImplemented
}

// retryAfter is how long a server asks to wait, 10 s at most.
func retryAfter(r *http.Response) time.Duration {
	seconds, err := strconv.Atoi(r.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 10)) * time.Second
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// metered counts what a run receives.
type metered struct {
	io.ReadCloser
	run *atomic.Int64
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if m.run.Add(int64(n)) > maxRunBytes {
		return n, &Error{Reason: fmt.Sprintf("more than %d MiB in one run", maxRunBytes>>20),
			Remedy: "vendor the charts and bases"}
	}
	return n, err
}

// client follows redirects, the allow-list's way: credentials stay with the host that
// they are for, and TLS is not given up on the way.
func (g *guard) client() *http.Client {
	return &http.Client{Transport: g, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return &Error{Reason: fmt.Sprintf("%s redirects more than %d times", via[0].URL.Host, maxRedirects),
				Remedy: "use the address it leads to"}
		}
		if err := g.policy.check(next.URL); err != nil {
			return redirected(via[0].URL.Host, err)
		}
		if via[0].URL.Scheme == "https" && next.URL.Scheme != "https" {
			return &Error{Refused: true, Reason: via[0].URL.Host + " redirects to an address without TLS",
				Remedy: "use an address that does not"}
		}
		if !sameOrigin(via[0].URL, next.URL) {
			for _, h := range []string{"Authorization", "Cookie", "Proxy-Authorization", "Www-Authenticate", "Referer"} {
				next.Header.Del(h)
			}
		}
		return nil
	}}
}

func redirected(from string, err error) error {
	e := *asError(err)
	e.Reason = from + " redirects: " + e.Reason
	return &e
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

// get reads an address to its end, up to a limit in bytes. sign adds credentials.
func (g *guard) get(ctx context.Context, u *url.URL, limit int64, sign func(*http.Request)) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "kubesettle")
	if sign != nil {
		sign(req)
	}
	resp, err := g.client().Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, statusError(u, resp.StatusCode, g.policy.of(u))
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil { // a server may end what it sends well when the connection is on its way down
		err = ctx.Err()
	}
	if err == nil && int64(len(b)) > limit {
		return nil, &Error{Reason: fmt.Sprintf("%s is larger than %d MiB", show(u), limit>>20),
			Remedy: "vendor the part that you need"}
	}
	return b, err
}

// show is an address without credentials and query, for messages.
func show(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// statusError words an answer that is none.
func statusError(u *url.URL, status int, t trust) error {
	e := &Error{Reason: fmt.Sprintf("%s answers %d %s", show(u), status, http.StatusText(status)),
		Remedy: "check the address and the version"}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Unreachable, e.Remedy = true, credentialsRemedy(u.Host, t)
	case passing(status):
		e.Unreachable = true
		e.Remedy = fmt.Sprintf("try again later; it was asked %d times", tries)
	}
	return e
}

func credentialsRemedy(host string, t trust) string {
	if t != listed {
		return fmt.Sprintf("name the host with --allow-host %s: credentials are given to named hosts alone", host)
	}
	return fmt.Sprintf("give credentials for %s with --registry-config", host)
}

// isRefused reports whether our own rules, and no server, ended a request.
func isRefused(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// asError words any error of this package without addresses that may hold a secret.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
		return &Error{Unreachable: true, Reason: "it took too long", Remedy: "try again, or vendor it"}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Unreachable: true, Reason: "the run was stopped", Remedy: "run it again"}
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return &Error{Unreachable: true, Reason: "host " + dns.Name + " is not known to the name service",
			Remedy: "check the address"}
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return &Error{Unreachable: true, Reason: "the host does not answer: " + op.Err.Error(),
			Remedy: "try again, or vendor it"}
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return &Error{Reason: strings.Join(strings.Fields(err.Error()), " "), Remedy: "check the address, or vendor it"}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
