package traffic

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
)

// hostText finds what may be a host in a setting, with the scheme before it and the port after it.
var hostText = regexp.MustCompile(`(?:([a-z][a-z0-9+.-]*)://(?:[^/@\s"']*@)?)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}))?`)

// hostField finds settings that hold a host, by their name.
var hostField = regexp.MustCompile(`(?i)(host|hostname|url|uri|addr|address|server|servers|endpoint|endpoints|upstream|backend|broker|brokers|dsn|service|svc|target|origin)s?$`)

// schemePorts are those of schemes whose clients need no port.
var schemePorts = map[string]int32{"http": 80, "ws": 80, "https": 443, "wss": 443, "redis": 6379, "postgres": 5432,
	"postgresql": 5432, "mysql": 3306, "amqp": 5672, "mongodb": 27017, "nats": 4222, "ldap": 389,
	"jdbc:postgresql": 5432}

// Setting is a text that a container is given, and where.
type Setting struct {
	At          Field
	In          Field // the ConfigMap that has it; zero: none
	Name, Value string
}

// settings are the plain texts that the containers of a workload are given: variables, of ConfigMaps as well, and
// arguments. Those of Secrets are not read.
func (c *Cluster) settings(w *Workload) []Setting {
	var out []Setting
	prefix := "spec.template.spec."
	switch w.Object.ID.Kind {
	case "Pod":
		prefix = "spec."
	case "CronJob":
		prefix = "spec.jobTemplate.spec.template.spec."
	}
	for _, list := range []struct {
		field string
		of    []corev1.Container
	}{{"initContainers", w.Spec.InitContainers}, {"containers", w.Spec.Containers}} {
		for i := range list.of {
			x, at := &list.of[i], fmt.Sprintf("%s%s[%d].", prefix, list.field, i)
			for k, e := range x.Env {
				s := Setting{At: Field{w.Object, fmt.Sprintf("%senv[%d].value", at, k)}, Name: e.Name, Value: e.Value}
				if e.ValueFrom != nil && e.ValueFrom.ConfigMapKeyRef != nil {
					ref := e.ValueFrom.ConfigMapKeyRef
					s.At.Path = fmt.Sprintf("%senv[%d].valueFrom", at, k)
					var data map[string]string
					s.In.Object, data = c.configMap(w.Object.ID.Namespace, ref.Name)
					s.Value, s.In.Path = data[ref.Key], "data["+ref.Key+"]"
				}
				out = append(out, s)
			}
			for k, e := range x.EnvFrom {
				if e.ConfigMapRef == nil {
					continue
				}
				o, data := c.configMap(w.Object.ID.Namespace, e.ConfigMapRef.Name)
				for _, key := range sorted(data) {
					out = append(out, Setting{At: Field{w.Object, fmt.Sprintf("%senvFrom[%d]", at, k)},
						In: Field{o, "data[" + key + "]"}, Name: key, Value: data[key]})
				}
			}
			for k, v := range x.Command {
				out = append(out, Setting{At: Field{w.Object, fmt.Sprintf("%scommand[%d]", at, k)}, Value: v})
			}
			for k, v := range x.Args {
				out = append(out, Setting{At: Field{w.Object, fmt.Sprintf("%sargs[%d]", at, k)}, Value: v})
			}
		}
	}
	return out
}

func (c *Cluster) configMap(namespace, name string) (*object.Object, map[string]string) {
	if o := c.byName[objectName{"ConfigMap", namespace, name}]; o != nil {
		if m, ok := o.Typed.(*corev1.ConfigMap); ok {
			return o, m.Data
		}
	}
	return nil, nil
}

// named are the requests to Services that the settings of a workload's containers name, each once.
func (c *Cluster) named(w *Workload) []Ask {
	var out []Ask
	seen := map[string]bool{}
	for _, s := range c.settings(w) {
		for _, h := range c.hosts(w.Object.ID.Namespace, s) {
			h.Key = fmt.Sprint(w.Object.ID.String(), " ", h.Namespace, "/", h.Service, ":", h.Port.String())
			if !seen[h.Key] {
				seen[h.Key] = true
				h.Use, h.By, h.In, h.From, h.Caller = Named, s.At, s.In, w.Peer, w
				out = append(out, h)
			}
		}
	}
	return out
}

