package scenario

// ReducedCount is a workload that was verified with fewer pods than declared; both
// numbers are the most that its manifests ask for.
type ReducedCount struct {
	Workload string `json:"workload"`
	Declared int    `json:"declared"`
	Verified int    `json:"verified"`
}

// Shard i of n, from 1; the zero Shard is the whole.
type Shard struct{ Index, Of int }

// Progress of a running check.
type Progress struct {
	Done, Of             int // searches, one a topology
	Releases, OfReleases int // all of whose searches are done
	States               uint64
	StatesPerSecond      float64
}

// WorkloadName is the "namespace/name" of a workload's ID.
func WorkloadName(id string) string {
	for i := range id {
		if id[i] == ' ' {
			return id[i+1:]
		}
	}
	return id
}
