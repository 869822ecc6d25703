package snapshot

import (
	"fmt"
	"strings"
)

// Sample is a cluster of so many nodes and pods, as kubectl prints it.
func Sample(nodes, pods int) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for i := range nodes {
		fmt.Fprintf(&b, `- apiVersion: v1
  kind: Node
  metadata:
    name: ip-10-0-%d-%d.eu-central-1.compute.internal
    labels: {kubernetes.io/arch: amd64, kubernetes.io/os: linux, kubernetes.io/hostname: ip-10-0-%d-%d, topology.kubernetes.io/zone: eu-central-1%c, topology.kubernetes.io/region: eu-central-1, node.kubernetes.io/instance-type: m6i.2xlarge, eks.amazonaws.com/nodegroup: general, eks.amazonaws.com/capacityType: ON_DEMAND}
  status:
    allocatable: {cpu: 7910m, memory: 30Gi, pods: "58", ephemeral-storage: 95551679124}
    conditions: [{type: Ready, status: "True"}]
`, i/250, i%250, i/250, i%250, 'a'+i%3)
	}
	for i := range pods {
		w := i / 5
		fmt.Fprintf(&b, `- apiVersion: v1
  kind: Pod
  metadata:
    name: service-%d-5d9f7c9b8d-%05d
    namespace: team-%d
    labels: {app: service-%d, pod-template-hash: 5d9f7c9b8d}
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: service-%d-5d9f7c9b8d, uid: "%d", controller: true}]
  spec:
    nodeName: ip-10-0-%d-%d.eu-central-1.compute.internal
    priority: 0
    containers: [{name: main, image: registry.example.com/service, resources: {requests: {cpu: %dm, memory: 512Mi}}}]
  status: {phase: Running, conditions: [{type: Ready, status: "True"}]}
`, w, i, w%20, w, w, w, (i%nodes)/250, (i%nodes)%250, 100+(w%7)*50)
	}
	return b.String()
}
