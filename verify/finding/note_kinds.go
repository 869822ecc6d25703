package finding

// The kinds of notes. A comment says which arguments one has; [report] has the words of each.
const (
	// About the cluster and what runs in it.

	NoCluster           Kind = "no-cluster"
	Isolated            Kind = "isolated"
	MayHide             Kind = "may-hide"       // names: what the model of a loop, the argument, leaves out
	KindsAbsent         Kind = "kinds-absent"   // names: kinds that run pods and have no model
	ScalersAbsent       Kind = "scalers-absent" // names: kinds that scale and have no model
	GateLocked          Kind = "gate-locked"    // a feature gate, and the minor version that locks it
	ArbitraryTiming     Kind = "arbitrary-timing"
	ManagerRestarts     Kind = "manager-restarts"
	StaleViews          Kind = "stale-views" // how many writes
	DeschedulerAlone    Kind = "descheduler-alone"
	PolicyUnsupported   Kind = "policy-unsupported"     // a field of the policy, and what is assumed in its place
	WorkloadsTakeNoRoom Kind = "workloads-take-no-room" // how many cluster.workloads
	OthersTakeRoom      Kind = "others-take-room"
	OthersTakeNoRoom    Kind = "others-take-no-room" // why not
	NodesTooFew         Kind = "nodes-too-few"       // of a workload that finds no node
	SizesTooSmall       Kind = "sizes-too-small"     // of a workload without a node, the least that has one
	NodeLabelAssumed    Kind = "node-label-assumed"  // a label and its value
	ZonelessAssumed     Kind = "zoneless-assumed"
	NodeAssumed         Kind = "node-assumed"   // a name
	VolumeReaches       Kind = "volume-reaches" // of a claim
	DaemonTakes         Kind = "daemon-takes"   // names: amounts
	HeldStill           Kind = "held-still"     // names: workloads; arguments: what would move them

	// About parts that were left out of the searches.

	DeschedulerLeftOut Kind = "descheduler-left-out" // the part of its policy that is not modeled
	PreemptedLeftOut   Kind = "preempted-left-out"   // of a workload whose pods those of the argument may preempt
	BudgetLeftOut      Kind = "budget-left-out"      // of a budget, over how many workloads
	FriendLeftOut      Kind = "friend-left-out"      // of a workload elsewhere, which the argument requires beside itself
	RivalLeftOut       Kind = "rival-left-out"       // of a workload elsewhere, which the argument keeps apart from
	NotJoined          Kind = "not-joined"           // of an object; the line of policy that says where a release runs
	RoomLeftOut        Kind = "room-left-out"        // of a release that may take some; nobody says where it runs
	FriendsUnread      Kind = "friends-unread"       // a selector, how many releases, and who requires them
	RivalsUnread       Kind = "rivals-unread"        // a selector, how many releases, and who keeps apart
	FriendsAssumed     Kind = "friends-assumed"      // of a workload; a selector
	NoController       Kind = "no-controller"        // of a Pod
	NeedsTrusted       Kind = "needs-trusted"        // names: objects
	ReplicasLeft       Kind = "replicas-left"        // of a workload; a number
	RolloutTrusted     Kind = "rollout-trusted"      // of a Rollout; names: fields
	Patched            Kind = "patched"              // of a workload; names: policies that mutate
	PatchesUnknown     Kind = "patches-unknown"      // of a workload; why; names: policies that mutate
	ClaimAssumed       Kind = "claim-assumed"        // a claim
	QueueAlone         Kind = "queue-alone"          // a ClusterQueue

	// About how far was searched.

	PartOfSearches     Kind = "part-of-searches"      // i/n
	SearchedReduced    Kind = "searched-reduced"      // names: how many pods of whom as how many
	RulesInPart        Kind = "rules-in-part"         // of a workload; names: rules, of which nothing gates
	SearchedAsDeclared Kind = "searched-as-declared"  // of a workload; names: rules
	RandomRuns         Kind = "random-runs"           // of a workload; nodes, pods, steps, how many violations
	SizeSearchedInPart Kind = "size-searched-in-part" // of a workload; nodes declared, nodes searched
	SearchedInPart     Kind = "searched-in-part"      // of a workload; a situation
	Unanswered         Kind = "unanswered"            // what kept a rule or a loop of the policy from being evaluated
	FixUntried         Kind = "fix-untried"           // of a workload; a rule, and how many fixes

	// About the snapshot of a cluster.

	FromSnapshot      Kind = "from-snapshot"       // a file, and when it was taken
	SnapshotLacks     Kind = "snapshot-lacks"      // a kind, and why
	SnapshotOld       Kind = "snapshot-old"        // a file, when it was taken, and days
	SnapshotGrows     Kind = "snapshot-grows"      // what adds nodes
	SnapshotLacksPods Kind = "snapshot-lacks-pods" // a file, and why
	NodeUnhealthy     Kind = "node-unhealthy"      // a node; names: conditions
	NotStartedLive    Kind = "not-started-live"    // of a workload; why
	LiveAlready       Kind = "live-already"        // of an object
	LiveMissing       Kind = "live-missing"        // of an object
	LivePaused        Kind = "live-paused"         // of a workload
	LiveReplicas      Kind = "live-replicas"       // of a workload; replicas of base and of the cluster
	LiveRequests      Kind = "live-requests"       // of a workload; requests of base and of the cluster
	LiveBounds        Kind = "live-bounds"         // of an autoscaler; least and most of base and of the cluster

	// About controllers whose configuration is among the manifests.

	ControllerUsed   Kind = "controller-used"   // a controller
	ControllerUnused Kind = "controller-unused" // a controller
	ControllerSplit  Kind = "controller-split"  // a controller; of a release
	ControllerUnread Kind = "controller-unread" // a kind, and why
	PoolUsed         Kind = "pool-used"         // a NodePool
	PoolUnused       Kind = "pool-unused"       // a NodePool
	PoolUnsized      Kind = "pool-unsized"      // a NodePool
	PoolSplit        Kind = "pool-split"        // a NodePool; of a release
	FlagUnread       Kind = "flag-unread"       // a flag of a cluster autoscaler, and what it is not
	FlagsChanged     Kind = "flags-changed"     // names: flag, before, after, and so on; an argument: no pool scales

	// About releases and files.

	ReleaseNote      Kind = "release-note"        // of a release; the kind of a note of rendering, and its arguments
	ReleaseGoneWith  Kind = "release-gone-with"   // of a release; names: workloads; perhaps a release that has them too
	ReleasesLeft     Kind = "releases-left"       // args: the file that deploys them no longer; names: releases
	ReleaseDropped   Kind = "release-dropped"     // of a release that nothing uninstalls; names: workloads
	ReleasesGone     Kind = "releases-gone"       // names: releases; arguments: what base had of each
	WorkloadsRemoved Kind = "workloads-removed"   // of a release; names: workloads
	WorkloadsStilled Kind = "workloads-stilled"   // of a release; names: workloads
	ReleaseSuspended Kind = "release-suspended"   // of a release that changes
	ReleaseManual    Kind = "release-manual"      // of a release
	PodsReplaced     Kind = "pods-replaced"       // of a release; names: workloads, and what delivers charts
	UsedByNone       Kind = "used-by-none"        // names: files; arguments: why, or nothing
	KindsUnread      Kind = "kinds-unread"        // names: kinds, with how many
	PartsHidden      Kind = "parts-hidden"        // names: files and lines
	Parked           Kind = "parked"              // names: files with workloads; arguments: why no release is made of each
	SetAside         Kind = "set-aside"           // names: releases; arguments: why each does not render
	Placeholders     Kind = "placeholders"        // of a release; names: files
	DeclaredTwice    Kind = "declared-twice"      // of a release; names: objects and where
	PodsOfOperator   Kind = "pods-of-operator"    // names: objects
	ActsOnNothing    Kind = "acts-on-nothing"     // of an object; what was removed
	AimsAtNothing    Kind = "aims-at-nothing"     // names: objects
	LeftBehind       Kind = "left-behind"         // of an object of a release; what was removed, with which release
	MoreActOnNothing Kind = "more-act-on-nothing" // of a release; how many

	// About the policy, its rules, waivers and the baseline.

	RuleNamesUnknown   Kind = "rule-names-unknown"  // a rule, and the workload that it names
	RuleSpansReleases  Kind = "rule-spans-releases" // a rule
	WaiverExpired      Kind = "waiver-expired"      // a rule, owner, and when; of a workload
	WaiverIdle         Kind = "waiver-idle"         // a rule and owner; of a workload
	BesideExpired      Kind = "beside-expired"      // a rule, and when; of an object
	BesideIdle         Kind = "beside-idle"         // a rule; of an object
	BesideChanged      Kind = "beside-changed"      // a rule; of an object
	BesideUnread       Kind = "beside-unread"       // an annotation, and what is wrong with it; of an object
	WaiversLocked      Kind = "waivers-locked"      // an annotation, and the file and line that lock it; of an object
	BaselineWorse      Kind = "baseline-worse"      // a rule and a file; of a workload
	BaselineStale      Kind = "baseline-stale"      // names: rules, workloads and lines, three by three
	BaselineRemoved    Kind = "baseline-removed"
	BaselineUnreadable Kind = "baseline-unreadable"  // why
	BaselineBroken     Kind = "baseline-broken"      // why
	BaselineGrows      Kind = "baseline-grows"       // names: rules and workloads
	PolicyFor          Kind = "policy-for"           // names: releases
	PolicyOfBoth       Kind = "policy-of-both"       // names: releases
	PolicyHides        Kind = "policy-hides"         // names: the hidden findings; arguments: by which keys
	PolicyNarrows      Kind = "policy-narrows"       // names: the narrowed keys
	PolicyEdited       Kind = "policy-edited"        // adds, changes or removes
	FolderPolicyEdited Kind = "folder-policy-edited" // adds, changes or removes
	FolderPolicyIdle   Kind = "folder-policy-idle"
	PolicyBroken       Kind = "policy-broken"        // why
	FolderPolicyBroken Kind = "folder-policy-broken" // why

	// About the run.

	CutBeforeReleases Kind = "cut-before-releases" // how many of how many; seconds more; if known
	CutBeforeLines    Kind = "cut-before-lines"
	TimeFellShort     Kind = "time-fell-short" // the same, of searches
	BaseChosen        Kind = "base-chosen"     // a branch
	BaseFetched       Kind = "base-fetched"    // a commit
	BaseMoved         Kind = "base-moved"      // base, head, and a commit
	NoAncestor        Kind = "no-ancestor"     // base and head
	NothingBefore     Kind = "nothing-before"
	ForeignRun        Kind = "foreign-run"
	Quoted            Kind = "quoted" // what another version of this program said
)

