package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

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
		"NetworkPolicy": "networking.k8s.io/v1", "ServiceMonitor": "monitoring.coreos.com/v1", "PodMonitor": "monitoring.coreos.com/v1",
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

// requestEnd is a change that cuts requests, or that does not, as what leads somewhere and what it leads to.
type requestEnd struct {
	name     string
	from, to [2]string // base and head
	is       requestFate
}

// requestFate is what becomes of requests.
type requestFate int

const (
	cut requestFate = iota
	arrives
)

// requestEnds are those of which one end changes, and says which one it leads to, or is.
var requestEnds = []requestEnd{
	{"a route's section goes", [2]string{routeBy("sectionName: https", "web.example.com")}, [2]string{gateway(httpsPort), gateway("")}, cut},
	{"another listener goes", [2]string{routeBy("sectionName: http", "web.example.com")}, [2]string{gateway(httpsPort), gateway("")}, arrives},
	{"a route names another section", [2]string{routeBy("sectionName: https", "a.example.com"), routeBy("sectionName: tls", "a.example.com")},
		[2]string{gateway(httpsPort)}, cut},
	{"a listener's port", [2]string{routeBy("port: 443", "web.example.com")},
		[2]string{gateway(httpsPort), gateway(strings.Replace(httpsPort, "443", "8443", 1))}, cut},
	{"a listener's protocol", [2]string{routeBy("sectionName: https", "web.example.com")},
		[2]string{gateway(httpsPort), gateway(strings.Replace(httpsPort, "HTTPS", "TCP", 1))}, cut},
	{"a listener's host", [2]string{routeBy("sectionName: https", "web.example.com")},
		[2]string{gateway(httpsPort), gateway(strings.Replace(httpsPort, "port:", "hostname: a.example.org, port:", 1))}, cut},
	{"the host of a route's listener", [2]string{routeBy("sectionName: https", "web.example.com")},
		[2]string{gateway(httpsPort), gateway(strings.Replace(httpsPort, "port:", `hostname: "*.example.com", port:`, 1))}, arrives},
	{"an Ingress names another port", [2]string{ingressTo("web", "number: 80"), ingressTo("web", "number: 8000")},
		[2]string{serving("web", httpPort)}, cut},
	{"an Ingress names the port", [2]string{ingressTo("web", "number: 80"), ingressTo("web", "name: http")},
		[2]string{serving("web", httpPort)}, arrives},
	{"a Service has another port", [2]string{ingressTo("web", "name: http")},
		[2]string{serving("web", httpPort), serving("web", otherPort)}, cut},
	{"an Ingress names another Service", [2]string{ingressTo("website", "number: 80"), ingressTo("webiste", "number: 80")},
		[2]string{serving("website", httpPort)}, cut},
	{"a Service goes", [2]string{ingressTo("web", "number: 80")}, [2]string{serving("web", httpPort), serving("site", httpPort)}, cut},
	{"a Service's other port", [2]string{spec("Service", "web", "selector: {app: web}, ports: [{port: 80, targetPort: http}]") +
		ingressTo("web", "number: 80")}, [2]string{deployed("web", "", "{name: http, containerPort: 8080}", 2),
		deployed("web", "", "{name: web, containerPort: 8080}", 2)}, cut},
	{"a subset without pods", [2]string{virtual("web") + spec("DestinationRule", "web", subsetV1)},
		[2]string{serving("web", httpPort), strings.Replace(serving("web", httpPort), "version: v1", "version: v2", 1)}, cut},
	{"a subset of other pods", [2]string{virtual("web") + spec("DestinationRule", "web", subsetV1),
		virtual("web") + spec("DestinationRule", "web", strings.Replace(subsetV1, "version: v1", "version: v2", 1))},
		[2]string{serving("web", httpPort)}, cut},
	{"a subset goes", [2]string{virtual("web")}, [2]string{serving("web", httpPort) + spec("DestinationRule", "web", subsetV1),
		serving("web", httpPort) + spec("DestinationRule", "web", strings.Replace(subsetV1, "name: v1", "name: v2", 1))}, cut},
	{"Traefik's port", [2]string{spec("IngressRoute", "web", "routes: [{match: Host(`a.example.com`), services: [{name: web, port: 80}]}]"),
		spec("IngressRoute", "web", "routes: [{match: Host(`a.example.com`), services: [{name: web, port: 8000}]}]")},
		[2]string{serving("web", httpPort)}, cut},
	{"OpenShift's port", [2]string{spec("Route", "web", "host: a.example.com, to: {name: web}, port: {targetPort: http}")},
		[2]string{serving("web", httpPort), serving("web", strings.Replace(httpPort, "http", "web", 1))}, cut},
	{"a monitor's port", [2]string{spec("ServiceMonitor", "web", "selector: {matchLabels: {app: web}}, endpoints: [{port: http}]")},
		[2]string{serving("web", httpPort), serving("web", otherPort)}, cut},
	{"a monitor names another port", [2]string{spec("PodMonitor", "web", "selector: {matchLabels: {app: web}}, podMetricsEndpoints: [{port: http}]"),
		spec("PodMonitor", "web", "selector: {matchLabels: {app: web}}, podMetricsEndpoints: [{port: metrics}]")},
		[2]string{deployed("web", "", "{name: http, containerPort: 8080}", 2)}, cut},
	{"pods of a monitor have other labels", [2]string{spec("ServiceMonitor", "web", "selector: {matchLabels: {app: web}}, endpoints: [{port: http}]")},
		[2]string{serving("web", httpPort), strings.Replace(serving("web", httpPort), "labels: {app: web}}\nspec: {sel",
			"labels: {app: site}}\nspec: {sel", 1)}, cut},
	{"a setting's Service has another port", [2]string{strings.Replace(deployed("api", "", "", 1), "ports: []",
		`env: [{name: URL, value: "http://web:80/"}]`, 1)}, [2]string{serving("web", httpPort), serving("web", otherPort)}, cut},
}

