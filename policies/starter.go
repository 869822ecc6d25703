package policies

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

const maxStarterPools = 50

// Starter writes a commented policy to begin with, which [Load] accepts. Given nodes
// become its node pools; without any, and where they are more pools than anyone would
// read, the cluster is left to the default. Prose stands behind "# ", what may be uncommented behind "#" alone.
// Where there are no nodes, found are the pools that the repository declares; those for trials count if there are no
// others.
func Starter(nodes []*corev1.Node, found []FoundPool) []byte {
	var b bytes.Buffer
	b.WriteString(starterHead)
	if slices.ContainsFunc(found, func(p FoundPool) bool { return !p.Trial }) {
		found = slices.DeleteFunc(slices.Clone(found), func(p FoundPool) bool { return p.Trial })
	}
	if pools := starterPools(nodes); len(pools) > 0 && len(pools) <= maxStarterPools {
		fmt.Fprintf(&b, "# The cluster to verify on, from %s. A minimum below the count lets smaller\n# clusters be explored too; autoscaled pools want their own limits here.\ncluster:\n  nodePools:\n", english.Plural(len(nodes), "node", ""))
		for _, p := range pools {
			b.WriteString(p.yaml())
		}
	} else if len(nodes) == 0 && len(found) > 0 && len(found) <= maxStarterPools {
		b.WriteString(starterFound)
		names := map[string]int{}
		for i := range found {
			if names[found[i].Name]++; names[found[i].Name] > 1 {
				found[i].Name = fmt.Sprintf("%s-%d", found[i].Name, names[found[i].Name])
			}
			fmt.Fprintf(&b, "  # From %s.\n%s", found[i].At, found[i].starter().yaml())
		}
	} else {
		b.WriteString(starterCluster)
	}
	b.WriteString(starterRest)
	return b.Bytes()
}

