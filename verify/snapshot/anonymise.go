package snapshot

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Anonymise replaces every name that somebody chose (of nodes, namespaces, objects, zones, label
// keys and values, resources and kinds of a domain of one's own), each everywhere by the same
// other one. What Kubernetes and the clouds named stays, and so do all numbers.
func (s *Snapshot) Anonymise() {
	s.sort()
	a := anonymiser{}
	s.Anonymised = true
	for i := range s.Nodes {
		a.name("node", s.Nodes[i].Name) // in their order
	}
	for i := range s.Nodes {
		a.node(&s.Nodes[i])
	}
	for i := range s.Workloads {
		a.workload(&s.Workloads[i])
	}
	for i := range s.Autoscalers {
		h := &s.Autoscalers[i]
		kind, name, _ := strings.Cut(h.Target, " ")
		h.Namespace, h.Name, h.Target = a.namespace(h.Namespace), a.name("name",
			h.Name), a.kind(kind)+" "+a.name("name", name)
	}
	for i := range s.Budgets {
		b := &s.Budgets[i]
		b.Namespace, b.Name = a.namespace(b.Namespace), a.name("name", b.Name)
	}
	for i := range s.PriorityClasses {
		s.PriorityClasses[i].Name = a.priority(s.PriorityClasses[i].Name)
	}
	for i := range s.Quotas {
		a.quota(&s.Quotas[i])
	}
	for i := range s.Volumes {
		a.volume(&s.Volumes[i])
	}
	for i := range s.Webhooks {
		w := &s.Webhooks[i]
		w.Name, w.Configuration, w.Service = a.name("webhook", w.Name), a.name("name", w.Configuration), a.both(w.Service)
		a.selector(w.Namespaces)
		a.selector(w.Pods)
	}
	for i := range s.Namespaces {
		n := &s.Namespaces[i]
		n.Name, n.Labels = a.namespace(n.Name), a.labels(n.Labels)
	}
	for i := range s.LimitRanges {
		a.limitRange(&s.LimitRanges[i])
	}
	for i := range s.Controllers {
		a.groups(s.Controllers[i].Flags)
	}
	for i := range s.NodePools {
		p := &s.NodePools[i]
		p.Name, p.Labels, p.Limits = a.name("value", p.Name), a.labels(p.Labels), a.amounts(p.Limits)
		a.taints(p.Taints)
	}
	s.sort()
}

// anonymiser holds the new names, by the kind of thing they name.
type anonymiser map[string]map[string]string

// name is the other name of one; an empty one stays empty.
func (a anonymiser) name(of, name string) string {
	if name == "" {
		return ""
	}
	if a[of] == nil {
		a[of] = map[string]string{}
	}
	if a[of][name] == "" {
		a[of][name] = fmt.Sprintf("%s-%d", of, len(a[of])+1)
	}
	return a[of][name]
}

func (a anonymiser) namespace(name string) string {
	switch name {
	case "default", "kube-system", "kube-public", "kube-node-lease":
		return name
	}
	return a.name("namespace", name)
}

// both renames "namespace/name".
func (a anonymiser) both(id string) string {
	namespace, name, ok := strings.Cut(id, "/")
	if !ok {
		return a.name("name", id)
	}
	return a.namespace(namespace) + "/" + a.name("name", name)
}

func (a anonymiser) priority(name string) string {
	if strings.HasPrefix(name, "system-") {
		return name
	}
	return a.name("priority", name)
}

// public are domains whose names belong to no company.
var public = []string{
	"kubernetes.io", "k8s.io", "x-k8s.io", "karpenter.sh", "karpenter.k8s.aws", "eks.amazonaws.com", "aws.amazon.com",
	"cloud.google.com", "gke.io",
	"azure.com", "nvidia.com", "amd.com", "intel.com", "habana.ai", "argoproj.io", "openshift.io",
}

// isPublic reports whether a qualified name is of a public domain.
func isPublic(name string) bool {
	domain, _, ok := strings.Cut(name, "/")
	if !ok {
		return false
	}
	return slices.ContainsFunc(public, func(d string) bool { return domain == d || strings.HasSuffix(domain, "."+d) })
}

// ownResource reports whether a resource is one of Kubernetes' own, as nodes and quotas name them.
var ownResource = regexp.MustCompile(`^((requests|limits)\.)?(cpu|memory|ephemeral-storage|storage|hugepages-\w+|attachable-volumes-[a-z-]+)$|^(pods|services(\.\w+)?|secrets|configmaps|persistentvolumeclaims|replicationcontrollers|resourcequotas)$|^count/[a-z]+(\.(apps|batch|autoscaling|policy))?$`).MatchString

func (a anonymiser) labelKey(key string) string {
	if isPublic(key) {
		// a prefix of somebody's choice stands before some of them
		if domain, _, _ := strings.Cut(key, "/"); domain != "node-role.kubernetes.io" &&
			domain != "node-restriction.kubernetes.io" {
			return key
		}
	}
	return a.name("label", key)
}

// tellingValues are values of labels that are in public use.
var tellingKeys = map[string]bool{
	"kubernetes.io/arch": true, "kubernetes.io/os": true, "beta.kubernetes.io/arch": true, "beta.kubernetes.io/os": true,
	"karpenter.sh/capacity-type": true, "eks.amazonaws.com/capacityType": true,
	"kubernetes.azure.com/scalesetpriority": true,
}

func (a anonymiser) value(key, value string) string {
	switch {
	case value == "true" || value == "false" || tellingKeys[key]:
		return value
	case key == "kubernetes.io/hostname":
		return a.name("node", value)
	case key == "kubernetes.io/metadata.name":
		return a.namespace(value)
	}
	return a.name("value", value)
}

func (a anonymiser) labels(labels map[string]string) map[string]string {
	if labels == nil {
		return nil
	}
	out := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		out[a.labelKey(k)] = a.value(k, labels[k])
	}
	return out
}

