package sample

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Limited draws containers of which some set neither requests nor limits.
func Limited(r *rand.Rand, name string) []corev1.Container {
	amount := func() resource.Quantity {
		return *resource.NewMilliQuantity(int64(100*(1+r.IntN(8))), resource.DecimalSI)
	}
	var out []corev1.Container
	for i := range 1 + r.IntN(2) {
		c := corev1.Container{Name: name + string(rune('a'+i)), Image: "web:1"}
		for _, resource := range []corev1.ResourceName{"cpu", "memory"} {
			for _, list := range []*corev1.ResourceList{&c.Resources.Requests, &c.Resources.Limits} {
				if r.IntN(2) == 0 {
					if *list == nil {
						*list = corev1.ResourceList{}
					}
					(*list)[resource] = amount()
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// LimitRange draws bounds and defaults of containers and pods.
func LimitRange(r *rand.Rand) *corev1.LimitRange {
	out := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "limits", Namespace: "default"}}
	for _, kind := range []corev1.LimitType{corev1.LimitTypeContainer, corev1.LimitTypePod} {
		if r.IntN(3) == 0 {
			continue
		}
		item := corev1.LimitRangeItem{Type: kind}
		draw := func(list *corev1.ResourceList, least, most int) {
			for _, name := range []corev1.ResourceName{"cpu", "memory"} {
				if r.IntN(4) == 0 {
					if *list == nil {
						*list = corev1.ResourceList{}
					}
					(*list)[name] = *resource.NewMilliQuantity(int64(100*(least+r.IntN(most))), resource.DecimalSI)
				}
			}
		}
		draw(&item.Min, 1, 4)
		draw(&item.Max, 4, 12)
		draw(&item.MaxLimitRequestRatio, 10, 30)
		if kind == corev1.LimitTypeContainer {
			draw(&item.Default, 1, 10)
			draw(&item.DefaultRequest, 1, 8)
		}
		out.Spec.Limits = append(out.Spec.Limits, item)
	}
	return out
}

// Containers have requests and limits of most of what Quota counts: upstream refuses those of which one
// has to be there and is not.
func Containers(r *rand.Rand) []corev1.Container {
	var out []corev1.Container
	for i := range 1 + r.IntN(2) {
		list := func(factor int64) corev1.ResourceList {
			return corev1.ResourceList{
				"cpu":    *resource.NewMilliQuantity(factor*int64(1+r.IntN(900)), resource.DecimalSI),
				"memory": *resource.NewQuantity(factor*int64(1+r.IntN(1<<30)), resource.BinarySI),
			}
		}
		c := corev1.Container{Name: fmt.Sprint("main-", i), Resources: corev1.ResourceRequirements{Requests: list(1), Limits: list(2)}}
		if r.IntN(3) == 0 {
			one := resource.MustParse("1")
			c.Resources.Requests["example.com/gpu"], c.Resources.Limits["example.com/gpu"] = one, one
		}
		for _, name := range []corev1.ResourceName{"cpu", "memory"} {
			switch r.IntN(12) {
			case 0: // a limit alone would stand for the request, before this
				delete(c.Resources.Requests, name)
				delete(c.Resources.Limits, name)
			case 1:
				delete(c.Resources.Limits, name)
			}
		}
		out = append(out, c)
	}
	return out
}

// Quota draws what a quota counts.
func Quota(r *rand.Rand, name string) *corev1.ResourceQuota {
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	q.Spec.Hard = corev1.ResourceList{}
	add := func(name corev1.ResourceName, amount *resource.Quantity) {
		if r.IntN(4) == 0 {
			q.Spec.Hard[name] = *amount
		}
	}
	for _, name := range []corev1.ResourceName{"cpu", "requests.cpu", "limits.cpu"} {
		add(name, resource.NewMilliQuantity(int64(r.IntN(20_000)), resource.DecimalSI))
	}
	for _, name := range []corev1.ResourceName{"memory", "requests.memory", "limits.memory"} {
		add(name, resource.NewQuantity(r.Int64N(40<<30), resource.BinarySI))
	}
	for _, name := range []corev1.ResourceName{"pods", "count/pods", "requests.example.com/gpu", "services"} {
		add(name, resource.NewQuantity(int64(r.IntN(25)), resource.DecimalSI))
	}
	return q
}