// joined is what a finding says that takes two releases of which nobody says that they are in one cluster.
var joined = regexp.MustCompile(`while the releases (app and platform|platform and app) run in one cluster`)

// TestRequestsInWhateverRelease: what leads somewhere and what it leads to lie in whatever releases of a cluster, are
// written as manifests, as values of a chart or in an overlay, and the change is on whichever side: the findings are the
// same, but for their certainty; in two clusters there are none.
func TestRequestsInWhateverRelease(t *testing.T) {
	notUnderRace(t)
	for n, m := range slices.Concat(requestEnds, podEnds) {
		if testing.Short() && n%16 != 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for _, part := range []*[2]string{&m.from, &m.to} {
				if part[1] == "" {
					part[1] = part[0]
				}
			}
			type cutList map[string]string // what is said, and how gravely and surely
			cuts := func(name string) cutList {
				pol := policies.Default()
				l, write := layouts[name], ways[name]
				if write == nil {
					write = func(was, is [2]string) [2]map[string]string {
						return [2]map[string]string{l(was[0], was[1]), l(is[0], is[1])}
					}
				} else {
					pol.Cluster.Releases = []string{"**"}
				}
				sides := write([2]string{m.from[0], m.to[0]}, [2]string{m.from[1], m.to[1]})
				ch := clusterChanges(t, sides[0], sides[1], pol)
				out := cutList{}
				for _, f := range verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 2})).Findings {
					if stands(f) && f.Severity != "note" {
						message, _, _ := strings.Cut(f.Message, " (while the releases ")
						says := f.Rule + ": " + message
						out[says] = fmt.Sprint(f.Severity, " ", f.Certainty)
						if name == "plain" && (f.Severity == "error" || !joined.MatchString(f.Message)) {
							t.Errorf("plain folders, and yet %s", says)
						}
					}
				}
				return out
			}
			found := cuts("one")
			if (len(found) == 0) != (m.is == arrives) {
				t.Fatalf("in one release: %v", found)
			}
			for _, by := range []string{"argo", "flux"} {
				if d := cmp.Diff(cuts("one by "+by), cuts(by)); d != "" {
					t.Errorf("%s (-one release +two):\n%s", by, d)
				}
			}
			for name := range ways {
				if d := cmp.Diff(found, cuts(name)); d != "" {
					t.Errorf("%s (-one release of manifests +other):\n%s", name, d)
				}
			}
			said := func(list cutList) []string { return slices.Sorted(maps.Keys(list)) }
			if d := cmp.Diff(said(found), said(cuts("plain"))); d != "" {
				t.Errorf("plain folders (-one +two):\n%s", d)
			}
			if found := cuts("two clusters"); len(found) > 0 {
				t.Errorf("in two clusters: %v", found)
			}
		})
	}
}