func (a anonymiser) selector(s *Selector) {
	if s == nil {
		return
	}
	s.Labels = a.labels(s.Labels)
	for i := range s.Expressions {
		e := &s.Expressions[i]
		values := slices.Clone(e.Values)
		for k, v := range values {
			values[k] = a.value(e.Key, v)
		}
		e.Key, e.Values = a.labelKey(e.Key), values
	}
}

func (a anonymiser) limitRange(r *LimitRange) {
	r.Namespace, r.Name = a.namespace(r.Namespace), a.name("name", r.Name)
	for i := range r.Limits {
		l := &r.Limits[i]
		for _, list := range []*Resources{&l.Default, &l.DefaultRequest, &l.Min, &l.Max, &l.Ratio} {
			*list = a.amounts(*list)
		}
	}
}

func (a anonymiser) taints(list []Taint) {
	for i, t := range list {
		list[i].Key, list[i].Value = a.labelKey(t.Key), a.value(t.Key, t.Value)
	}
}

func (a anonymiser) amounts(list Resources) Resources {
	if list == nil {
		return nil
	}
	out := Resources{}
	for _, k := range slices.Sorted(maps.Keys(list)) {
		name := k
		if !ownResource(k) && !isPublic(k) || strings.Contains(k, ".storageclass.") {
			name = "example.com/" + a.name("resource", k)
		}
		out[name] = list[k]
	}
	return out
}

// counts renames the keys of numbers by driver.
func (a anonymiser) counts(list map[string]int) map[string]int {
	if list == nil {
		return nil
	}
	out := map[string]int{}
	for _, k := range slices.Sorted(maps.Keys(list)) {
		out[a.driver(k)] = list[k]
	}
	return out
}

func (a anonymiser) driver(name string) string {
	if isPublic(name + "/") {
		return name
	}
	return a.name("driver", name)
}

func (a anonymiser) node(n *Node) {
	n.Name, n.Labels, n.Allocatable = a.name("node", n.Name), a.labels(n.Labels), a.amounts(n.Allocatable)
	a.taints(n.Taints)
	n.VolumeLimits, n.Attached = a.counts(n.VolumeLimits), a.counts(n.Attached)
}

func (a anonymiser) kind(kind string) string {
	group, _, _ := strings.Cut(kind, "/")
	if kind == "Pod" || kind == "ReplicationController" || group == "apps" || group == "batch" || isPublic(kind) {
		return kind
	}
	return "example.com/" + a.name("Kind", kind)
}

func (a anonymiser) workload(w *Workload) {
	w.Kind, w.Namespace, w.Name, w.Revision = a.kind(w.Kind), a.namespace(w.Namespace), a.name("name",
		w.Name), a.name("revision", w.Revision)
	for i := range w.Pods {
		p := &w.Pods[i]
		p.Revision, p.PriorityClass = a.name("revision", p.Revision), a.priority(p.PriorityClass)
		p.Requests, p.Scored = a.amounts(p.Requests), a.amounts(p.Scored)
		for k, port := range p.HostPorts { // an address is somebody's, a port is not
			if i := strings.LastIndex(port, ":"); i >= 0 {
				p.HostPorts[k] = port[i+1:]
			}
		}
		slices.Sort(p.HostPorts)
		for k := range p.On {
			p.On[k].Node = a.name("node", p.On[k].Node)
		}
	}
}

func (a anonymiser) quota(q *Quota) {
	q.Namespace, q.Name, q.Hard, q.Used = a.namespace(q.Namespace), a.name("name",
		q.Name), a.amounts(q.Hard), a.amounts(q.Used)
	for i, scope := range q.Scopes {
		words := strings.Fields(scope)
		for k := 2; k < len(words); k++ { // a name, an operator, values
			var values []string
			for _, v := range strings.Split(words[k], ",") {
				values = append(values, a.priority(v))
			}
			words[k] = strings.Join(values, ",")
		}
		q.Scopes[i] = strings.Join(words, " ")
	}
}

func (a anonymiser) volume(v *Volume) {
	v.Claim, v.Class, v.Driver, v.Node = a.both(v.Claim), a.name("class",
		v.Class), a.driver(v.Driver), a.name("node", v.Node)
	for i := range v.Zones {
		v.Zones[i] = a.name("value", v.Zones[i])
	}
	for i := range v.Attached {
		v.Attached[i] = a.name("node", v.Attached[i])
	}
	slices.Sort(v.Attached)
}

// groups renames the node groups of a cluster autoscaler's flags, and takes out gates' names.
func (a anonymiser) groups(flags map[string]string) {
	if flags["nodes"] == "" {
		return
	}
	groups := strings.Split(flags["nodes"], ",")
	for i, g := range groups {
		if parts := strings.SplitN(g, ":", 3); len(parts) == 3 {
			groups[i] = parts[0] + ":" + parts[1] + ":" + a.name("value", parts[2])
		}
	}
	flags["nodes"] = strings.Join(groups, ",")
}