// effects are declared here; a note without one is open.
var effects = map[Kind]Effect{
	NoCluster:           Assumed,
	Isolated:            Assumed,
	MayHide:             Assumed,
	KindsAbsent:         Assumed,
	ScalersAbsent:       Assumed,
	GateLocked:          Assumed,
	ArbitraryTiming:     Assumed,
	ManagerRestarts:     Assumed,
	StaleViews:          Assumed,
	DeschedulerAlone:    Assumed,
	PolicyUnsupported:   Assumed,
	WorkloadsTakeNoRoom: Assumed,
	OthersTakeRoom:      Assumed,
	OthersTakeNoRoom:    Assumed,
	NodesTooFew:         Assumed,
	SizesTooSmall:       Assumed,
	NodeLabelAssumed:    Assumed,
	ZonelessAssumed:     Assumed,
	NodeAssumed:         Assumed,
	VolumeReaches:       Assumed,
	DaemonTakes:         Assumed,
	HeldStill:           Assumed,
	FriendLeftOut:       Assumed,
	RivalLeftOut:        Assumed,
	NotJoined:           Assumed,
	RoomLeftOut:         Assumed,
	FriendsUnread:       Assumed,
	RivalsUnread:        Assumed,
	FriendsAssumed:      Assumed,
	NoController:        Assumed,
	NeedsTrusted:        Assumed,
	ReplicasLeft:        Assumed,
	RolloutTrusted:      Assumed,
	Patched:             Assumed,
	PatchesUnknown:      Assumed,
	ClaimAssumed:        Assumed,
	QueueAlone:          Assumed,
	PartOfSearches:      Told,
	SearchedReduced:     Assumed,
	RulesInPart:         Assumed,
	SearchedAsDeclared:  Assumed,
	RandomRuns:          Assumed,
	SizeSearchedInPart:  Assumed,
	FixUntried:          Told,
	FromSnapshot:        Assumed,
	SnapshotLacks:       Assumed,
	SnapshotOld:         Assumed,
	SnapshotGrows:       Assumed,
	SnapshotLacksPods:   Assumed,
	NodeUnhealthy:       Told,
	NotStartedLive:      Assumed,
	LiveAlready:         Told,
	LiveMissing:         Told,
	LivePaused:          Told,
	LiveReplicas:        Told,
	LiveRequests:        Told,
	LiveBounds:          Told,
	ControllerUsed:      Told,
	ControllerUnused:    Told,
	PoolUsed:            Told,
	PoolUnused:          Told,
	FlagsChanged:        Told,
	ReleaseNote:         Told,
	ReleaseGoneWith:     Told,
	ReleaseDropped:      Told,
	ReleasesLeft:        Told,
	ReleasesGone:        Told,
	WorkloadsRemoved:    Told,
	WorkloadsStilled:    Told,
	ReleaseSuspended:    Told,
	ReleaseManual:       Told,
	PodsReplaced:        Told,
	DeclaredTwice:       Told,
	ActsOnNothing:       Told,
	LeftBehind:          Told,
	MoreActOnNothing:    Told,
	WaiverExpired:       Told,
	WaiverIdle:          Told,
	BesideExpired:       Told,
	BesideIdle:          Told,
	BesideChanged:       Told,
	BesideUnread:        Told,
	WaiversLocked:       Told,
	BaselineWorse:       Told,
	BaselineStale:       Told,
	BaselineRemoved:     Told,
	BaselineUnreadable:  Told,
	BaselineBroken:      Told,
	BaselineGrows:       Told,
	PolicyFor:           Told,
	PolicyOfBoth:        Told,
	PolicyHides:         Told,
	PolicyNarrows:       Told,
	PolicyEdited:        Told,
	FolderPolicyEdited:  Told,
	FolderPolicyIdle:    Told,
	PolicyBroken:        Told,
	FolderPolicyBroken:  Told,
	CutBeforeLines:      Told,
	BaseChosen:          Told,
	BaseFetched:         Told,
	BaseMoved:           Told,
	NoAncestor:          Told,
	NothingBefore:       Told,
	ForeignRun:          Told,
	Quoted:              Told,
}

// Effect is what notes of a kind mean for a verdict.
func (k Kind) Effect() Effect { return effects[k] }
