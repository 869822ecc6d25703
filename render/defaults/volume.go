package defaults

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Volume is SetDefaults_Volume of core/v1 and the defaults of its sources.
func Volume(v *corev1.Volume) {
	if v.VolumeSource == (corev1.VolumeSource{}) {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	if v.Image != nil && v.Image.PullPolicy == "" {
		v.Image.PullPolicy = PullPolicy(v.Image.Reference)
	}
	if v.HostPath != nil && v.HostPath.Type == nil {
		v.HostPath.Type = ptr(corev1.HostPathUnset)
	}
	if v.Secret != nil {
		orInt32(&v.Secret.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
	}
	if v.ConfigMap != nil {
		orInt32(&v.ConfigMap.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
	}
	if v.DownwardAPI != nil {
		orInt32(&v.DownwardAPI.DefaultMode, corev1.DownwardAPIVolumeSourceDefaultMode)
		downwardItems(v.DownwardAPI.Items)
	}
	if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
		claimSpec(&v.Ephemeral.VolumeClaimTemplate.Spec)
	}
	rareSources(v)
	if v.Projected == nil {
		return
	}
	orInt32(&v.Projected.DefaultMode, corev1.ProjectedVolumeSourceDefaultMode)
	for i := range v.Projected.Sources {
		s := &v.Projected.Sources[i]
		if s.DownwardAPI != nil {
			downwardItems(s.DownwardAPI.Items)
		}
		if s.ServiceAccountToken != nil && s.ServiceAccountToken.ExpirationSeconds == nil {
			s.ServiceAccountToken.ExpirationSeconds = ptr(int64(time.Hour.Seconds()))
		}
	}
}

func downwardItems(items []corev1.DownwardAPIVolumeFile) {
	for i := range items {
		ObjectFieldSelector(items[i].FieldRef)
	}
}

// PersistentVolumeClaim is SetDefaults_PersistentVolumeClaim of core/v1 and of its spec.
func PersistentVolumeClaim(c *corev1.PersistentVolumeClaim) {
	if c.Status.Phase == "" {
		c.Status.Phase = corev1.ClaimPending
	}
	claimSpec(&c.Spec)
}

func claimSpec(s *corev1.PersistentVolumeClaimSpec) {
	if s.VolumeMode == nil {
		s.VolumeMode = ptr(corev1.PersistentVolumeFilesystem)
	}
	ResourceList(s.Resources.Limits)
	ResourceList(s.Resources.Requests)
}

// rareSources is what SetObjectDefaults_Deployment does to in-tree network volumes.
func rareSources(v *corev1.Volume) {
	if v.ISCSI != nil {
		orText(&v.ISCSI.ISCSIInterface, "default")
	}
	if v.RBD != nil {
		orText(&v.RBD.RBDPool, "rbd")
		orText(&v.RBD.RadosUser, "admin")
		orText(&v.RBD.Keyring, "/etc/ceph/keyring")
	}
	if v.ScaleIO != nil {
		orText(&v.ScaleIO.StorageMode, "ThinProvisioned")
		orText(&v.ScaleIO.FSType, "xfs")
	}
	if d := v.AzureDisk; d != nil {
		if d.CachingMode == nil {
			d.CachingMode = ptr(corev1.AzureDataDiskCachingReadWrite)
		}
		if d.FSType == nil {
			d.FSType = ptr("ext4")
		}
		if d.ReadOnly == nil {
			d.ReadOnly = ptr(false)
		}
		if d.Kind == nil {
			d.Kind = ptr(corev1.AzureSharedBlobDisk)
		}
	}
}

func orText(field *string, value string) {
	if *field == "" {
		*field = value
	}
}
