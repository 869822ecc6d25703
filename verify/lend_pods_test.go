package verify

import (
	"fmt"
	"strings"
)

// colored is a Deployment of one color of a program.
func colored(color string, replicas int) string {
	return strings.NewReplacer("{app: "+color+"}", "{app: web, color: "+color+"}", `"`+color+`:1"`, `"web:1"`).Replace(
		deployed(color, "", "{name: http, containerPort: 8080}", replicas))
}

// component is a Deployment of one part of a program, which shares a label with the others.
func component(name, image string) string {
	return strings.NewReplacer("{app: "+name+"}", "{app: shop, part: "+name+"}", `"`+name+`:1"`, `"`+image+`"`).Replace(
		deployed(name, "", "{name: http, containerPort: 8080}", 2))
}

// portless is a component whose containers declare no port.
func portless(name string) string {
	return strings.Replace(component(name, name+":1"), "ports: [{name: http, containerPort: 8080}]", "ports: []", 1)
}

// aiming is a Service, by what it selects and says besides.
func aiming(name, selects, more string) string {
	return spec("Service", name, fmt.Sprintf("%sselector: {%s}, ports: [%s]", more, selects, httpPort))
}

// asking is a workload with a setting that names a Service.
func asking(url, more string) string {
	return strings.Replace(deployed("api", "", "", 2), "ports: []}]", fmt.Sprintf(`env: [{name: URL, value: "%s"}]}]%s`, url, more), 1)
}

func fence(says string) string { return spec("NetworkPolicy", "fence", says) }

func ciliumFence(says string) string { return spec("CiliumNetworkPolicy", "fence", says) }

const (
	anyEgress = "podSelector: {}, policyTypes: [Egress], egress: [{}]"
	noEgress  = "podSelector: {}, policyTypes: [Egress]"
	dnsEgress = noEgress + ", egress: [{to: [{podSelector: {}}]}, {to: [{namespaceSelector: {matchLabels: " +
		"{kubernetes.io/metadata.name: kube-system}}}], ports: [{protocol: UDP, port: 53}, {port: 53}]}]"
	fromAPI = "podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {matchLabels: {app: api}}}]}"
	ofAPI   = "endpointSelector: {matchLabels: {app: api}}, "
	inWeb   = "endpointSelector: {matchLabels: {app: web}}, ingress: [{fromEntities: "
	guard   = `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
- name: guard.example.com
  failurePolicy: Fail
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: web, namespace: shop, port: 80}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`
	// beside has each pod on a node with a pod of the program web.
	beside = ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, " +
		"labelSelector: {matchLabels: {app: web}}}]}}"
)

