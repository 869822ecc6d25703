package slice

import (
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// storage is what a version declares of volumes.
type storage struct {
	claims  map[string]*object.Object // PersistentVolumeClaims by ID
	volumes []*corev1.PersistentVolume
	classes map[string]*storagev1.StorageClass // by name
	drivers map[string]*storagev1.CSIDriver    // by name
}

// add notes an object of storage.
func (st *storage) add(o *object.Object) {
	if st.claims == nil {
		*st = storage{
			claims: map[string]*object.Object{}, classes: map[string]*storagev1.StorageClass{},
			drivers: map[string]*storagev1.CSIDriver{},
		}
	}
	switch t := o.Typed.(type) {
	case *corev1.PersistentVolumeClaim:
		st.claims[o.ID.String()] = o
	case *corev1.PersistentVolume:
		st.volumes = append(st.volumes, t)
	case *storagev1.StorageClass:
		st.classes[t.Name] = t
	case *storagev1.CSIDriver:
		st.drivers[t.Name] = t
	}
}

// claimsOf lists the claims among the objects that a workload's pods name.
func (st *storage) claimsOf(o *object.Object) []*object.Object {
	var out []*object.Object
	for _, v := range templateOf(o).Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		id := object.ID{Kind: "PersistentVolumeClaim", Namespace: o.ID.Namespace,
			Name: v.PersistentVolumeClaim.ClaimName}
		if c := st.claims[id.String()]; c != nil {
			out = append(out, c)
		}
	}
	return out
}

// mounts reports whether the pods of a workload mount a claim: one that they name, or that the workload makes.
func mounts(w *object.Object, claim string) bool {
	if slices.ContainsFunc(templateOf(w).Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim
	}) {
		return true
	}
	set, ok := w.Typed.(*appsv1.StatefulSet)
	return ok && slices.ContainsFunc(set.Spec.VolumeClaimTemplates, func(c corev1.PersistentVolumeClaim) bool {
		return strings.HasPrefix(claim, c.Name+"-"+set.Name+"-")
	})
}

// share reports whether pods of two workloads, each in a version, name one claim that is
// among the objects and of which not any number of nodes or pods makes use.
func share(p *object.Object, x side, q *object.Object, y side) bool {
	for _, c := range x.storage.claimsOf(p) {
		claim := x.storage.claim(c)
		if !claim.Exclusive && !claim.OncePod && claim.Reach == state.Everywhere {
			continue
		}
		if slices.ContainsFunc(y.storage.claimsOf(q), func(o *object.Object) bool { return o.ID == c.ID }) {
			return true
		}
	}
	return false
}

// claim has the known facts about a claim.
func (st *storage) claim(o *object.Object) state.Claim {
	pvc := o.Typed.(*corev1.PersistentVolumeClaim)
	out := state.Claim{Namespace: o.ID.Namespace, Name: o.ID.Name}
	modes, driver := pvc.Spec.AccessModes, ""
	if pv := st.volumeOf(pvc, o.ID.Namespace); pv != nil {
		out.Affinity, modes = pv.Spec.NodeAffinity, pv.Spec.AccessModes
		driver = driverOf(&pv.Spec.PersistentVolumeSource)
	} else if class := st.classOf(pvc); class != nil {
		driver = class.Provisioner
		out.Reach, out.Allowed = reachOf(class), class.AllowedTopologies
		out.Immediate = class.VolumeBindingMode == nil || *class.VolumeBindingMode == storagev1.VolumeBindingImmediate
	}
	out.OncePod = slices.Contains(pvc.Spec.AccessModes, corev1.ReadWriteOncePod)
	out.Exclusive = len(modes) > 0 && !slices.Contains(modes, corev1.ReadWriteMany) &&
		!slices.Contains(modes, corev1.ReadOnlyMany) && st.attaches(driver)
	return out
}

// volumeOf is the PersistentVolume among the objects that a claim is bound to: that one of
// them names the other, or that it is the only one of the claim's class.
func (st *storage) volumeOf(c *corev1.PersistentVolumeClaim, namespace string) *corev1.PersistentVolume {
	var same []*corev1.PersistentVolume
	for _, pv := range st.volumes {
		ref := pv.Spec.ClaimRef
		switch {
		case c.Spec.VolumeName == pv.Name, ref != nil && ref.Namespace == namespace && ref.Name == c.Name:
			return pv
		case ref == nil && c.Spec.StorageClassName != nil && *c.Spec.StorageClassName == pv.Spec.StorageClassName:
			same = append(same, pv)
		}
	}
	if len(same) == 1 && c.Spec.VolumeName == "" {
		return same[0]
	}
	return nil
}

// classOf is a claim's StorageClass; nil where it is not among the objects.
func (st *storage) classOf(c *corev1.PersistentVolumeClaim) *storagev1.StorageClass {
	if name := c.Spec.StorageClassName; name != nil {
		return st.classes[*name]
	}
	for _, name := range slices.Sorted(maps.Keys(st.classes)) {
		if class := st.classes[name]; class.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" {
			return class
		}
	}
	return nil
}

