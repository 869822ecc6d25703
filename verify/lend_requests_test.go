package verify

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubesettle/kubesettle/policies"
)

// deployed is a Deployment with one container, by its name, labels and ports.
func deployed(name, labels, ports string, replicas int) string {
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, namespace: shop}
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s%[3]s}}
    spec: {containers: [{name: c, image: "%[1]s:1", ports: [%[4]s]}]}
`, name, replicas, labels, ports)
}

// spec is an object of a namespace, by its kind and what it says.
func spec(kind, name, says string) string {
	version := map[string]string{"Service": "v1", "Ingress": "networking.k8s.io/v1", "HTTPRoute": "gateway.networking.k8s.io/v1",
		"Gateway": "gateway.networking.k8s.io/v1", "VirtualService": "networking.istio.io/v1",
		"DestinationRule": "networking.istio.io/v1", "IngressRoute": "traefik.io/v1alpha1", "Route": "route.openshift.io/v1",
		"ServiceMonitor": "monitoring.coreos.com/v1", "PodMonitor": "monitoring.coreos.com/v1",
		"CiliumNetworkPolicy": "cilium.io/v2"}[kind]
	return fmt.Sprintf("---\napiVersion: %s\nkind: %s\nmetadata: {name: %s, namespace: shop, labels: {app: %[3]s}}\nspec: {%s}\n",
		version, kind, name, says)
}

func serving(name, ports string) string {
	return deployed("web", ", version: v1", "{name: http, containerPort: 8080}", 2) +
		spec("Service", name, "selector: {app: web}, ports: ["+ports+"]")
}

func ingressTo(service, port string) string {
	return spec("Ingress", "web", fmt.Sprintf("rules: [{http: {paths: [{path: /, pathType: Prefix, backend: "+
		"{service: {name: %s, port: {%s}}}}]}}]", service, port))
}

func routeBy(parent, hosts string) string {
	return serving("web", httpPort) + spec("HTTPRoute", "web", fmt.Sprintf("parentRefs: [{name: edge, %s}], "+
		"hostnames: [%s], rules: [{backendRefs: [{name: web, port: 80}]}]", parent, hosts))
}

func gateway(https string) string {
	return spec("Gateway", "edge", "gatewayClassName: envoy, listeners: [{name: http, port: 80, protocol: HTTP}"+https+"]")
}

func virtual(host string) string {
	return spec("VirtualService", "web", "hosts: [web.example.com], http: [{route: [{destination: {host: "+host+
		", subset: v1, port: {number: 80}}}]}]")
}

const (
	httpPort  = "{name: http, port: 80, targetPort: 8080}"
	otherPort = "{name: web, port: 81, targetPort: 8080}"
	httpsPort = ", {name: https, port: 443, protocol: HTTPS}"
	subsetV1  = "host: web, subsets: [{name: v1, labels: {version: v1}}]"
)

// requestEnds are changes that cut requests, or that do not, as what leads somewhere and what it leads to. One of both
// changes.
var requestEnds = []struct {
	name     string
	from, to [2]string // base and head
	arrives  bool
}{
	{"a route's section goes", [2]string{routeBy("sectionName: https", "web.example.com")}, [2]string{gateway(httpsPort), gateway("")}, false},
	{"another listener goes", [2]string{routeBy("sectionName: http", "web.example.com")}, [2]string{gateway(httpsPort), gateway("")}, true},
	{"a route names another section", [2]string{routeBy("sectionName: https", "a.example.com"), routeBy("sectionName: tls", "a.example.com")},
		[2]string{gateway(httpsPort)}, false},
	{"a listener's port", [2]string{routeBy("port: 443", "web.example.com")},
		[2]string{gateway(httpsPort), gateway(strings.Replace(httpsPort, "443", "8443", 1))}, false},
	{"a listener's protocol", [2]string{routeBy("sectionName: https", "web.example.com")},
		[2]string{gateway(httpsPort), gateway(strings.Replace(httpsPort, "HTTPS", "TCP", 1))}, false},
	{"a listener's host", [2]string{routeBy("sectionName: https", "web.example.com")},
		[2]string{gateway(httpsPort), gateway(strings.Replace(httpsPort, "port:", "hostname: a.example.org, port:", 1))}, false},
	{"the host of a route's listener", [2]string{routeBy("sectionName: https", "web.example.com")},
		[2]string{gateway(httpsPort), gateway(strings.Replace(httpsPort, "port:", `hostname: "*.example.com", port:`, 1))}, true},
	{"an Ingress names another port", [2]string{ingressTo("web", "number: 80"), ingressTo("web", "number: 8000")},
		[2]string{serving("web", httpPort)}, false},
	{"an Ingress names the port", [2]string{ingressTo("web", "number: 80"), ingressTo("web", "name: http")},
		[2]string{serving("web", httpPort)}, true},
	{"a Service has another port", [2]string{ingressTo("web", "name: http")},
		[2]string{serving("web", httpPort), serving("web", otherPort)}, false},
	{"an Ingress names another Service", [2]string{ingressTo("website", "number: 80"), ingressTo("webiste", "number: 80")},
		[2]string{serving("website", httpPort)}, false},
	{"a Service goes", [2]string{ingressTo("web", "number: 80")}, [2]string{serving("web", httpPort), serving("site", httpPort)}, false},
	{"a Service's other port", [2]string{spec("Service", "web", "selector: {app: web}, ports: [{port: 80, targetPort: http}]") +
		ingressTo("web", "number: 80")}, [2]string{deployed("web", "", "{name: http, containerPort: 8080}", 2),
		deployed("web", "", "{name: web, containerPort: 8080}", 2)}, false},
	{"a subset without pods", [2]string{virtual("web") + spec("DestinationRule", "web", subsetV1)},
		[2]string{serving("web", httpPort), strings.Replace(serving("web", httpPort), "version: v1", "version: v2", 1)}, false},
	{"a subset of other pods", [2]string{virtual("web") + spec("DestinationRule", "web", subsetV1),
		virtual("web") + spec("DestinationRule", "web", strings.Replace(subsetV1, "version: v1", "version: v2", 1))},
		[2]string{serving("web", httpPort)}, false},
	{"a subset goes", [2]string{virtual("web")}, [2]string{serving("web", httpPort) + spec("DestinationRule", "web", subsetV1),
		serving("web", httpPort) + spec("DestinationRule", "web", strings.Replace(subsetV1, "name: v1", "name: v2", 1))}, false},
	{"Traefik's port", [2]string{spec("IngressRoute", "web", "routes: [{match: Host(`a.example.com`), services: [{name: web, port: 80}]}]"),
		spec("IngressRoute", "web", "routes: [{match: Host(`a.example.com`), services: [{name: web, port: 8000}]}]")},
		[2]string{serving("web", httpPort)}, false},
	{"OpenShift's port", [2]string{spec("Route", "web", "host: a.example.com, to: {name: web}, port: {targetPort: http}")},
		[2]string{serving("web", httpPort), serving("web", strings.Replace(httpPort, "http", "web", 1))}, false},
	{"a monitor's port", [2]string{spec("ServiceMonitor", "web", "selector: {matchLabels: {app: web}}, endpoints: [{port: http}]")},
		[2]string{serving("web", httpPort), serving("web", otherPort)}, false},
	{"a monitor names another port", [2]string{spec("PodMonitor", "web", "selector: {matchLabels: {app: web}}, podMetricsEndpoints: [{port: http}]"),
		spec("PodMonitor", "web", "selector: {matchLabels: {app: web}}, podMetricsEndpoints: [{port: metrics}]")},
		[2]string{deployed("web", "", "{name: http, containerPort: 8080}", 2)}, false},
	{"pods of a monitor have other labels", [2]string{spec("ServiceMonitor", "web", "selector: {matchLabels: {app: web}}, endpoints: [{port: http}]")},
		[2]string{serving("web", httpPort), strings.Replace(serving("web", httpPort), "labels: {app: web}}\nspec: {sel",
			"labels: {app: site}}\nspec: {sel", 1)}, false},
	{"a setting's Service has another port", [2]string{strings.Replace(deployed("api", "", "", 1), "ports: []",
		`env: [{name: URL, value: "http://web:80/"}]`, 1)}, [2]string{serving("web", httpPort), serving("web", otherPort)}, false},
}

// joined is what a finding says that takes two releases of which nobody says that they are in one cluster.
var joined = regexp.MustCompile(`while the releases (app and platform|platform and app) run in one cluster`)

// TestRequestsInWhateverRelease: what leads somewhere and what it leads to lie in whatever releases of a cluster, and the
// change on whichever side: the findings are the same, but for their certainty; in two clusters there are none.
func TestRequestsInWhateverRelease(t *testing.T) {
	notUnderRace(t)
	for n, m := range requestEnds {
		if testing.Short() && n%4 != 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for _, part := range []*[2]string{&m.from, &m.to} {
				if part[1] == "" {
					part[1] = part[0]
				}
			}
			cuts := func(name string, sure bool) map[string]bool {
				l, pol := layouts[name], policies.Default()
				ch := clusterChanges(t, l(m.from[0], m.to[0]), l(m.from[1], m.to[1]), pol)
				out := map[string]bool{}
				for _, f := range verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 2})).Findings {
					if stands(f) {
						message, _, _ := strings.Cut(f.Message, " (while the releases ")
						says := f.Rule + ": " + message
						if out[says] = true; sure {
							out[says+fmt.Sprint(" ", f.Severity, f.Certainty)] = true
						}
						if name == "plain" && (f.Severity == "error" || !joined.MatchString(f.Message)) {
							t.Errorf("plain folders, and yet %s", says)
						}
					}
				}
				return out
			}
			if found := cuts("one", false); (len(found) == 0) != m.arrives {
				t.Fatalf("in one release: %v", found)
			}
			for _, by := range []string{"argo", "flux"} {
				if d := cmp.Diff(cuts("one by "+by, true), cuts(by, true)); d != "" {
					t.Errorf("%s (-one release +two):\n%s", by, d)
				}
			}
			if d := cmp.Diff(cuts("one", false), cuts("plain", false)); d != "" {
				t.Errorf("plain folders (-one +two):\n%s", d)
			}
			if found := cuts("two clusters", false); len(found) > 0 {
				t.Errorf("in two clusters: %v", found)
			}
		})
	}
}
