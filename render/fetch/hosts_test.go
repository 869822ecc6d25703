package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestHostsAreReadStrictly(t *testing.T) {
	for _, bad := range []string{"", "*", "*.", "*.com", "ftp://a.example", "a.example/charts", "u:p@a.example", "a b", "a.example,b.example", "x*.example.com", "oci://a.example"} {
		if _, err := parseHosts([]string{bad}); err == nil {
			t.Errorf("%q is taken for a host", bad)
		}
	}
	for _, good := range []string{"a.example", "A.Example:8443", "*.a.example", "http://a.example", "https://a.example/", "127.0.0.1:5000", "[::1]:5000", "registry"} {
		if _, err := parseHosts([]string{good}); err != nil {
			t.Error(err)
		}
	}
}

func TestWhoMayBeAsked(t *testing.T) {
	for _, c := range []struct {
		hosts, address string
		want           trust
	}{
		{"", "https://charts.example.com/x", public},
		{"", "https://charts.example.com:8443/x", refused},
		{"", "http://charts.example.com/x", refused},
		{"", "file:///etc/passwd", refused},
		{"", "https:///x", refused},
		{"a.example", "https://a.example/x", listed},
		{"a.example", "https://A.EXAMPLE/x", listed},
		{"a.example", "https://a.example:443/x", listed},
		{"a.example", "https://a.example:8443/x", refused},
		{"a.example", "http://a.example/x", refused},
		{"a.example", "https://b.a.example/x", refused},
		{"a.example", "https://a.example.evil.test/x", refused},
		{"a.example:8443", "https://a.example:8443/x", listed},
		{"a.example:8443", "https://a.example/x", refused},
		{"*.a.example", "https://b.a.example/x", listed},
		{"*.a.example", "https://a.example/x", refused},
		{"*.a.example", "https://eva.example/x", refused},
		{"http://a.example", "http://a.example/x", listed},
		{"http://a.example", "https://a.example/x", refused},
		{"a.example", "https://c.example/x", refused},
	} {
		p := policyOf(t, c.hosts)
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.of(u); got != c.want {
			t.Errorf("allow %q: %s is %d, want %d", c.hosts, c.address, got, c.want)
		}
		if err := p.check(u); (err != nil) != (c.want == refused) {
			t.Errorf("allow %q: %s: %v", c.hosts, c.address, err)
		}
	}
}

func policyOf(t *testing.T, hosts string) policy {
	t.Helper()
	rules, err := parseHosts(strings.Fields(hosts))
	if err != nil {
		t.Fatal(err)
	}
	return policy{rules}
}

// The addresses that a request forged by a change would want, and every dress they wear.
func TestAddressesThatAreRefused(t *testing.T) {
	metadata := []string{"169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::169.254.169.254",
		"fe80::1", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "0.0.0.0", "::", "224.0.0.1", "255.255.255.255", "ff02::1", "64:ff9b:1::1", "2001:0:1::1"}
	own := []string{"10.0.0.1", "172.31.0.1", "192.168.1.1", "100.64.0.1", "fc00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::"}
	here := []string{"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"}
	open := []string{"140.82.112.3", "2606:50c0:8000::153", "::ffff:140.82.112.3"}
	for _, c := range []struct {
		list  []string
		host  string
		trust trust
		ok    bool
	}{
		{metadata, "charts.example.com", public, false}, {metadata, "charts.example.com", listed, false},
		{own, "charts.example.com", public, false}, {own, "charts.example.com", listed, true},
		{here, "charts.example.com", public, false}, {here, "charts.example.com", listed, false},
		{here, "localhost", public, false}, {here, "localhost", listed, true}, {here[:1], "127.0.0.1", listed, true},
		{open, "charts.example.com", public, true}, {open, "charts.example.com", listed, true},
	} {
		for _, a := range c.list {
			err := reach(c.host, c.trust, netip.MustParseAddr(a))
			if (err == nil) != c.ok {
				t.Errorf("%s at %s, trust %d: %v", c.host, a, c.trust, err)
			}
			var e *Error
			if err != nil && (!errors.As(err, &e) || !e.Refused || e.Remedy == "") {
				t.Errorf("%s at %s: %#v says not what to do", c.host, a, err)
			}
		}
	}
}

// A name may answer with a public address when it is looked at and with another one when
// it is dialed: the dialed one counts.
func TestTheDialedAddressCounts(t *testing.T) {
	for hosts, refusals := range map[string]map[string]bool{
		"":              {"140.82.112.3:443": false, "127.0.0.1:443": true, "169.254.169.254:443": true, "10.1.1.1:443": true},
		"rebind.test":   {"140.82.112.3:443": false, "127.0.0.1:443": true, "169.254.169.254:443": true, "10.1.1.1:443": false},
		"other.test":    {"10.1.1.1:443": true},
		"*.rebind.test": {"10.1.1.1:443": true},
	} {
		d := policyOf(t, hosts).dialer("rebind.test:443")
		for address, want := range refusals {
			if err := d.ControlContext(t.Context(), "tcp", address, nil); (err != nil) != want {
				t.Errorf("allow %q: %s: %v", hosts, address, err)
			}
		}
	}
}

func FuzzHosts(f *testing.F) {
	f.Add("a.example", "https://a.example/")
	f.Add("*.a.example", "https://x.a.example:443/")
	f.Add("http://[::1]:80", "http://[::1]/")
	f.Fuzz(func(t *testing.T, entry, address string) {
		rules, err := parseHosts([]string{entry})
		u, uerr := url.Parse(address)
		if err != nil || uerr != nil {
			return
		}
		if (policy{rules}).of(u) == listed && !strings.HasSuffix(strings.ToLower(u.Hostname()), strings.TrimPrefix(rules[0].name, "*")) {
			t.Fatalf("%q allows %q", entry, address)
		}
	})
}

// A host that cannot be connected to is asked once in a run: its charts are not the
// change's fault, and do not take the run's time one by one.
func TestSilentHostIsAskedOnce(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := closed.Addr().String()
	closed.Close()
	f, err := New(Options{Network: true, Hosts: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	f.guard.wait = time.Millisecond
	for _, name := range []string{"one", "two", "three"} {
		_, err := f.Chart(context.Background(), ChartRef{Repository: "https://" + host, Name: name, Version: "1.0.0"})
		var e *Error
		if !errors.As(err, &e) || !e.Unreachable || e.Refused {
			t.Errorf("%s: %#v", name, err)
		}
		_, err = f.Tree(context.Background(), "https://"+host+"/a/b", strings.Repeat("a", 40))
		if !errors.As(err, &e) || !e.Unreachable {
			t.Errorf("tree: %#v", err)
		}
	}
	if n := f.guard.requests.Load(); n > tries {
		t.Errorf("%d requests", n)
	}
}
