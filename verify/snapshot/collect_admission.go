package snapshot

import (
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// webhook keeps a webhook that is asked about the creation of pods.
func (c *Collector) webhook(w Webhook, rules []admissionv1.RuleWithOperations, policy *admissionv1.FailurePolicyType,
	client admissionv1.WebhookClientConfig, namespaces, pods *metav1.LabelSelector) {
	guards := slices.ContainsFunc(rules, func(r admissionv1.RuleWithOperations) bool {
		has := func(list []string, want string) bool {
			return slices.Contains(list, want) || slices.Contains(list, "*") || slices.Contains(list, "*/*")
		}
		create := slices.Contains(r.Operations, admissionv1.Create) || slices.Contains(r.Operations, admissionv1.OperationAll)
		return create && has(r.APIGroups, "") && has(r.Resources, "pods")
	})
	if !guards {
		return
	}
	w.OnFailure = string(admissionv1.Fail)
	if policy != nil {
		w.OnFailure = string(*policy)
	}
	if s := client.Service; s != nil {
		w.Service = s.Namespace + "/" + s.Name
	}
	w.Namespaces, w.Pods = selector(namespaces), selector(pods)
	c.snap.Webhooks = append(c.snap.Webhooks, w)
}

// selector is one of a webhook's; nil matches everything, and so does an empty one.
func selector(s *metav1.LabelSelector) *Selector {
	if s == nil || len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		return nil
	}
	out := &Selector{Labels: s.MatchLabels}
	for _, e := range s.MatchExpressions {
		out.Expressions = append(out.Expressions, Expression{Key: e.Key, Operator: string(e.Operator), Values: e.Values})
	}
	return out
}

// name enters the labels of each namespace that webhooks select by. The label with its name is known anyway.
func (c *Collector) name() {
	asked := map[string]bool{}
	for _, w := range c.snap.Webhooks {
		if w.Namespaces == nil {
			continue
		}
		for key := range w.Namespaces.Labels {
			asked[key] = true
		}
		for _, e := range w.Namespaces.Expressions {
			asked[e.Key] = true
		}
	}
	delete(asked, corev1.LabelMetadataName)
	for _, n := range c.namespaces {
		labels := map[string]string{}
		for key := range asked {
			if value, ok := n.Labels[key]; ok {
				labels[key] = value
			}
		}
		if len(labels) > 0 {
			c.snap.Namespaces = append(c.snap.Namespaces, Namespace{Name: n.Name, Labels: labels})
		}
	}
}

func (c *Collector) limitRange(o *corev1.LimitRange) {
	r := LimitRange{Namespace: o.Namespace, Name: o.Name}
	for _, l := range o.Spec.Limits {
		r.Limits = append(r.Limits, Limit{
			Type: string(l.Type), Default: resources(l.Default), DefaultRequest: resources(l.DefaultRequest),
			Min: resources(l.Min), Max: resources(l.Max), Ratio: resources(l.MaxLimitRequestRatio),
		})
	}
	c.snap.LimitRanges = append(c.snap.LimitRanges, r)
}

// Of is the selector as Kubernetes has it; nil is nil.
func (s *Selector) Of() *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	out := &metav1.LabelSelector{MatchLabels: s.Labels}
	for _, e := range s.Expressions {
		out.MatchExpressions = append(out.MatchExpressions,
			metav1.LabelSelectorRequirement{Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: e.Values})
	}
	return out
}