// Strangers are the hosts that the settings of a workload's containers name in the form of a Service, and of which
// there is no Service, with the setting of each, in their order.
func (c *Cluster) Strangers(w *Workload) []Stranger {
	var out []Stranger
	for _, s := range c.settings(w) {
		for _, h := range hosts(w.Object.ID.Namespace, s) {
			if h.Firm && !c.names(h.Namespace, h.Service) {
				out = append(out, Stranger{s, h})
			}
		}
	}
	return out
}

// Stranger is a host that a setting names.
type Stranger struct {
	Setting Setting
	Host    Ask
}

// Named is the first Service that a setting of a workload names; "": it names none.
func (c *Cluster) Named(w *Workload, setting string) (namespace, service string) {
	for _, s := range c.settings(w) {
		if s.Name != setting || setting == "" {
			continue
		}
		for _, h := range c.hosts(w.Object.ID.Namespace, s) {
			return h.Namespace, h.Service
		}
	}
	return "", ""
}

// hosts are the Services, there or gone, that a setting names.
func (c *Cluster) hosts(namespace string, s Setting) []Ask {
	out := slices.DeleteFunc(hosts(namespace, s), func(a Ask) bool { return !c.names(a.Namespace, a.Service) })
	for i := range out {
		out[i].Firm = out[i].Firm || out[i].Port.IntVal != 0
	}
	return out
}

// hosts are those of a setting that may be Services. A name alone is one where the setting is called after a host; with
// a scheme, a port or the domain of the cluster it speaks for itself. It is firm with a scheme, or that domain.
func hosts(namespace string, s Setting) []Ask {
	if len(s.Value) > 4096 {
		return nil
	}
	var out []Ask
	for _, m := range hostText.FindAllStringSubmatchIndex(s.Value, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return s.Value[m[2*i]:m[2*i+1]]
		}
		scheme, host, number := part(1), part(2), part(3)
		if before := m[4]; scheme == "" && before > 0 && strings.ContainsRune("/._-@%$", rune(s.Value[before-1])) {
			continue // the rest of a path, or of a longer name
		}
		ns, name := inCluster(host, namespace)
		if name == "" {
			continue
		}
		whole := strings.TrimSpace(s.Value) == host
		if scheme == "" && number == "" && !strings.Contains(host, ".svc") && !(whole &&
			hostField.MatchString(s.Name)) {
			continue
		}
		dots := strings.Count(host, ".")
		a := Ask{Namespace: ns, Service: name, Name: host,
			Firm: dots >= 2 && strings.Contains(host+".", ".svc.") || scheme != "" && dots == 0}
		if n, err := strconv.Atoi(number); err == nil {
			a.Port = intstr.FromInt32(int32(n))
		} else if n, ok := schemePorts[scheme]; ok {
			a.Port = intstr.FromInt32(n)
		}
		if schemePorts[scheme] != 0 {
			a.Protocol = corev1.ProtocolTCP
		}
		out = append(out, a)
	}
	return out
}

// names reports whether there is, or was, a Service of a name.
func (c *Cluster) names(namespace, name string) bool {
	key := objectName{"Service.", namespace, name}
	return c.byName[key] != nil || c.gone[key]
}

// Resolves reports whether a setting of a workload's containers names a host, which takes DNS.
func (c *Cluster) Resolves(w *Workload) bool {
	for _, s := range c.settings(w) {
		if len(c.hosts(w.Object.ID.Namespace, s)) > 0 || strings.Contains(s.Value, "://") &&
			outsideHost.MatchString(s.Value) {
			return true
		}
	}
	return false
}

// Addresses reports whether a setting of a workload's containers has an address with a host name.
func (c *Cluster) Addresses(w *Workload, host string) bool {
	return slices.ContainsFunc(c.settings(w), func(s Setting) bool {
		_, rest, found := strings.Cut(s.Value, "://"+host)
		return found && (rest == "" || strings.IndexAny(rest[:1], "/:?#, \"'") == 0)
	})
}

// outsideHost finds an address with a name that is no number.
var outsideHost = regexp.MustCompile(`://(?:[^/@\s"']*@)?[a-z0-9-]*[a-z][a-z0-9-]*\.[a-z0-9.-]*[a-z]`)
