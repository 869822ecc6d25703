package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// volumes are the claims of a scenario in upstream's objects and in the model's.
type volumes struct {
	claims, volumes, classes []any
	ours                     []state.Claim
	bound                    map[int]string // by claim: the zone of its volume
}

// TestVolumesAgree: with claims that are bound to a zone, that wait for their first consumer
// or that one pod may use, the model's scheduler finds upstream's nodes, reasons and scores.
func TestVolumesAgree(t *testing.T) {
	t.Parallel()
	x, err := newComparison(7)
	if err != nil {
		t.Fatal(err)
	}
	refused, compared := 0, 0
	for i := range uint64(400) {
		g := generator{rand.New(rand.NewPCG(7, i))}
		s := g.scenario()
		v := g.volumes(s)
		g.places(s)
		n, err := x.compareVolumes(s, v)
		if err != nil {
			t.Fatalf("scenario %d: %v\n%s", i, err, s)
		}
		if refused += n; n >= 0 {
			compared++
		}
	}
	if compared < 200 || refused < 100 {
		t.Errorf("%d scenarios with %d refusals for a volume's sake: they say little", compared, refused)
	}
}

// volumes gives the workloads of a scenario claims; their templates name them.
func (g generator) volumes(s *scenario) *volumes {
	v := &volumes{bound: map[int]string{}}
	delayed := storagev1.VolumeBindingWaitForFirstConsumer
	for i := range s.Workloads {
		w := &s.Workloads[i]
		name := fmt.Sprintf("data-%d", i)
		for _, d := range w.Manifests {
			if d != nil {
				d.Spec.Template.Spec.Volumes = append(d.Spec.Template.Spec.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
				}})
			}
		}
		class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "ebs.csi.aws.com", VolumeBindingMode: &delayed}
		ours := state.Claim{Namespace: w.Namespace, Name: name, Reach: state.WithinZone}
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
		claim.Spec.StorageClassName, claim.Spec.AccessModes = &name, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
		if g.chance(30) {
			ours.OncePod, claim.Spec.AccessModes[0] = true, corev1.ReadWriteOncePod
		}
		zone := g.zoneOf(s)
		switch {
		case g.chance(60) && zone != "":
			pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-" + name}}
			pv.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}},
			}}}}
			pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: class.Provisioner, VolumeHandle: name}
			claim.Spec.VolumeName, claim.Annotations = pv.Name, map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
			v.volumes = append(v.volumes, pv)
			if g.chance(50) { // a volume that was made, or one among the objects
				v.bound[i] = zone
			} else {
				ours.Reach, ours.Affinity = state.Everywhere, pv.Spec.NodeAffinity
			}
		case g.chance(50) && zone != "":
			class.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
				{Key: corev1.LabelTopologyZone, Values: []string{zone, "elsewhere"}},
			}}}
			ours.Allowed = class.AllowedTopologies
		}
		v.claims, v.classes, v.ours = append(v.claims, claim), append(v.classes, class), append(v.ours, ours)
	}
	return v
}

// zoneOf is the zone of some node; "" where that has none.
func (g generator) zoneOf(s *scenario) string {
	return s.Classes[g.IntN(len(s.Classes))].Node.Labels[corev1.LabelTopologyZone]
}

// compareVolumes schedules one pod of every class on both sides, and counts the nodes that
// a volume keeps it from; -1: the model refuses the scenario.
func (x *comparison) compareVolumes(s *scenario, v *volumes) (int, error) {
	spec, topology := s.spec(x.configs[0].ours)
	spec.Claims = v.ours
	b, err := state.NewBuilder(spec, topology, maxPods)
	if err != nil {
		return 0, err
	}
	cfg, err := b.Freeze()
	if err != nil {
		return 0, err
	}
	ours, err := scheduler.NewScheduler(cfg)
	if err != nil {
		return -1, nil
	}
	c, err := newCluster(s, cfg)
	if err != nil {
		return 0, err
	}
	now := s.state(cfg)
	for i, zone := range v.bound {
		for n := range cfg.Nodes {
			if cfg.Places(i) && cfg.Zone(n) == zone {
				now.Bind(n, i)
			}
		}
	}
	refused := 0
	for p := range cfg.Pods {
		u := x.upstream[0][c.classes[p].Spec.SchedulerName]
		if err := u.load(s, c, cfg); err != nil {
			return 0, err
		}
		if err := v.load(u); err != nil {
			return 0, err
		}
		theirs, err := u.decide(c, p)
		if err != nil {
			return 0, fmt.Errorf("pod class %d: upstream: %w", p, err)
		}
		if err := differ(cfg, ours, now, p, theirs); err != nil {
			return 0, fmt.Errorf("pod class %d: %w", p, err)
		}
		for _, reasons := range theirs.reasons {
			for _, r := range reasons {
				switch r {
				case "node(s) didn't match PersistentVolume's node affinity", "node(s) didn't find available persistent volumes to bind",
					"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod":
					refused++
				}
			}
		}
	}
	return refused, nil
}

// load exchanges the storage objects that upstream's plugins see.
func (v *volumes) load(u *upstreamScheduler) error {
	core, storage := u.informers.Core().V1(), u.informers.Storage().V1()
	for _, x := range []struct {
		index interface{ Replace([]any, string) error }
		with  []any
	}{
		{core.PersistentVolumeClaims().Informer().GetIndexer(), v.claims},
		{core.PersistentVolumes().Informer().GetIndexer(), v.volumes},
		{storage.StorageClasses().Informer().GetIndexer(), v.classes},
	} {
		if err := x.index.Replace(x.with, ""); err != nil {
			return err
		}
	}
	return nil
}