// starterPool is a node pool in the file's own form.
type starterPool struct {
	Name  string `yaml:"name"`
	Count struct {
		Min int `yaml:"min"`
		Max int `yaml:"max"`
	} `yaml:"count,flow"`
	Zones       []string          `yaml:"zones,flow,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Taints      []starterTaint    `yaml:"taints,omitempty"`
	Allocatable map[string]string `yaml:"allocatable,flow,omitempty"`
	Autoscaled  bool              `yaml:"autoscaled,omitempty"`

	key   string
	least corev1.ResourceList
}

type starterTaint struct {
	Key    string `yaml:"key"`
	Value  string `yaml:"value,omitempty"`
	Effect string `yaml:"effect"`
}

// starter is a pool that was found, as it stands in the file.
func (f FoundPool) starter() *starterPool {
	p := &starterPool{Name: f.Name, Zones: f.Zones, Labels: f.Labels, Autoscaled: f.Scaled}
	p.Count.Min, p.Count.Max = f.Min, f.Max
	for _, t := range f.Taints {
		p.Taints = append(p.Taints, starterTaint{t.Key, t.Value, string(t.Effect)})
	}
	return p
}

func (p *starterPool) yaml() string {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode([]*starterPool{p}); err != nil {
		panic("policies: a node pool of strings and numbers does not encode: " + err.Error())
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", "\n  ") + "\n"
}

// starterPools groups nodes by pool, lasting taints and allocatable, in the nodes' order.
func starterPools(nodes []*corev1.Node) []*starterPool {
	var out []*starterPool
	names := map[string]int{}
	for _, n := range nodes {
		p := &starterPool{Labels: lastingLabels(n), Taints: lastingTaints(n), least: n.Status.Allocatable.DeepCopy()}
		zone := n.Labels[corev1.LabelTopologyZone]
		p.key = fmt.Sprintf("%q %t %v %v", poolOf(n), zone != "", p.Taints, fixedResources(n))
		i := slices.IndexFunc(out, func(o *starterPool) bool { return o.key == p.key && alike(o.least, p.least) })
		if i < 0 {
			name := poolName(poolOf(n))
			if names[name]++; names[name] > 1 {
				name = fmt.Sprintf("%s-%d", name, names[name])
			}
			p.Name, i = name, len(out)
			out = append(out, p)
		} else {
			lower(out[i].least, p.least)
			maps.DeleteFunc(out[i].Labels, func(k, v string) bool { return n.Labels[k] != v })
		}
		p = out[i]
		p.Count.Min++
		p.Count.Max++
		if zone != "" && !slices.Contains(p.Zones, zone) {
			p.Zones = append(p.Zones, zone)
			slices.Sort(p.Zones)
		}
	}
	for _, p := range out {
		p.Allocatable = resourcesOf(p.least)
	}
	return out
}

// poolName makes a DNS label of a pool's name.
func poolName(s string) string {
	s = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(s))
	if s = strings.Trim(s[:min(len(s), 50)], "-"); s == "" {
		return "nodes"
	}
	return s
}

// lastingLabels are those that pods may ask for and that a pool of nodes can share.
func lastingLabels(n *corev1.Node) map[string]string {
	out := map[string]string{}
	for k, v := range n.Labels {
		switch {
		case k == corev1.LabelHostname, k == corev1.LabelTopologyZone,
			strings.HasPrefix(k, "beta.kubernetes.io/"), strings.HasPrefix(k, "failure-domain.beta.kubernetes.io/"),
			k == corev1.LabelOSStable && v == "linux", k == corev1.LabelArchStable && v == "amd64":
		default:
			out[k] = v
		}
	}
	return out
}

// lastingTaints leaves out those that Kubernetes itself sets and takes away.
func lastingTaints(n *corev1.Node) []starterTaint {
	var out []starterTaint
	for _, t := range n.Spec.Taints {
		if strings.HasPrefix(t.Key, "node.kubernetes.io/") || strings.HasPrefix(t.Key, "node.cloudprovider.kubernetes.io/") {
			continue
		}
		out = append(out, starterTaint{t.Key, t.Value, string(t.Effect)})
	}
	slices.SortFunc(out, func(a, b starterTaint) int {
		return strings.Compare(a.Key+"\x00"+a.Effect, b.Key+"\x00"+b.Effect)
	})
	return out
}

// fixedResources are the amounts in which machines of one pool do not differ.
func fixedResources(n *corev1.Node) map[string]string {
	out := resourcesOf(n.Status.Allocatable)
	for k := range out {
		if varies(corev1.ResourceName(k)) {
			out[k] = ""
		}
	}
	return out
}

// resourcesOf words the resources that a policy can name; nil without CPU and memory.
func resourcesOf(list corev1.ResourceList) map[string]string {
	if list.Cpu().IsZero() || list.Memory().IsZero() {
		return nil
	}
	out := map[string]string{}
	for k, q := range list {
		s := q.String()
		if !q.IsZero() && plainQuantity().MatchString(s) && len(validation.IsQualifiedName(string(k))) == 0 {
			out[string(k)] = s
		}
	}
	return out
}

const starterHead = `# What Kubesettle may assume about the cluster, what it checks, and what fails a merge.
# Every key is optional, and an unknown one is an error; docs/policy.md has them all.
apiVersion: ` + APIVersion + `
kind: ` + PolicyKind + `

# Releases are discovered: charts with their values.yaml, kustomizations that are not
# included by another, plain manifests. Declare those that take other values files.
#releases:
#- {id: web-prod, chart: charts/web, namespace: web, values: [charts/web/values.yaml, env/prod.yaml]}

`

const starterCluster = `# The cluster to verify on. Without one, a generic elastic cluster of three zones is
# assumed, without any claim about capacity. Declare pools as below, or name a file of
# "kubectl get nodes -o yaml" (nodes: nodes.yaml).
#cluster:
#  nodePools:
#  - name: general
#    count: {min: 1, max: 6}
#    zones: [a, b, c]
#    allocatable: {cpu: "4", memory: 16Gi, pods: "110"}
`

const starterFound = `# The cluster to verify on, as far as the repository declares it. Compare the numbers with
# the cluster. What a node has is not known, so that every request fits: add, to each pool,
# allocatable: {cpu: "4", memory: 16Gi}, or run kubesettle init --force --nodes nodes.yaml.
cluster:
  nodePools:
`

const starterRest = `
# How manifests are merged into live objects: client-side (kubectl apply, Helm) or
# server-side. Left out, it is what the Argo CD or Flux object of a release says.
#apply: client-side

# What may happen during a run besides the change. Events that are not named keep
# their default.
events:
  loadChange: {budget: 2}

# The largest clusters searched. There is no claim beyond this bound.
bound: {nodes: 6, podsPerNode: 6}

# Rules by ID ("kubesettle explain RULE"), for all workloads or some.
#intents:
#  below-floor: {minReady: 2, workloads: [default/web]}
#  never-settles: {severity: warning}

# What fails a merge: findings of this severity and above that base does not have.
gate: {failOn: error, onlyNew: true, onInconclusive: warn}

# Findings that are accepted for a time.
#waivers:
#- {rule: unschedulable, workload: default/legacy, reason: moves off this pool in Q2, owner: team-data, expires: 2027-06-30}
`
