// Package early lets garbage lie from the first moment of the process on: what the libraries set up before main begins
// would be collected once or twice, which takes a quarter of the time to start. It imports nothing of a library, and Go
// initialises what waits for nothing in the order of import paths, so that it comes before nearly all of them.
package early

import "runtime/debug"

// SmallGC is the garbage that this process lets lie, in percent of what lives, while it holds little.
const SmallGC = 1600

// Given is the original value: 100, or that of the environment (GOGC).
var Given = debug.SetGCPercent(SmallGC)
