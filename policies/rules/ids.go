package rules

// IDs of the rules of [All], for who reports a violation of one of them. Whoever wants to know what a violation is like
// asks the rule's [Facets].
const (
	ApplyRejected      = "apply-rejected"
	ApplyStuck         = "apply-stuck"
	BelowFloor         = "below-floor"
	CannotRevert       = "cannot-revert"
	CrashLoop          = "crash-loop"
	CutOffControl      = "cut-off-control"
	DanglingTarget     = "dangling-target"
	DeletedOnTheWay    = "deleted-on-the-way"
	DrainBlocked       = "drain-blocked"
	EvictionLoop       = "eviction-loop"
	MissingConfig      = "missing-config"
	NeverReplaced      = "never-replaced"
	NeverSettles       = "never-settles"
	NodeChurn          = "node-churn"
	PreemptionCascade  = "preemption-cascade"
	ReplicaOscillation = "replica-oscillation"
	ReplicasReset      = "replicas-reset"
	RolloutStuck       = "rollout-stuck"
	RunawayScale       = "runaway-scale"
	ServiceGap         = "service-gap"
	SingleDomain       = "single-domain"
	SpreadViolated     = "spread-violated"
	NoEffect           = "no-effect"
	NoLongerDeployed   = "no-longer-deployed"
	StaleConfig        = "stale-config"
	Unreachable        = "unreachable"
	Unschedulable      = "unschedulable"
)
