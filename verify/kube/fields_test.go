package kube

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestFieldsAreDeclared walks the types: a field that a new version of the API brings is declared before it is used.
// One that places pods is declared here, read in verify/control/scheduler, and taken out by verify/state/gates.go where
// a cluster does not know it. It can be blamed as soon as it is declared.
func TestFieldsAreDeclared(t *testing.T) {
	for of, lists := range map[reflect.Type][2][]string{
		reflect.TypeFor[corev1.PodSpec]():   {places, slices.Collect(maps.Keys(Elsewhere))},
		reflect.TypeFor[corev1.Container](): {held, within},
	} {
		all := slices.Concat(lists[0], lists[1])
		for i := range of.NumField() {
			if name := of.Field(i).Name; !slices.Contains(all, name) {
				t.Errorf("%s.%s: say in verify/kube/fields.go what it acts on; where it places pods, read it in "+
					"verify/kube/placement.go or verify/control/scheduler, and gate it in verify/state/gates.go", of, name)
			}
		}
		slices.Sort(all)
		if len(all) != of.NumField() || len(slices.Compact(all)) != len(all) {
			t.Errorf("%s has %d fields, and %d are declared", of, of.NumField(), len(all))
		}
	}
}

// TestOutside: containers that differ in what they hold differ, those that differ in what runs in them do not.
func TestOutside(t *testing.T) {
	of := reflect.TypeFor[corev1.Container]()
	plain := Outside([]corev1.Container{{}})
	for i := range of.NumField() {
		var c corev1.Container
		f := reflect.ValueOf(&c).Elem().Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Struct: // resources
			c.Resources.Claims = make([]corev1.ResourceClaim, 1)
		default:
			t.Fatalf("%s: no value of %s is known", of.Field(i).Name, f.Kind())
		}
		name := of.Field(i).Name
		if same := reflect.DeepEqual(Outside([]corev1.Container{c}), plain); same != slices.Contains(within, name) {
			t.Errorf("%s: alike %v", name, same)
		}
	}
}

// TestTerms: each term says where it stands, and a change of it is one of the spec.
func TestTerms(t *testing.T) {
	term := corev1.PodAffinityTerm{TopologyKey: "zone"}
	spec := &corev1.PodSpec{Affinity: &corev1.Affinity{
		PodAffinity: &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
			{Weight: 7, PodAffinityTerm: term}}},
		PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term, term}},
	}}
	var got []string
	for _, x := range Terms(spec) {
		got = append(got, x.Field())
		x.TopologyKey = "host"
	}
	want := []string{"affinity.podAffinity." + Preferred + "[0].podAffinityTerm", "affinity.podAntiAffinity." + Required + "[0]",
		"affinity.podAntiAffinity." + Required + "[1]"}
	if !reflect.DeepEqual(got, want) || spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[1].TopologyKey != "host" ||
		spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution[0].PodAffinityTerm.TopologyKey != "host" ||
		!RepelsHard(spec) || RepelsHard(&corev1.PodSpec{}) || Terms(spec)[0].Weight != 7 {
		t.Errorf("%v, want %v", got, want)
	}
}
