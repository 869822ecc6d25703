package replay

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// drawn is a random event on a small cluster of its own: nodes and pods are of one namespace, and no pod stands
// elsewhere.
type drawn struct {
	name       string
	nodes      []int // millicores of each
	base, head string
	drain      int    // the node that is drained, from 1; 0: none
	what       string // in words
	hasty      bool   // kubelets do not wait until the control loops have nothing left to do
}

// changes reports whether something is applied.
func (d drawn) changes() bool { return d.base != d.head }

// digest tells whether a record is of what is drawn today.
func (d drawn) digest() string {
	h := fnv.New32a()
	fmt.Fprint(h, d)
	return fmt.Sprintf("%08x", h.Sum32())
}

func (d drawn) node(i int) string { return fmt.Sprintf("%s-n%d", d.name, i+1) }

// nodesFile has the nodes as Node objects.
func (d drawn) nodesFile() string {
	var out strings.Builder
	for i, cpu := range d.nodes {
		fmt.Fprintf(&out, `---
apiVersion: v1
kind: Node
metadata: {name: %[1]s, labels: {kubernetes.io/hostname: %[1]s, case: %[2]s, kubernetes.io/os: linux}}
status: {allocatable: {cpu: %[3]dm, memory: 64Gi, pods: "110"}, capacity: {cpu: %[3]dm, memory: 64Gi, pods: "110"}}
`, d.node(i), d.name, cpu)
	}
	return out.String()
}

// app is a workload as it is drawn.
type drawnApp struct {
	kind, name     string
	replicas, cpu  int
	minReady       int
	surge, missing string // "": no rolling update, all at once; missing alone of a StatefulSet: its partition
	image, track   int
	port           string
	probe          bool
	rules          string // of placement, a line of the pod's spec
	parallel       bool
}

