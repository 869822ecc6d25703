package state

// GitOps is the configuration of a GitOps controller, such as Argo CD or Flux, for the slice.
type GitOps struct {
	// SelfHeal says that objects changed in the cluster are applied again.
	SelfHeal bool
	// IgnoreReplicas says that a difference in .spec.replicas is none, and KeepReplicas
	// that an apply for another reason then leaves the live number alone, too.
	IgnoreReplicas, KeepReplicas bool
}