// podEnds are those of which one end has the pods, or what stands before them, or of which both change.
var podEnds = []requestEnd{
	{"blue/green by a selector", [2]string{aiming("web", "app: web, color: blue", ""), aiming("web", "app: web, color: green", "")},
		[2]string{colored("blue", 2) + colored("green", 0), colored("blue", 0) + colored("green", 2)}, cut},
	{"green first, by a selector", [2]string{aiming("web", "app: web, color: blue", ""), aiming("web", "app: web, color: green", "")},
		[2]string{colored("blue", 2) + colored("green", 2), colored("blue", 0) + colored("green", 2)}, arrives},
	{"green comes up", [2]string{aiming("web", "app: web, color: blue", "")},
		[2]string{colored("blue", 2) + colored("green", 0), colored("blue", 2) + colored("green", 2)}, arrives},
	{"blue goes last", [2]string{aiming("web", "app: web, color: green", "")},
		[2]string{colored("blue", 2) + colored("green", 2), colored("blue", 0) + colored("green", 2)}, arrives},
	{"blue/green with blue kept", [2]string{aiming("web", "color: blue", ""), aiming("web", "color: green", "")},
		[2]string{colored("blue", 2) + colored("green", 0), colored("blue", 2) + colored("green", 2)}, cut},
	{"blue here and green there", [2]string{colored("blue", 2), colored("blue", 0)},
		[2]string{colored("green", 0) + aiming("web", "color: blue", ""), colored("green", 2) + aiming("web", "color: green", "")}, cut},
	{"blue here and a new green there", [2]string{colored("blue", 2)},
		[2]string{aiming("web", "color: blue", ""), colored("green", 2) + aiming("web", "color: green", "")}, cut},
	{"green there, and blue here goes", [2]string{colored("blue", 2), colored("blue", 0)},
		[2]string{colored("green", 2) + aiming("web", "color: blue", ""), colored("green", 2) + aiming("web", "color: green", "")}, arrives},
	{"one comes up as the other goes", [2]string{aiming("web", "app: web", "")},
		[2]string{colored("blue", 2) + colored("green", 0), colored("blue", 0) + colored("green", 2)}, cut},
	{"one is up as the other goes", [2]string{aiming("web", "app: web", "")},
		[2]string{colored("blue", 2) + colored("green", 2), colored("blue", 0) + colored("green", 2)}, arrives},
	{"blue/green by an Ingress", [2]string{ingressTo("blue", "number: 80"), ingressTo("green", "number: 80")},
		[2]string{colored("blue", 2) + colored("green", 0) + aiming("blue", "color: blue", "") + aiming("green", "color: green", ""),
			colored("blue", 0) + colored("green", 2) + aiming("blue", "color: blue", "") + aiming("green", "color: green", "")}, cut},
	{"all pods at once", [2]string{aiming("web", "app: web", "")}, [2]string{deployed("web", "", "{containerPort: 8080}", 2),
		strings.Replace(deployed("web", "", "{containerPort: 8080}", 2), "replicas: 2", "replicas: 2\n  strategy: {type: Recreate}", 1)}, cut},
	{"pods that are not ready", [2]string{aiming("web", "app: web", ""), aiming("web", "app: web", "publishNotReadyAddresses: true, ")},
		[2]string{deployed("web", "", "{containerPort: 8080}", 2)}, cut},
	{"a wider selector", [2]string{aiming("web", "app: shop, part: web", ""), aiming("web", "app: shop", "")},
		[2]string{component("web", "web:1") + component("worker", "worker:1")}, cut},
	{"a wider selector takes in others' pods", [2]string{component("worker", "worker:1")},
		[2]string{component("web", "web:1") + aiming("web", "app: shop, part: web", ""),
			component("web", "web:1") + aiming("web", "app: shop", "")}, cut},
	{"a wider selector of the same pods", [2]string{aiming("web", "app: shop, part: web", ""), aiming("web", "part: web", "")},
		[2]string{component("web", "web:1") + component("worker", "worker:1")}, arrives},
	{"a selector takes in a canary", [2]string{aiming("web", "app: shop, part: web", ""), aiming("web", "app: shop", "")},
		[2]string{component("web", "web:1") + component("canary", "web:2")}, arrives},
	{"a worker comes behind it", [2]string{aiming("web", "app: shop", "")},
		[2]string{component("web", "web:1"), component("web", "web:1") + portless("worker")}, cut},
	{"a worker comes elsewhere", [2]string{portless("worker") + portless("other"), portless("worker")},
		[2]string{component("web", "web:1"), component("web", "web:1") + aiming("web", "app: shop", "")}, cut},
	{"a second server comes behind it", [2]string{aiming("web", "app: shop", "")},
		[2]string{component("web", "web:1"), component("web", "web:1") + component("api", "api:1")}, arrives},
	{"a worker comes beside it", [2]string{aiming("web", "part: web", "")},
		[2]string{component("web", "web:1"), component("web", "web:1") + portless("worker")}, arrives},
	{"a worker behind it on base", [2]string{aiming("web", "app: shop", "")},
		[2]string{component("web", "web:1") + portless("worker"), component("web", "web:2") + portless("worker")}, arrives},
	{"a worker comes behind a headless one", [2]string{aiming("web", "app: shop", "clusterIP: None, ")},
		[2]string{component("web", "web:1"), component("web", "web:1") + portless("worker")}, arrives},
	{"a selector of both on base", [2]string{aiming("web", "app: shop", ""), aiming("web", "app: shop", "sessionAffinity: ClientIP, ")},
		[2]string{component("web", "web:1") + component("worker", "worker:1")}, arrives},
	{"a selector of other pods", [2]string{aiming("web", "part: web", ""), aiming("web", "part: worker", "")},
		[2]string{component("web", "web:1") + component("worker", "worker:1")}, cut},
	{"a narrower selector", [2]string{aiming("web", "app: web", ""), aiming("web", "app: web, version: v1", "")},
		[2]string{deployed("web", "", "{containerPort: 8080}", 2)}, cut},
	{"a selector of labels that pods have", [2]string{aiming("web", "app: web", ""), aiming("web", "app: web, version: v1", "")},
		[2]string{deployed("web", ", version: v1", "{containerPort: 8080}", 2)}, arrives},
	{"the caller's node", [2]string{asking("http://web:80/", "")}, [2]string{deployed("web", "", "{containerPort: 8080}", 1) +
		aiming("web", "app: web", ""), deployed("web", "", "{containerPort: 8080}", 1) +
		aiming("web", "app: web", "internalTrafficPolicy: Local, ")}, cut},
	{"the caller beside", [2]string{asking("http://web:80/", beside)}, [2]string{deployed("web", "", "{containerPort: 8080}", 1) +
		aiming("web", "app: web", ""), deployed("web", "", "{containerPort: 8080}", 1) +
		aiming("web", "app: web", "internalTrafficPolicy: Local, ")}, arrives},
	{"a Service of the caller's node", [2]string{aiming("web", "app: web", ""), aiming("web", "app: web", "internalTrafficPolicy: Local, ")},
		[2]string{deployed("web", "", "{containerPort: 8080}", 1) + asking("http://web:80/", "")}, cut},
	{"a port that no pod has", [2]string{aiming("web", "app: web", ""), strings.Replace(aiming("web", "app: web", ""), "8080", "9999", 1)},
		[2]string{deployed("web", "", "{containerPort: 8080}", 2)}, cut},
	{"pods with another port", [2]string{aiming("web", "app: web", "")}, [2]string{deployed("web", "", "{containerPort: 8080}", 2),
		deployed("web", "", "{containerPort: 9999}", 2)}, cut},
	{"a backend without pods", [2]string{ingressTo("web", "number: 80") + aiming("web", "app: web", "")},
		[2]string{deployed("web", "", "{containerPort: 8080}", 2), deployed("web", "", "{containerPort: 8080}", 0)}, cut},
	{"a backend without requests", [2]string{aiming("web", "app: web", "")},
		[2]string{deployed("web", "", "{containerPort: 8080}", 2), deployed("web", "", "{containerPort: 8080}", 0)}, arrives},
	{"no DNS", [2]string{fence(anyEgress), fence(noEgress)}, [2]string{serving("web", httpPort) + asking("http://web:80/", "")}, cut},
	{"DNS alone", [2]string{fence(anyEgress), fence(dnsEgress)}, [2]string{serving("web", httpPort) + asking("http://web:80/", "")}, arrives},
	{"a webhook behind a fence", [2]string{fence(fromAPI + ", {}]"), fence(fromAPI + "]")}, [2]string{serving("web", httpPort) + guard}, cut},
	{"a webhook's port in a fence", [2]string{fence(fromAPI + ", {}]"), fence(fromAPI + ", {ports: [{port: 8080}]}]")},
		[2]string{serving("web", httpPort) + guard}, arrives},
	{"Cilium's world", [2]string{ciliumFence(ofAPI + "egress: [{toEntities: [all]}]"), ciliumFence(ofAPI + "egress: [{toEntities: [world]}]")},
		[2]string{serving("web", httpPort) + asking("http://web:80/", "")}, cut},
	{"Cilium's host", [2]string{ciliumFence(ofAPI + "egress: [{toEntities: [all]}]"), ciliumFence(ofAPI + "egress: [{toEntities: [host]}]")},
		[2]string{serving("web", httpPort) + asking("http://web:80/", "")}, cut},
	{"Cilium's cluster", [2]string{ciliumFence(ofAPI + "egress: [{toEntities: [all]}]"), ciliumFence(ofAPI + "egress: [{toEntities: [host, cluster]}]")},
		[2]string{serving("web", httpPort) + asking("http://web:80/", "")}, arrives},
	{"Cilium's denial", [2]string{ciliumFence(ofAPI + "egress: [{toEntities: [all]}]"),
		ciliumFence(ofAPI + "egress: [{toEntities: [all]}], egressDeny: [{toEndpoints: [{matchLabels: {app: web}}]}]")},
		[2]string{serving("web", httpPort) + asking("http://web:80/", "")}, cut},
	{"Cilium's host before a route", [2]string{ciliumFence(inWeb + "[all]}]"), ciliumFence(inWeb + "[host]}]")},
		[2]string{serving("web", httpPort) + ingressTo("web", "number: 80")}, cut},
	{"Cilium's cluster before a route", [2]string{ciliumFence(inWeb + "[all]}]"), ciliumFence(inWeb + "[host, cluster]}]")},
		[2]string{serving("web", httpPort) + ingressTo("web", "number: 80")}, arrives},
	{"existing cuts", [2]string{fence(noEgress), fence(noEgress + ", egress: [{to: [{podSelector: {matchLabels: {app: web}}}]}]")},
		[2]string{serving("web", httpPort) + asking("http://web:80/", "")}, arrives},
	{"a port of UDP", [2]string{ingressTo("web", "number: 80")},
		[2]string{serving("web", httpPort), serving("web", strings.Replace(httpPort, "}", ", protocol: UDP}", 1))}, cut},
	{"a name of a Service that goes", [2]string{ingressTo("site", "number: 80") + spec("Service", "site",
		"type: ExternalName, externalName: web.shop.svc.cluster.local")}, [2]string{serving("web", httpPort),
		deployed("web", "", "{containerPort: 8080}", 2)}, cut},
	{"a near node's pods first", [2]string{aiming("web", "app: web", ""), aiming("web", "app: web", "trafficDistribution: PreferClose, ")},
		[2]string{deployed("web", "", "{containerPort: 8080}", 1) + asking("http://web:80/", "")}, arrives},
}