func (a drawnApp) manifest(of string) string {
	spec := "replicas: " + fmt.Sprint(a.replicas)
	if a.minReady > 0 {
		spec += fmt.Sprintf("\n  minReadySeconds: %d", a.minReady)
	}
	switch {
	case a.kind == "StatefulSet":
		spec += "\n  serviceName: " + a.name
		if a.parallel {
			spec += "\n  podManagementPolicy: Parallel"
		}
		if a.surge == "" {
			spec += "\n  updateStrategy: {type: OnDelete}"
		} else if a.missing != "" {
			spec += fmt.Sprintf("\n  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: %s}}", a.missing)
		}
	case a.surge == "":
		spec += "\n  strategy: {type: Recreate}"
	default:
		spec += fmt.Sprintf("\n  strategy: {rollingUpdate: {maxSurge: %s, maxUnavailable: %s}}", a.surge, a.missing)
	}
	more := a.rules
	if more != "" {
		more = "\n      " + more
	}
	probe := ""
	if a.probe {
		probe = "\n        readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}"
	}
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: %s
metadata: {name: %[2]s, namespace: %[3]s}
spec:
  %[4]s
  selector: {matchLabels: {color: %[2]s}}
  template:
    metadata: {labels: {app: shop, color: %[2]s, track: t%[5]d}}
    spec:
      nodeSelector: {case: %[3]s}
      terminationGracePeriodSeconds: 1%[6]s
      containers:
      - name: web
        image: web:%[7]d
        ports: [{name: %[8]s, containerPort: 8080}]%[9]s
        resources: {requests: {cpu: %[10]dm}}
`, a.kind, a.name, of, spec, a.track, more, a.image, a.port, probe, a.cpu)
}

// drawnService is the Service before the workloads.
type drawnService struct {
	selector, target  string
	publish, headless bool
	second            bool // a port that leads to a number
}

func (s drawnService) manifest(of string) string {
	spec := ""
	if s.publish {
		spec += "\n  publishNotReadyAddresses: true"
	}
	if s.headless {
		spec += "\n  clusterIP: None"
	}
	ports := fmt.Sprintf("{name: main, port: 80, targetPort: %s}", s.target)
	if s.second {
		ports += ", {name: other, port: 81, targetPort: 8080}"
	}
	return fmt.Sprintf(`---
apiVersion: v1
kind: Service
metadata: {name: shop, namespace: %s}
spec:
  selector: {%s}%s
  ports: [%s]
`, of, s.selector, spec, ports)
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// pace draws how a Deployment is rolled out.
func pace(r *rand.Rand) (surge, missing string) {
	for {
		surge, missing = pick(r, "0", "1", "1", "2", "25%"), pick(r, "0", "0", "1", "1", "25%")
		if surge != "0" && surge != "25%" || missing != "0" && missing != "25%" {
			return surge, missing
		}
	}
}

// drawTraffic draws pods behind a Service, and what happens to them.
func drawTraffic(seed int) drawn {
	r := rand.New(rand.NewPCG(40, uint64(seed)))
	d := drawn{name: fmt.Sprintf("e%d", seed), nodes: make([]int, 2+r.IntN(3)), hasty: r.IntN(5) == 0}
	for i := range d.nodes {
		d.nodes[i] = 8000
	}
	event := []string{"rollout", "rollout", "switch", "scaled swap", "blue/green at once", "drain", "drain", "scale",
		"label and selector", "port renamed"}[seed%10]
	two := r.IntN(2) == 0 || event == "switch" || event == "scaled swap" || event == "blue/green at once"
	var apps []drawnApp
	for i := range 1 + map[bool]int{true: 1}[two] {
		a := drawnApp{kind: "Deployment", name: pick(r, "blue"), replicas: 1 + r.IntN(4), cpu: 200, image: 1, track: 1,
			port: "http", probe: r.IntN(2) == 0}
		if i == 1 {
			a.name = "green"
		}
		if two {
			a.replicas = 1 + r.IntN(3)
		}
		a.surge, a.missing = pace(r)
		if r.IntN(6) == 0 {
			a.surge = ""
		}
		if r.IntN(6) == 0 {
			a.minReady = 1
		}
		apps = append(apps, a)
	}
	s := drawnService{selector: pick(r, "app: shop", "color: blue"), target: pick(r, "http", "8080"),
		publish: r.IntN(5) == 0, headless: r.IntN(5) == 0, second: r.IntN(4) == 0}
	if two { // what no Service of the two has is not looked at, and takes room
		s.selector = "app: shop"
	}
	headService, head := s, append([]drawnApp(nil), apps...)
	budget := ""
	switch event {
	case "rollout":
		head[0].image++
		if two && r.IntN(2) == 0 {
			head[1].image++
		}
	case "switch":
		s.selector, headService.selector = "color: blue", "color: green"
	case "scaled swap":
		head[1].replicas, head[0].replicas, apps[1].replicas = apps[0].replicas, 0, 0
	case "blue/green at once":
		s.selector, headService.selector = "color: blue", "color: green"
		head[1].replicas, head[0].replicas, apps[1].replicas = apps[0].replicas, 0, 0
	case "drain":
		d.drain = 1 + r.IntN(len(d.nodes))
		if r.IntN(2) == 0 {
			budget = fmt.Sprintf("---\napiVersion: policy/v1\nkind: PodDisruptionBudget\n"+
				"metadata: {name: shop, namespace: %s}\n"+
				"spec: {maxUnavailable: 1, selector: {matchLabels: {color: blue}}}\n", d.name)
		}
		if r.IntN(3) == 0 {
			head[0].image++
		}
	case "scale":
		for head[0].replicas == apps[0].replicas {
			head[0].replicas = r.IntN(5)
		}
	case "label and selector":
		s.selector, headService.selector = "app: shop, track: t1", "app: shop, track: t2"
		head[0].track = 2
	case "port renamed":
		s.target, headService.target = "http", "web"
		head[0].port = "web"
	}
	d.base, d.head = s.manifest(d.name)+budget, headService.manifest(d.name)+budget
	for i := range apps {
		d.base += apps[i].manifest(d.name)
		d.head += head[i].manifest(d.name)
	}
	d.what = fmt.Sprintf("%s, %d workloads on %d nodes", event, len(apps), len(d.nodes))
	return d
}

// drawChange draws one workload on declared nodes, and a change of it.
func drawChange(seed int) drawn {
	r := rand.New(rand.NewPCG(41, uint64(seed)))
	d := drawn{name: fmt.Sprintf("c%d", seed), nodes: make([]int, 2+r.IntN(3))}
	for i := range d.nodes {
		d.nodes[i] = 2000
		if i > 0 && r.IntN(3) == 0 {
			d.nodes[i] = 4000
		}
	}
	a := drawnApp{kind: pick(r, "Deployment", "Deployment", "StatefulSet"), name: "web", replicas: 1 + r.IntN(4),
		cpu: 100 * (2 + r.IntN(9)), image: 1, track: 1, port: "http", probe: r.IntN(2) == 0}
	if r.IntN(6) == 0 {
		a.minReady = 1
	}
	a.rules = pick(r, "", "", "", "",
		"affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: ["+
			"{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {color: web}}}]}}",
		"topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "+
			"labelSelector: {matchLabels: {color: web}}}]")
	strategy := func(a *drawnApp) {
		if a.surge, a.missing = pace(r); a.kind == "StatefulSet" {
			a.missing = pick(r, "", "", "1", "2")
		}
		if r.IntN(6) == 0 {
			a.surge = ""
		}
	}
	strategy(&a)
	a.parallel = a.kind == "StatefulSet" && r.IntN(3) == 0
	head, what := a, []string(nil)
	for len(what) == 0 || a.manifest(d.name) == head.manifest(d.name) {
		head, what = a, nil
		if r.IntN(3) > 0 {
			head.image, what = 2, append(what, "image")
		}
		if r.IntN(3) == 0 {
			head.replicas, what = r.IntN(6), append(what, "replicas")
		}
		if r.IntN(3) == 0 {
			head.cpu, what = 100*(2+r.IntN(9)), append(what, "requests")
		}
		if r.IntN(4) == 0 {
			if strategy(&head); head.kind == "StatefulSet" && head.surge == "" {
				head.surge = a.surge // `kubectl apply` leaves the defaults of another type in place, and is refused
			}
			what = append(what, "strategy")
		}
	}
	d.base, d.head = a.manifest(d.name), head.manifest(d.name)
	d.what = fmt.Sprintf("%s of %d: %s", a.kind, a.replicas, strings.Join(what, ", "))
	return d
}