// ways write two parts of a cluster on both sides, each as a release that the policy declares to be of it.
var ways = map[string]func(was, is [2]string) [2]map[string]string{
	"two declared": func(was, is [2]string) [2]map[string]string {
		return [2]map[string]string{layouts["plain"](was[0], was[1]), layouts["plain"](is[0], is[1])}
	},
	"values": func(was, is [2]string) [2]map[string]string {
		return parts(was, is, func(dir, was, is string) [2]map[string]string {
			var out [2]map[string]string
			for side, text := range []string{was, is} {
				values := "objects:\n"
				for _, d := range documentsOf(text) {
					values += "- " + strings.ReplaceAll(strings.TrimSpace(d), "\n", "\n  ") + "\n"
				}
				out[side] = map[string]string{"charts/" + dir + "/Chart.yaml": "apiVersion: v2\nname: " + dir + "\nversion: 1.0.0\n",
					"charts/" + dir + "/values.yaml":            values,
					"charts/" + dir + "/templates/objects.yaml": "{{- range .Values.objects }}\n---\n{{ toYaml . }}\n{{- end }}\n"}
			}
			return out
		})
	},
	"overlay": func(was, is [2]string) [2]map[string]string { return parts(was, is, patched) },
}

// parts writes each of two parts on both sides.
func parts(was, is [2]string, write func(dir, was, is string) [2]map[string]string) [2]map[string]string {
	out := [2]map[string]string{{}, {}}
	for i, dir := range []string{"app", "platform"} {
		for side, files := range write(dir, was[i], is[i]) {
			maps.Copy(out[side], files)
		}
	}
	return out
}

// patched has what both sides have in a base, and what differs in an overlay.
func patched(dir, was, is string) [2]map[string]string {
	type manifest struct{ kind, name, text, spec, meta string }
	read := func(text string) (out []manifest) {
		for _, d := range documentsOf(text) {
			content := map[string]any{}
			if err := yaml.Unmarshal([]byte(d), &content); err != nil {
				panic(err)
			}
			field := func(name string) string { text, _ := json.Marshal(content[name]); return string(text) }
			meta, _ := content["metadata"].(map[string]any)
			out = append(out, manifest{fmt.Sprint(content["kind"]), fmt.Sprint(meta["name"]), d + "\n", field("spec"), field("metadata")})
		}
		return out
	}
	sides := [2][]manifest{read(was), read(is)}
	var common string
	out := [2]map[string]string{{}, {}}
	for side := range out {
		resources, patches, extra := "resources: [../../base", "", ""
		for _, m := range sides[side] {
			i := slices.IndexFunc(sides[1-side], func(x manifest) bool { return x.kind == m.kind && x.name == m.name })
			switch {
			case i < 0:
				extra += "---\n" + m.text
			case side == 0:
				common += "---\n" + m.text
			case sides[0][i] != m:
				patches += fmt.Sprintf("- target: {kind: %s, name: %s}\n  patch: |-\n    - {op: replace, path: /spec, value: %s}\n"+
					"    - {op: replace, path: /metadata, value: %s}\n", m.kind, m.name, m.spec, m.meta)
			}
		}
		if extra != "" {
			resources += ", extra.yaml"
			out[side][dir+"/overlays/prod/extra.yaml"] = extra
		}
		if patches != "" {
			patches = "patches:\n" + patches
		}
		out[side][dir+"/overlays/prod/kustomization.yaml"] = resources + "]\n" + patches
	}
	for side := range out {
		out[side][dir+"/base/kustomization.yaml"], out[side][dir+"/base/all.yaml"] = "resources: [all.yaml]\n", common
	}
	return out
}

func documentsOf(text string) []string {
	return slices.DeleteFunc(strings.Split("\n"+text, "\n---\n"), func(d string) bool { return strings.TrimSpace(d) == "" })
}
