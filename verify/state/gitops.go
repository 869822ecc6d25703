package state

// GitOps is what a GitOps controller, such as Argo CD or Flux, is told of the slice.
type GitOps struct {
	// SelfHeal says that what was changed in the cluster is applied again.
	SelfHeal bool
	// IgnoreReplicas says that a difference in .spec.replicas is none, and KeepReplicas
	// that an apply for another reason then leaves the live number alone, too.
	IgnoreReplicas, KeepReplicas bool
}