// driverOf names what drives a PersistentVolume; "" where it is not known.
func driverOf(s *corev1.PersistentVolumeSource) string {
	switch {
	case s.CSI != nil:
		return s.CSI.Driver
	case s.NFS != nil, s.Glusterfs != nil, s.CephFS != nil, s.AzureFile != nil:
		return "nfs"
	case s.HostPath != nil, s.Local != nil:
		return "kubernetes.io/no-provisioner"
	}
	return ""
}

// attaches reports whether volumes of a driver are attached to a node before a pod mounts
// them, which no two nodes can have at once; so it is said of drivers that are not known.
func (st *storage) attaches(driver string) bool {
	if d := st.drivers[driver]; d != nil && d.Spec.AttachRequired != nil {
		return *d.Spec.AttachRequired
	}
	switch driver {
	case "efs.csi.aws.com", "fsx.csi.aws.com", "file.csi.azure.com", "kubernetes.io/azure-file", "blob.csi.azure.com",
		"filestore.csi.storage.gke.io", "gcsfuse.csi.storage.gke.io", "smb.csi.k8s.io":
		return false
	}
	return !strings.Contains(driver, "nfs") && !onNode(driver)
}

// onNode reports whether a driver makes volumes on the disks of the node itself.
func onNode(driver string) bool {
	switch driver {
	case "kubernetes.io/no-provisioner", "rancher.io/local-path",
		"openebs.io/local", "local.csi.openebs.io", "zfs.csi.openebs.io", "topolvm.io", "topolvm.cybozu.com", "docker.io/hostpath", "k8s.io/minikube-hostpath", "microk8s.io/hostpath":
		return true
	}
	return false
}

// reachOf is how many nodes can use a volume that a StorageClass makes, as far as its
// driver is known: the block storage of a cloud is that of a zone.
func reachOf(class *storagev1.StorageClass) state.Reach {
	parameter := func(names ...string) string {
		for k, v := range class.Parameters {
			if slices.Contains(names, strings.ToLower(k)) {
				return strings.ToLower(v)
			}
		}
		return ""
	}
	switch class.Provisioner {
	case "kubernetes.io/no-provisioner": // which of the volumes it is, is not known
		return state.Everywhere
	case "ebs.csi.aws.com", "kubernetes.io/aws-ebs", "vpc.block.csi.ibm.io", "diskplugin.csi.alibabacloud.com":
		return state.WithinZone
	case "pd.csi.storage.gke.io", "kubernetes.io/gce-pd":
		if parameter("replication-type") == "regional-pd" {
			return state.Everywhere
		}
		return state.WithinZone
	case "disk.csi.azure.com", "kubernetes.io/azure-disk":
		if strings.HasSuffix(parameter("skuname", "storageaccounttype"), "_zrs") {
			return state.Everywhere
		}
		return state.WithinZone
	}
	if onNode(class.Provisioner) {
		return state.OnNode
	}
	return state.Everywhere
}

// store enters the claims that the slice's pods name. A live claim keeps what base had.
func (sl *Slice) store(sides [2]side) {
	seen := map[string]bool{}
	for v, s := range sides {
		for i := range sl.Workloads {
			o := s.Workloads[sl.Workloads[i].ID]
			if o == nil {
				continue
			}
			for _, c := range s.storage.claimsOf(o) {
				sl.keep(v, c)
				if seen[c.ID.String()] {
					continue
				}
				seen[c.ID.String()] = true
				claim := s.storage.claim(c)
				claim.Version = state.Version(v)
				if !claim.Exclusive && !claim.OncePod && claim.Reach == state.Everywhere && claim.Affinity == nil {
					continue
				}
				sl.Spec.Claims = append(sl.Spec.Claims, claim)
				sl.volumeKeys(&claim)
				sl.keepClass(v, s, c.Typed.(*corev1.PersistentVolumeClaim))
			}
		}
	}
	sl.assumeClaims(sides)
	sl.ordinalClaims(sides)
	slices.SortFunc(sl.Spec.Claims, func(a, b state.Claim) int { return strings.Compare(a.ID(), b.ID()) })
}

// volumeKeys notes which node labels tell nodes apart that reach a volume.
func (sl *Slice) volumeKeys(c *state.Claim) {
	named := func(key string) {
		if key == corev1.LabelHostname {
			key = policies.NodeName
		}
		sl.Keys[key], sl.Values[key] = true, true
	}
	if c.Affinity != nil && c.Affinity.Required != nil {
		for _, t := range c.Affinity.Required.NodeSelectorTerms {
			for _, e := range t.MatchExpressions {
				named(e.Key)
			}
			if len(t.MatchFields) > 0 {
				named(policies.NodeName)
			}
		}
	}
	for _, t := range c.Allowed {
		for _, e := range t.MatchLabelExpressions {
			named(e.Key)
		}
	}
}
