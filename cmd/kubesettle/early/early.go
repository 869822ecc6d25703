// Package early is initialised before most others, as its path comes first among theirs and it imports nothing of them:
// from then on no garbage is collected that the initialisation of packages makes. Collecting it took a quarter of the
// processor time in which the program starts, which it does once more for each worker.
package early

import "runtime/debug"

// SmallGC is the garbage that this process lets lie, in percent of what lives, while it holds little.
const SmallGC = 400

// Given is the percentage that holds once it holds more: Go's own, or the user's (GOGC).
var Given = debug.SetGCPercent(SmallGC)
