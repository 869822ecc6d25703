package fetch

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// hostRule is one entry of the allow-list.
type hostRule struct {
	scheme string // "https", or "http" where the entry says so
	name   string // lower case; of a wildcard what follows the star, with its dot
	port   string
	wild   bool
}

// parseHosts reads the allow-list: HOST, HOST:PORT, *.DOMAIN, or http://HOST for a host without TLS. Errors: an entry
// of any other form.
func parseHosts(entries []string) ([]hostRule, error) {
	var rules []hostRule
	for _, e := range entries {
		r, ok := parseHost(strings.ToLower(strings.TrimSpace(e)))
		if !ok {
			return nil, fmt.Errorf("%q is not a host: give HOST, HOST:PORT, *.DOMAIN, or http://HOST for one without TLS", e)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func parseHost(e string) (hostRule, bool) {
	r := hostRule{scheme: "https"}
	if rest, ok := strings.CutPrefix(e, "http://"); ok {
		r.scheme, e = "http", rest
	} else {
		e = strings.TrimPrefix(e, "https://")
	}
	e = strings.TrimSuffix(e, "/")
	if rest, ok := strings.CutPrefix(e, "*"); ok {
		if !strings.HasPrefix(rest, ".") || !strings.Contains(rest[1:], ".") {
			return r, false // "*" and "*.com" are no list
		}
		r.wild, e = true, "x"+rest
	}
	u, err := url.Parse(r.scheme + "://" + e)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" ||
		strings.ContainsAny(u.Host, "*,; ") {
		return r, false
	}
	r.name, r.port = u.Hostname(), portOf(u)
	if r.wild {
		r.name = strings.TrimPrefix(r.name, "x")
	}
	return r, true
}

// portOf is the port that a request to an address goes to.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}

// matches reports whether the entry allows an address.
func (r hostRule) matches(u *url.URL) bool {
	if u.Scheme != r.scheme || portOf(u) != r.port {
		return false
	}
	name := strings.ToLower(u.Hostname())
	if r.wild {
		return strings.HasSuffix(name, r.name)
	}
	return name == r.name
}

// trust is what the allow-list says about a host.
type trust int

const (
	refused trust = iota
	public        // no list was given: any host with a public address, without credentials
	listed        // the user named it
)

// policy decides which address may be asked.
type policy struct{ rules []hostRule }

// of says how far an address is trusted.
func (p policy) of(u *url.URL) trust {
	if u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return refused
	}
	for _, r := range p.rules {
		if r.matches(u) {
			return listed
		}
	}
	if len(p.rules) == 0 && u.Scheme == "https" && portOf(u) == "443" {
		return public
	}
	return refused
}

// check is the error of an address that may not be asked, or nil.
func (p policy) check(u *url.URL) error {
	if p.of(u) != refused {
		return nil
	}
	host := strings.ToLower(u.Host)
	switch {
	case u.Scheme == "http":
		return &Error{Refused: true, Reason: "http://" + host + " has no TLS",
			Remedy: "use https, or allow it with --allow-host http://" + host}
	case u.Scheme != "https" || u.Hostname() == "":
		return &Error{Refused: true, Reason: fmt.Sprintf("%q is not an address of http or https", u.Scheme),
			Remedy: "use an https address"}
	}
	return &Error{Refused: true, Reason: "host " + host + " is not allowed", Remedy: "allow it with --allow-host " + host}
}

// never are addresses that no allow-list opens: the runner's own metadata service and addresses that no server has.
var never = prefixes("169.254.0.0/16", "fe80::/10", "100.100.100.200/32", "192.0.0.0/24", "fd00:ec2::/32",
	"0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "ff00::/8", "::/128")

// private are addresses of networks of one's own; a host must be listed to be there.
var private = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10",
	"198.18.0.0/15", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")

var loopback = prefixes("127.0.0.0/8", "::1/128")

// tunnels are addresses that hold an IPv4 address, and where it stands in them, in bytes.
var tunnels = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, {netip.MustParsePrefix("2002::/16"), 2},
	{netip.MustParsePrefix("::/96"), 12},
}

func prefixes(list ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range list {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

func isIn(list []netip.Prefix, a netip.Addr) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// reach reports whether a connection to an address may be opened for a host. It is asked
// with the address that is dialed, after the name was looked up, so that a name that
// answers differently the second time gains nothing.
func reach(host string, t trust, a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if a.Is6() && !isIn(loopback, a) {
		b := a.As16()
		for _, tunnel := range tunnels {
			if tunnel.prefix.Contains(a) {
				a = netip.AddrFrom4([4]byte(b[tunnel.at : tunnel.at+4]))
				break
			}
		}
		if netip.MustParsePrefix("64:ff9b:1::/48").Contains(a) || netip.MustParsePrefix("2001::/32").Contains(a) {
			return refuseAddress(host, "a tunnel's")
		}
	}
	switch {
	case isIn(never, a):
		return refuseAddress(host, "a link-local, metadata or reserved")
	case isIn(loopback, a) && (t != listed || !isLocalName(host)):
		return refuseAddress(host, "this machine's own")
	case isIn(private, a) && t != listed:
		return refuseAddress(host, "a private")
	}
	return nil
}

// isLocalName reports whether a host names this machine openly.
func isLocalName(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && isIn(loopback, a.Unmap())
}

func refuseAddress(host, what string) error {
	remedy := "vendor what it holds"
	if what == "a private" {
		remedy = "allow it with --allow-host " + host + " if it is yours"
	}
	return &Error{Refused: true, Reason: fmt.Sprintf("host %s has %s address", host, what), Remedy: remedy}
}

// dialed reads the address that a dialer is about to connect to.
func dialed(address string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return netip.Addr{}, err
	}
	return netip.ParseAddr(host)
}
