// Package admission models the checks of a pod at its creation: ResourceQuotas, LimitRanges, RuntimeClasses, and
// webhooks that guard pods and fail closed.
//
// Upstream: kubernetes v1.36.3, plugin/pkg/admission/resourcequota, limitranger; staging
// apiserver/pkg/admission/plugin/webhook; pkg/quota/v1/evaluator/core.
//
// A create that is refused is tried again: the loops ask for [Quotas.Room] before they create. It watches every pod
// that a quota counts, pods on deletion among them, and whether the pods behind a webhook's Service are ready.
package admission
