package policies

var unschedulable, rolloutStuck, replicasReset, belowFloor, neverSettles Rule
