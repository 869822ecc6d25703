package snapshot

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

func (c *Collector) volume(o *corev1.PersistentVolume) {
	if o.Spec.ClaimRef == nil {
		return
	}
	v := &Volume{Claim: o.Spec.ClaimRef.Namespace + "/" + o.Spec.ClaimRef.Name, Class: o.Spec.StorageClassName}
	if o.Spec.CSI != nil {
		v.Driver = o.Spec.CSI.Driver
	}
	for _, m := range o.Spec.AccessModes {
		v.AccessModes = append(v.AccessModes, string(m))
	}
	if o.Spec.NodeAffinity != nil && o.Spec.NodeAffinity.Required != nil {
		for _, t := range o.Spec.NodeAffinity.Required.NodeSelectorTerms {
			for _, e := range t.MatchExpressions {
				if e.Operator != corev1.NodeSelectorOpIn {
					continue
				}
				switch e.Key {
				case corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone, "topology.ebs.csi.aws.com/zone",
					"topology.gke.io/zone", "topology.disk.csi.azure.com/zone":
					v.Zones = append(v.Zones, e.Values...)
				case corev1.LabelHostname:
					if len(e.Values) == 1 {
						v.Node = e.Values[0]
					}
				}
			}
		}
	}
	slices.Sort(v.Zones)
	v.Zones = slices.Compact(v.Zones)
	c.volumes[o.Name] = v
}

func (c *Collector) csiNode(o *storagev1.CSINode) {
	for _, d := range o.Spec.Drivers {
		if d.Allocatable == nil || d.Allocatable.Count == nil {
			continue
		}
		if c.limits[o.Name] == nil {
			c.limits[o.Name] = map[string]int{}
		}
		c.limits[o.Name][d.Name] = int(*d.Allocatable.Count)
	}
}

func (c *Collector) attachment(o *storagev1.VolumeAttachment) {
	if c.drivers[o.Spec.NodeName] == nil {
		c.drivers[o.Spec.NodeName] = map[string]int{}
	}
	c.drivers[o.Spec.NodeName][o.Spec.Attacher]++
	if name := o.Spec.Source.PersistentVolumeName; name != nil {
		c.attached[*name] = append(c.attached[*name], o.Spec.NodeName)
	}
}

// store enters the known facts about volumes.
func (c *Collector) store() {
	for i := range c.snap.Nodes {
		n := &c.snap.Nodes[i]
		n.VolumeLimits, n.Attached = c.limits[n.Name], c.drivers[n.Name]
	}
	for name, v := range c.volumes {
		v.Attached = slices.Sorted(slices.Values(c.attached[name]))
		c.snap.Volumes = append(c.snap.Volumes, *v)
	}
}
