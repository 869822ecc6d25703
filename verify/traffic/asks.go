package traffic

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
)

// Use is the purpose of a request.
type Use uint8

const (
	Route      Use = iota // from outside, by way of an Ingress or a route
	Named                 // a setting of a container names the Service: a guess
	DNS                   // of the cluster
	Webhook               // the API server asks whether, or how, an object is created or changed
	Conversion            // the API server has a custom resource converted
	Aggregated            // the API server passes a part of the API on
	Scrape                // Prometheus reads metrics
	Declared              // a policy says so
)

// Control reports whether it is the API server that asks.
func (u Use) Control() bool { return u == Webhook || u == Conversion || u == Aggregated }

// Ask is a request that somebody makes, as manifests say.
type Ask struct {
	Use       Use
	Key       string // the same on both sides, whatever it leads to
	By        Field  // says that it is made
	In        Field  // the ConfigMap that has the setting; zero: none
	From      Peer
	Caller    *Workload // whose pods make it; nil: no workload's
	Namespace string
	Service   string
	Port      intstr.IntOrString // of the Service; zero: any
	Target    bool               // see [Backend]
	OfPods    bool               // see [Backend]
	Rule      string             // of the route, see [Backend]
	Subset    string
	Protocol  corev1.Protocol // "": any
	Plain     bool            // see [Backend]
	renamed   int             // Services that were only names of others
	// Weightless says that nothing that a route's rule leads to gets requests.
	Weightless bool
	// Name is that of a webhook, the group that is converted or aggregated, or the host that a setting names.
	Name string
	// Firm says that a setting can mean only a host in the cluster.
	Firm bool
	// Fails says that requests are refused if the webhook does not answer.
	Fails bool
	// Blocks are the resources that then cannot be created or changed.
	Blocks []string
}

// Asks are all that the manifests of a cluster tell of, in the order of the objects.
func (c *Cluster) Asks() []Ask {
	var out []Ask
	for _, o := range c.objects {
		if o.Hook {
			continue
		}
		for _, b := range Backends(o) {
			out = append(out, Ask{Use: Route, Key: fmt.Sprint(o.ID.String(), " ", b.Key), By: Field{o, b.NameAt},
				From: Peer{Kind: Somebody}, Namespace: b.Namespace, Service: b.Service, Port: b.Port, Target: b.Target,
				OfPods: b.OfPods,
				Subset: b.Subset, Protocol: b.Protocol, Plain: b.Plain, Weightless: b.Weightless,
				Rule: fmt.Sprint(o.ID.String(), " ", b.Rule)})
		}
		out = append(out, control(o)...)
		out = append(out, c.scrapes(o)...)
	}
	for _, w := range c.Workloads {
		if policy := w.Spec.DNSPolicy; policy != corev1.DNSNone && policy != corev1.DNSDefault && !w.Peer.NodeNetwork {
			out = append(out, Ask{Use: DNS, Key: w.Object.ID.String() + " dns", By: Field{w.Object, "metadata.name"},
				From: w.Peer, Caller: w})
		}
		out = append(out, c.named(w)...)
	}
	return out
}

// control are the requests that the API server makes by an object.
func control(o *object.Object) []Ask {
	one := func(use Use, at, name string, ns, service string, port *int32) Ask {
		n := int32(443)
		if port != nil {
			n = *port
		}
		return Ask{Use: use, Key: fmt.Sprint(o.ID.String(), " ", name), By: Field{o, at}, From: Peer{Kind: APIServer},
			Namespace: ns, Service: service, Port: intstr.FromInt32(n), Name: name}
	}
	hook := func(i int, name string, of admissionv1.WebhookClientConfig, policy *admissionv1.FailurePolicyType,
		rules []admissionv1.RuleWithOperations) []Ask {
		if of.Service == nil {
			return nil
		}
		a := one(Webhook, fmt.Sprintf("webhooks[%d].clientConfig.service", i), name, of.Service.Namespace,
			of.Service.Name, of.Service.Port)
		a.Fails = policy == nil || *policy == admissionv1.Fail
		for _, r := range rules {
			for _, res := range r.Resources {
				if !slices.Contains(a.Blocks, res) {
					a.Blocks = append(a.Blocks, res)
				}
			}
		}
		return []Ask{a}
	}
	var out []Ask
	switch t := o.Typed.(type) {
	case *admissionv1.ValidatingWebhookConfiguration:
		for i, h := range t.Webhooks {
			out = append(out, hook(i, h.Name, h.ClientConfig, h.FailurePolicy, h.Rules)...)
		}
		return out
	case *admissionv1.MutatingWebhookConfiguration:
		for i, h := range t.Webhooks {
			out = append(out, hook(i, h.Name, h.ClientConfig, h.FailurePolicy, h.Rules)...)
		}
		return out
	}
	use, at := Aggregated, []string{"spec", "service"}
	switch {
	case o.ID.Kind == "CustomResourceDefinition":
		use, at = Conversion, []string{"spec", "conversion", "webhook", "clientConfig", "service"}
	case o.ID.Kind != "APIService":
		return nil
	}
	ref, ok := field(o.Content, at...).(map[string]any)
	if !ok {
		return nil
	}
	var port *int32
	if p := portIn(ref["port"]); p.IntVal != 0 {
		port = &p.IntVal
	}
	a := one(use, strings.Join(at, "."), o.ID.Name, text(ref["namespace"]), text(ref["name"]), port)
	if group := text(field(o.Content, "spec", "group")); group != "" {
		a.Name = group
	}
	if kind := text(field(o.Content, "spec", "names", "plural")); use == Conversion && kind != "" {
		a.Blocks = []string{kind}
	}
	return []Ask{a}
}

// scrapes are the requests for metrics that a ServiceMonitor has Prometheus make.
func (c *Cluster) scrapes(o *object.Object) []Ask {
	if o.ID.Group != "monitoring.coreos.com" || o.ID.Kind != "ServiceMonitor" {
		return nil
	}
	sel, namespaces := &metav1.LabelSelector{}, []string{o.ID.Namespace}
	m, _ := field(o.Content, "spec", "selector").(map[string]any)
	if len(m) == 0 || runtime.DefaultUnstructuredConverter.FromUnstructured(m, sel) != nil {
		return nil
	}
	if list, ok := field(o.Content, "spec", "namespaceSelector", "matchNames").([]any); ok {
		namespaces = nil
		for _, n := range list {
			namespaces = append(namespaces, text(n))
		}
	}
	var out []Ask
	for _, s := range c.objects {
		t, ok := s.Typed.(*corev1.Service)
		if !ok || s.Hook || !slices.Contains(namespaces, s.ID.Namespace) ||
			!selector(sel).Matches(labels.Set(t.Labels)) {
			continue
		}
		for i, e := range listed(o.Content, "spec", "endpoints") {
			if port := text(e["port"]); port != "" {
				out = append(out, Ask{Use: Scrape, Key: fmt.Sprint(o.ID.String(), " ", s.ID.Name, " ", port),
					By: Field{o, fmt.Sprintf("spec.endpoints[%d].port", i)}, From: Peer{Kind: Somebody},
					Namespace: s.ID.Namespace,
					Service:   s.ID.Name, Port: intstr.FromString(port)})
			}
		}
	}
	return out
}
