package slice

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/snapshot"
)

// withKnown adds to the objects of a release's two versions those of the cluster that neither declares and that decide
// on the creation of pods: LimitRanges, webhooks, and the labels of namespaces.
func withKnown(shot *snapshot.Snapshot, base, head []*object.Object) (_, _ []*object.Object) {
	if shot == nil {
		return base, head
	}
	declared := map[string]bool{}
	for _, list := range [][]*object.Object{base, head} {
		for _, o := range list {
			declared[o.ID.String()] = true
		}
	}
	known := slices.DeleteFunc(knownObjects(shot), func(o *object.Object) bool { return declared[o.ID.String()] })
	return slices.Concat(base, known), slices.Concat(head, known)
}

// knownObjects are these objects of a cluster, which stand in no file.
func knownObjects(shot *snapshot.Snapshot) []*object.Object {
	var out []*object.Object
	add := func(group, kind, namespace, name string, typed runtime.Object) {
		out = append(out, &object.Object{ID: object.ID{Group: group, Kind: kind, Namespace: namespace, Name: name},
			Typed: typed})
	}
	for i := range shot.LimitRanges {
		r := &shot.LimitRanges[i]
		add("", "LimitRange", r.Namespace, r.Name, limitRangeOf(r))
	}
	for _, n := range shot.Namespaces {
		add("", "Namespace", "", n.Name, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}})
	}
	for i := 0; i < len(shot.Webhooks); {
		first, k := &shot.Webhooks[i], i
		var of []*snapshot.Webhook
		for ; k < len(shot.Webhooks) && shot.Webhooks[k].Type == first.Type &&
			shot.Webhooks[k].Configuration == first.Configuration; k++ {
			of = append(of, &shot.Webhooks[k])
		}
		if i = k; first.Configuration == "" {
			continue // a file of before selectors were kept
		}
		kind, typed := configurationOf(first.Configuration, first.Type, of)
		add(admissionv1.GroupName, kind, "", first.Configuration, typed)
	}
	return out
}

func limitRangeOf(r *snapshot.LimitRange) *corev1.LimitRange {
	out := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name}}
	for _, l := range r.Limits {
		out.Spec.Limits = append(out.Spec.Limits, corev1.LimitRangeItem{
			Type: corev1.LimitType(l.Type), Default: listOf(l.Default), DefaultRequest: listOf(l.DefaultRequest),
			Min: listOf(l.Min), Max: listOf(l.Max), MaxLimitRequestRatio: listOf(l.Ratio),
		})
	}
	return out
}

// configurationOf is one configuration with its webhooks, all of which are asked about new pods.
func configurationOf(name, of string, list []*snapshot.Webhook) (kind string, _ runtime.Object) {
	meta := metav1.ObjectMeta{Name: name}
	rules := []admissionv1.RuleWithOperations{{
		Operations: []admissionv1.OperationType{admissionv1.Create},
		Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
	}}
	mutating := &admissionv1.MutatingWebhookConfiguration{ObjectMeta: meta}
	validating := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: meta}
	for _, w := range list {
		policy, client := admissionv1.FailurePolicyType(w.OnFailure), admissionv1.WebhookClientConfig{}
		if namespace, service, ok := strings.Cut(w.Service, "/"); ok {
			client.Service = &admissionv1.ServiceReference{Namespace: namespace, Name: service}
		}
		var conditions []admissionv1.MatchCondition
		if w.Conditional {
			conditions = []admissionv1.MatchCondition{{Name: "not-read", Expression: "true"}}
		}
		if of == "mutating" {
			mutating.Webhooks = append(mutating.Webhooks, admissionv1.MutatingWebhook{
				Name: w.Name, ClientConfig: client, Rules: rules, FailurePolicy: &policy, NamespaceSelector: w.Namespaces.Of(),
				ObjectSelector: w.Pods.Of(), MatchConditions: conditions,
			})
			continue
		}
		validating.Webhooks = append(validating.Webhooks, admissionv1.ValidatingWebhook{
			Name: w.Name, ClientConfig: client, Rules: rules, FailurePolicy: &policy, NamespaceSelector: w.Namespaces.Of(),
			ObjectSelector: w.Pods.Of(), MatchConditions: conditions,
		})
	}
	if of == "mutating" {
		return "MutatingWebhookConfiguration", mutating
	}
	return "ValidatingWebhookConfiguration", validating
}
