// Package worker renders recipes: in this process, or in processes of their own with limits of time and memory, as a
// template may allocate or loop without end. Plain manifests, in which nothing runs, need none. It keeps the outputs
// from run to run, and knows nothing of the revision that they are of.
package worker
